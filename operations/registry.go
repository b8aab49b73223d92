package operations

import (
	"context"

	"procgraph/graph"
	"procgraph/trust"
)

// RegistryInput asks for the procedures that an agent's planner may be offered.
type RegistryInput struct {
	Causes []string // it serves one of these; empty is all
	Text   string   // one of its texts holds all these words
	Page   PageInput
}

// ProcedureTools is the registry: approved, read-only procedures of two tools or more, most used first. The hint
// chooses the rows, and each row is judged again from its code and the classes that were read with it: one that is
// worse than its hint is left out, and the page is filled up.
func (o *Operations) ProcedureTools(ctx context.Context, in RegistryInput) (*Connection[*ProcedureTool], error) {
	if _, err := require(ctx, trust.ScopeGraphRead); err != nil {
		return nil, err
	}
	stored, err := o.storedFilter(ctx, ProcedureFilter{Causes: in.Causes, Text: in.Text})
	if err != nil {
		return nil, err
	}
	const list = "registry"
	page, err := in.Page.page(list)
	if err != nil {
		return nil, err
	}
	read := func(page graph.Page) (graph.ProcedurePage, error) {
		return o.Store.Registry(ctx, graph.RegistryFilter{Keys: stored.Keys, Causes: stored.Causes}, page)
	}
	keep := func(p *Procedure) bool {
		if !p.Exposable() {
			o.HintDisagreed()
			return false
		}
		return true
	}
	c, err := o.filtered(ctx, page, list, graph.ByFrequency, read, keep)
	if err != nil {
		return nil, err
	}
	tools := &Connection[*ProcedureTool]{More: c.More, Before: c.Before, end: c.end,
		cursor: func(t *ProcedureTool) string { return c.cursor(t.Procedure) }}
	for _, p := range c.Items {
		tools.Items = append(tools.Items, &ProcedureTool{p})
	}
	return tools, nil
}
