package resolvers

import (
	"context"

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
	if err != nil || node == nil {
		return nil, err
	}
	return model.Nodes([]any{node})[0], nil
}

// Query returns generated.QueryResolver implementation.
func (r *Resolver) Query() generated.QueryResolver { return &queryResolver{r} }

type queryResolver struct{ *Resolver }
