package sqlite

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"procgraph/graph"
)

// Explore answers a bounded neighbourhood of nodes.
func (s *Store) Explore(ctx context.Context, query graph.ExploreQuery) (graph.Neighbourhood, error) {
	e := &explorer{
		query:   query,
		places:  map[graph.NodeRef]int64{},
		totals:  map[end]int{},
		related: map[end]int{},
		answer:  graph.Neighbourhood{Known: newKnown()},
	}
	err := s.read(ctx, func(t tx) (err error) {
		e.tx = t
		if err = e.walk(); err != nil {
			return err
		}
		if err = e.tell(); err != nil {
			return err
		}
		if err = e.count(); err != nil {
			return err
		}
		if err = e.investigate(); err != nil {
			return err
		}
		e.finish()
		e.answer.Head, err = t.head()
		return err
	})
	if err != nil {
		return graph.Neighbourhood{}, err
	}
	return e.answer, nil
}

// explorer is a neighbourhood as it grows.
type explorer struct {
	tx
	query  graph.ExploreQuery
	answer graph.Neighbourhood
	// places are the ids of the procedures that nodes are or, as variants, belong to; 0 of others.
	places  map[graph.NodeRef]int64
	totals  map[end]int // neighbours, at least as far as they count
	related map[end]int // neighbours that are among the nodes
}

// end is where the relations of a type meet a node.
type end struct {
	node graph.NodeRef
	of   graph.RelationType
}

func refTo(kind graph.NodeKind, key string) graph.NodeRef { return graph.NodeRef{Kind: kind, Key: key} }

func (e *explorer) full() bool                       { return len(e.answer.Nodes) >= e.query.Limit }
func (e *explorer) wants(of graph.RelationType) bool { return slices.Contains(e.query.Types, of) }

// neighbours of a node of a kind by a type, in their order; ?1 is the procedure of the node and ?2 its key. The rows are
// keys, with the id of the procedure that the place of such a node is.
type neighbours struct {
	from graph.NodeKind
	of   graph.RelationType
	to   graph.NodeKind
	find string
}

const ownTools = `SELECT t.name, 0 FROM procedures p CROSS JOIN json_each(p.signature) j CROSS JOIN tools t ON t.name = j.value
	WHERE p.id = ?1 ORDER BY t.name LIMIT +?3`

// ways are all that can be gone, those of each kind by the order of the types.
var ways = []neighbours{
	{graph.KindCause, graph.RelationInvestigatedBy, graph.KindProcedure,
		`SELECT p.key, p.id FROM uses u CROSS JOIN procedures p ON p.id = u.procedure
		WHERE u.cause = ?2 ORDER BY u.of_cause LIMIT +?3`},
	{graph.KindProcedure, graph.RelationInvestigatedBy, graph.KindCause,
		`SELECT u.cause, 0 FROM uses u WHERE u.procedure = ?1 ORDER BY u.of_procedure LIMIT +?3`},
	{graph.KindProcedure, graph.RelationUses, graph.KindTool, ownTools},
	{graph.KindTool, graph.RelationUses, graph.KindProcedure,
		`SELECT p.key, p.id FROM reaches r CROSS JOIN procedures p ON p.id = r.procedure
		WHERE r.name = ?2 AND r.direct = 1 ORDER BY r.tool_name LIMIT +?3`},
	{graph.KindProcedure, graph.RelationHasVariant, graph.KindVariant,
		`SELECT v.code_hash, v.procedure FROM variants v WHERE v.procedure = ?1 ORDER BY v.position LIMIT +?3`},
	{graph.KindVariant, graph.RelationHasVariant, graph.KindProcedure,
		`SELECT p.key, p.id FROM procedures p WHERE p.id = ?1 LIMIT +?3`},
	{graph.KindVariant, graph.RelationCalls, graph.KindTool, ownTools},
	{graph.KindTool, graph.RelationCalls, graph.KindVariant,
		`SELECT v.code_hash, v.procedure FROM reaches r CROSS JOIN variants v ON v.procedure = r.procedure
		WHERE r.name = ?2 AND r.direct = 1 ORDER BY r.tool_name, v.position LIMIT +?3`},
}

// starts find a node of each kind.
var starts = map[graph.NodeKind]string{
	graph.KindProcedure: `SELECT key, id FROM procedures WHERE key = ?`,
	graph.KindVariant:   `SELECT code_hash, procedure FROM variants WHERE code_hash = ?`,
	graph.KindCause:     `SELECT name, 0 FROM causes WHERE name = ?`,
	graph.KindTool:      `SELECT name, 0 FROM tools WHERE name = ?`,
}

const highest = `SELECT p.key, p.id FROM procedures p INDEXED BY procedures_by_rank WHERE p.rank > '' ORDER BY p.rank LIMIT +?`

// take adds the rows of a statement that are not among the nodes. Those that are there were fewer than the limit, so a
// statement that is limited to it finds enough.
func (e *explorer) take(kind graph.NodeKind, statement string, args ...any) error {
	return e.tx.query(statement, func(r row) error {
		ref := refTo(kind, r.text(0))
		if _, known := e.places[ref]; !known && !e.full() {
			e.places[ref] = r.int(1)
			e.answer.Nodes = append(e.answer.Nodes, ref)
		}
		return nil
	}, args...)
}

// walk takes the nodes step by step.
func (e *explorer) walk() error {
	if len(e.query.From) == 0 {
		if err := e.take(graph.KindProcedure, highest, max(e.query.Limit/4, 1)); err != nil {
			return err
		}
	}
	for _, ref := range e.query.From {
		if statement, ok := starts[ref.Kind]; ok && !e.full() {
			if err := e.take(ref.Kind, statement, ref.Key); err != nil {
				return err
			}
		}
	}
	before := 0
	for range e.query.Depth {
		step := e.answer.Nodes[before:]
		before = len(e.answer.Nodes)
		for _, node := range step {
			for _, way := range ways {
				if way.from != node.Kind || !e.wants(way.of) || e.full() {
					continue
				}
				if err := e.take(way.to, way.find, e.places[node], node.Key, e.query.Limit); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// keys are those of the nodes of a kind.
func (e *explorer) keys(kind graph.NodeKind) []string {
	keys := []string{}
	for _, ref := range e.answer.Nodes {
		if ref.Kind == kind {
			keys = append(keys, ref.Key)
		}
	}
	return keys
}

// tell reads what the nodes are, and relates them as far as that tells.
func (e *explorer) tell() error {
	reached := names{}
	offers, err := e.offers(`SELECT `+offerColumns+` FROM json_each(?) j CROSS JOIN procedures p ON p.key = j.value`+offerJoin,
		e.keys(graph.KindProcedure))
	if err != nil {
		return err
	}
	for _, offer := range offers {
		e.answer.Procedures = append(e.answer.Procedures, offer.Offer)
		reached.add(offer.Procedure.Reach...)
		e.toolsOf(graph.RelationUses, refTo(graph.KindProcedure, offer.Procedure.Key), offer.Procedure.Signature)
	}
	err = e.tx.query(`SELECT `+variantColumns+codeColumn+`, p.signature, p.reach
		FROM json_each(?) j CROSS JOIN variants v ON v.code_hash = j.value`+variantJoin,
		func(r row) error {
			v := scanVariant(r, 0)
			signature, err := parseNames(r.text(variantWidth))
			if err != nil {
				return err
			}
			e.answer.Variants = append(e.answer.Variants, v)
			ref := refTo(graph.KindVariant, v.CodeHash)
			e.relate(graph.Relation{
				Type: graph.RelationHasVariant, From: refTo(graph.KindProcedure, v.Procedure), To: ref,
			})
			e.totals[end{ref, graph.RelationHasVariant}] = 1
			e.toolsOf(graph.RelationCalls, ref, signature)
			return reached.addList(r.text(variantWidth + 1))
		}, e.keys(graph.KindVariant))
	if err != nil {
		return err
	}
	err = e.tx.query(`SELECT `+causeColumns+` FROM json_each(?) j CROSS JOIN causes c ON c.name = j.value`,
		func(r row) error { e.answer.Causes = append(e.answer.Causes, scanCause(r)); return nil }, e.keys(graph.KindCause))
	if err != nil {
		return err
	}
	if e.answer.Tools, err = e.toolsBy(e.keys(graph.KindTool)); err != nil {
		return err
	}
	return e.lookUp(reached, true, &e.answer.Known)
}

// toolsOf relates a procedure or a variant to the tools of a signature.
func (e *explorer) toolsOf(of graph.RelationType, from graph.NodeRef, signature []string) {
	for _, name := range signature {
		if !strings.HasPrefix(name, procedurePrefix) {
			e.totals[end{from, of}]++
			e.relate(graph.Relation{Type: of, From: from, To: refTo(graph.KindTool, name)})
		}
	}
}

// relate adds a relation that was asked for if both its ends are among the nodes.
func (e *explorer) relate(r graph.Relation) {
	_, from := e.places[r.From]
	_, to := e.places[r.To]
	if from && to && e.wants(r.Type) {
		e.answer.Relations = append(e.answer.Relations, r)
		e.related[end{r.From, r.Type}]++
		e.related[end{r.To, r.Type}]++
	}
}

// counts count the neighbours of the nodes of a kind by a type that their rows do not tell, up to ?2.
var counts = []struct {
	kind      graph.NodeKind
	of        graph.RelationType
	statement string
}{
	{graph.KindProcedure, graph.RelationInvestigatedBy,
		`SELECT p.key, (SELECT count(*) FROM (SELECT 1 FROM uses u WHERE u.procedure = p.id LIMIT +?2))
		FROM json_each(?1) j CROSS JOIN procedures p ON p.key = j.value`},
	{graph.KindProcedure, graph.RelationHasVariant,
		`SELECT p.key, (SELECT count(*) FROM (SELECT 1 FROM variants v WHERE v.procedure = p.id LIMIT +?2))
		FROM json_each(?1) j CROSS JOIN procedures p ON p.key = j.value`},
	{graph.KindCause, graph.RelationInvestigatedBy,
		`SELECT j.value, (SELECT count(*) FROM (SELECT 1 FROM uses u WHERE u.cause = j.value LIMIT +?2)) FROM json_each(?1) j`},
	{graph.KindTool, graph.RelationUses,
		`SELECT j.value, (SELECT count(*) FROM (SELECT 1 FROM reaches r WHERE r.name = j.value AND r.direct = 1 LIMIT +?2))
		FROM json_each(?1) j`},
	{graph.KindTool, graph.RelationCalls,
		`SELECT j.value, (SELECT count(*) FROM (SELECT 1 FROM reaches r CROSS JOIN variants v ON v.procedure = r.procedure
			WHERE r.name = j.value AND r.direct = 1 LIMIT +?2))
		FROM json_each(?1) j`},
}

// count counts neighbours. As many as there are nodes may be among these, so it stops so much later.
func (e *explorer) count() error {
	most := graph.MaxHidden + len(e.answer.Nodes)
	for _, c := range counts {
		if !e.wants(c.of) {
			continue
		}
		keys := e.keys(c.kind)
		if c.of == graph.RelationCalls {
			// Each procedure has a variant, so at least as many variants call a tool as procedures use it.
			keys = slices.DeleteFunc(keys, func(tool string) bool {
				users := e.totals[end{refTo(graph.KindTool, tool), graph.RelationUses}]
				e.totals[end{refTo(graph.KindTool, tool), graph.RelationCalls}] = users
				return users == most
			})
		}
		err := e.tx.query(c.statement, func(r row) error {
			e.totals[end{refTo(c.kind, r.text(0)), c.of}] = int(r.int(1))
			return nil
		}, keys, most)
		if err != nil {
			return err
		}
	}
	return nil
}

const (
	usesAmong = `SELECT ` + useColumns + ` FROM json_each(?1) j CROSS JOIN procedures p ON p.key = j.value
		CROSS JOIN uses u ON u.procedure = p.id AND `
	walkedUses = usesAmong + `+u.cause IN (SELECT value FROM json_each(?2))`
	soughtUses = usesAmong + `u.cause IN (SELECT value FROM json_each(?2))`
)

// investigate relates causes and procedures. All uses of a procedure are walked, or those that could be are looked for,
// whichever are fewer.
func (e *explorer) investigate() error {
	causes := e.keys(graph.KindCause)
	var few, many []string
	for _, key := range e.keys(graph.KindProcedure) {
		switch n := e.totals[end{refTo(graph.KindProcedure, key), graph.RelationInvestigatedBy}]; {
		case n == 0:
		case n <= len(causes):
			few = append(few, key)
		default:
			many = append(many, key)
		}
	}
	if err := e.uses(walkedUses, few, causes); err != nil {
		return err
	}
	return e.uses(soughtUses, many, causes)
}

func (e *explorer) uses(statement string, procedures, causes []string) error {
	if len(procedures) == 0 || len(causes) == 0 {
		return nil
	}
	return e.tx.query(statement, func(r row) error {
		use, err := scanUse(r)
		e.relate(graph.Relation{
			Type: graph.RelationInvestigatedBy, From: refTo(graph.KindCause, use.Cause),
			To: refTo(graph.KindProcedure, use.Procedure), Use: &use,
		})
		return err
	}, procedures, causes)
}

// finish puts the relations in order and subtracts them from what was counted.
func (e *explorer) finish() {
	slices.SortFunc(e.answer.Relations, func(a, b graph.Relation) int {
		return cmp.Or(cmp.Compare(slices.Index(graph.RelationTypes, a.Type), slices.Index(graph.RelationTypes, b.Type)),
			cmp.Compare(a.From.Key, b.From.Key), cmp.Compare(a.To.Key, b.To.Key))
	})
	for _, node := range e.answer.Nodes {
		for _, of := range graph.RelationTypes {
			at := end{node, of}
			if n := e.totals[at] - e.related[at]; n > 0 && e.wants(of) {
				e.answer.Hidden = append(e.answer.Hidden, graph.Hidden{Node: node, Type: of, Count: min(n, graph.MaxHidden)})
			}
		}
	}
}
