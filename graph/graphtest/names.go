package graphtest

import (
	"fmt"
	"slices"
	"strings"

	"procgraph/graph"
)

var nameTests = []test{
	{"ToolsAreKeptApart", false, toolsAreKeptApart},
	{"CausesAreKeptApart", false, causesAreKeptApart},
	{"ProceduresAreKeptApart", false, proceduresAreKeptApart},
	{"HostileTextsAreData", false, hostileTextsAreData},
	{"HostileQuestionsFindNothing", false, hostileQuestionsFindNothing},
}

// alike are names that a database could take for each other: by case, by Unicode form, by blanks at an end, by what is
// not printed. The last two sort differently in UTF-8 and in UTF-16.
var alike = []string{
	"fetch_logs", "Fetch_logs", "FETCH_LOGS", "fetch_logs ", "fetch_logs  ", " fetch_logs", "fetch_logs\u00a0",
	"caf\u00e9", "cafe\u0301", "cafe", "\ufb01", "fi", "stra\u00dfe", "strasse", "\u0131", "i", "I", "\u0130",
	"a\u200bb", "ab", "1", "01", "1.0", "_", "%", "f%", "\uff5e", "\U0001f600",
}

// hostile are names that are code to somebody.
var hostile = []string{
	"'); DROP TABLE procedures; --",
	`" OR 1=1 --`,
	"`}) DETACH DELETE n //",
	"') MATCH (n) DETACH DELETE n WITH 1 AS x //",
	"}) CREATE (:Tool {name: 'evil'}) //",
	"$name", "${name}", "{{name}}", "?", "?1", ":name", "@name", "%s%n", `back\slash\'quote`, "\\u0027",
	"null", "NULL", "NaN", "true", "", " ", "[]", "{}", `{"a":1}`, "../../etc/passwd", "<script>alert(1)</script>",
	"line\nfeed", "tab\tstop", "\u202eright to left", "عربى", "👩‍👩‍👧‍👦", "zero\u200dwidth",
	strings.Repeat("long ", 40), strings.Repeat("é", 200),
}

func toolsAreKeptApart(f *fixture) {
	names := names()
	tools := make([]graph.Tool, len(names))
	for i, name := range names {
		tools[i] = tool(name)
		tools[i].Description = fmt.Sprintf("tool %d", i)
	}
	f.register(tools...)
	slices.SortFunc(tools, func(a, b graph.Tool) int { return strings.Compare(a.Name, b.Name) })
	same(f, "tools by name, byte by byte", f.tools(), tools)
	sameSet(f, "all tools by their names", read(f.store().ToolsBy(f.Context(), names)).or(f).Items, tools, byToolName)
	byName := map[string]graph.Tool{}
	for _, want := range tools {
		byName[want.Name] = want
	}
	same(f, "all tools among facts", read(f.store().Facts(f.Context(), graph.FactQuery{Names: names})).or(f).Tools, byName)
	for _, name := range alike {
		same(f, "the tool "+name, read(f.store().ToolsBy(f.Context(), []string{name})).or(f).Items, []graph.Tool{byName[name]})
	}
}

// names are all that are alike and hostile, without the empty one.
func names() []string {
	return slices.DeleteFunc(slices.Concat(alike, hostile), func(name string) bool { return name == "" })
}

func byToolName(a, b graph.Tool) int { return strings.Compare(a.Name, b.Name) }

func causesAreKeptApart(f *fixture) {
	names := names()
	for chunk := range slices.Chunk(names, 16) {
		f.capture(serving(capture("await tools.a()", "a"), chunk...))
	}
	same(f, "causes by name, byte by byte", f.causes(), sorted(names...))
	uses := read(f.store().UsesOf(f.Context(), graph.UseOwners{Causes: names}, everything)).or(f)
	for _, name := range names {
		if s := uses.By[name]; len(s.Items) != 1 || s.Items[0].Cause != name || s.Items[0].Frequency != 1 {
			f.Errorf("uses of %q: %+v, want one", name, s.Items)
		}
	}
	for _, name := range alike {
		same(f, "the cause", read(f.store().CausesBy(f.Context(), []string{name})).or(f).Items, []graph.Cause{{Name: name}})
	}
}

func proceduresAreKeptApart(f *fixture) {
	names := names()
	for i, name := range names {
		c := serving(capture(fmt.Sprintf("code %d", i), "base", name), name)
		c.ToolName = "proc__" + name
		f.capture(c)
	}
	all := f.procedures()
	if len(all) != len(names) {
		f.Errorf("%d procedures, want %d", len(all), len(names))
	}
	if !slices.IsSortedFunc(all, func(a, b graph.Offer) int {
		return strings.Compare(a.Procedure.ToolName, b.Procedure.ToolName)
	}) {
		f.Error("the procedures are not in the order of the bytes of their names")
	}
	if tools := f.tools(); len(tools) != len(names)+1 {
		f.Errorf("%d tools, want %d", len(tools), len(names)+1)
	}
	using := read(f.store().ProceduresUsing(f.Context(), names, everything)).or(f)
	for _, name := range names {
		same(f, "the procedure that uses "+name, toolNames(using.By[name].Items), []string{"proc__" + name})
	}
	for _, name := range alike {
		want := []string{"proc__" + name}
		for what, offers := range map[string][]graph.Offer{
			"by its name":  read(f.store().ProceduresBy(f.Context(), graph.ProcedureRefs{ToolNames: want})).or(f).Items,
			"by its tool":  read(f.store().Procedures(f.Context(), graph.ProcedureFilter{Tools: []string{name, "base"}}, graph.ByName, everything)).or(f).Items,
			"by its cause": read(f.store().Procedures(f.Context(), graph.ProcedureFilter{Causes: []string{name}}, graph.ByName, everything)).or(f).Items,
		} {
			same(f, fmt.Sprintf("the procedure of %q %s", name, what), toolNames(offers), want)
		}
	}
}

// toolNames are the names of procedures, in their order.
func toolNames(offers []graph.Offer) (names []string) {
	for _, o := range offers {
		names = append(names, o.Procedure.ToolName)
	}
	return names
}

func hostileTextsAreData(f *fixture) {
	tools := make([]graph.Tool, len(hostile))
	for i, text := range hostile {
		tools[i] = tool(fmt.Sprintf("tool_%02d", i))
		tools[i].Description = text
		tools[i].DefinitionHash = text
	}
	f.register(tools...)
	same(f, "tools", f.tools(), tools)
	var variants []graph.Variant
	for i, text := range hostile {
		c := serving(capture(fmt.Sprintf("code %d %s", i, text), "a", "b"), fmt.Sprintf("cause %02d", i))
		c.Variant.Strategy, c.Variant.Summary, c.Variant.WhenToUse = text+"1", text+"2", text+"3"
		c.Variant.CapturedBy, c.Variant.CapturedWith = text+"4", text+"5"
		c.Use = graph.UseDetails{TriggerSignals: []string{text, "", text}, ResultSummary: text}
		c.Key = fmt.Sprint("key ", i, text)
		want := c.Variant
		same(f, "variant", f.capture(c).Variant, want)
		f.commit(graph.FactQuery{CodeHashes: []string{want.CodeHash}}, func(facts graph.Facts) (graph.Change, error) {
			event := seal(facts.Head, "ACTION"+text, text)
			event.Actor = text
			return graph.VariantJudged{
				Event: event, CodeHash: want.CodeHash, Status: graph.Rejected, Summary: text + "6", WhenToUse: text + "7",
				ApprovedBy: text + "8", RejectedReason: text + "9", Procedure: stateOf(facts.Owners[c.ProcedureKey].Procedure),
			}, nil
		})
		want.Status, want.Summary, want.WhenToUse = graph.Rejected, text+"6", text+"7"
		want.ApprovedBy, want.RejectedReason = text+"8", text+"9"
		variants = append(variants, want)
	}
	sameSet(f, "judged variants", f.variants(keyOf("a", "b")), variants, func(a, b graph.Variant) int {
		return strings.Compare(a.CodeHash, b.CodeHash)
	})
	uses := f.uses(keyOf("a", "b"))
	events := read(f.store().Events(f.Context(), 1, 100)).or(f)
	if len(uses) != len(hostile) || len(events) != len(hostile) {
		f.Fatalf("%d uses and %d events, want %d", len(uses), len(events), len(hostile))
	}
	for i, text := range hostile {
		same(f, "signals", uses[i].TriggerSignals, []string{text, "", text})
		same(f, "summary", uses[i].ResultSummary, text)
		if e := events[i]; e.Actor != text || e.Subject != text || e.Action != "ACTION"+text {
			f.Errorf("event %+v, want one about %q", e, text)
		}
	}
	if n := len(f.tools()); n != len(hostile)+2 {
		f.Errorf("%d tools, want %d", n, len(hostile)+2)
	}
	if n := len(f.procedures()); n != 1 {
		f.Errorf("%d procedures, want 1", n)
	}
	if n := len(f.causes()); n != len(hostile) {
		f.Errorf("%d causes, want %d", n, len(hostile))
	}
}

// stateOf is the state of a procedure as it is, for changes that leave it.
func stateOf(p graph.Procedure) graph.ProcedureState {
	return graph.ProcedureState{
		Key: p.Key, Current: p.Current, Approved: p.Approved, Offered: p.Offered, ApprovedVariants: p.ApprovedVariants,
		RetiredAt: p.RetiredAt, UpdatedAt: p.UpdatedAt,
	}
}

func hostileQuestionsFindNothing(f *fixture) {
	f.capture(capture("await tools.a(); await tools.b()", "a", "b"))
	before := f.content()
	ctx, s := f.Context(), f.store()
	questions := names()
	if p := read(s.ProceduresBy(ctx, graph.ProcedureRefs{Keys: questions, ToolNames: questions, CodeHashes: questions})).or(f); len(p.Items) > 0 {
		f.Errorf("procedures %v", toolNames(p.Items))
	}
	for i, text := range hostile {
		if p := read(s.Procedures(ctx, graph.ProcedureFilter{Tools: []string{text}}, graph.ByName, everything)).or(f); len(p.Items)+p.Total > 0 {
			f.Errorf("procedures of the tool %q: %v", text, toolNames(p.Items))
		}
		if p := read(s.Registry(ctx, graph.RegistryFilter{Causes: []string{text}}, everything)).or(f); len(p.Items)+p.Total > 0 {
			f.Errorf("procedures of the cause %q: %v", text, toolNames(p.Items))
		}
		if i%4 == 0 {
			read(s.Tools(ctx, graph.ToolFilter{}, graph.Page{First: 3, After: text})).or(f)
			read(s.Causes(ctx, graph.Page{First: 3, After: text})).or(f)
		}
	}
	if a := read(s.ProceduresUsing(ctx, questions, everything)).or(f); !empty(a.By) {
		f.Errorf("procedures by tool %v", a.By)
	}
	if a := read(s.VariantsBy(ctx, questions)).or(f); len(a.Items) > 0 {
		f.Errorf("variants %v", a.Items)
	}
	if a := read(s.VariantsOf(ctx, questions, everything)).or(f); !empty(a.By) {
		f.Errorf("variants by procedure %v", a.By)
	}
	if a := read(s.UsesOf(ctx, graph.UseOwners{Causes: questions}, everything)).or(f); !empty(a.By) {
		f.Errorf("uses by cause %v", a.By)
	}
	if a := read(s.UsesOf(ctx, graph.UseOwners{Procedures: questions}, everything)).or(f); !empty(a.By) {
		f.Errorf("uses by procedure %v", a.By)
	}
	if a := read(s.ToolsOf(ctx, questions, everything)).or(f); !empty(a.By) {
		f.Errorf("tools by procedure %v", a.By)
	}
	facts := read(s.Facts(ctx, graph.FactQuery{Names: questions, CodeHashes: questions, Dependents: true, Admin: true})).or(f)
	if len(facts.Tools)+len(facts.Variants)+len(facts.Owners)+len(facts.Dependents)+len(facts.Known.Tools)+len(facts.Known.Procedures) > 0 || facts.Admin != nil {
		f.Errorf("facts %+v", facts)
	}
	same(f, "content after questions", f.content(), before)
}

// empty says that a batch holds no row: an owner without rows may be absent or have an empty slice.
func empty[T any](by map[string]graph.Slice[T]) bool {
	for _, s := range by {
		if len(s.Items) > 0 || s.Total > 0 || s.More {
			return false
		}
	}
	return true
}
