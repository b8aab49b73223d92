package neo4j

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"procgraph/graph"
)

// offerRow is the Cypher of a procedure with its offered variant, which may be null. Properties are taken whole: to name
// them one by one would double the time for planning and for running. They are taken where the node is found and not at
// the end of the statement, because reads end with the head.
func offerRow(procedure, variant string) string {
	return "[labels(" + procedure + "), properties(" + procedure + "), properties(" + variant + ")]"
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

// properties are those of a node or relation.
type properties = map[string]any

// each converts a list of properties.
func each[T any](v any, convert func(properties) T) []T {
	list, _ := v.([]any)
	items := make([]T, len(list))
	for i, value := range list {
		p, _ := value.(properties)
		items[i] = convert(p)
	}
	return items
}

// toOffer reads an offerRow.
func toOffer(row []any) graph.Offer {
	labels, _ := row[0].([]any)
	p, _ := row[1].(properties)
	offer := graph.Offer{Procedure: graph.Procedure{
		Key: text(p["key"]), ToolName: text(p["toolName"]), Signature: texts(p["signature"]), Reach: texts(p["reach"]),
		Frequency: number(p["frequency"]), LastUsedAt: moment(p["lastUsedAt"]), CreatedAt: moment(p["createdAt"]),
		UpdatedAt: moment(p["updatedAt"]), RetiredAt: moment(p["retiredAt"]), Current: text(p["current"]),
		Approved: slices.Contains(labels, any("Approved")), Offered: slices.Contains(labels, any("Offered")),
		Unproven: truth(p["unproven"]), ApprovedVariants: int(number(p["approvedVariants"])),
	}}
	if current, ok := row[2].(properties); ok {
		variant := toVariant(current)
		variant.Offered = true
		offer.Current = &variant
	}
	return offer
}

func toOffers(v any) []graph.Offer {
	list := rows(v)
	offers := make([]graph.Offer, len(list))
	for i, row := range list {
		offers[i] = toOffer(row)
	}
	return offers
}

func toVariant(p properties) graph.Variant {
	return graph.Variant{
		CodeHash: text(p["codeHash"]), Code: text(p["code"]), Procedure: text(p["procedure"]), Strategy: text(p["strategy"]),
		Summary: text(p["summary"]), WhenToUse: text(p["whenToUse"]), Status: graph.VariantStatus(text(p["status"])),
		Proven: truth(p["proven"]), Analyser: int(number(p["analyser"])), CapturedBy: text(p["capturedBy"]),
		CapturedWith: text(p["capturedWith"]), CapturedAt: moment(p["capturedAt"]), ApprovedBy: text(p["approvedBy"]),
		ApprovedAt: moment(p["approvedAt"]), RejectedReason: text(p["rejectedReason"]), Succeeded: number(p["succeeded"]),
		Failed: number(p["failed"]), LastRunAt: moment(p["lastRunAt"]),
	}
}

func toTool(p properties) graph.Tool {
	return graph.Tool{
		Name: text(p["name"]), Class: graph.ToolClass(text(p["class"])), ExternalAccess: truth(p["externalAccess"]),
		Known: truth(p["known"]), Suspended: truth(p["suspended"]), DefinitionHash: text(p["definitionHash"]),
		Description: text(p["description"]), ParametersSchema: document(p["parametersSchema"]), Hints: document(p["hints"]),
	}
}

// toolParam is a tool whole but for its name, as it is stored.
func toolParam(t graph.Tool) params {
	return params{
		"class": string(t.Class), "externalAccess": t.ExternalAccess, "known": t.Known, "suspended": t.Suspended,
		"definitionHash": t.DefinitionHash, "description": t.Description, "parametersSchema": documentParam(t.ParametersSchema),
		"hints": documentParam(t.Hints),
	}
}

func toCause(p properties) graph.Cause {
	return graph.Cause{Name: text(p["name"]), Description: text(p["description"])}
}

func toUse(p properties) graph.Use {
	use := graph.Use{
		Cause: text(p["cause"]), Procedure: text(p["procedure"]), ToolName: text(p["toolName"]), Frequency: number(p["frequency"]),
		TriggerSignals: texts(p["triggerSignals"]), ObservedArguments: document(p["observedArguments"]),
		ResultSummary: text(p["resultSummary"]), LastAt: moment(p["lastAt"]),
	}
	if confidence, ok := p["confidence"].(float64); ok {
		use.Confidence = &confidence
	}
	return use
}

func toEvent(p properties) graph.Event {
	return graph.Event{
		Sequence: number(p["sequence"]), At: moment(p["at"]), Actor: text(p["actor"]), Action: text(p["action"]),
		Subject: text(p["subject"]), Details: document(p["details"]), Hash: text(p["hash"]), PreviousHash: text(p["previousHash"]),
	}
}

func eventParam(e graph.Event) params {
	return params{
		"sequence": e.Sequence, "at": momentParam(e.At), "actor": e.Actor, "action": e.Action, "subject": e.Subject,
		"details": documentParam(e.Details), "hash": e.Hash, "previousHash": e.PreviousHash,
	}
}

// inOrder sorts rows that were found in order and may have moved before they were read, and drops those that moved out of
// the page.
func inOrder[T any](items []T, after string, position func(T) string) []T {
	items = slices.DeleteFunc(items, func(item T) bool { return position(item) <= after })
	slices.SortFunc(items, func(a, b T) int { return strings.Compare(position(a), position(b)) })
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

// toKnown reads what names stand for: tools, and procedures with their offered variants.
func toKnown(tools, procedures any) graph.Known {
	known := graph.Known{Tools: map[string]graph.ToolFact{}, Procedures: map[string]graph.Offer{}}
	for _, tool := range each(tools, toTool) {
		known.Tools[tool.Name] = tool.Fact()
	}
	for _, offer := range toOffers(procedures) {
		known.Procedures[offer.Procedure.ToolName] = offer
	}
	return known
}
