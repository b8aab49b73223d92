package sqlite

import (
	"context"
	"slices"

	"procgraph/graph"
)

// Explore answers a bounded neighbourhood of nodes.
func (s *Store) Explore(ctx context.Context, query graph.ExploreQuery) (graph.Neighbourhood, error) {
	answer := graph.Neighbourhood{Known: newKnown()}
	err := s.read(ctx, func(t tx) error {
		e := &explorer{tx: t, Around: graph.NewAround(query), places: map[graph.NodeRef]int64{}}
		if err := e.walk(); err != nil {
			return err
		}
		if err := e.tell(&answer); err != nil {
			return err
		}
		if err := e.countOfProcedures(); err != nil {
			return err
		}
		if err := e.investigate(); err != nil {
			return err
		}
		if err := e.count(); err != nil {
			return err
		}
		e.Close(&answer)
		var err error
		answer.Head, err = t.head()
		return err
	})
	if err != nil {
		return graph.Neighbourhood{}, err
	}
	return answer, nil
}

// explorer is a neighbourhood as it grows.
type explorer struct {
	tx
	*graph.Around
	// places are the ids of the procedures that nodes are or, as variants, belong to; 0 of others.
	places map[graph.NodeRef]int64
}

func refTo(kind graph.NodeKind, key string) graph.NodeRef { return graph.NodeRef{Kind: kind, Key: key} }

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
	return e.query(statement, func(r row) error {
		if ref := refTo(kind, r.text(0)); e.Take(ref) {
			e.places[ref] = r.int(1)
		}
		return nil
	}, args...)
}

// walk takes the nodes step by step.
func (e *explorer) walk() error {
	if len(e.From) == 0 {
		if err := e.take(graph.KindProcedure, highest, max(e.Limit/4, 1)); err != nil {
			return err
		}
	}
	for _, ref := range e.From {
		if statement, ok := starts[ref.Kind]; ok && !e.Full() {
			if err := e.take(ref.Kind, statement, ref.Key); err != nil {
				return err
			}
		}
	}
	before := 0
	for range e.Depth {
		step := e.Nodes[before:]
		before = len(e.Nodes)
		for _, node := range step {
			for _, way := range ways {
				if way.from != node.Kind || !e.Wants(way.of) || e.Full() {
					continue
				}
				if err := e.take(way.to, way.find, e.places[node], node.Key, e.Limit); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// ids are those of the nodes that are procedures.
func (e *explorer) ids() []int64 {
	ids := []int64{}
	for _, node := range e.Nodes {
		if node.Kind == graph.KindProcedure {
			ids = append(ids, e.places[node])
		}
	}
	return ids
}

// tell reads what the nodes are, and relates them as far as that tells.
func (e *explorer) tell(answer *graph.Neighbourhood) error {
	reached := names{}
	offers, err := e.offers(`SELECT `+offerColumns+` FROM json_each(?) j CROSS JOIN procedures p ON p.id = j.value`+offerJoin,
		e.ids())
	if err != nil {
		return err
	}
	for _, offer := range offers {
		answer.Procedures = append(answer.Procedures, offer.Offer)
		reached.add(offer.Procedure.Reach...)
		e.RelateTools(refTo(graph.KindProcedure, offer.Procedure.Key), graph.RelationUses, offer.Procedure.Signature)
	}
	err = e.query(`SELECT `+variantColumns+codeColumn+`, p.signature, p.reach
		FROM json_each(?) j CROSS JOIN variants v ON v.code_hash = j.value`+variantJoin,
		func(r row) error {
			v := scanVariant(r, 0)
			signature, err := parseNames(r.text(variantWidth))
			if err != nil {
				return err
			}
			answer.Variants = append(answer.Variants, v)
			e.RelateVariant(v, signature)
			return reached.addList(r.text(variantWidth + 1))
		}, e.Keys(graph.KindVariant))
	if err != nil {
		return err
	}
	err = e.query(`SELECT `+causeColumns+` FROM json_each(?) j CROSS JOIN causes c ON c.name = j.value`,
		func(r row) error { answer.Causes = append(answer.Causes, scanCause(r)); return nil }, e.Keys(graph.KindCause))
	if err != nil {
		return err
	}
	if answer.Tools, err = e.toolsBy(e.Keys(graph.KindTool)); err != nil {
		return err
	}
	return e.lookUp(reached, true, &answer.Known)
}

// counting counts the neighbours of the nodes of a kind by a type that their rows do not tell, up to ?2.
type counting struct {
	kind      graph.NodeKind
	of        graph.RelationType
	statement string
}

var countings = []counting{
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

// fewRelated is up to how many related neighbours nodes are counted together.
const fewRelated = 10

// count counts neighbours until more than may be shown are hidden.
func (e *explorer) count() error {
	for _, c := range countings {
		if !e.Wants(c.of) {
			continue
		}
		var few, many []string
		most := 0
		for _, key := range e.Keys(c.kind) {
			if related := e.Related(refTo(c.kind, key), c.of); related <= fewRelated {
				few = append(few, key)
			} else {
				many = append(many, key)
				most = max(most, related)
			}
		}
		if err := e.countUpTo(c, few, graph.MaxHidden+fewRelated); err != nil {
			return err
		}
		if err := e.countUpTo(c, many, graph.MaxHidden+most); err != nil {
			return err
		}
	}
	return nil
}

func (e *explorer) countUpTo(c counting, keys []string, most int) error {
	if c.of == graph.RelationCalls {
		// Each procedure has a variant, so at least as many variants call a tool as procedures use it.
		keys = slices.DeleteFunc(keys, func(tool string) bool {
			users := e.Total(refTo(c.kind, tool), graph.RelationUses)
			e.Has(refTo(c.kind, tool), c.of, users)
			return users >= most
		})
	}
	if len(keys) == 0 {
		return nil
	}
	return e.query(c.statement, func(r row) error {
		e.Has(refTo(c.kind, r.text(0)), c.of, int(r.int(1)))
		return nil
	}, keys, most)
}

// countOfProcedures counts what is not related yet, so as many as there are nodes may be.
func (e *explorer) countOfProcedures() error {
	by := map[int64]graph.NodeRef{}
	for _, node := range e.Nodes {
		if node.Kind == graph.KindProcedure {
			by[e.places[node]] = node
		}
	}
	return e.query(`SELECT j.value,
			(SELECT count(*) FROM (SELECT 1 FROM uses u WHERE u.procedure = j.value LIMIT +?2)),
			(SELECT count(*) FROM (SELECT 1 FROM variants v WHERE v.procedure = j.value LIMIT +?2))
		FROM json_each(?1) j`, func(r row) error {
		ref := by[r.int(0)]
		e.Has(ref, graph.RelationInvestigatedBy, int(r.int(1)))
		e.Has(ref, graph.RelationHasVariant, int(r.int(2)))
		return nil
	}, e.ids(), graph.MaxHidden+len(e.Nodes))
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
	causes := e.Keys(graph.KindCause)
	var few, many []string
	for _, key := range e.Keys(graph.KindProcedure) {
		switch n := e.Total(refTo(graph.KindProcedure, key), graph.RelationInvestigatedBy); {
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
	return e.query(statement, func(r row) error {
		use, err := scanUse(r)
		e.RelateUse(use)
		return err
	}, procedures, causes)
}
