package resolvers

import (
	"context"

	"procgraph/graph"
	"procgraph/operations"
	"procgraph/resolvers/generated"
	"procgraph/resolvers/model"
	"procgraph/trust"
)

// Viewer is the resolver for the viewer field.
func (r *queryResolver) Viewer(ctx context.Context) (*trust.Caller, error) {
	caller, err := r.ops.Viewer(ctx)
	return &caller, err
}

// Node is the resolver for the node field.
func (r *queryResolver) Node(ctx context.Context, id string) (model.Node, error) {
	node, err := r.ops.Node(ctx, id)
	if err != nil {
		return nil, err
	}
	switch n := node.(type) {
	case *operations.Procedure:
		return one(model.Procedures, n), nil
	case *operations.Variant:
		return one(model.Variants, n), nil
	case *graph.Tool:
		return one(model.Tools, *n), nil
	case *graph.Cause:
		return one(model.Causes, *n), nil
	default:
		return nil, nil
	}
}

// Query returns generated.QueryResolver implementation.
func (r *Resolver) Query() generated.QueryResolver { return &queryResolver{r} }

type queryResolver struct{ *Resolver }
