package neo4j

import (
	"context"

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
  RETURN collect([` + procedureList("p") + `, ` + variantList("v") + `]) AS offers
}`
}

// known answers, as the columns tools and known, what the names of a list stand for.
func known(names string) string {
	return `
CALL (` + names + `) {
  UNWIND ` + names + ` AS name
  WITH name WHERE NOT name STARTS WITH '` + procedurePrefix + `'
  MATCH (t:Tool {name: name})
  RETURN collect(` + list("t", factColumns) + `) AS tools
}
CALL (` + names + `) {
  UNWIND ` + names + ` AS name
  WITH name WHERE name STARTS WITH '` + procedurePrefix + `'
  MATCH (r:Procedure {toolName: name})
  OPTIONAL MATCH (v:Variant {codeHash: r.current})
  RETURN collect([` + procedureList("r") + `, ` + variantList("v") + `]) AS known
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
var pageEnd = offersOf("page") + reached("page") + known("reached")

// listing is how a list of procedures is read.
type listing struct {
	label    string // whose index is walked
	property string // that holds the position
	tools    bool   // they name each of some tools
	causes   bool   // they serve one of some causes
	retired  bool   // the retired ones too
}

func newListing(filter graph.ProcedureFilter, order graph.ProcedureOrder) listing {
	l := listing{
		label: "Procedure", property: "rank",
		tools: len(filter.Tools) > 0, causes: len(filter.Causes) > 0, retired: filter.IncludeRetired,
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
	}
	return l
}

// narrow says that the filter leads to the procedures by something else than their order.
func (l listing) narrow() bool { return l.tools || l.causes }

// passes are the conditions of the filter on p.
func (l listing) passes(approvedToo bool) string {
	conditions := ""
	if approvedToo {
		conditions += " AND p:Approved"
	}
	if !l.retired {
		conditions += " AND NOT p:Retired"
	}
	if l.tools {
		conditions += " AND all(name IN $tools WHERE name IN p.signature)"
	}
	if l.causes {
		conditions += " AND EXISTS { (p)<-[:INVESTIGATED_BY]-(c:Cause) WHERE c.name IN $causes }"
	}
	return conditions
}

// walk finds rows along the index of the order.
func (l listing) walk(approvedToo bool) string {
	return `MATCH (p:` + l.label + `) USING INDEX p:` + l.label + `(` + l.property + `)
  WHERE p.` + l.property + ` > $after` + l.passes(approvedToo) + `
  WITH p ORDER BY p.` + l.property + ` LIMIT $limit`
}

// few is up to how many procedures are sorted rather than found along the index. With it and a page of 25 rows, neither
// way reads more than some 1,250 of 50,000 procedures.
const few = "1000"

// start answers, as nodes, the tool or the causes of the filter that lead to the fewest procedures, and as paths how
// many these are. Without a tool or cause that is stored it answers nothing.
func (l listing) start() string {
	s := ""
	if l.tools {
		s += `
  UNWIND $tools AS name
  CALL (name) {
    MATCH (n:Tool {name: name}) RETURN n
    UNION ALL
    MATCH (n:ProcedureName {name: name}) RETURN n
  }
  RETURN [n] AS nodes, COUNT { (n)<-[:USES]-() } AS paths`
	}
	if l.tools && l.causes {
		s += `
  UNION ALL`
	}
	if l.causes {
		s += `
  UNWIND $causes AS name
  MATCH (n:Cause {name: name})
  RETURN collect(n) AS nodes, sum(COUNT { (n)-[:INVESTIGATED_BY]->() }) AS paths`
	}
	return `CALL () {` + s + `
}
WITH nodes, paths ORDER BY paths LIMIT 1`
}

// expand finds rows from the nodes of start.
func (l listing) expand(approvedToo bool, position string) string {
	return `UNWIND nodes AS n
  MATCH (n)-[:USES|INVESTIGATED_BY]-(p:Procedure)
  WITH DISTINCT p
  WHERE p:` + l.label + position + l.passes(approvedToo)
}

// statement reads a page and, if $count, counts the list.
func (l listing) statement(approvedToo bool) string {
	page := `
CALL () {
  ` + l.walk(approvedToo) + `
  RETURN collect(p) AS found
}`
	if l.narrow() {
		page = `
CALL () {
  ` + l.start() + `
  CALL (nodes, paths) {
  WITH nodes, paths WHERE paths <= ` + few + `
  ` + l.expand(approvedToo, " AND p."+l.property+" > $after") + `
  WITH p ORDER BY p.` + l.property + ` LIMIT $limit
  RETURN p
  UNION ALL
  WITH nodes, paths WHERE paths > ` + few + `
  ` + l.walk(approvedToo) + `
  RETURN p
  }
  RETURN collect(p) AS found
}`
	}
	return readStart + page + `
WITH settled, found, found[..$first] AS page` + pageEnd + l.total(approvedToo) + readEnd + `, offers, size(found) > $first, tools, known, total`
}

// total answers, as the column total, how many procedures the list has.
func (l listing) total(approvedToo bool) string {
	if l.narrow() || approvedToo {
		return `
CALL () {
  WITH 1 AS one WHERE $count
  ` + l.all(approvedToo) + `
  WITH p LIMIT $most
  RETURN count(p) AS total
}`
	}
	// The database keeps count of labels.
	count := `
CALL () {
  MATCH (p:` + l.label + `)
  RETURN count(p) AS stored
}`
	if l.label == "Procedure" && !l.retired {
		return count + `
CALL () {
  MATCH (p:Retired)
  RETURN count(p) AS retired
}
WITH *, stored - retired AS total`
	}
	return count + `
WITH *, stored AS total`
}

// all finds every procedure of the list, in no order.
func (l listing) all(approvedToo bool) string {
	if !l.narrow() {
		return `MATCH (p:` + l.label + `) USING INDEX p:` + l.label + `(rank)
  WHERE p.rank >= ''` + l.passes(approvedToo)
	}
	return l.start() + `
  ` + l.expand(approvedToo, "")
}

func (l listing) params(filter graph.ProcedureFilter, limit int) params {
	p := params{"most": limit}
	if l.tools {
		p["tools"] = filter.Tools
	}
	if l.causes {
		p["causes"] = filter.Causes
	}
	return p
}

// Registry answers the offered procedures of a filter by rank, each with its offered variant.
func (s *Store) Registry(ctx context.Context, filter graph.RegistryFilter, page graph.Page) (graph.ProcedurePage, error) {
	return s.Procedures(ctx, graph.ProcedureFilter{
		Causes: filter.Causes, Approved: filter.Mutating, Offered: !filter.Mutating,
		IncludeRetired: true, // what is retired has neither hint
	}, graph.ByFrequency, page)
}

// Procedures answers the procedures of a filter in an order.
func (s *Store) Procedures(ctx context.Context, filter graph.ProcedureFilter, order graph.ProcedureOrder,
	page graph.Page) (graph.ProcedurePage, error) {
	l := newListing(filter, order)
	p := l.params(filter, graph.MaxTotal)
	p["after"], p["first"], p["limit"], p["count"] = page.After, max(page.First, 0), max(page.First, 0)+1, page.Count
	record, head, err := s.read(ctx, l.statement(filter.Offered && filter.Approved), p)
	if err != nil {
		return graph.ProcedurePage{}, err
	}
	answer := graph.ProcedurePage{Known: toKnown(record.Values[4], record.Values[5])}
	answer.Items, answer.More, answer.Head = toOffers(record.Values[2]), truth(record.Values[3]), head
	if page.Count {
		answer.Total = int(min(number(record.Values[6]), graph.MaxTotal))
	}
	return answer, nil
}

// CountProcedures counts the procedures of a filter and stops at limit.
func (s *Store) CountProcedures(ctx context.Context, filter graph.ProcedureFilter, limit int) (int, error) {
	l := newListing(filter, graph.ByFrequency)
	p := l.params(filter, limit)
	p["count"] = true
	record, _, err := s.read(ctx, readStart+l.total(filter.Offered && filter.Approved)+readEnd+`, total`, p)
	if err != nil {
		return 0, err
	}
	return min(int(number(record.Values[2])), limit), nil
}

var proceduresBy = readStart + `
CALL () {
  CALL () {
    UNWIND $keys AS key
    MATCH (p:Procedure {key: key}) RETURN p
    UNION
    UNWIND $toolNames AS name
    MATCH (p:Procedure {toolName: name}) RETURN p
    UNION
    UNWIND $codeHashes AS hash
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
  UNWIND $names AS tool
  CALL (tool) {
    MATCH (n:Tool {name: tool}) RETURN COUNT { (n)<-[:USES]-() } AS total
    UNION ALL
    MATCH (n:ProcedureName {name: tool}) RETURN COUNT { (n)<-[:USES]-() } AS total
  }
  CALL (tool) {
    MATCH ()-[u:USES]->() USING INDEX u:USES(tool, procedure)
    WHERE u.tool = tool AND u.procedure > $after
    WITH u ORDER BY u.tool, u.procedure LIMIT $limit
    MATCH (p:Procedure {toolName: u.procedure})
    RETURN collect(p) AS found
  }
  RETURN collect({tool: tool, total: total, found: found[..$first], more: size(found) > $first}) AS owners
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
