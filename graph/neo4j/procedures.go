package neo4j

import (
	"context"
	"slices"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"procgraph/graph"
)

// procedurePrefix begins the names of procedures, and of nothing else.
const procedurePrefix = "proc__"

// offersOf answers, as the column offers, the procedures of a list with their offered variants, in its order.
func offersOf(procedures string) string {
	return `
CALL (` + procedures + `) {
  UNWIND ` + procedures + ` AS p
  OPTIONAL MATCH (v:Variant {codeHash: p.current})
  RETURN collect(` + offerRow("p", "v") + `) AS offers
}`
}

// knownTools answers, as the column tools, what the names of a list stand for.
func knownTools(names string) string {
	return `
CALL (` + names + `) {
  UNWIND ` + names + ` AS name
  MATCH (t:Tool {name: name})
  RETURN collect(` + row("t", toolColumns) + `) AS tools
}`
}

// knownProcedures answers, as the column known, what the names of a list stand for.
func knownProcedures(names string) string {
	return `
CALL (` + names + `) {
  UNWIND ` + names + ` AS name
  WITH name WHERE name STARTS WITH '` + procedurePrefix + `'
  MATCH (r:Procedure {toolName: name})
  OPTIONAL MATCH (v:Variant {codeHash: r.current})
  RETURN collect(` + offerRow("r", "v") + `) AS known
}`
}

// reached answers, as the column reached, each name once that the procedures of a list reach.
func reached(procedures string) string {
	return `
CALL (` + procedures + `) {
  UNWIND ` + procedures + ` AS p
  UNWIND p.reach AS name
  RETURN collect(DISTINCT name) AS reached
}`
}

// pageEnd completes a statement that has found a page of procedures.
var pageEnd = offersOf("page") + reached("page") + knownTools("reached") + knownProcedures("reached")

// listing is how a list of procedures is read: along the index of its order, or from the tool or the causes that lead to
// few procedures, which are sorted. Each listing is a statement that the database plans once.
type listing struct {
	label    string // whose index is walked
	order    graph.ProcedureOrder
	property string // that holds the position
	both     bool   // offered and approved
	narrow   bool   // the filter has tools or causes
	keyed    bool   // the filter has keys
}

func newListing(filter graph.ProcedureFilter, order graph.ProcedureOrder) listing {
	l := listing{
		label:  "Procedure",
		order:  order,
		both:   filter.Offered && filter.Approved,
		narrow: len(filter.Tools)+len(filter.Causes) > 0,
		keyed:  filter.Keys != nil,
	}
	switch {
	case filter.Offered:
		l.label = "Offered"
	case filter.Approved:
		l.label = "Approved"
	}
	switch order {
	case graph.ByUpdated:
		l.property = "recent"
	case graph.ByName:
		l.property = "toolName"
	default:
		l.property = "rank"
	}
	return l
}

// passes are the conditions of the filter on p, but for the label. What is retired has neither hint.
func (l listing) passes() string {
	conditions := ""
	if l.label == "Procedure" {
		conditions += " AND ($in.retired OR NOT p:Retired)"
	}
	if l.both {
		conditions += " AND p:Approved"
	}
	if l.narrow {
		conditions += ` AND all(name IN $in.tools WHERE name IN p.signature)
    AND (size($in.causes) = 0 OR EXISTS { (p)<-[:INVESTIGATED_BY]-(c:Cause) WHERE c.name IN $in.causes })`
	}
	return conditions
}

// walk finds a page along the index of the order. It finds nothing after null, at no cost: a condition of another kind
// might be looked at after the walk.
func (l listing) walk(after string) string {
	return `MATCH (p:` + l.label + `) USING INDEX p:` + l.label + `(` + l.property + `)
    WHERE p.` + l.property + ` > ` + after + l.passes() + `
    WITH p ORDER BY p.` + l.property + ` LIMIT $in.limit
    RETURN p`
}

// few is up to how many procedures are sorted rather than found along the index. With it and a page of 25 rows, neither
// way reads more than some 1,250 of 50,000 procedures.
const few = "1000"

// start answers, as nodes, the tool or the causes of the filter that lead to the fewest procedures, and as paths how
// many these are.
const start = `CALL () {
    UNWIND $in.tools AS name
    OPTIONAL MATCH (t:Tool {name: name})
    OPTIONAL MATCH (r:ProcedureName {name: name})
    WITH coalesce(t, r) AS n
    RETURN CASE WHEN n IS NULL THEN [] ELSE [n] END AS nodes, COUNT { (n)<-[:USES]-() } AS paths
    UNION ALL
    UNWIND $in.causes AS name
    MATCH (n:Cause {name: name})
    WITH collect(n) AS nodes, sum(COUNT { (n)-[:INVESTIGATED_BY]->() }) AS paths
    WHERE size($in.causes) > 0
    RETURN nodes, paths
  }
  WITH nodes, paths ORDER BY paths LIMIT 1`

// expand finds procedures from a node of start.
func (l listing) expand(position string) string {
	return `MATCH (n)-[:USES|INVESTIGATED_BY]-(p:Procedure)
    WITH DISTINCT p WHERE p:` + l.label + position + l.passes()
}

// among finds procedures by their keys.
func (l listing) among(position string) string {
	return `UNWIND $in.keys AS key
    MATCH (p:Procedure {key: key}) WHERE p:` + l.label + position + l.passes()
}

// statement reads a page and, if asked to, counts the list.
func (l listing) statement(count bool) string {
	page := `CALL () {
    ` + l.walk("$in.after") + `
  }`
	switch {
	case l.keyed:
		page = `CALL () {
    ` + l.among(" AND p."+l.property+" > $in.after") + `
    WITH DISTINCT p ORDER BY p.` + l.property + ` LIMIT $in.limit
    RETURN p
  }`
	case l.narrow:
		page = start + `
  CALL (nodes, paths) {
    UNWIND CASE WHEN paths <= ` + few + ` THEN nodes ELSE [] END AS n
    ` + l.expand(" AND p."+l.property+" > $in.after") + `
    WITH p ORDER BY p.` + l.property + ` LIMIT $in.limit
    RETURN p
    UNION ALL
    WITH CASE WHEN paths > ` + few + ` THEN $in.after END AS after
    ` + l.walk("after") + `
  }`
	}
	again := `
WITH *, [] AS again`
	if l.moving() {
		again = `
CALL () {
  MATCH (p:` + l.label + `) USING INDEX p:` + l.label + `(` + l.property + `)
  WHERE p.` + l.property + ` > $in.after` + l.passes() + `
  WITH p.` + l.property + ` AS position ORDER BY position LIMIT $in.first
  RETURN collect(position) AS again
}`
	}
	total := `
WITH *, 0 AS total`
	if count {
		total = l.total()
	}
	return readStart + `
CALL () {
  ` + page + `
  RETURN collect(p)[..$in.first] AS page, count(p) > $in.first AS more
}` + pageEnd + total + again + readEnd + `, offers, more, tools, known, total, again`
}

// moving says that procedures move along the index as they are captured. A walk may miss one that moves past it, so there
// is a second walk, which finds it where it moved to.
func (l listing) moving() bool { return !l.narrow && !l.keyed && l.property != "toolName" }

// steady says whether the second walk found nothing that the first had missed.
func (l listing) steady(record *neo4j.Record) bool {
	again := texts(record.Values[7])
	if len(again) == 0 {
		return true
	}
	found := map[string]bool{}
	for _, offer := range rows(record.Values[2]) {
		p, _ := offer[2].([]any)
		found[text(p[1])] = true
	}
	return !slices.ContainsFunc(again, func(position string) bool { return !found[l.order.NameAt(position)] })
}

// total answers, as the column total, how many procedures the list has. It counts one by one only if $in.from is not null.
func (l listing) total() string {
	switch {
	case l.keyed:
		return `
CALL () {
  ` + l.among(" AND $in.from = ''") + `
  WITH DISTINCT p LIMIT $in.most
  RETURN count(p) AS total
}`
	case l.narrow:
		return `
CALL () {
  ` + start + `
  UNWIND CASE WHEN $in.from = '' THEN nodes ELSE [] END AS n
  ` + l.expand("") + `
  WITH p LIMIT $in.most
  RETURN count(p) AS total
}`
	case l.both:
		return `
CALL () {
  MATCH (p:` + l.label + `) USING INDEX p:` + l.label + `(rank)
  WHERE p.rank >= $in.from` + l.passes() + `
  WITH p LIMIT $in.most
  RETURN count(p) AS total
}`
	}
	// The database keeps count of labels; neither an approved nor an offered procedure is retired.
	return `
CALL () {
  MATCH (p:` + l.label + `)
  RETURN count(p) AS stored
}
CALL () {
  MATCH (p:Retired)
  RETURN count(p) AS retired
}
WITH *, stored - CASE WHEN $in.retired OR NOT $in.plain THEN 0 ELSE retired END AS total`
}

func (l listing) params(filter graph.ProcedureFilter, count bool, most int) params {
	p := params{"retired": filter.IncludeRetired, "from": from(count), "most": most, "plain": l.label == "Procedure"}
	if l.narrow {
		p["tools"], p["causes"] = distinct(filter.Tools), distinct(filter.Causes)
	}
	if l.keyed {
		p["keys"] = distinct(filter.Keys)
	}
	return p
}

// from is where counting starts: at null it finds nothing.
func from(count bool) any {
	if count {
		return ""
	}
	return nil
}

// distinct is never nil: the database would take that for null.
func distinct(names []string) []string {
	list := make([]string, 0, len(names))
	for _, name := range names {
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// Registry answers the offered procedures of a filter by rank, each with its offered variant.
func (s *Store) Registry(ctx context.Context, filter graph.RegistryFilter, page graph.Page) (graph.ProcedurePage, error) {
	return s.Procedures(ctx, graph.ProcedureFilter{
		Keys: filter.Keys, Causes: filter.Causes, Approved: filter.Mutating, Offered: !filter.Mutating,
		IncludeRetired: true, // what is retired has neither hint
	}, graph.ByFrequency, page)
}

// Procedures answers the procedures of a filter in an order.
func (s *Store) Procedures(ctx context.Context, filter graph.ProcedureFilter, order graph.ProcedureOrder,
	page graph.Page) (graph.ProcedurePage, error) {
	l := newListing(filter, order)
	p := pageParams(page, l.params(filter, page.Count, graph.MaxTotal))
	record, head, err := s.readSound(ctx, l.statement(page.Count), p, l.steady)
	if err != nil {
		return graph.ProcedurePage{}, err
	}
	answer := graph.ProcedurePage{Known: toKnown(record.Values[4], record.Values[5])}
	answer.Items = inOrder(toOffers(record.Values[2]), page.After, func(o graph.Offer) string { return o.Procedure.Position(order) })
	answer.More, answer.Head = truth(record.Values[3]), head
	if page.Count {
		answer.Total = int(min(number(record.Values[6]), graph.MaxTotal))
	}
	return answer, nil
}

// CountProcedures counts the procedures of a filter and stops at limit.
func (s *Store) CountProcedures(ctx context.Context, filter graph.ProcedureFilter, limit int) (int, error) {
	l := newListing(filter, graph.ByFrequency)
	record, _, err := s.read(ctx, readStart+l.total()+readEnd+`, total`, l.params(filter, true, limit))
	if err != nil {
		return 0, err
	}
	return min(int(number(record.Values[2])), limit), nil
}

var proceduresBy = readStart + `
CALL () {
  CALL () {
    UNWIND $in.keys AS key
    MATCH (p:Procedure {key: key}) RETURN p
    UNION
    UNWIND $in.toolNames AS name
    MATCH (p:Procedure {toolName: name}) RETURN p
    UNION
    UNWIND $in.codeHashes AS hash
    MATCH (v:Variant {codeHash: hash})
    MATCH (p:Procedure {key: v.procedure}) RETURN p
  }
  RETURN collect(p) AS page
}` + pageEnd + readEnd + `, offers, tools, known`

// ProceduresBy answers the procedures with these keys, tool names or code hashes, in no order, each once.
func (s *Store) ProceduresBy(ctx context.Context, refs graph.ProcedureRefs) (graph.ProcedurePage, error) {
	record, head, err := s.read(ctx, proceduresBy, params{
		"keys": refs.Keys, "toolNames": refs.ToolNames, "codeHashes": refs.CodeHashes,
	})
	if err != nil {
		return graph.ProcedurePage{}, err
	}
	answer := graph.ProcedurePage{Known: toKnown(record.Values[3], record.Values[4])}
	answer.Items, answer.Head = toOffers(record.Values[2]), head
	return answer, nil
}

// The relation itself carries both names, so that an index leads to the procedures of a tool in the order of theirs.
var proceduresUsing = readStart + `
CALL () {
  UNWIND $in.names AS tool
  CALL (tool) {
    MATCH (n:Tool {name: tool}) RETURN COUNT { (n)<-[:USES]-() } AS total
    UNION ALL
    MATCH (n:ProcedureName {name: tool}) RETURN COUNT { (n)<-[:USES]-() } AS total
  }
  CALL (tool) {
    MATCH ()-[u:USES]->() USING INDEX u:USES(tool, procedure)
    WHERE u.tool = tool AND u.procedure > $in.after
    WITH u ORDER BY u.tool, u.procedure LIMIT $in.limit
    MATCH (p:Procedure {toolName: u.procedure})
    RETURN collect(p) AS found
  }
  RETURN collect({tool: tool, total: total, found: found[..$in.first], more: size(found) > $in.first}) AS owners
}
CALL (owners) {
  UNWIND owners AS owner
  UNWIND owner.found AS p
  RETURN collect(DISTINCT p) AS page
}` + pageEnd + readEnd + `, [o IN owners WHERE o.total > 0 | [o.tool, o.total, o.more, [p IN o.found | p.key]]], offers, tools, known`

// ProceduresUsing answers, for each tool name, the procedures that name the tool, by procedure name.
func (s *Store) ProceduresUsing(ctx context.Context, tools []string, page graph.Page) (graph.ProceduresByTool, error) {
	record, head, err := s.read(ctx, proceduresUsing, pageParams(page, params{"names": tools}))
	if err != nil {
		return graph.ProceduresByTool{}, err
	}
	offers := map[string]graph.Offer{}
	for _, offer := range toOffers(record.Values[3]) {
		offers[offer.Procedure.Key] = offer
	}
	answer := graph.ProceduresByTool{Known: toKnown(record.Values[4], record.Values[5])}
	answer.Batch = batch(record.Values[2], head, page, func(v any) []graph.Offer {
		keys := texts(v)
		items := make([]graph.Offer, len(keys))
		for i, key := range keys {
			items[i] = offers[key]
		}
		return items
	})
	return answer, nil
}

// pageParams adds what a page asks for; a further row is read to know whether more follow.
func pageParams(page graph.Page, p params) params {
	first := max(page.First, 0)
	p["after"], p["first"], p["limit"] = page.After, first, first+1
	return p
}

// batch reads a list of owners, each with its total, whether more rows follow, and its rows.
func batch[T any](v any, head graph.Head, page graph.Page, items func(any) []T) graph.Batch[T] {
	owners := rows(v)
	b := graph.Batch[T]{By: make(map[string]graph.Slice[T], len(owners)), Head: head}
	for _, owner := range owners {
		s := graph.Slice[T]{Items: items(owner[3]), More: truth(owner[2])}
		if page.Count {
			s.Total = int(min(number(owner[1]), graph.MaxTotal))
		}
		b.By[text(owner[0])] = s
	}
	return b
}
