package resolvers

import (
	"context"

	"procgraph/operations"
	"procgraph/resolvers/model"
)

// ProcedureTools is the resolver for the procedureTools field.
func (r *queryResolver) ProcedureTools(ctx context.Context, phase *model.Phase, causes []string, text *string, allowMutating *bool, first *int32, after *string) (*model.ProcedureToolConnection, error) {
	got, err := r.ops.ProcedureTools(ctx, operations.RegistryInput{Causes: causes, Text: deref(text), Page: page(ctx, first, after, registryPageSize)})
	if err != nil {
		return nil, err
	}
	return model.RegistryPage(got), nil
}
