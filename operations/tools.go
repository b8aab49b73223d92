package operations

import (
	"context"
	"slices"

	"procgraph/graph"
	"procgraph/trust"
)

// ToolFilter narrows a list of tools; zero fields do not narrow.
type ToolFilter struct {
	Text      string // its name and description hold all these words
	Class     *graph.ToolClass
	Suspended *bool
	Known     *bool
}

func (f ToolFilter) keeps(t graph.Tool) bool {
	return (f.Class == nil || *f.Class == t.Class) && (f.Suspended == nil || *f.Suspended == t.Suspended) &&
		(f.Known == nil || *f.Known == t.Known)
}

// Tools lists tools by name.
func (o *Operations) Tools(ctx context.Context, filter ToolFilter, in PageInput) (*Connection[graph.Tool], error) {
	if _, err := require(ctx, trust.ScopeGraphRead); err != nil {
		return nil, err
	}
	const list = "tools"
	page, err := in.page(list)
	if err != nil {
		return nil, err
	}
	var got graph.Slice[graph.Tool]
	if narrows(filter.Text) {
		found, err := o.holding(ctx, filter.Text, graph.DocumentTool)
		if err != nil {
			return nil, err
		}
		if got, err = o.Store.ToolsBy(ctx, named(found)); err != nil {
			return nil, translate(err)
		}
		kept := slices.DeleteFunc(got.Items, func(t graph.Tool) bool { return !filter.keeps(t) })
		got = paged(kept, func(t graph.Tool) string { return t.Name }, page, got.Head)
	} else {
		stored := graph.ToolFilter{Class: filter.Class, Suspended: filter.Suspended, Known: filter.Known}
		if got, err = o.Store.Tools(ctx, stored, page); err != nil {
			return nil, translate(err)
		}
	}
	observe(ctx, got.Head)
	return connection(got, page, list, func(t graph.Tool) string { return t.Name }), nil
}

// ToolsByName answers the tools with these names, by name.
func (o *Operations) ToolsByName(ctx context.Context, names []string) (map[string]graph.Tool, error) {
	if _, err := require(ctx, trust.ScopeGraphRead); err != nil {
		return nil, err
	}
	got, err := o.Store.ToolsBy(ctx, names)
	if err != nil {
		return nil, translate(err)
	}
	observe(ctx, got.Head)
	by := make(map[string]graph.Tool, len(got.Items))
	for _, t := range got.Items {
		by[t.Name] = t
	}
	return by, nil
}

// Tool answers the tool with a name; nil when there is none.
func (o *Operations) Tool(ctx context.Context, name string) (*graph.Tool, error) {
	by, err := o.ToolsByName(ctx, []string{name})
	if t, ok := by[name]; ok {
		return &t, err
	}
	return nil, err
}

// ToolsOf answers, for each procedure key, the tools that it names, by name.
func (o *Operations) ToolsOf(ctx context.Context, keys []string, in PageInput) (map[string]*Connection[graph.Tool], error) {
	if _, err := require(ctx, trust.ScopeGraphRead); err != nil {
		return nil, err
	}
	const list = "procedure/tools"
	page, err := in.page(list)
	if err != nil {
		return nil, err
	}
	got, err := o.Store.ToolsOf(ctx, keys, page)
	if err != nil {
		return nil, translate(err)
	}
	observe(ctx, got.Head)
	return connections(got, page, list, func(t graph.Tool) string { return t.Name }), nil
}

func connections[T any](batch graph.Batch[T], page graph.Page, list string, position func(T) string) map[string]*Connection[T] {
	by := make(map[string]*Connection[T], len(batch.By))
	for owner, slice := range batch.By {
		by[owner] = connection(slice, page, list, position)
	}
	return by
}
