package resolvers

import (
	"context"

	"procgraph/operations"
	"procgraph/resolvers/generated"
	"procgraph/resolvers/model"
)

// Changed is the resolver for the changed field.
func (r *classifyToolsPayloadResolver) Changed(ctx context.Context, obj *model.Classified, first *int32, after *string) (*model.ProcedureConnection, error) {
	got, err := obj.Changed(page(ctx, first, after, pageSize))
	if err != nil {
		return nil, err
	}
	return model.ProcedurePage(got, nil), nil
}

// RegisterTools is the resolver for the registerTools field.
func (r *mutationResolver) RegisterTools(ctx context.Context, tools []*operations.ToolInput) ([]*model.Tool, error) {
	stored, err := r.ops.RegisterTools(ctx, values(tools))
	if err != nil {
		return nil, err
	}
	return model.Tools(stored), nil
}

// ClassifyTools is the resolver for the classifyTools field.
func (r *mutationResolver) ClassifyTools(ctx context.Context, items []*operations.ClassifyInput, dryRun *bool) (*model.Classified, error) {
	classified, err := r.ops.ClassifyTools(ctx, values(items), deref(dryRun))
	if err != nil {
		return nil, err
	}
	return &model.Classified{Classified: classified, Tools: model.Tools(classified.Tools)}, nil
}

// ConfirmTool is the resolver for the confirmTool field.
func (r *mutationResolver) ConfirmTool(ctx context.Context, name string, definitionHash string) (*model.Tool, error) {
	return shownValue(model.Tools)(r.ops.ConfirmTool(ctx, name, definitionHash))
}

// Tool is the resolver for the tool field.
func (r *queryResolver) Tool(ctx context.Context, name string) (*model.Tool, error) {
	return shownValue(model.Tools)(r.ops.Tool(ctx, name))
}

// Tools is the resolver for the tools field.
func (r *queryResolver) Tools(ctx context.Context, filter *operations.ToolFilter, first *int32, after *string) (*model.ToolConnection, error) {
	got, err := r.ops.Tools(ctx, deref(filter), page(ctx, first, after, pageSize))
	if err != nil {
		return nil, err
	}
	return model.ToolPage(got), nil
}

// Procedures is the resolver for the procedures field.
func (r *toolResolver) Procedures(ctx context.Context, obj *model.Tool, first *int32, after *string) (*model.ProcedureConnection, error) {
	return r.proceduresUsing(ctx, obj, page(ctx, first, after, pageSize))
}

// ClassifyToolsPayload returns generated.ClassifyToolsPayloadResolver implementation.
func (r *Resolver) ClassifyToolsPayload() generated.ClassifyToolsPayloadResolver {
	return &classifyToolsPayloadResolver{r}
}

// Tool returns generated.ToolResolver implementation.
func (r *Resolver) Tool() generated.ToolResolver { return &toolResolver{r} }

type (
	classifyToolsPayloadResolver struct{ *Resolver }
	toolResolver                 struct{ *Resolver }
)
