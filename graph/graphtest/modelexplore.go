package graphtest

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"procgraph/graph"
)

// Explore takes the nodes step by step and then looks at all relations there are.
func (m *model) Explore(ctx context.Context, query graph.ExploreQuery) (graph.Neighbourhood, error) {
	if err := m.lock(ctx); err != nil {
		return graph.Neighbourhood{}, err
	}
	defer m.mu.Unlock()
	answer := graph.Neighbourhood{Head: m.head}
	take := func(refs ...graph.NodeRef) {
		for _, ref := range refs {
			if len(answer.Nodes) < query.Limit && !slices.Contains(answer.Nodes, ref) {
				answer.Nodes = append(answer.Nodes, ref)
			}
		}
	}
	take(m.starts(query)...)
	before := 0
	for range query.Depth {
		step := answer.Nodes[before:]
		before = len(answer.Nodes)
		for _, node := range step {
			for _, of := range graph.RelationTypes {
				if slices.Contains(query.Types, of) {
					take(m.neighbours(node, of)...)
				}
			}
		}
	}
	for _, node := range answer.Nodes {
		m.tell(&answer, node)
		for _, of := range graph.RelationTypes {
			if slices.Contains(query.Types, of) {
				m.relate(&answer, node, of)
			}
		}
	}
	slices.SortStableFunc(answer.Relations, func(a, b graph.Relation) int {
		return cmp.Or(cmp.Compare(slices.Index(graph.RelationTypes, a.Type), slices.Index(graph.RelationTypes, b.Type)),
			strings.Compare(a.From.Key, b.From.Key), strings.Compare(a.To.Key, b.To.Key))
	})
	return answer, nil
}

// starts are the nodes to begin at.
func (m *model) starts(query graph.ExploreQuery) (refs []graph.NodeRef) {
	if len(query.From) > 0 {
		return slices.DeleteFunc(slices.Clone(query.From), func(ref graph.NodeRef) bool { return !m.has(ref) })
	}
	all := m.matching(graph.ProcedureFilter{IncludeRetired: true})
	ranked := page(all, func(o graph.Offer) string { return o.Procedure.Position(graph.ByFrequency) },
		graph.Page{First: max(query.Limit/4, 1)})
	for _, o := range ranked.Items {
		refs = append(refs, procedureRef(o.Procedure.Key))
	}
	return refs
}

func (m *model) has(ref graph.NodeRef) (ok bool) {
	switch ref.Kind {
	case graph.KindProcedure:
		_, ok = m.procedures[ref.Key]
	case graph.KindVariant:
		_, ok = m.variants[ref.Key]
	case graph.KindCause:
		_, ok = m.causes[ref.Key]
	case graph.KindTool:
		_, ok = m.tools[ref.Key]
	}
	return ok
}

// neighbours are those of a node by a type, in their order.
func (m *model) neighbours(node graph.NodeRef, of graph.RelationType) []graph.NodeRef {
	type placed struct {
		ref graph.NodeRef
		at  [2]string
	}
	var found []placed
	add := func(ref graph.NodeRef, at ...string) {
		p := placed{ref: ref}
		copy(p.at[:], at)
		found = append(found, p)
	}
	m.eachRelation(func(r graph.Relation) {
		if r.Type != of {
			return
		}
		switch node {
		case r.From:
			switch of {
			case graph.RelationInvestigatedBy:
				add(r.To, r.Use.OfCause())
			case graph.RelationHasVariant:
				add(r.To, m.variants[r.To.Key].Position())
			default:
				add(r.To, r.To.Key)
			}
		case r.To:
			switch of {
			case graph.RelationInvestigatedBy:
				add(r.From, r.Use.OfProcedure())
			case graph.RelationUses:
				add(r.From, m.procedures[r.From.Key].ToolName)
			case graph.RelationHasVariant:
				add(r.From)
			case graph.RelationCalls:
				v := m.variants[r.From.Key]
				add(r.From, m.procedures[v.Procedure].ToolName, v.Position())
			}
		}
	})
	slices.SortFunc(found, func(a, b placed) int { return slices.Compare(a.at[:], b.at[:]) })
	refs := make([]graph.NodeRef, len(found))
	for i, p := range found {
		refs[i] = p.ref
	}
	return refs
}

// eachRelation visits all relations of the graph.
func (m *model) eachRelation(visit func(graph.Relation)) {
	for _, u := range m.uses {
		visit(graph.Relation{Type: graph.RelationInvestigatedBy, From: causeRef(u.Cause), To: procedureRef(u.Procedure), Use: &u})
	}
	toolsOf := func(of graph.RelationType, from graph.NodeRef, p graph.Procedure) {
		for _, name := range p.Signature {
			if !isProcedure(name) {
				visit(graph.Relation{Type: of, From: from, To: toolRef(name)})
			}
		}
	}
	for _, p := range m.procedures {
		toolsOf(graph.RelationUses, procedureRef(p.Key), p)
	}
	for _, v := range m.variants {
		visit(graph.Relation{Type: graph.RelationHasVariant, From: procedureRef(v.Procedure), To: variantRef(v.CodeHash)})
		toolsOf(graph.RelationCalls, variantRef(v.CodeHash), m.procedures[v.Procedure])
	}
}

// tell adds what is stored of a node.
func (m *model) tell(answer *graph.Neighbourhood, node graph.NodeRef) {
	switch node.Kind {
	case graph.KindProcedure:
		p := m.procedures[node.Key]
		answer.Procedures = append(answer.Procedures, m.offer(p))
		m.learn(&answer.Known, p.Reach...)
	case graph.KindVariant:
		v, _ := m.variant(node.Key)
		answer.Variants = append(answer.Variants, v)
		m.learn(&answer.Known, m.procedures[v.Procedure].Reach...)
	case graph.KindCause:
		answer.Causes = append(answer.Causes, m.causes[node.Key])
	case graph.KindTool:
		answer.Tools = append(answer.Tools, m.tools[node.Key])
	}
}

// relate adds the relations that lead from a node, and counts its neighbours by a type that are not among the nodes.
func (m *model) relate(answer *graph.Neighbourhood, node graph.NodeRef, of graph.RelationType) {
	hidden := 0
	m.eachRelation(func(r graph.Relation) {
		if r.Type != of || r.From != node && r.To != node {
			return
		}
		switch closed := slices.Contains(answer.Nodes, r.From) && slices.Contains(answer.Nodes, r.To); {
		case !closed:
			hidden++
		case r.From == node:
			answer.Relations = append(answer.Relations, r)
		}
	})
	if hidden > 0 {
		answer.Hidden = append(answer.Hidden, graph.Hidden{Node: node, Type: of, Count: min(hidden, graph.MaxHidden)})
	}
}

func procedureRef(key string) graph.NodeRef {
	return graph.NodeRef{Kind: graph.KindProcedure, Key: key}
}
func variantRef(codeHash string) graph.NodeRef {
	return graph.NodeRef{Kind: graph.KindVariant, Key: codeHash}
}
func causeRef(name string) graph.NodeRef { return graph.NodeRef{Kind: graph.KindCause, Key: name} }
func toolRef(name string) graph.NodeRef  { return graph.NodeRef{Kind: graph.KindTool, Key: name} }
