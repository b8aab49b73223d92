package resolvers

import (
	"context"

	"procgraph/graph"
	"procgraph/operations"
	"procgraph/resolvers/model"
)

// Search is the resolver for the search field.
func (r *queryResolver) Search(ctx context.Context, text string, kinds []graph.NodeKind, first *int32, after *string) (*model.SearchConnection, error) {
	got, err := r.ops.Search(ctx, operations.SearchInput{Text: text, Kinds: kinds, Page: page(ctx, first, after, searchPageSize)})
	if err != nil {
		return nil, err
	}
	return model.SearchPage(got), nil
}

// Explore is the resolver for the explore field.
func (r *queryResolver) Explore(ctx context.Context, from []string, depth *int32, types []graph.RelationType, limit *int32) (*model.Subgraph, error) {
	in := operations.ExploreInput{From: from, Overview: from == nil, Depth: exploreDepth, Types: types, Limit: exploreLimit}
	if depth != nil {
		in.Depth = int(*depth)
	}
	if limit != nil {
		in.Limit = int(*limit)
	}
	got, err := r.ops.Explore(ctx, in)
	if err != nil {
		return nil, err
	}
	return &model.Subgraph{Subgraph: got, Nodes: model.Nodes(got.Nodes)}, nil
}
