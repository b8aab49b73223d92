package model

import (
	"procgraph/graph"
	"procgraph/operations"
)

// PageInfo tells where a page lies in its list.
type PageInfo struct {
	HasNextPage     bool
	HasPreviousPage bool
	StartCursor     *string
	EndCursor       *string
}

// Connection is what the pages of all lists have.
type Connection[Row any] struct {
	Nodes    []Row
	PageInfo *PageInfo
	total    func() (int, error)
}

// TotalCount stops at 10,000.
func (c *Connection[Row]) TotalCount() (int32, error) {
	n, err := c.total()
	return Int32(n), err
}

func connection[Of, Row any](c *operations.Connection[Of], rows []Row) Connection[Row] {
	return Connection[Row]{
		Nodes: rows,
		PageInfo: &PageInfo{HasNextPage: c.More, HasPreviousPage: c.Before,
			StartCursor: orNil(c.StartCursor()), EndCursor: orNil(c.EndCursor())},
		total: func() (int, error) { return c.Total, nil },
	}
}

// ProcedureConnection is a page of procedures.
type ProcedureConnection struct {
	Connection[*Procedure]
	page *operations.Connection[*operations.Procedure]
}

// ProcedureEdge is a procedure in a list.
type ProcedureEdge struct {
	page *operations.Connection[*operations.Procedure]
	Node *Procedure
}

// Cursor is its place.
func (e *ProcedureEdge) Cursor() string { return e.page.Cursor(e.Node.Procedure) }

// Edges are the rows with the place of each.
func (c *ProcedureConnection) Edges() []*ProcedureEdge {
	edges := make([]*ProcedureEdge, len(c.Nodes))
	for i, p := range c.Nodes {
		edges[i] = &ProcedureEdge{c.page, p}
	}
	return edges
}

// ProcedurePage shows a page whose total is counted by another question; a nil total is the one of the page.
func ProcedurePage(page *operations.Connection[*operations.Procedure], total func() (int, error)) *ProcedureConnection {
	c := &ProcedureConnection{connection(page, Procedures(page.Items)), page}
	if total != nil {
		c.total = total
	}
	return c
}

// VariantConnection is a page of variants.
type VariantConnection struct{ Connection[*Variant] }

// ToolConnection is a page of tools.
type ToolConnection struct{ Connection[*Tool] }

// CauseConnection is a page of causes.
type CauseConnection struct{ Connection[*Cause] }

// UseConnection is a page of uses.
type UseConnection struct{ Connection[*Use] }

// ProcedureToolConnection is a page of the registry.
type ProcedureToolConnection struct{ Connection[*ProcedureTool] }

// ToolPage shows a page.
func ToolPage(page *operations.Connection[graph.Tool]) *ToolConnection {
	return toolPage(page, Tools(page.Items))
}

func toolPage(page *operations.Connection[graph.Tool], rows []*Tool) *ToolConnection {
	return &ToolConnection{connection(page, rows)}
}

// CausePage shows a page.
func CausePage(page *operations.Connection[graph.Cause]) *CauseConnection {
	return &CauseConnection{connection(page, Causes(page.Items))}
}

// RegistryPage shows a page.
func RegistryPage(page *operations.Connection[*operations.ProcedureTool]) *ProcedureToolConnection {
	return &ProcedureToolConnection{connection(page, ProcedureTools(page.Items))}
}

// Pages are what one read answered for several owners. The rows of all owners are siblings.
type Pages[Page any] struct {
	by   map[string]Page
	none Page
}

// Of is the page of an owner; an empty one when nothing was read for it.
func (p Pages[Page]) Of(owner string) Page {
	if page, ok := p.by[owner]; ok {
		return page
	}
	return p.none
}

// ProceduresOf shows pages of procedures.
func ProceduresOf(by map[string]*operations.Connection[*operations.Procedure], before bool) Pages[*ProcedureConnection] {
	return pages(by, before, Procedures, func(page *operations.Connection[*operations.Procedure], rows []*Procedure) *ProcedureConnection {
		return &ProcedureConnection{connection(page, rows), page}
	})
}

// VariantsOf shows pages of variants.
func VariantsOf(by map[string]*operations.Connection[*operations.Variant], before bool) Pages[*VariantConnection] {
	return pages(by, before, Variants, func(page *operations.Connection[*operations.Variant], rows []*Variant) *VariantConnection {
		return &VariantConnection{connection(page, rows)}
	})
}

// ToolsOf shows pages of tools.
func ToolsOf(by map[string]*operations.Connection[graph.Tool], before bool) Pages[*ToolConnection] {
	return pages(by, before, Tools, toolPage)
}

// UsesOf shows pages of uses.
func UsesOf(by map[string]*operations.Connection[graph.Use], before bool) Pages[*UseConnection] {
	return pages(by, before, Uses, func(page *operations.Connection[graph.Use], rows []*Use) *UseConnection {
		return &UseConnection{connection(page, rows)}
	})
}

func pages[Of, Row, Page any](by map[string]*operations.Connection[Of], before bool, rows func([]Of) []Row,
	page func(*operations.Connection[Of], []Row) Page) Pages[Page] {
	owners := make([]string, 0, len(by))
	var all []Of
	for owner, c := range by {
		owners = append(owners, owner)
		all = append(all, c.Items...)
	}
	made := rows(all)
	shown := Pages[Page]{make(map[string]Page, len(by)), page(&operations.Connection[Of]{Before: before}, nil)}
	for _, owner := range owners {
		n := len(by[owner].Items)
		shown.by[owner] = page(by[owner], made[:n:n])
		made = made[n:]
	}
	return shown
}
