package neo4j

import (
	"context"
	"strconv"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"procgraph/graph"
)

// kinds are those of nodes, with the parameter that holds keys and the pattern of the one with a key.
var kinds = []struct {
	kind    graph.NodeKind
	name    string
	pattern string
}{
	{graph.KindProcedure, "procedures", "(p:Procedure {key: key})"},
	{graph.KindVariant, "variants", "(v:Variant {codeHash: key})"},
	{graph.KindCause, "causes", "(c:Cause {name: key})"},
	{graph.KindTool, "tools", "(t:Tool {name: key})"},
}

// exploreStart answers the keys of the starts that are stored, by kind, and those of the procedures of the highest rank
// if they are asked for. The second walk finds a procedure that was counted, and so moved, while the first passed it.
var exploreStart = func() string {
	statement, found := readStart, ""
	for _, k := range kinds {
		statement += `
CALL () {
  UNWIND $in.` + k.name + ` AS key
  MATCH ` + k.pattern + `
  RETURN collect(key) AS ` + k.name + `
}`
		found += ", " + k.name
	}
	return statement + `
CALL () {
  CALL () {
    ` + walkRanks + `
    UNION
    ` + walkRanks + `
  }
  WITH p ORDER BY p.rank LIMIT $in.first
  RETURN collect(p.key) AS highest
}` + readEnd + found + `, highest`
}()

const walkRanks = `MATCH (p:Procedure) USING INDEX p:Procedure(rank)
    WHERE p.rank > $in.after
    WITH p ORDER BY p.rank LIMIT $in.first
    RETURN p`

// way leads from nodes of a kind along a type. For the key of a node, match finds it and keys is the Cypher of the keys of
// its neighbours, in their order and no more than the whole neighbourhood may have.
type way struct {
	from  graph.NodeKind
	of    graph.RelationType
	to    graph.NodeKind
	match string
	keys  string
}

const (
	walkUsers = `
    MATCH (p)-[u:USES]->() USING INDEX u:USES(tool, procedure)
    WHERE u.tool = key AND u.procedure > ''
    WITH p, u ORDER BY u.tool, u.procedure LIMIT $in.limit`
	walkVariants = `
    MATCH (v:Variant) USING INDEX v:Variant(procedure, position)
    WHERE v.procedure = key AND v.position > ''
    WITH v ORDER BY v.procedure, v.position LIMIT $in.limit`
	ownTools = `[name IN p.signature WHERE NOT name STARTS WITH '` + procedurePrefix + `']`
)

// ways are all that can be gone, those from each kind by the order of the types.
var ways = []way{
	{graph.KindCause, graph.RelationInvestigatedBy, graph.KindProcedure,
		`MATCH (c:Cause {name: key})` + usesBy("c", "c.name", "cause", "ofCause", "(c)-[u:INVESTIGATED_BY]->()"),
		`[u IN found | u.procedure]`},
	{graph.KindProcedure, graph.RelationInvestigatedBy, graph.KindCause,
		`MATCH (p:Procedure {key: key})` + usesBy("p", "p.key", "procedure", "ofProcedure", "(p)<-[u:INVESTIGATED_BY]-()"),
		`[u IN found | u.cause]`},
	{graph.KindProcedure, graph.RelationUses, graph.KindTool, `MATCH (p:Procedure {key: key})`, ownTools},
	{graph.KindTool, graph.RelationUses, graph.KindProcedure,
		`CALL (key) {` + walkUsers + `
    RETURN collect(p.key) AS found
  }`, `found`},
	{graph.KindProcedure, graph.RelationHasVariant, graph.KindVariant,
		`CALL (key) {` + walkVariants + `
    RETURN collect(v.codeHash) AS found
  }`, `found`},
	{graph.KindVariant, graph.RelationHasVariant, graph.KindProcedure, `MATCH (v:Variant {codeHash: key})`, `[v.procedure]`},
	{graph.KindVariant, graph.RelationCalls, graph.KindTool,
		`MATCH (v:Variant {codeHash: key})
  MATCH (p:Procedure {key: v.procedure})`, ownTools},
	{graph.KindTool, graph.RelationCalls, graph.KindVariant,
		`CALL (key) {` + walkUsers + `
    CALL (p) {
    WITH p.key AS key` + walkVariants + `
    RETURN v
    }
    WITH u, v ORDER BY u.tool, u.procedure, v.position LIMIT $in.limit
    RETURN collect(v.codeHash) AS found
  }`, `found`},
}

// exploreStep answers, for each way, the neighbours of the nodes that it is gone from.
var exploreStep = func() string {
	statement, found := readStart, ""
	for i, w := range ways {
		name := "way" + strconv.Itoa(i)
		statement += `
CALL () {
  UNWIND $in.` + name + ` AS key
  ` + w.match + `
  RETURN collect([key, ` + w.keys + `]) AS ` + name + `
}`
		found += ", " + name
	}
	return statement + readEnd + found
}()

// exploreEnd reads nodes, the uses between them, how many neighbours they have, and what the reaches name. The uses of a
// procedure are all that it has, or those that could be are looked for, whichever are fewer.
var exploreEnd = readStart + `
CALL () {
  UNWIND $in.procedures AS key
  MATCH (p:Procedure {key: key})
  RETURN collect(p) AS page, collect(['PROCEDURE', key, 'INVESTIGATED_BY', COUNT { (p)<-[:INVESTIGATED_BY]-() }])
    + collect(['PROCEDURE', key, 'HAS_VARIANT', COUNT { (p)-[:HAS_VARIANT]->() }]) AS ofProcedures
}
CALL () {
  UNWIND $in.variants AS key
  MATCH (v:Variant {codeHash: key})
  MATCH (p:Procedure {key: v.procedure})
  RETURN collect([` + variantRow + `, v.codeHash = p.current, p.signature]) AS variants, collect(DISTINCT p) AS owners
}
CALL () {
  UNWIND $in.causes AS key
  MATCH (c:Cause {name: key})
  RETURN collect(` + causeMap + `) AS causes,
    collect(['CAUSE', key, 'INVESTIGATED_BY', COUNT { (c)-[:INVESTIGATED_BY]->() }]) AS ofCauses
}
CALL () {
  UNWIND $in.tools AS key
  MATCH (t:Tool {name: key})
  RETURN collect(` + toolMap + `) AS told, collect(['TOOL', key, 'USES', COUNT { (t)<-[:USES]-() }])
    + collect(['TOOL', key, 'CALLS', COUNT { (t)<-[:CALLS]-() }]) AS ofTools
}
CALL (page) {
  UNWIND page AS p
  WITH p, COUNT { (p)<-[:INVESTIGATED_BY]-() } AS total
  CALL (p, total) {
    UNWIND CASE WHEN total <= size($in.related) THEN [p] ELSE [] END AS few
    MATCH (few)<-[u:INVESTIGATED_BY]-()
    RETURN u
    UNION ALL
    UNWIND CASE WHEN total > size($in.related) THEN $in.related ELSE [] END AS cause
    MATCH ()-[u:INVESTIGATED_BY {id: p.key + ' ' + cause}]->()
    RETURN u
  }
  RETURN collect(u) AS found
}
WITH *, [u IN found WHERE u.cause IN $in.related | ` + useMap + `] AS uses, page + owners AS reaching` +
	offersOf("page") + reached("reaching") + knownTools("reached") + knownProcedures("reached") +
	readEnd + `, offers, variants, causes, told, ofProcedures + ofCauses + ofTools, uses, tools, known`

// exploration is a neighbourhood as it grows.
type exploration struct {
	*graph.Around
	// ask runs a statement; of one moment are those that answer the same head.
	ask    func(statement string, p params) (*neo4j.Record, error)
	head   any
	moved  bool // statements answered different heads
	answer graph.Neighbourhood
}

// Explore answers a bounded neighbourhood of nodes. It takes a statement for each step, so it starts again when a trust
// write falls between; if writes keep doing so, it keeps them out.
func (s *Store) Explore(ctx context.Context, query graph.ExploreQuery) (graph.Neighbourhood, error) {
	ctx, cancel := bounded(ctx)
	defer cancel()
	var e *exploration
	err := s.retry(ctx, func() (err error) {
		for range looks {
			e, err = explore(query, func(statement string, p params) (*neo4j.Record, error) { return s.run(ctx, statement, p) })
			if err != nil || !e.moved {
				return err
			}
		}
		e, err = s.exploreAlone(ctx, query)
		return err
	})
	if err != nil {
		return graph.Neighbourhood{}, err
	}
	return e.answer, nil
}

// exploreAlone lets trust writes wait meanwhile.
func (s *Store) exploreAlone(ctx context.Context, query graph.ExploreQuery) (e *exploration, err error) {
	err = s.transaction(ctx, func(tx neo4j.ExplicitTransaction) error {
		if _, err := s.runIn(ctx, tx, holdHead, nil); err != nil {
			return err
		}
		e, err = explore(query, func(statement string, p params) (*neo4j.Record, error) { return s.runIn(ctx, tx, statement, p) })
		return err
	})
	return e, err
}

const holdHead = noReplan + lockHead + `RETURN head.state`

func explore(query graph.ExploreQuery, ask func(string, params) (*neo4j.Record, error)) (*exploration, error) {
	e := &exploration{Around: graph.NewAround(query), ask: ask}
	if err := e.start(); err != nil {
		return e, err
	}
	before := 0
	for range query.Depth {
		step := e.Nodes[before:]
		before = len(e.Nodes)
		if len(step) == 0 || e.Full() {
			break
		}
		if err := e.step(step); err != nil {
			return e, err
		}
	}
	return e, e.finish()
}

// run answers the values of a statement after its heads.
func (e *exploration) run(statement string, p params) ([]any, error) {
	record, err := e.ask(statement, p)
	if err != nil {
		return nil, err
	}
	if record == nil {
		return nil, errNoHead
	}
	if e.head == nil {
		e.head = record.Values[0]
	}
	e.moved = e.moved || record.Values[0] != e.head || record.Values[1] != e.head
	return record.Values[2:], nil
}

func refTo(kind graph.NodeKind, key string) graph.NodeRef { return graph.NodeRef{Kind: kind, Key: key} }

// take adds nodes.
func (e *exploration) take(kind graph.NodeKind, keys ...string) {
	for _, key := range keys {
		if key != "" {
			e.Take(refTo(kind, key))
		}
	}
}

// keysOf are the keys of those nodes that are of a kind.
func keysOf(nodes []graph.NodeRef, kind graph.NodeKind) []string {
	keys := []string{}
	for _, node := range nodes {
		if node.Kind == kind {
			keys = append(keys, node.Key)
		}
	}
	return keys
}

func byKind(nodes []graph.NodeRef, p params) params {
	for _, k := range kinds {
		p[k.name] = keysOf(nodes, k.kind)
	}
	return p
}

func (e *exploration) start() error {
	p := byKind(e.From, params{"after": nil, "first": max(e.Limit/4, 1)})
	if len(e.From) == 0 {
		p["after"] = ""
	}
	v, err := e.run(exploreStart, p)
	if err != nil {
		return err
	}
	stored := map[graph.NodeRef]bool{}
	for i, k := range kinds {
		for _, key := range texts(v[i]) {
			stored[refTo(k.kind, key)] = true
		}
	}
	for _, ref := range e.From {
		if stored[ref] {
			e.take(ref.Kind, ref.Key)
		}
	}
	e.take(graph.KindProcedure, texts(v[len(kinds)])...)
	return nil
}

// step takes the neighbours of the nodes of the step before.
func (e *exploration) step(nodes []graph.NodeRef) error {
	p := params{"after": "", "limit": e.Limit}
	for i, w := range ways {
		keys := []string{}
		if e.Wants(w.of) {
			keys = keysOf(nodes, w.from)
		}
		p["way"+strconv.Itoa(i)] = keys
	}
	v, err := e.run(exploreStep, p)
	if err != nil {
		return err
	}
	type from struct {
		node graph.NodeRef
		of   graph.RelationType
	}
	found := map[from][]string{}
	for i, w := range ways {
		for _, row := range rows(v[i]) {
			found[from{refTo(w.from, text(row[0])), w.of}] = texts(row[1])
		}
	}
	for _, node := range nodes {
		for _, w := range ways {
			if w.from == node.Kind {
				e.take(w.to, found[from{node, w.of}]...)
			}
		}
	}
	return nil
}

// finish reads what the nodes are and how they are related. A node that is gone by now is left out.
func (e *exploration) finish() error {
	p := byKind(e.Nodes, params{"related": []string{}})
	if e.Wants(graph.RelationInvestigatedBy) {
		p["related"] = p["causes"]
	}
	v, err := e.run(exploreEnd, p)
	if err != nil {
		return err
	}
	if e.answer.Head, err = parseHead(text(e.head)); err != nil {
		return err
	}
	e.answer.Procedures, e.answer.Known = toOffers(v[0]), toKnown(v[6], v[7])
	e.answer.Causes, e.answer.Tools = each(v[2], toCause), each(v[3], toTool)
	there := map[graph.NodeRef]bool{}
	for _, offer := range e.answer.Procedures {
		there[refTo(graph.KindProcedure, offer.Procedure.Key)] = true
	}
	for _, row := range rows(v[1]) {
		columns, _ := row[0].([]any)
		variant := toVariant(columns)
		variant.Offered = truth(row[1])
		e.answer.Variants = append(e.answer.Variants, variant)
		there[refTo(graph.KindVariant, variant.CodeHash)] = true
	}
	for _, cause := range e.answer.Causes {
		there[refTo(graph.KindCause, cause.Name)] = true
	}
	for _, tool := range e.answer.Tools {
		there[refTo(graph.KindTool, tool.Name)] = true
	}
	last := graph.NewAround(e.ExploreQuery)
	for _, node := range e.Nodes {
		if there[node] {
			last.Take(node)
		}
	}
	e.Around = last
	e.relate(rows(v[1]), rows(v[4]), each(v[5], toUse))
	e.Close(&e.answer)
	return nil
}

// relate relates the nodes, and tells how many neighbours they have.
func (e *exploration) relate(variants, totals [][]any, uses []graph.Use) {
	for _, row := range totals {
		e.Has(refTo(graph.NodeKind(text(row[0])), text(row[1])), graph.RelationType(text(row[2])), int(number(row[3])))
	}
	for _, use := range uses {
		e.RelateUse(use)
	}
	for _, offer := range e.answer.Procedures {
		e.RelateTools(refTo(graph.KindProcedure, offer.Procedure.Key), graph.RelationUses, offer.Procedure.Signature)
	}
	for i, v := range e.answer.Variants {
		e.RelateVariant(v, texts(variants[i][2]))
	}
}
