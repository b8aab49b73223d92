package operations

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"procgraph/graph"
	"procgraph/procedures"
)

// maxLine bounds a line in bytes. The longest row is a use with all the signals that it may have: JSON may write each of
// their bytes as six.
const maxLine = 6*(maxSignals+1)*maxText + 2*maxText

// maxWhenToUse bounds the text that a capture makes of its causes and signals, in characters.
const maxWhenToUse = 512

// importLine is a line that is fit to be stored by itself. One of the pointers is set.
type importLine struct {
	number    int64
	header    *headerLine
	tool      *graph.Tool
	cause     *graph.Cause
	procedure *graph.Procedure
	variant   *importedVariant
	use       *graph.Use // Procedure is unset
	tombstone *graph.Tombstone
	end       *endLine
}

type importedVariant struct {
	graph.Variant          // Procedure is unset, and Offered says what the line says
	toolName      string   // of the procedure
	signature     []string // that the code was found to have
}

// parseLine reads one line strictly and checks all that can be checked without the lines around it and the store.
func (o *Operations) parseLine(raw []byte) (importLine, error) {
	var line importLine
	if len(bytes.TrimSpace(raw)) == 0 {
		return line, badInput("the line is blank")
	}
	if !utf8.Valid(raw) {
		return line, badInput("the line is not valid UTF-8")
	}
	members, err := parseObject(raw)
	if err != nil {
		return line, err
	}
	var kind string
	if err := members.take("kind", &kind); err != nil {
		return line, err
	}
	switch kind {
	case kindHeader:
		line.header, err = parseHeader(members)
	case kindTool:
		line.tool, err = parseTool(members)
	case kindCause:
		line.cause, err = parseCause(members)
	case kindProcedure:
		line.procedure, err = parseProcedure(members)
	case kindVariant:
		line.variant, err = o.parseVariant(members)
	case kindUse:
		line.use, err = parseUse(members)
	case kindTombstone:
		line.tombstone, err = parseTombstone(members)
	case kindEnd:
		line.end, err = parseEnd(members)
	default:
		return line, badInput("there are no lines of the kind %q", shortened(kind))
	}
	return line, err
}

// shortened is a text from a file as far as a message shows it.
func shortened(s string) string {
	const most = 40
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}

func parseHeader(m members) (*headerLine, error) {
	h := &headerLine{Kind: kindHeader}
	if err := m.all(map[string]any{"format": &h.Format, "version": &h.Version, "exportedAt": &h.ExportedAt}); err != nil {
		return nil, err
	}
	switch {
	case h.Format != formatName:
		return nil, badInput("the format is %q and not %q", shortened(h.Format), formatName)
	case h.Version > formatVersion:
		return nil, badInput("the file has version %d, and this server reads versions up to %d: use a newer one", h.Version, formatVersion)
	case h.Version < 1:
		return nil, badInput("there is no version %d", h.Version)
	}
	return h, nil
}

func parseTool(m members) (*graph.Tool, error) {
	var t graph.Tool
	var class string
	err := m.all(map[string]any{"name": &t.Name, "description": &t.Description, "parametersSchema": &t.ParametersSchema,
		"class": &class, "externalAccess": &t.ExternalAccess, "known": &t.Known, "hints": optional{&t.Hints}, "suspended": &t.Suspended})
	if err != nil {
		return nil, err
	}
	in := ToolInput{Name: t.Name, Description: &t.Description, ParametersSchema: t.ParametersSchema, Hints: t.Hints}
	name, err := in.check()
	if err != nil {
		return nil, err
	}
	if err := sameName("the name", name, t.Name); err != nil {
		return nil, err
	}
	t.Class = graph.ToolClass(class)
	if strictness(t.Class) < 0 {
		return nil, badInput("there is no class %q", shortened(class))
	}
	if !t.Known {
		stub := graph.Tool{Name: name, ParametersSchema: json.RawMessage(`{}`), Class: graph.Unclassified}
		if !sameTool(t, stub) {
			return nil, badInput("a tool that is not known has no definition, no class and no hints")
		}
		return &stub, nil
	}
	if t.DefinitionHash, err = procedures.DefinitionHash(name, t.Description, t.ParametersSchema); err != nil {
		return nil, badInput("the schema of %s cannot be stored", name)
	}
	return &t, nil
}

// sameName refuses a name that is not in its stored form: no export holds one.
func sameName(what, stored, given string) error {
	if stored != given {
		return badInput("%s is not in its stored form", what)
	}
	return nil
}

func exactName(what, name string) error {
	stored, err := storedName(what, name)
	if err != nil {
		return err
	}
	return sameName(what, stored, name)
}

func parseCause(m members) (*graph.Cause, error) {
	var c graph.Cause
	if err := m.all(map[string]any{"name": &c.Name, "description": &c.Description}); err != nil {
		return nil, err
	}
	if err := exactName("the name", c.Name); err != nil {
		return nil, err
	}
	return &c, text("the description", c.Description)
}

func parseProcedure(m members) (*graph.Procedure, error) {
	var p graph.Procedure
	err := m.all(map[string]any{"toolName": &p.ToolName, "signature": &p.Signature, "reach": &p.Reach, "createdAt": &p.CreatedAt,
		"updatedAt": &p.UpdatedAt, "lastUsedAt": optional{&p.LastUsedAt}, "retiredAt": optional{&p.RetiredAt}})
	if err != nil {
		return nil, err
	}
	if err := ascending("the signature", p.Signature); err != nil {
		return nil, err
	}
	if err := ascending("the reach", p.Reach); err != nil {
		return nil, err
	}
	if len(p.Signature) == 0 {
		return nil, badInput("the signature names no tool")
	}
	if procedures.ToolName(p.Signature) != p.ToolName {
		return nil, badInput("toolName is not the name of a procedure with this signature")
	}
	if _, self := slices.BinarySearch(p.Reach, p.ToolName); self {
		return nil, badInput("the procedure reaches itself")
	}
	for _, name := range p.Signature {
		if _, held := slices.BinarySearch(p.Reach, name); !held {
			return nil, badInput("the reach does not hold %q of the signature", name)
		}
	}
	p.Key = procedures.SignatureKey(p.Signature)
	return &p, nil
}

// ascending refuses names that are not sorted and distinct, or cannot be stored.
func ascending(what string, names []string) error {
	for i, name := range names {
		if err := exactName("a name in "+what, name); err != nil {
			return err
		}
		if i > 0 && names[i-1] >= name {
			return badInput("%s is not sorted and distinct", what)
		}
	}
	return nil
}

func (o *Operations) parseVariant(m members) (*importedVariant, error) {
	v := &importedVariant{}
	var status string
	err := m.all(map[string]any{"procedure": &v.toolName, "codeHash": &v.CodeHash, "code": &v.Code, "strategy": &v.Strategy,
		"summary": &v.Summary, "whenToUse": &v.WhenToUse, "status": &status, "offered": &v.Offered, "capturedBy": &v.CapturedBy,
		"capturedAt": &v.CapturedAt, "approvedBy": optional{&v.ApprovedBy}, "approvedAt": optional{&v.ApprovedAt},
		"rejectedReason": optional{&v.RejectedReason}, "succeeded": &v.Succeeded, "failed": &v.Failed, "lastRunAt": optional{&v.LastRunAt}})
	if err != nil {
		return nil, err
	}
	for what, s := range map[string]string{"strategy": v.Strategy, "summary": v.Summary, "whenToUse": v.WhenToUse,
		"rejectedReason": v.RejectedReason, "capturedBy": v.CapturedBy, "approvedBy": v.ApprovedBy} {
		if err := text(what, s); err != nil {
			return nil, err
		}
	}
	v.Status = graph.VariantStatus(status)
	approved, rejected := v.Status == graph.Approved, v.Status == graph.Rejected
	switch {
	case utf8.RuneCountInString(v.WhenToUse) > maxWhenToUse:
		return nil, badInput("whenToUse is longer than %d characters", maxWhenToUse)
	case !approved && !rejected && v.Status != graph.Proposed:
		return nil, badInput("there is no status %q", shortened(status))
	case v.Offered && !approved:
		return nil, badInput("only an approved variant is offered")
	case !approved && (v.ApprovedBy != "" || !v.ApprovedAt.IsZero()), !rejected && v.RejectedReason != "":
		return nil, badInput("the decision is not that of the status %s", v.Status)
	case v.Succeeded < 0 || v.Failed < 0:
		return nil, badInput("a count is negative")
	case strings.TrimSpace(v.CapturedBy) == "":
		return nil, badInput("capturedBy is blank")
	}
	analysis, err := o.Analyses.Analyze(v.Code)
	if err != nil {
		return nil, translate(err)
	}
	switch {
	case analysis.Code != v.Code:
		return nil, badInput("the code is not in its canonical form")
	case analysis.CodeHash != v.CodeHash:
		return nil, badInput("codeHash is not that of the code")
	}
	v.signature, v.Proven, v.Analyser = analysis.Signature, analysis.Proven, procedures.AnalyserVersion
	return v, nil
}

func parseUse(m members) (*graph.Use, error) {
	var u graph.Use
	err := m.all(map[string]any{"procedure": &u.ToolName, "cause": &u.Cause, "frequency": &u.Frequency,
		"confidence": optional{&u.Confidence}, "triggerSignals": optional{&u.TriggerSignals},
		"observedArguments": optional{&u.ObservedArguments}, "resultSummary": &u.ResultSummary, "lastAt": &u.LastAt})
	if err != nil {
		return nil, err
	}
	if u.Frequency < 1 || u.Frequency > graph.MaxCount {
		return nil, badInput("the frequency goes from 1 to %d", int64(graph.MaxCount))
	}
	if err := exactName("the cause", u.Cause); err != nil {
		return nil, err
	}
	// What capture takes is what can be stored.
	in := CaptureInput{Code: "x", Causes: []string{u.Cause}, TriggerSignals: u.TriggerSignals, Confidence: u.Confidence,
		ObservedArguments: u.ObservedArguments, ResultSummary: u.ResultSummary}
	return &u, in.check()
}

func parseTombstone(m members) (*graph.Tombstone, error) {
	var d graph.Tombstone
	if err := m.all(map[string]any{"codeHash": &d.CodeHash, "deletedAt": &d.DeletedAt}); err != nil {
		return nil, err
	}
	if _, err := codeHash(d.CodeHash); err != nil {
		return nil, badInput("codeHash is not a hash")
	}
	return &d, nil
}

func parseEnd(m members) (*endLine, error) {
	e := &endLine{Kind: kindEnd}
	return e, m.all(map[string]any{"lines": &e.Lines, "sha256": &e.SHA256})
}
