package model

import (
	"procgraph/graph"
	"procgraph/operations"
)

// Nodes gives rows of several kinds, each with its siblings.
func Nodes(list []any) []Node {
	var procedures []*operations.Procedure
	var variants []*operations.Variant
	var causes []graph.Cause
	var tools []graph.Tool
	for _, node := range list {
		switch n := node.(type) {
		case *operations.Procedure:
			procedures = append(procedures, n)
		case *operations.Variant:
			variants = append(variants, n)
		case *graph.Cause:
			causes = append(causes, *n)
		case *graph.Tool:
			tools = append(tools, *n)
		}
	}
	p, v, c, t := Procedures(procedures), Variants(variants), Causes(causes), Tools(tools)
	nodes := make([]Node, len(list))
	for i, node := range list {
		switch node.(type) {
		case *operations.Procedure:
			nodes[i], p = p[0], p[1:]
		case *operations.Variant:
			nodes[i], v = v[0], v[1:]
		case *graph.Cause:
			nodes[i], c = c[0], c[1:]
		case *graph.Tool:
			nodes[i], t = t[0], t[1:]
		}
	}
	return nodes
}

// SearchHit is a row of what search found.
type SearchHit struct {
	Node    Node
	Score   float64
	Snippet string
}

// SearchConnection is a page of what search found.
type SearchConnection struct{ Connection[*SearchHit] }

// SearchPage shows a page.
func SearchPage(page *operations.Connection[operations.SearchHit]) *SearchConnection {
	found := make([]any, len(page.Items))
	for i, hit := range page.Items {
		found[i] = hit.Node
	}
	rows := make([]*SearchHit, len(page.Items))
	for i, node := range Nodes(found) {
		rows[i] = &SearchHit{node, page.Items[i].Score, page.Items[i].Snippet}
	}
	return &SearchConnection{connection(page, rows)}
}

// Subgraph is a closed part of the graph.
type Subgraph struct {
	*operations.Subgraph
	Nodes []Node
}
