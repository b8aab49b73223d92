package operations

import (
	"context"
	"slices"

	"procgraph/graph"
	"procgraph/trust"
)

// ProcedureFilter narrows a list of procedures; zero fields do not narrow.
type ProcedureFilter struct {
	Text           string   // one of its texts holds all these words
	Tools          []string // it names each of these
	Causes         []string // it serves one of these
	Effect         graph.Effect
	Exposable      *bool
	IncludeRetired bool
	approved       bool
}

const (
	maxRefill  = 20     // reads of one page whose rows are filtered by what is computed
	maxCounted = 10_000 // rows that are looked at to count what is computed
)

// Procedures lists procedures in an order.
func (o *Operations) Procedures(ctx context.Context, filter ProcedureFilter, order graph.ProcedureOrder, in PageInput) (*Connection[*Procedure], error) {
	if _, err := require(ctx, trust.ScopeGraphRead); err != nil {
		return nil, err
	}
	stored, err := o.storedFilter(ctx, filter)
	if err != nil {
		return nil, err
	}
	list := "procedures/" + string(order)
	page, err := in.page(list)
	if err != nil {
		return nil, err
	}
	read := func(page graph.Page) (graph.ProcedurePage, error) {
		return o.Store.Procedures(ctx, stored, order, page)
	}
	return o.filtered(ctx, page, list, order, read, filter.keeps)
}

// filtered reads until a page is full of procedures that are kept. It gives up filling after maxRefill reads; the
// page then says that more rows follow, and where.
func (o *Operations) filtered(ctx context.Context, page graph.Page, list string, order graph.ProcedureOrder,
	read func(graph.Page) (graph.ProcedurePage, error), keep func(*Procedure) bool) (*Connection[*Procedure], error) {
	position := func(p *Procedure) string { return p.Procedure.Position(order) }
	c := &Connection[*Procedure]{Before: page.After != "",
		cursor: func(p *Procedure) string { return graph.Cursor(list, position(p)) }}
	want := page.First
	for range maxRefill {
		got, err := read(page)
		if err != nil {
			return nil, translate(err)
		}
		observe(ctx, got.Head)
		for i, offer := range got.Items {
			p := o.procedure(offer, got.Known)
			page.After = position(p)
			if !keep(p) {
				continue
			}
			c.Items = append(c.Items, p)
			if len(c.Items) == want {
				c.More = got.More || i+1 < len(got.Items)
				return c, nil
			}
		}
		if c.More = got.More; !got.More || want == 0 {
			return c, nil
		}
		page.First = min(2*page.First, maxPage)
	}
	c.end = graph.Cursor(list, page.After)
	return c, nil
}

// storedFilter is the part of a filter that the store answers.
func (o *Operations) storedFilter(ctx context.Context, f ProcedureFilter) (graph.ProcedureFilter, error) {
	if len(f.Tools) > maxListFilter || len(f.Causes) > maxListFilter {
		return graph.ProcedureFilter{}, badInput("a filter names at most %d tools and causes", maxListFilter)
	}
	s := graph.ProcedureFilter{IncludeRetired: f.IncludeRetired, Approved: f.approved, Offered: f.Exposable != nil && *f.Exposable}
	for _, name := range f.Tools {
		name, err := storedName("a tool's name", name)
		if err != nil {
			return s, err
		}
		s.Tools = append(s.Tools, name)
	}
	for _, name := range f.Causes {
		name, err := storedName("a cause's name", name)
		if err != nil {
			return s, err
		}
		s.Causes = append(s.Causes, name)
	}
	s.Tools, s.Causes = distinct(s.Tools), distinct(s.Causes)
	if narrows(f.Text) {
		found, err := o.holding(ctx, f.Text, graph.DocumentVariant, graph.DocumentUse)
		if err != nil {
			return s, err
		}
		s.Keys = []string{} // nil would be all
		for _, match := range found {
			if !slices.Contains(s.Keys, match.Procedure) {
				s.Keys = append(s.Keys, match.Procedure)
			}
		}
	}
	return s, nil
}

// keeps is the part of the filter that is computed from the code and the present classes.
func (f *ProcedureFilter) keeps(p *Procedure) bool {
	return (f.Effect == "" || p.Effect() == f.Effect) && (f.Exposable == nil || p.Exposable() == *f.Exposable)
}

// CountProcedures counts the procedures of a filter. It stops at 10,000: of those that the store can count, and of
// those that have to be looked at where the filter is about what is computed.
func (o *Operations) CountProcedures(ctx context.Context, filter ProcedureFilter) (int, error) {
	if _, err := require(ctx, trust.ScopeGraphRead); err != nil {
		return 0, err
	}
	stored, err := o.storedFilter(ctx, filter)
	if err != nil {
		return 0, err
	}
	if filter.Effect == "" && filter.Exposable == nil {
		n, err := o.Store.CountProcedures(ctx, stored, graph.MaxTotal)
		return n, translate(err)
	}
	count, page := 0, graph.Page{First: maxPage}
	for looked := 0; looked < maxCounted; {
		got, err := o.Store.Procedures(ctx, stored, graph.ByName, page)
		if err != nil {
			return 0, translate(err)
		}
		for _, offer := range got.Items {
			if filter.keeps(o.procedure(offer, got.Known)) {
				count++
			}
			page.After = offer.Procedure.Position(graph.ByName)
		}
		looked += len(got.Items)
		if !got.More {
			break
		}
	}
	return count, nil
}

// FindAllProcedures answers the procedures with an approved variant, most used first, whatever the cause.
func (o *Operations) FindAllProcedures(ctx context.Context, limit int) ([]*Procedure, error) {
	c, err := o.Procedures(ctx, ProcedureFilter{approved: true}, graph.ByFrequency, PageInput{First: limit})
	if err != nil {
		return nil, err
	}
	return c.Items, nil
}

// Procedure answers the procedure with a tool name, or the one of a code hash; nil when there is none.
func (o *Operations) Procedure(ctx context.Context, toolName, codeHash string) (*Procedure, error) {
	if _, err := require(ctx, trust.ScopeGraphRead); err != nil {
		return nil, err
	}
	if (toolName == "") == (codeHash == "") {
		return nil, badInput("exactly one of toolName and codeHash is needed")
	}
	refs := graph.ProcedureRefs{ToolNames: []string{toolName}}
	if codeHash != "" {
		refs = graph.ProcedureRefs{CodeHashes: []string{codeHash}}
	}
	found, err := o.procedures(ctx, refs)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}

// ProceduresByKeys answers the procedures with these keys, by key.
func (o *Operations) ProceduresByKeys(ctx context.Context, keys []string) (map[string]*Procedure, error) {
	found, err := o.procedures(ctx, graph.ProcedureRefs{Keys: keys})
	by := make(map[string]*Procedure, len(found))
	for _, p := range found {
		by[p.Procedure.Key] = p
	}
	return by, err
}

func (o *Operations) procedures(ctx context.Context, refs graph.ProcedureRefs) ([]*Procedure, error) {
	if _, err := require(ctx, trust.ScopeGraphRead); err != nil {
		return nil, err
	}
	got, err := o.Store.ProceduresBy(ctx, refs)
	if err != nil {
		return nil, translate(err)
	}
	observe(ctx, got.Head)
	found := make([]*Procedure, 0, len(got.Items))
	for _, offer := range got.Items {
		found = append(found, o.procedure(offer, got.Known))
	}
	return found, nil
}

// ProceduresUsing answers, for each tool, the procedures that name it, by name.
func (o *Operations) ProceduresUsing(ctx context.Context, tools []string, in PageInput) (map[string]*Connection[*Procedure], error) {
	if _, err := require(ctx, trust.ScopeGraphRead); err != nil {
		return nil, err
	}
	const list = "tool/procedures"
	page, err := in.page(list)
	if err != nil {
		return nil, err
	}
	got, err := o.Store.ProceduresUsing(ctx, tools, page)
	if err != nil {
		return nil, translate(err)
	}
	observe(ctx, got.Head)
	by := make(map[string]*Connection[*Procedure], len(got.By))
	for tool, slice := range got.By {
		by[tool] = connection(mapSlice(slice, func(offer graph.Offer) *Procedure { return o.procedure(offer, got.Known) }),
			page, list, func(p *Procedure) string { return p.Procedure.ToolName })
	}
	return by, nil
}

func mapSlice[A, B any](s graph.Slice[A], f func(A) B) graph.Slice[B] {
	mapped := graph.Slice[B]{More: s.More, Total: s.Total, Head: s.Head, Items: make([]B, 0, len(s.Items))}
	for _, a := range s.Items {
		mapped.Items = append(mapped.Items, f(a))
	}
	return mapped
}
