package operations_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"procgraph/graph"
	"procgraph/operations"
	"procgraph/procedures"
	"procgraph/trust"
)

// sealed completes lines with an end line.
func sealed(lines ...string) string {
	text := strings.Join(lines, "\n") + "\n"
	sum := sha256.Sum256([]byte(text))
	return text + fmt.Sprintf(`{"kind":"end","lines":%d,"sha256":"%s"}`+"\n", len(lines), hex.EncodeToString(sum[:]))
}

const headLine = `{"kind":"header","format":"procgraph","version":1,"exportedAt":"2026-01-02T03:04:05.000Z"}`

// toolLine is the line of a known tool.
func toolLine(name string, class graph.ToolClass) string {
	return fmt.Sprintf(`{"kind":"tool","name":%q,"description":"what %s does","parametersSchema":{"type":"object"},"class":%q,"externalAccess":false,"known":true,"suspended":false}`, name, name, class)
}

func quoted(names []string) string { return `["` + strings.Join(names, `","`) + `"]` }

func procLine(reach []string, signature ...string) string {
	if reach == nil {
		reach = signature
	}
	return fmt.Sprintf(`{"kind":"procedure","toolName":%q,"signature":%s,"reach":%s,"createdAt":"2020-01-01T00:00:00.000Z","updatedAt":"2020-01-01T00:00:00.000Z","lastUsedAt":"2020-01-01T00:00:00.000Z"}`,
		procedures.ToolName(signature), quoted(signature), quoted(reach))
}

// codeOf is code with a signature.
func codeOf(signature ...string) string {
	var lines []string
	for _, name := range signature {
		lines = append(lines, "await tools."+name+"()")
	}
	return strings.Join(lines, "\n")
}

func hashText(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// variantLine is the line of the code of a signature; more is put before its end.
func variantLine(status, more string, signature ...string) string {
	code := codeOf(signature...)
	return fmt.Sprintf(`{"kind":"variant","procedure":%q,"codeHash":%q,"code":%q,"strategy":"","summary":"a summary","whenToUse":"a cause","status":%q,"capturedBy":"somebody","capturedAt":"2020-01-01T00:00:00.000Z","succeeded":0,"failed":0,%s}`,
		procedures.ToolName(signature), hashText(code), code, status, more)
}

func useLine(cause string, frequency int, signature ...string) string {
	return fmt.Sprintf(`{"kind":"use","procedure":%q,"cause":%q,"frequency":%d,"resultSummary":"","lastAt":"2020-01-01T00:00:00.000Z"}`,
		procedures.ToolName(signature), cause, frequency)
}

func tombLine(hash string) string {
	return fmt.Sprintf(`{"kind":"tombstone","codeHash":%q,"deletedAt":"2020-01-01T00:00:00.000Z"}`, hash)
}

const (
	offeredYes = `"offered":true,"approvedBy":"chief","approvedAt":"2020-01-01T00:00:00.000Z"`
	offeredNo  = `"offered":false`
)

func (b *bench) importing(ctx context.Context, text string) (operations.Imported, error) {
	b.Helper()
	return b.Import(ctx, strings.NewReader(text))
}

func (b *bench) exported() string {
	b.Helper()
	var out bytes.Buffer
	b.must(b.Export(b.ctx, &out))
	return out.String()
}

// body is an export without what depends on when it was made.
func body(text string) string {
	_, rest, _ := strings.Cut(text, "\n")
	return rest[:strings.LastIndex(strings.TrimSuffix(rest, "\n"), "\n")+1]
}

func TestHostileImports(t *testing.T) {
	r := []string{"r", "r2"}
	proc, variant, use := procLine(nil, r...), variantLine("PROPOSED", offeredNo, r...), useLine("a cause", 2, r...)
	rName := procedures.ToolName(r)
	with := func(line, old, replacement string) string {
		changed := strings.Replace(line, old, replacement, 1)
		if changed == line {
			t.Fatalf("%q is not in %s", old, line)
		}
		return changed
	}
	whole := sealed(headLine, toolLine("r", graph.ReadOnly), proc, variant, use)
	for name, c := range map[string]struct {
		text string
		line int
		says string
	}{
		"empty":                   {"", 1, "empty"},
		"a blank line":            {"\n", 1, "blank"},
		"a blank line within":     {sealed(headLine, "", proc), 2, "blank"},
		"no JSON":                 {"nonsense\n", 1, "not a JSON object"},
		"a list":                  {"[]\n", 1, "not a JSON object"},
		"broken JSON":             {sealed(headLine, `{"kind":"tool"`), 2, "valid JSON"},
		"two objects in a line":   {sealed(headLine, `{"kind":"cause","name":"c","description":""} {}`), 2, "follows"},
		"not UTF-8":               {sealed(headLine, "{\"kind\":\"cause\",\"name\":\"\xff\",\"description\":\"\"}"), 2, "UTF-8"},
		"no kind":                 {sealed(`{"format":"procgraph"}`), 1, "missing"},
		"a kind in capitals":      {sealed(headLine, `{"Kind":"cause","name":"c","description":""}`), 2, "missing"},
		"an unknown kind":         {sealed(headLine, `{"kind":"token"}`), 2, "no lines of the kind"},
		"no header":               {sealed(proc), 1, "not a header"},
		"two headers":             {sealed(headLine, headLine), 2, "cannot follow"},
		"another format":          {sealed(with(headLine, "procgraph", "other")), 1, "format"},
		"a newer version":         {sealed(with(headLine, `:1,`, `:2,`)), 1, "newer"},
		"version 0":               {sealed(with(headLine, `:1,`, `:0,`)), 1, "version"},
		"an unknown field":        {sealed(headLine, with(proc, `"kind"`, `"x":1,"kind"`)), 2, "not a part"},
		"a field in capitals":     {sealed(headLine, with(proc, `"toolName"`, `"toolname"`)), 2, "missing"},
		"a field twice":           {sealed(headLine, with(proc, `"kind"`, `"reach":[],"kind"`)), 2, "twice"},
		"a missing field":         {sealed(headLine, toolLine("r", graph.ReadOnly), proc, with(variant, `"summary":"a summary",`, ``)), 4, "missing"},
		"null for a text":         {sealed(headLine, proc, with(variant, `"a summary"`, `null`)), 3, "type"},
		"a number for a text":     {sealed(headLine, proc, with(variant, `"a summary"`, `7`)), 3, "type"},
		"a text for a number":     {sealed(headLine, proc, variant, with(use, `:2`, `:"2"`)), 4, "type"},
		"half a use":              {sealed(headLine, proc, variant, with(use, `:2`, `:2.5`)), 4, "type"},
		"no use":                  {sealed(headLine, proc, variant, with(use, `:2`, `:0`)), 4, "frequency"},
		"a huge number":           {sealed(headLine, proc, variant, with(use, `:2`, `:99999999999999999999`)), 4, "type"},
		"confidence above 1":      {sealed(headLine, proc, variant, with(use, `"frequency"`, `"confidence":1.5,"frequency"`)), 4, "confidence"},
		"NaN":                     {sealed(headLine, proc, variant, with(use, `"frequency"`, `"confidence":NaN,"frequency"`)), 4, "valid JSON"},
		"null in a list":          {sealed(headLine, proc, variant, with(use, `"frequency"`, `"triggerSignals":[null],"frequency"`)), 4, "list of texts"},
		"NUL in JSON":             {sealed(headLine, proc, variant, with(use, `"frequency"`, `"observedArguments":{"a":"\u0000"},"frequency"`)), 4, "JSON that can be stored"},
		"NUL in a text":           {sealed(headLine, proc, with(variant, `a summary`, `\u0000`)), 3, "valid text"},
		"JSON that is too deep":   {sealed(headLine, proc, variant, with(use, `"frequency"`, `"observedArguments":`+strings.Repeat("[", 20000)+strings.Repeat("]", 20000)+`,"frequency"`)), 4, "valid JSON"},
		"no time":                 {sealed(headLine, with(proc, `2020-01-01T00:00:00.000Z`, `yesterday`)), 2, "time"},
		"a time before 1970":      {sealed(headLine, with(proc, `2020-01-01T00:00:00.000Z`, `1960-01-01T00:00:00.000Z`)), 2, "time"},
		"a control character":     {sealed(headLine, `{"kind":"cause","name":"a\u0007","description":""}`), 2, "control"},
		"a name that is not NFC":  {sealed(headLine, `{"kind":"cause","name":"e\u0301","description":""}`), 2, "stored form"},
		"a long name":             {sealed(headLine, `{"kind":"cause","name":"`+strings.Repeat("x", 201)+`","description":""}`), 2, "longer"},
		"a class that is none":    {sealed(headLine, toolLine("t", "HARMLESS")), 2, "class"},
		"a tool like a procedure": {sealed(headLine, toolLine("proc__t", graph.ReadOnly)), 2, "cannot start"},
		"a schema that is none":   {sealed(headLine, with(toolLine("t", graph.ReadOnly), `{"type":"object"}`, `[]`)), 2, "not a JSON object"},
		"a stub with a class":     {sealed(headLine, with(toolLine("t", graph.ReadOnly), `"known":true`, `"known":false`)), 2, "not known"},
		"a tool after procedures": {sealed(headLine, proc, variant, toolLine("t", graph.ReadOnly)), 4, "cannot follow"},
		"a cause before tools":    {sealed(headLine, `{"kind":"cause","name":"c","description":""}`, toolLine("t", graph.ReadOnly)), 3, "cannot follow"},
		"a tombstone in between":  {sealed(headLine, tombLine(hashText("x")), proc), 3, "cannot follow"},
		"a hash that is none":     {sealed(headLine, tombLine("xyz")), 2, "hash"},
		"a variant alone":         {sealed(headLine, variant), 2, "right after"},
		"a use alone":             {sealed(headLine, use), 2, "after the variants"},
		"a use for a variant":     {sealed(headLine, proc, use), 3, "no variant"},
		"a variant after a use":   {sealed(headLine, proc, variant, use, variant), 5, "right after"},
		"a procedure alone":       {sealed(headLine, proc, procLine(nil, "r", "r3")), 3, "no variant"},
		"a procedure at the end":  {sealed(headLine, proc), 3, "no variant"},
		"another's variant":       {sealed(headLine, proc, variantLine("PROPOSED", offeredNo, "r", "r3")), 3, "not of the procedure"},
		"another's use":           {sealed(headLine, proc, variant, useLine("a cause", 1, "r", "r3")), 4, "not of the procedure"},
		"code of more tools":      {sealed(headLine, proc, strings.Replace(variantLine("PROPOSED", offeredNo, "r", "r2", "w"), procedures.ToolName([]string{"r", "r2", "w"}), rName, 1)), 3, "signature"},
		"another hash":            {sealed(headLine, proc, with(variant, hashText(codeOf(r...)), hashText("x"))), 3, "codeHash"},
		"code with blanks":        {sealed(headLine, proc, with(variant, `r2()`, `r2()  `)), 3, "canonical"},
		"code with a control":     {sealed(headLine, proc, with(variant, `r2()`, `r2()\u0007`)), 3, "not allowed"},
		"a status that is none":   {sealed(headLine, proc, with(variant, "PROPOSED", "FINE")), 3, "status"},
		"offered and proposed":    {sealed(headLine, proc, variantLine("PROPOSED", `"offered":true`, r...)), 3, "only an approved"},
		"rejected by approval":    {sealed(headLine, proc, variantLine("REJECTED", `"offered":false,"approvedBy":"x"`, r...)), 3, "decision"},
		"a negative count":        {sealed(headLine, proc, with(variant, `"failed":0`, `"failed":-1`)), 3, "negative"},
		"a wrong name":            {sealed(headLine, with(proc, rName, "proc__other")), 2, "toolName"},
		"a signature in disorder": {sealed(headLine, with(proc, `["r","r2"]`, `["r2","r"]`)), 2, "sorted"},
		"a reach that says less":  {sealed(headLine, procLine([]string{"r"}, r...)), 2, "does not hold"},
		"a reach of itself":       {sealed(headLine, procLine([]string{rName, "r", "r2"}, r...)), 2, "reaches itself"},
		"a reach that says more":  {sealed(headLine, procLine([]string{"r", "r2", "w"}, r...), variant), 2, "not what"},
		"the use twice":           {sealed(headLine, proc, variant, use, use), 5, "twice"},
		"the variant twice":       {sealed(headLine, proc, variant, variant, use), 4, "twice"},
		"another end line":        {strings.Replace(whole, `"end"`, `"\u0065nd"`, 1), 6, "not as an export writes it"},
		"after the end":           {whole + headLine + "\n", 7, "follows the end"},
		"a blank after it":        {whole + "\n", 7, "blank"},
		"a wrong count":           {strings.Replace(whole, `"lines":5`, `"lines":4`, 1), 6, "not whole"},
		"a changed line":          {strings.Replace(whole, `"frequency":2`, `"frequency":3`, 1), 6, "checksum"},
		"without its end":         {whole[:strings.Index(whole, `{"kind":"end"`)], 6, "cut off"},
		"cut within a line":       {whole[:strings.Index(whole, `"lastAt"`)], 5, "cut off within"},
		"one line of 40 MB":       {headLine + "\n" + `{"kind":"cause","name":"` + strings.Repeat("x", 40<<20), 2, "longer"},
		"a text that is long":     {sealed(headLine, proc, with(variant, `a summary`, strings.Repeat("x", 65<<10))), 3, "longer"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			done, err := b.importing(b.ctx, c.text)
			var e *operations.Error
			if !errors.As(err, &e) || e.Line != c.line || !strings.HasPrefix(e.Message, fmt.Sprintf("line %d: ", c.line)) || !strings.Contains(e.Message, c.says) {
				t.Fatalf("answers %v, want line %d and %q", err, c.line, c.says)
			}
			if e.Code != operations.BadUserInput && (e.Code != operations.LimitExceeded || c.says != "longer") {
				t.Errorf("code %s", e.Code)
			}
			if done.Lines >= int64(c.line) {
				t.Errorf("%d lines are told to be stored", done.Lines)
			}
			// What is stored is what comes before the line.
			lines := strings.SplitAfter(c.text, "\n")
			twin := newBench(t)
			if _, err := twin.importing(twin.ctx, strings.Join(lines[:c.line-1], "")); err == nil && c.line < 7 {
				t.Error("a part was taken for the whole")
			}
			if got, want := body(b.exported()), body(twin.exported()); got != want {
				t.Errorf("stored:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

func TestImportTakesWhatAnExportHolds(t *testing.T) {
	source := newBench(t)
	source.fill()
	text := source.exported()
	target := newBench(t)
	done, err := target.importing(target.ctx, text)
	target.must(err)
	if got := target.exported(); body(got) != body(text) {
		t.Errorf("exported after the import:\n%s\nwant:\n%s", got, text)
	}
	if done.Lines != int64(strings.Count(text, "\n")) || done.Written.Procedures != 4 || done.Known.Procedures != 0 || done.Skipped.Statuses != 0 {
		t.Errorf("imported %+v", done)
	}
	target.hintsAreRight()

	// Once more it stores nothing, not even an event.
	head, events := target.head(), len(target.events())
	again, err := target.importing(target.ctx, text)
	target.must(err)
	if again.Written != (operations.ImportCounts{}) || again.Known.Procedures != 4 || target.head() != head || len(target.events()) != events {
		t.Errorf("the second import did %+v; the head is %v, was %v", again, target.head(), head)
	}
	if _, err := trust.VerifyChain(graph.Head{}, target.events()); err != nil {
		t.Error(err)
	}
	for _, e := range target.events() {
		if strings.Contains(string(e.Details), "await") {
			t.Errorf("the audit trail holds code: %s", e.Details)
		}
	}
}

// fill makes a graph of all that an export can hold.
func (b *bench) fill() {
	b.Helper()
	one := b.captureFor("await tools.r()\nawait tools.r2()", "cause 1", "cause 2")
	other := b.captureFor("x = await tools.r()\nawait tools.r2()", "cause 1")
	b.captureFor("await tools.w()\nawait tools.r()", "cause 3")
	confidence := 0.75
	_, err := b.CaptureProcedure(b.ctx, operations.CaptureInput{Code: "await tools." + one.Procedure.Procedure.ToolName + "()\nawait tools.r3()",
		Causes: []string{"cause 1", "é"}, Strategy: "s", Summary: "<b> & \u2028", TriggerSignals: []string{"one", "two"}, Confidence: &confidence,
		ObservedArguments: []byte(`{"n":1.50,"s":"\u2028"}`), ResultSummary: "fine"})
	b.must(err)
	gone := b.captureFor("await tools.r3()\nawait tools.unknown_tool()", "cause 4")
	b.captureFor("await tools."+gone.Procedure.Procedure.ToolName+"()", "cause 4")
	_, err = b.ApproveVariant(b.ctx, one.Variant.CodeHash, nil)
	b.must(err)
	_, err = b.RejectVariant(b.ctx, other.Variant.CodeHash, "no")
	b.must(err)
	b.must(b.DeleteProcedure(b.ctx, gone.Procedure.Procedure.ToolName))
}

func (b *bench) captureFor(code string, causes ...string) *operations.Captured {
	b.Helper()
	c, err := b.CaptureProcedure(b.ctx, operations.CaptureInput{Code: code, Causes: causes, Summary: "what it does"})
	b.must(err)
	return c
}

func (b *bench) head() graph.Head {
	b.Helper()
	h, err := b.Head(b.ctx)
	b.must(err)
	return h
}

func (b *bench) events() []graph.Event {
	b.Helper()
	events, err := b.store.Events(context.Background(), 0, 1000)
	b.must(err)
	return events
}

func ignore[T any](_ T, err error) error { return err }

func TestImportScopes(t *testing.T) {
	b := newBench(t)
	_, err := b.importing(context.Background(), "")
	b.fails(err, operations.Unauthenticated)
	_, err = b.importing(caller("carl", trust.ScopeGraphRead), "")
	b.fails(err, operations.Forbidden)
	b.fails(b.Export(caller("carl", trust.ScopeGraphRead, trust.ScopeProcedureCapture), io.Discard), operations.Forbidden)
}

// many is a text of procedures, each with two uses.
func many(n int) string {
	lines := []string{headLine, toolLine("r", graph.ReadOnly)}
	for i := range n {
		s := []string{"r", fmt.Sprintf("t%05d", i)}
		lines = append(lines, procLine(nil, s...), variantLine("APPROVED", offeredYes, s...), useLine("a cause", 2, s...), useLine(fmt.Sprint("cause ", i%50), 3, s...))
	}
	return sealed(lines...)
}

func TestImportsTogether(t *testing.T) {
	text := many(700)
	want := newBench(t)
	want.must(ignore(want.importing(want.ctx, text)))
	b := newBench(t)
	var group sync.WaitGroup
	errs := make([]error, 2)
	for i := range errs {
		group.Go(func() { _, errs[i] = b.Import(b.ctx, strings.NewReader(text)) })
	}
	group.Wait()
	b.must(errors.Join(errs...))
	if body(b.exported()) != body(want.exported()) {
		t.Error("two imports at once ended otherwise than one")
	}
}

func TestImportGoesOnAfterABadLine(t *testing.T) {
	text := many(700)
	lines := strings.SplitAfter(text, "\n")
	broken := strings.Join(lines[:1500], "") + "{}\n" + strings.Join(lines[1500:], "")
	b := newBench(t)
	done, err := b.importing(b.ctx, broken)
	b.fails(err, operations.BadUserInput)
	if done.Lines != 1500 {
		t.Errorf("%d lines, want 1500", done.Lines)
	}
	rest, err := b.importing(b.ctx, text)
	b.must(err)
	if n := done.Written.Procedures + rest.Written.Procedures; n != 700 || rest.Known.Procedures != done.Written.Procedures {
		t.Errorf("first %+v, then %+v", done, rest)
	}
	want := newBench(t)
	want.must(ignore(want.importing(want.ctx, text)))
	if body(b.exported()) != body(want.exported()) {
		t.Error("an import in two goes ended otherwise than one")
	}
}

func TestImportEndsWithItsContext(t *testing.T) {
	b := newBench(t)
	ctx, cancel := context.WithCancel(b.ctx)
	reader, writer := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		_, err := b.Import(ctx, reader)
		ended <- err
	}()
	_, err := writer.Write([]byte(headLine + "\n"))
	b.must(err)
	cancel()
	b.fails(<-ended, operations.BadUserInput)
	b.must(writer.Close())
}

func FuzzImport(f *testing.F) {
	r := []string{"r", "r2"}
	for _, line := range []string{headLine, toolLine("r", graph.ReadOnly), procLine(nil, r...), variantLine("APPROVED", offeredYes, r...),
		useLine("a cause", 2, r...), tombLine(hashText("x")), `{"kind":"cause","name":"c","description":""}`, `{"kind":"end","lines":1,"sha256":"x"}`} {
		f.Add([]byte(line))
	}
	b := newBench(f)
	f.Fuzz(func(t *testing.T, line []byte) {
		text := append([]byte(headLine+"\n"), line...)
		_, err := b.Import(b.ctx, bytes.NewReader(text))
		var e *operations.Error
		if err != nil && (!errors.As(err, &e) || e.Code == operations.Internal || e.Line < 1) {
			t.Errorf("answers %v", err)
		}
	})
}
