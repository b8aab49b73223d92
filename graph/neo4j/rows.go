package neo4j

import (
	"encoding/json"
	"strings"
	"time"

	"procgraph/graph"
)

// Rows come back as lists of values in a fixed order: names would be sent again with each row.
var (
	procedureColumns = []string{"key", "toolName", "signature", "reach", "frequency", "lastUsedAt", "createdAt", "updatedAt",
		"retiredAt", "current", "unproven", "approvedVariants"}
	variantColumns = []string{"codeHash", "code", "procedure", "strategy", "summary", "whenToUse", "status", "proven", "analyser",
		"capturedBy", "capturedWith", "capturedAt", "approvedBy", "approvedAt", "rejectedReason", "succeeded", "failed", "lastRunAt"}
	toolColumns = []string{"name", "class", "externalAccess", "known", "suspended", "definitionHash", "description",
		"parametersSchema", "hints"}
	factColumns  = toolColumns[:6]
	useColumns   = []string{"cause", "procedure", "toolName", "frequency", "confidence", "triggerSignals", "observedArguments", "resultSummary", "lastAt"}
	eventColumns = []string{"sequence", "at", "actor", "action", "subject", "details", "hash", "previousHash"}
)

// list is a Cypher list of properties of a variable.
func list(variable string, columns []string) string {
	return "[" + variable + "." + strings.Join(columns, ", "+variable+".") + "]"
}

func procedureList(variable string) string {
	l := list(variable, procedureColumns)
	return strings.TrimSuffix(l, "]") + ", " + variable + ":Approved, " + variable + ":Offered]"
}

// variantList is null where the variable is.
func variantList(variable string) string {
	return "CASE WHEN " + variable + " IS NULL THEN null ELSE " + list(variable, variantColumns) + " END"
}

// briefList is variantList without the code and the texts.
func briefList(variable string) string {
	l := list(variable, variantColumns)
	for _, column := range []string{"code"} {
		l = strings.Replace(l, variable+"."+column+",", "null,", 1)
	}
	return "CASE WHEN " + variable + " IS NULL THEN null ELSE " + l + " END"
}

// invertedCount and invertedMillis are the Cypher of the parts of positions in package graph: numbers of fixed width that
// sort the greatest first.
func invertedCount(number string) string {
	return "right('000000000' + toString(9999999999 - " + number + "), 10)"
}

func invertedMillis(number string) string {
	return "right('000000000000' + toString(9999999999999 - " + number + "), 13)"
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

func number(v any) int64 {
	n, _ := v.(int64)
	return n
}

func truth(v any) bool {
	b, _ := v.(bool)
	return b
}

func texts(v any) []string {
	values, _ := v.([]any)
	if len(values) == 0 {
		return nil
	}
	list := make([]string, len(values))
	for i, value := range values {
		list[i] = text(value)
	}
	return list
}

// rows are the lists in a list.
func rows(v any) [][]any {
	values, _ := v.([]any)
	list := make([][]any, len(values))
	for i, value := range values {
		list[i], _ = value.([]any)
	}
	return list
}

// document is a JSON text that was stored as it was given.
func document(v any) json.RawMessage {
	if s, ok := v.(string); ok {
		return json.RawMessage(s)
	}
	return nil
}

func documentParam(d json.RawMessage) any {
	if d == nil {
		return nil
	}
	return string(d)
}

// moment is a stored time in milliseconds; a missing one is the zero time.
func moment(v any) time.Time {
	if n, ok := v.(int64); ok {
		return time.UnixMilli(n).UTC()
	}
	return time.Time{}
}

func momentParam(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMilli()
}

// textParam keeps empty texts out of the store.
func textParam(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func toProcedure(v []any) graph.Procedure {
	return graph.Procedure{
		Key: text(v[0]), ToolName: text(v[1]), Signature: texts(v[2]), Reach: texts(v[3]), Frequency: number(v[4]),
		LastUsedAt: moment(v[5]), CreatedAt: moment(v[6]), UpdatedAt: moment(v[7]), RetiredAt: moment(v[8]),
		Current: text(v[9]), Unproven: truth(v[10]), ApprovedVariants: int(number(v[11])), Approved: truth(v[12]), Offered: truth(v[13]),
	}
}

func toVariant(v []any) graph.Variant {
	return graph.Variant{
		CodeHash: text(v[0]), Code: text(v[1]), Procedure: text(v[2]), Strategy: text(v[3]), Summary: text(v[4]),
		WhenToUse: text(v[5]), Status: graph.VariantStatus(text(v[6])), Proven: truth(v[7]), Analyser: int(number(v[8])),
		CapturedBy: text(v[9]), CapturedWith: text(v[10]), CapturedAt: moment(v[11]), ApprovedBy: text(v[12]),
		ApprovedAt: moment(v[13]), RejectedReason: text(v[14]), Succeeded: number(v[15]), Failed: number(v[16]),
		LastRunAt: moment(v[17]),
	}
}

// toOffer reads a pair of a procedure and its offered variant.
func toOffer(v []any) graph.Offer {
	procedure, _ := v[0].([]any)
	offer := graph.Offer{Procedure: toProcedure(procedure)}
	if current, ok := v[1].([]any); ok {
		variant := toVariant(current)
		variant.Offered = true
		offer.Current = &variant
	}
	return offer
}

func toOffers(v any) []graph.Offer {
	pairs := rows(v)
	offers := make([]graph.Offer, len(pairs))
	for i, pair := range pairs {
		offers[i] = toOffer(pair)
	}
	return offers
}

func toFact(v []any) graph.ToolFact {
	return graph.ToolFact{
		Name: text(v[0]), Class: graph.ToolClass(text(v[1])), ExternalAccess: truth(v[2]), Known: truth(v[3]),
		Suspended: truth(v[4]), DefinitionHash: text(v[5]),
	}
}

func toTool(v []any) graph.Tool {
	f := toFact(v)
	return graph.Tool{
		Name: f.Name, Class: f.Class, ExternalAccess: f.ExternalAccess, Known: f.Known, Suspended: f.Suspended,
		DefinitionHash: f.DefinitionHash, Description: text(v[6]), ParametersSchema: document(v[7]), Hints: document(v[8]),
	}
}

// toolParam is a tool whole, as it is stored.
func toolParam(t graph.Tool) params {
	return params{
		"name": t.Name, "class": string(t.Class), "externalAccess": t.ExternalAccess, "known": t.Known, "suspended": t.Suspended,
		"definitionHash": t.DefinitionHash, "description": t.Description, "parametersSchema": documentParam(t.ParametersSchema),
		"hints": documentParam(t.Hints),
	}
}

func toCause(v []any) graph.Cause {
	return graph.Cause{Name: text(v[0]), Description: text(v[1])}
}

func toUse(v []any) graph.Use {
	use := graph.Use{
		Cause: text(v[0]), Procedure: text(v[1]), ToolName: text(v[2]), Frequency: number(v[3]), TriggerSignals: texts(v[5]),
		ObservedArguments: document(v[6]), ResultSummary: text(v[7]), LastAt: moment(v[8]),
	}
	if confidence, ok := v[4].(float64); ok {
		use.Confidence = &confidence
	}
	return use
}

func toEvent(v []any) graph.Event {
	return graph.Event{
		Sequence: number(v[0]), At: moment(v[1]), Actor: text(v[2]), Action: text(v[3]), Subject: text(v[4]),
		Details: document(v[5]), Hash: text(v[6]), PreviousHash: text(v[7]),
	}
}

func eventParam(e graph.Event) params {
	return params{
		"sequence": e.Sequence, "at": momentParam(e.At), "actor": e.Actor, "action": e.Action, "subject": e.Subject,
		"details": documentParam(e.Details), "hash": e.Hash, "previousHash": e.PreviousHash,
	}
}

// each converts the rows of a column.
func each[T any](v any, convert func([]any) T) []T {
	list := rows(v)
	items := make([]T, len(list))
	for i, row := range list {
		items[i] = convert(row)
	}
	return items
}

// slice makes a page of the rows that were read, which are one more than it holds if more follow.
func slice[T any](items []T, page graph.Page, total any, head graph.Head) graph.Slice[T] {
	s := graph.Slice[T]{Items: items, Head: head}
	if first := max(page.First, 0); len(items) > first {
		s.Items, s.More = items[:first], true
	}
	if page.Count {
		s.Total = int(min(number(total), graph.MaxTotal))
	}
	return s
}

// toKnown reads what names stand for: facts of tools, and procedures with their offered variants.
func toKnown(tools, procedures any) graph.Known {
	facts, offers := rows(tools), rows(procedures)
	known := graph.Known{Tools: make(map[string]graph.ToolFact, len(facts)), Procedures: make(map[string]graph.Offer, len(offers))}
	for _, row := range facts {
		fact := toFact(row)
		known.Tools[fact.Name] = fact
	}
	for _, row := range offers {
		offer := toOffer(row)
		known.Procedures[offer.Procedure.ToolName] = offer
	}
	return known
}
