package resolvers

import (
	"context"
	"sync"

	"procgraph/graph"
	"procgraph/operations"
	"procgraph/resolvers/generated"
	"procgraph/resolvers/model"
)

// Uses is the resolver for the uses field.
func (r *causeResolver) Uses(ctx context.Context, obj *model.Cause, first *int32, after *string) (*model.UseConnection, error) {
	return r.usesOfCause(ctx, obj, page(ctx, first, after, pageSize))
}

// Cause is the resolver for the cause field.
func (r *causeUseResolver) Cause(ctx context.Context, obj *model.Use) (*model.Cause, error) {
	return r.causeOf(ctx, obj)
}

// Procedure is the resolver for the procedure field.
func (r *causeUseResolver) Procedure(ctx context.Context, obj *model.Use) (*model.Procedure, error) {
	return procedureOfRow(ctx, r.Resolver, obj, obj.Siblings, procedureOfUse)
}

// CaptureProcedure is the resolver for the captureProcedure field.
func (r *mutationResolver) CaptureProcedure(ctx context.Context, input operations.CaptureInput) (*model.Captured, error) {
	captured, err := r.ops.CaptureProcedure(ctx, input)
	if err != nil {
		return nil, err
	}
	return &model.Captured{Captured: captured, Procedure: one(model.Procedures, captured.Procedure),
		Variant: one(model.Variants, captured.Variant)}, nil
}

// ApproveVariant is the resolver for the approveVariant field.
func (r *mutationResolver) ApproveVariant(ctx context.Context, codeHash string, summary *string) (*model.Variant, error) {
	return shown(model.Variants)(r.ops.ApproveVariant(ctx, codeHash, summary))
}

// RejectVariant is the resolver for the rejectVariant field.
func (r *mutationResolver) RejectVariant(ctx context.Context, codeHash string, reason string) (*model.Variant, error) {
	return shown(model.Variants)(r.ops.RejectVariant(ctx, codeHash, reason))
}

// PromoteVariant is the resolver for the promoteVariant field.
func (r *mutationResolver) PromoteVariant(ctx context.Context, codeHash string) (*model.Procedure, error) {
	return shown(model.Procedures)(r.ops.PromoteVariant(ctx, codeHash))
}

// RetireProcedure is the resolver for the retireProcedure field.
func (r *mutationResolver) RetireProcedure(ctx context.Context, toolName string) (*model.Procedure, error) {
	return shown(model.Procedures)(r.ops.RetireProcedure(ctx, toolName))
}

// RestoreProcedure is the resolver for the restoreProcedure field.
func (r *mutationResolver) RestoreProcedure(ctx context.Context, toolName string) (*model.Procedure, error) {
	return shown(model.Procedures)(r.ops.RestoreProcedure(ctx, toolName))
}

// DeleteProcedure is the resolver for the deleteProcedure field.
func (r *mutationResolver) DeleteProcedure(ctx context.Context, toolName string) (bool, error) {
	err := r.ops.DeleteProcedure(ctx, toolName)
	return err == nil, err
}

// Tools is the resolver for the tools field.
func (r *procedureResolver) Tools(ctx context.Context, obj *model.Procedure, first *int32, after *string) (*model.ToolConnection, error) {
	return r.toolsOf(ctx, obj, page(ctx, first, after, pageSize))
}

// Current is the resolver for the current field.
func (r *procedureResolver) Current(ctx context.Context, obj *model.Procedure) (*model.Variant, error) {
	return r.offeredVariantOf(obj)
}

// Variants is the resolver for the variants field.
func (r *procedureResolver) Variants(ctx context.Context, obj *model.Procedure, first *int32, after *string) (*model.VariantConnection, error) {
	return r.variantsOf(ctx, obj, page(ctx, first, after, pageSize))
}

// Uses is the resolver for the uses field.
func (r *procedureResolver) Uses(ctx context.Context, obj *model.Procedure, first *int32, after *string) (*model.UseConnection, error) {
	return r.usesOfProcedure(ctx, obj, page(ctx, first, after, pageSize))
}

// Procedure is the resolver for the procedure field.
func (r *queryResolver) Procedure(ctx context.Context, toolName *string, codeHash *string) (*model.Procedure, error) {
	return shown(model.Procedures)(r.ops.Procedure(ctx, deref(toolName), deref(codeHash)))
}

// Variant is the resolver for the variant field.
func (r *queryResolver) Variant(ctx context.Context, codeHash string) (*model.Variant, error) {
	return shown(model.Variants)(r.ops.Variant(ctx, codeHash))
}

// Procedures is the resolver for the procedures field.
func (r *queryResolver) Procedures(ctx context.Context, filter *operations.ProcedureFilter, orderBy *graph.ProcedureOrder, first *int32, after *string) (*model.ProcedureConnection, error) {
	order := graph.ByFrequency
	if orderBy != nil {
		order = *orderBy
	}
	which := deref(filter)
	got, err := r.ops.Procedures(ctx, which, order, page(ctx, first, after, pageSize))
	if err != nil {
		return nil, err
	}
	count := sync.OnceValues(func() (int, error) { return r.ops.CountProcedures(ctx, which) })
	return model.ProcedurePage(got, count), nil
}

// FindAllProcedures is the resolver for the findAllProcedures field.
func (r *queryResolver) FindAllProcedures(ctx context.Context, limit *int32) ([]*model.Procedure, error) {
	in := page(ctx, limit, nil, pageSize)
	list, err := r.ops.FindAllProcedures(ctx, in.First)
	if err != nil {
		return nil, err
	}
	return model.Procedures(list), nil
}

// Cause is the resolver for the cause field.
func (r *queryResolver) Cause(ctx context.Context, name string) (*model.Cause, error) {
	return shownValue(model.Causes)(r.ops.Cause(ctx, name))
}

// Causes is the resolver for the causes field.
func (r *queryResolver) Causes(ctx context.Context, text *string, first *int32, after *string) (*model.CauseConnection, error) {
	got, err := r.ops.Causes(ctx, deref(text), page(ctx, first, after, pageSize))
	if err != nil {
		return nil, err
	}
	return model.CausePage(got), nil
}

// Procedure is the resolver for the procedure field.
func (r *variantResolver) Procedure(ctx context.Context, obj *model.Variant) (*model.Procedure, error) {
	return procedureOfRow(ctx, r.Resolver, obj, obj.Siblings, (*model.Variant).ProcedureKey)
}

// Cause returns generated.CauseResolver implementation.
func (r *Resolver) Cause() generated.CauseResolver { return &causeResolver{r} }

// CauseUse returns generated.CauseUseResolver implementation.
func (r *Resolver) CauseUse() generated.CauseUseResolver { return &causeUseResolver{r} }

// Mutation returns generated.MutationResolver implementation.
func (r *Resolver) Mutation() generated.MutationResolver { return &mutationResolver{r} }

// Procedure returns generated.ProcedureResolver implementation.
func (r *Resolver) Procedure() generated.ProcedureResolver { return &procedureResolver{r} }

// Variant returns generated.VariantResolver implementation.
func (r *Resolver) Variant() generated.VariantResolver { return &variantResolver{r} }

type (
	causeResolver     struct{ *Resolver }
	causeUseResolver  struct{ *Resolver }
	mutationResolver  struct{ *Resolver }
	procedureResolver struct{ *Resolver }
	variantResolver   struct{ *Resolver }
)
