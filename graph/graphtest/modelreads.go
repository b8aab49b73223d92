package graphtest

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"procgraph/graph"
)

// page is the part of the rows that a page asks for. Rows come in any order.
func page[T any](rows []T, position func(T) string, p graph.Page) graph.Slice[T] {
	slices.SortFunc(rows, func(a, b T) int { return strings.Compare(position(a), position(b)) })
	var s graph.Slice[T]
	if p.Count {
		s.Total = min(len(rows), graph.MaxTotal)
	}
	for _, row := range rows {
		switch {
		case position(row) <= p.After:
		case len(s.Items) == p.First:
			s.More = true
		default:
			s.Items = append(s.Items, row)
		}
	}
	return s
}

// matching are the procedures of a filter.
func (m *model) matching(filter graph.ProcedureFilter) (rows []graph.Offer) {
	for _, p := range m.procedures {
		matches := (filter.IncludeRetired || p.RetiredAt.IsZero()) && (p.Approved || !filter.Approved) && (p.Offered || !filter.Offered)
		matches = matches && (filter.Keys == nil || slices.Contains(filter.Keys, p.Key))
		for _, tool := range filter.Tools {
			matches = matches && slices.Contains(p.Signature, tool)
		}
		if len(filter.Causes) > 0 {
			matches = matches && slices.ContainsFunc(filter.Causes, func(cause string) bool {
				_, ok := m.uses[relation{cause, p.Key}]
				return ok
			})
		}
		if matches {
			rows = append(rows, m.offer(p))
		}
	}
	return rows
}

// withKnown completes a page of procedures.
func (m *model) withKnown(s graph.Slice[graph.Offer]) graph.ProcedurePage {
	answer := graph.ProcedurePage{Slice: s}
	answer.Head = m.head
	for _, o := range s.Items {
		m.learn(&answer.Known, o.Procedure.Reach...)
	}
	return answer
}

func (m *model) Registry(ctx context.Context, filter graph.RegistryFilter, p graph.Page) (graph.ProcedurePage, error) {
	return m.Procedures(ctx, graph.ProcedureFilter{Keys: filter.Keys, Causes: filter.Causes, Approved: filter.Mutating, Offered: !filter.Mutating}, graph.ByFrequency, p)
}

func (m *model) Procedures(ctx context.Context, filter graph.ProcedureFilter, order graph.ProcedureOrder, p graph.Page) (graph.ProcedurePage, error) {
	if err := m.lock(ctx); err != nil {
		return graph.ProcedurePage{}, err
	}
	defer m.mu.Unlock()
	return m.withKnown(page(m.matching(filter), func(o graph.Offer) string { return o.Procedure.Position(order) }, p)), nil
}

func (m *model) CountProcedures(ctx context.Context, filter graph.ProcedureFilter, limit int) (int, error) {
	if err := m.lock(ctx); err != nil {
		return 0, err
	}
	defer m.mu.Unlock()
	return min(len(m.matching(filter)), limit), nil
}

func (m *model) ProceduresBy(ctx context.Context, refs graph.ProcedureRefs) (graph.ProcedurePage, error) {
	if err := m.lock(ctx); err != nil {
		return graph.ProcedurePage{}, err
	}
	defer m.mu.Unlock()
	var s graph.Slice[graph.Offer]
	for _, p := range m.procedures {
		if slices.Contains(refs.Keys, p.Key) || slices.Contains(refs.ToolNames, p.ToolName) ||
			slices.ContainsFunc(refs.CodeHashes, func(hash string) bool { return m.variants[hash].Procedure == p.Key }) {
			s.Items = append(s.Items, m.offer(p))
		}
	}
	return m.withKnown(s), nil
}

func (m *model) ProceduresUsing(ctx context.Context, tools []string, p graph.Page) (graph.ProceduresByTool, error) {
	if err := m.lock(ctx); err != nil {
		return graph.ProceduresByTool{}, err
	}
	defer m.mu.Unlock()
	answer := graph.ProceduresByTool{Batch: graph.Batch[graph.Offer]{By: map[string]graph.Slice[graph.Offer]{}, Head: m.head}}
	for _, tool := range tools {
		rows := m.matching(graph.ProcedureFilter{Tools: []string{tool}, IncludeRetired: true})
		if len(rows) == 0 {
			continue
		}
		s := page(rows, func(o graph.Offer) string { return o.Procedure.ToolName }, p)
		answer.By[tool] = s
		for _, o := range s.Items {
			m.learn(&answer.Known, o.Procedure.Reach...)
		}
	}
	return answer, nil
}

func (m *model) VariantsBy(ctx context.Context, codeHashes []string) (graph.VariantPage, error) {
	if err := m.lock(ctx); err != nil {
		return graph.VariantPage{}, err
	}
	defer m.mu.Unlock()
	answer := graph.VariantPage{Slice: graph.Slice[graph.Variant]{Head: m.head}}
	for _, hash := range sorted(codeHashes...) {
		if v, ok := m.variant(hash); ok {
			answer.Items = append(answer.Items, v)
			m.learn(&answer.Known, m.procedures[v.Procedure].Reach...)
		}
	}
	return answer, nil
}

func (m *model) VariantsOf(ctx context.Context, procedures []string, p graph.Page) (graph.VariantsByProcedure, error) {
	if err := m.lock(ctx); err != nil {
		return graph.VariantsByProcedure{}, err
	}
	defer m.mu.Unlock()
	answer := graph.VariantsByProcedure{Batch: graph.Batch[graph.Variant]{By: map[string]graph.Slice[graph.Variant]{}, Head: m.head}}
	for _, key := range procedures {
		var rows []graph.Variant
		for hash := range m.variants {
			if v, _ := m.variant(hash); v.Procedure == key {
				rows = append(rows, v)
			}
		}
		if len(rows) > 0 {
			answer.By[key] = page(rows, graph.Variant.Position, p)
			m.learn(&answer.Known, m.procedures[key].Reach...)
		}
	}
	return answer, nil
}

func (m *model) UsesOf(ctx context.Context, of graph.UseOwners, p graph.Page) (graph.Batch[graph.Use], error) {
	if err := m.lock(ctx); err != nil {
		return graph.Batch[graph.Use]{}, err
	}
	defer m.mu.Unlock()
	answer := graph.Batch[graph.Use]{By: map[string]graph.Slice[graph.Use]{}, Head: m.head}
	add := func(owner string, owns func(graph.Use) bool, position func(graph.Use) string) {
		var rows []graph.Use
		for _, u := range m.uses {
			if owns(u) {
				rows = append(rows, u)
			}
		}
		if len(rows) > 0 {
			answer.By[owner] = page(rows, position, p)
		}
	}
	for _, key := range of.Procedures {
		add(key, func(u graph.Use) bool { return u.Procedure == key }, graph.Use.OfProcedure)
	}
	for _, name := range of.Causes {
		add(name, func(u graph.Use) bool { return u.Cause == name }, graph.Use.OfCause)
	}
	return answer, nil
}

func (m *model) Tools(ctx context.Context, filter graph.ToolFilter, p graph.Page) (graph.Slice[graph.Tool], error) {
	if err := m.lock(ctx); err != nil {
		return graph.Slice[graph.Tool]{}, err
	}
	defer m.mu.Unlock()
	var rows []graph.Tool
	for _, t := range m.tools {
		if (filter.Class == nil || *filter.Class == t.Class) && (filter.Suspended == nil || *filter.Suspended == t.Suspended) &&
			(filter.Known == nil || *filter.Known == t.Known) {
			rows = append(rows, t)
		}
	}
	s := page(rows, func(t graph.Tool) string { return t.Name }, p)
	s.Head = m.head
	return s, nil
}

func (m *model) ToolsBy(ctx context.Context, names []string) (graph.Slice[graph.Tool], error) {
	if err := m.lock(ctx); err != nil {
		return graph.Slice[graph.Tool]{}, err
	}
	defer m.mu.Unlock()
	s := graph.Slice[graph.Tool]{Head: m.head}
	for _, name := range sorted(names...) {
		if t, ok := m.tools[name]; ok {
			s.Items = append(s.Items, t)
		}
	}
	return s, nil
}

func (m *model) ToolsOf(ctx context.Context, procedures []string, p graph.Page) (graph.Batch[graph.Tool], error) {
	if err := m.lock(ctx); err != nil {
		return graph.Batch[graph.Tool]{}, err
	}
	defer m.mu.Unlock()
	answer := graph.Batch[graph.Tool]{By: map[string]graph.Slice[graph.Tool]{}, Head: m.head}
	for _, key := range procedures {
		var rows []graph.Tool
		for _, name := range m.procedures[key].Signature {
			if t, ok := m.tools[name]; ok {
				rows = append(rows, t)
			}
		}
		if len(rows) > 0 {
			answer.By[key] = page(rows, func(t graph.Tool) string { return t.Name }, p)
		}
	}
	return answer, nil
}

func (m *model) Causes(ctx context.Context, p graph.Page) (graph.Slice[graph.Cause], error) {
	if err := m.lock(ctx); err != nil {
		return graph.Slice[graph.Cause]{}, err
	}
	defer m.mu.Unlock()
	var rows []graph.Cause
	for _, c := range m.causes {
		rows = append(rows, c)
	}
	s := page(rows, func(c graph.Cause) string { return c.Name }, p)
	s.Head = m.head
	return s, nil
}

func (m *model) CausesBy(ctx context.Context, names []string) (graph.Slice[graph.Cause], error) {
	if err := m.lock(ctx); err != nil {
		return graph.Slice[graph.Cause]{}, err
	}
	defer m.mu.Unlock()
	s := graph.Slice[graph.Cause]{Head: m.head}
	for _, name := range sorted(names...) {
		if c, ok := m.causes[name]; ok {
			s.Items = append(s.Items, c)
		}
	}
	return s, nil
}

func (m *model) Events(ctx context.Context, after int64, limit int) ([]graph.Event, error) {
	if err := m.lock(ctx); err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	start := min(int(after), len(m.events))
	return slices.Clone(m.events[start:min(start+limit, len(m.events))]), nil
}

func (m *model) Facts(ctx context.Context, query graph.FactQuery) (graph.Facts, error) {
	if err := m.lock(ctx); err != nil {
		return graph.Facts{}, err
	}
	defer m.mu.Unlock()
	return m.facts(query), nil
}

func (m *model) facts(query graph.FactQuery) graph.Facts {
	facts := graph.Facts{
		Head: m.head, Tools: map[string]graph.Tool{}, Variants: map[string]graph.Variant{},
		Owners: map[string]graph.Offer{},
	}
	targets := slices.Clone(query.Names)
	m.learn(&facts.Known, query.Names...)
	for _, name := range query.Names {
		if t, ok := m.tools[name]; ok {
			facts.Tools[name] = t
		}
		if p, ok := m.named(name); ok {
			facts.Owners[p.Key] = m.offer(p)
			m.learn(&facts.Known, p.Reach...)
		}
	}
	for _, hash := range query.CodeHashes {
		v, ok := m.variant(hash)
		if !ok {
			continue
		}
		p := m.procedures[v.Procedure]
		targets = append(targets, p.ToolName)
		facts.Variants[hash], facts.Owners[p.Key] = v, m.offer(p)
		m.learn(&facts.Known, p.Reach...)
	}
	m.related(query, &facts)
	if !query.Dependents {
		targets = nil
	}
	if targets = append(targets, query.DependentsOf...); len(targets) > 0 {
		for _, p := range m.procedures {
			if dependsOn(p, targets) {
				facts.Dependents = append(facts.Dependents, withoutCode(m.offer(p)))
				m.learn(&facts.Known, p.Reach...)
			}
		}
		slices.SortFunc(facts.Dependents, byKey)
	}
	if query.Admin && m.admin != nil {
		admin := *m.admin
		facts.Admin = &admin
	}
	return facts
}

// withoutCode is an offer as it comes with Dependents.
func withoutCode(o graph.Offer) graph.Offer {
	if o.Current != nil {
		v := *o.Current
		v.Code = ""
		o.Current = &v
	}
	return o
}

// byKey orders what comes in no order.
func byKey(a, b graph.Offer) int { return cmp.Compare(a.Procedure.Key, b.Procedure.Key) }
