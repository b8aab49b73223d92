package operations

import (
	"context"
	"time"

	"procgraph/graph"
	"procgraph/trust"
)

// RetireProcedure takes a procedure out of the registry and keeps it.
func (o *Operations) RetireProcedure(ctx context.Context, toolName string) (*Procedure, error) {
	return o.changeProcedure(ctx, toolName, func(f graph.Facts, caller trust.Caller, offer graph.Offer) (graph.Change, error) {
		if !offer.Procedure.RetiredAt.IsZero() {
			return nil, nil
		}
		offer.Procedure.RetiredAt = o.now()
		return o.procedureChanged(f, caller, "procedure.retired", toolName, offer, map[string]any{"before": "in use", "after": "retired"})
	})
}

// RestoreProcedure ends a retirement.
func (o *Operations) RestoreProcedure(ctx context.Context, toolName string) (*Procedure, error) {
	return o.changeProcedure(ctx, toolName, func(f graph.Facts, caller trust.Caller, offer graph.Offer) (graph.Change, error) {
		if offer.Procedure.RetiredAt.IsZero() {
			return nil, nil
		}
		offer.Procedure.RetiredAt = time.Time{}
		return o.procedureChanged(f, caller, "procedure.restored", toolName, offer, map[string]any{"before": "retired", "after": "in use"})
	})
}

// changeProcedure runs a trust write about one procedure and answers it as it is afterwards.
func (o *Operations) changeProcedure(ctx context.Context, toolName string,
	decide func(graph.Facts, trust.Caller, graph.Offer) (graph.Change, error)) (*Procedure, error) {
	caller, err := require(ctx, trust.ScopeProcedureApprove)
	if err != nil {
		return nil, err
	}
	err = o.commit(ctx, graph.FactQuery{Names: []string{toolName}, Dependents: true}, func(f graph.Facts) (graph.Change, error) {
		offer, ok := f.Known.Procedures[toolName]
		if !ok {
			return nil, notFound("procedure")
		}
		return decide(f, caller, offer)
	})
	if err != nil {
		return nil, err
	}
	return o.procedureNow(ctx, graph.ProcedureRefs{ToolNames: []string{toolName}})
}

// procedureNow answers a procedure as it is after a write.
func (o *Operations) procedureNow(ctx context.Context, ref graph.ProcedureRefs) (*Procedure, error) {
	got, err := o.Store.ProceduresBy(ctx, ref)
	if err != nil {
		return nil, translate(err)
	}
	if len(got.Items) == 0 {
		return nil, notFound("procedure")
	}
	return o.procedure(got.Items[0], got.Known), nil
}
