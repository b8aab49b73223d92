package neo4j

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"procgraph/graph"
)

// procedureColumns and variantColumns are the stored properties in the order in which rows carry them. Rows are lists: maps
// would carry the name of each property once more for each row, which costs a page as much time as finding it.
var (
	procedureColumns = []string{"key", "toolName", "signature", "reach", "frequency", "lastUsedAt", "createdAt", "updatedAt",
		"retiredAt", "current", "unproven", "approvedVariants"}
	variantColumns = []string{"codeHash", "code", "procedure", "strategy", "summary", "whenToUse", "status", "proven",
		"analyser", "capturedBy", "capturedWith", "capturedAt", "approvedBy", "approvedAt", "rejectedReason", "succeeded",
		"failed", "lastRunAt"}
	useColumns = []string{"cause", "procedure", "toolName", "frequency", "confidence", "triggerSignals", "observedArguments",
		"resultSummary", "lastAt"}
	toolColumns = []string{"name", "class", "externalAccess", "known", "suspended", "definitionHash"}
)

// row is the Cypher of a list of a node's properties.
func row(node string, columns []string) string {
	return "[" + node + "." + strings.Join(columns, ", "+node+".") + "]"
}

// offerRow is the Cypher of a procedure with its offered variant, which may be null. Properties are taken where the node is
// found and not at the end of the statement, because reads end with the head.
func offerRow(procedure, variant string) string {
	return "[" + procedure + ":Approved, " + procedure + ":Offered, " + row(procedure, procedureColumns) + ", " + row(variant, variantColumns) + "]"
}

// briefRow is an offerRow without the code.
func briefRow(procedure, variant string) string {
	return strings.Replace(offerRow(procedure, variant), variant+".code,", "null,", 1)
}

// toolMap, causeMap and useMap are the Cypher of the properties of t, c and u, without what search finds them by.
const (
	toolMap  = "t {.*, words: null}"
	causeMap = "c {.*, words: null}"
	useMap   = "u {.*, words: null}"
)

// variantRow is the Cypher of the variant v.
var variantRow = row("v", variantColumns)

// useRow is the Cypher of the use u.
var useRow = row("u", useColumns)

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

// each converts a list of properties or of rows.
func each[From properties | []any, To any](v any, convert func(From) To) []To {
	list, _ := v.([]any)
	items := make([]To, len(list))
	for i, value := range list {
		from, _ := value.(From)
		items[i] = convert(from)
	}
	return items
}

// toOffer reads an offerRow.
func toOffer(row []any) graph.Offer {
	p, _ := row[2].([]any)
	offer := graph.Offer{Procedure: graph.Procedure{
		Key: text(p[0]), ToolName: text(p[1]), Signature: texts(p[2]), Reach: texts(p[3]), Frequency: number(p[4]),
		LastUsedAt: moment(p[5]), CreatedAt: moment(p[6]), UpdatedAt: moment(p[7]), RetiredAt: moment(p[8]),
		Current: text(p[9]), Unproven: truth(p[10]), ApprovedVariants: int(number(p[11])),
		Approved: truth(row[0]), Offered: truth(row[1]),
	}}
	if v, _ := row[3].([]any); v[0] != nil {
		variant := toVariant(v)
		variant.Offered = true
		offer.Current = &variant
	}
	return offer
}

func toOffers(v any) []graph.Offer { return each(v, toOffer) }

// toVariant reads a variantRow.
func toVariant(v []any) graph.Variant {
	return graph.Variant{
		CodeHash: text(v[0]), Code: text(v[1]), Procedure: text(v[2]), Strategy: text(v[3]), Summary: text(v[4]),
		WhenToUse: text(v[5]), Status: graph.VariantStatus(text(v[6])), Proven: truth(v[7]), Analyser: int(number(v[8])),
		CapturedBy: text(v[9]), CapturedWith: text(v[10]), CapturedAt: moment(v[11]), ApprovedBy: text(v[12]),
		ApprovedAt: moment(v[13]), RejectedReason: text(v[14]), Succeeded: number(v[15]), Failed: number(v[16]),
		LastRunAt: moment(v[17]),
	}
}

func toVariants(v any) []graph.Variant { return each(v, toVariant) }

// toFact reads a row of toolColumns.
func toFact(t []any) graph.ToolFact {
	return graph.ToolFact{Name: text(t[0]), Class: graph.ToolClass(text(t[1])), ExternalAccess: truth(t[2]),
		Known: truth(t[3]), Suspended: truth(t[4]), DefinitionHash: text(t[5])}
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

// toUseOf reads a useRow.
func toUseOf(row []any) graph.Use {
	p := make(properties, len(useColumns))
	for i, column := range useColumns {
		p[column] = row[i]
	}
	return toUse(p)
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
	type placed struct {
		item T
		at   string
	}
	rows := make([]placed, 0, len(items))
	for _, item := range items {
		if at := position(item); at > after {
			rows = append(rows, placed{item, at})
		}
	}
	slices.SortFunc(rows, func(a, b placed) int { return strings.Compare(a.at, b.at) })
	items = items[:len(rows)]
	for i, row := range rows {
		items[i] = row.item
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

// toKnown reads what names stand for: tools, and procedures with their offered variants.
func toKnown(tools, procedures any) graph.Known {
	known := graph.Known{Tools: map[string]graph.ToolFact{}, Procedures: map[string]graph.Offer{}}
	for _, fact := range each(tools, toFact) {
		known.Tools[fact.Name] = fact
	}
	for _, offer := range toOffers(procedures) {
		known.Procedures[offer.Procedure.ToolName] = offer
	}
	return known
}
