package operations

import (
	"context"

	"procgraph/graph"
	"procgraph/trust"
)

// Causes lists causes by name. With a text, those whose name and description hold all its words.
func (o *Operations) Causes(ctx context.Context, text string, in PageInput) (*Connection[graph.Cause], error) {
	if _, err := require(ctx, trust.ScopeGraphRead); err != nil {
		return nil, err
	}
	const list = "causes"
	page, err := in.page(list)
	if err != nil {
		return nil, err
	}
	var got graph.Slice[graph.Cause]
	if narrows(text) {
		found, err := o.holding(ctx, text, graph.DocumentCause)
		if err != nil {
			return nil, err
		}
		if got, err = o.Store.CausesBy(ctx, named(found)); err != nil {
			return nil, translate(err)
		}
		got = paged(got.Items, func(c graph.Cause) string { return c.Name }, page, got.Head)
	} else if got, err = o.Store.Causes(ctx, page); err != nil {
		return nil, translate(err)
	}
	observe(ctx, got.Head)
	return connection(got, page, list, func(c graph.Cause) string { return c.Name }), nil
}

// CausesByName answers the causes with these names, by name.
func (o *Operations) CausesByName(ctx context.Context, names []string) (map[string]graph.Cause, error) {
	if _, err := require(ctx, trust.ScopeGraphRead); err != nil {
		return nil, err
	}
	got, err := o.Store.CausesBy(ctx, names)
	if err != nil {
		return nil, translate(err)
	}
	observe(ctx, got.Head)
	by := make(map[string]graph.Cause, len(got.Items))
	for _, c := range got.Items {
		by[c.Name] = c
	}
	return by, nil
}

// Cause answers the cause with a name; nil when there is none.
func (o *Operations) Cause(ctx context.Context, name string) (*graph.Cause, error) {
	by, err := o.CausesByName(ctx, []string{name})
	if c, ok := by[name]; ok {
		return &c, err
	}
	return nil, err
}

// UsesOfProcedures answers, for each procedure key, its uses, most frequent first.
func (o *Operations) UsesOfProcedures(ctx context.Context, keys []string, in PageInput) (map[string]*Connection[graph.Use], error) {
	return o.usesOf(ctx, graph.UseOwners{Procedures: keys}, in, "procedure/uses", graph.Use.OfProcedure)
}

// UsesOfCauses answers, for each cause, its uses, most frequent first.
func (o *Operations) UsesOfCauses(ctx context.Context, names []string, in PageInput) (map[string]*Connection[graph.Use], error) {
	return o.usesOf(ctx, graph.UseOwners{Causes: names}, in, "cause/uses", graph.Use.OfCause)
}

func (o *Operations) usesOf(ctx context.Context, of graph.UseOwners, in PageInput, list string, position func(graph.Use) string) (map[string]*Connection[graph.Use], error) {
	if _, err := require(ctx, trust.ScopeGraphRead); err != nil {
		return nil, err
	}
	page, err := in.page(list)
	if err != nil {
		return nil, err
	}
	got, err := o.Store.UsesOf(ctx, of, page)
	if err != nil {
		return nil, translate(err)
	}
	observe(ctx, got.Head)
	return connections(got, page, list, position), nil
}
