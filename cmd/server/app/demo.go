package app

import (
	"context"
	"fmt"
	"log/slog"

	"procgraph/cmd/server/app/demo"
	"procgraph/graph"
	"procgraph/operations"
	"procgraph/trust"
)

// loadDemo loads the demonstration graph through the operations that agents and operators use. Loading it again adds
// nothing: known tools are left as they are, uses count once, and only what is still proposed is judged.
func loadDemo(ctx context.Context, ops *operations.Operations, log *slog.Logger) error {
	data, err := demo.Load()
	if err != nil {
		return err
	}
	ctx = trust.WithCaller(ctx, trust.Caller{Principal: operations.AdminName, Token: "demo", Scopes: trust.AllScopes()})
	for _, catalogue := range data.Catalogues {
		if err := loadCatalogue(ctx, ops, catalogue); err != nil {
			return fmt.Errorf("%s: %w", catalogue.Source, err)
		}
	}
	for _, p := range data.Procedures {
		if err := loadProcedure(ctx, ops, p); err != nil {
			return fmt.Errorf("%s: %w", p.File, err)
		}
	}
	log.Info("the demonstration graph is loaded", "catalogues", len(data.Catalogues), "codes", len(data.Procedures))
	return nil
}

func loadCatalogue(ctx context.Context, ops *operations.Operations, catalogue demo.Catalogue) error {
	var unknown []operations.ToolInput
	for _, t := range catalogue.Tools {
		stored, err := ops.Tool(ctx, t.Name)
		if err != nil {
			return err
		}
		if stored == nil || !stored.Known {
			unknown = append(unknown, operations.ToolInput{Name: t.Name, Description: &t.Description,
				ParametersSchema: t.ParametersSchema, Class: &t.Class, ExternalAccess: &t.ExternalAccess, Hints: t.Hints})
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	_, err := ops.RegisterTools(ctx, unknown)
	return err
}

func loadProcedure(ctx context.Context, ops *operations.Operations, p demo.Procedure) error {
	var captured *operations.Captured
	for use := range p.Uses {
		var err error
		captured, err = ops.CaptureProcedure(ctx, operations.CaptureInput{
			Code: p.Code, Causes: p.Causes, Strategy: p.Strategy, Summary: p.Summary, TriggerSignals: p.TriggerSignals,
			Confidence: &p.Confidence, ObservedArguments: p.ObservedArguments, ResultSummary: p.ResultSummary,
			IdempotencyKey: fmt.Sprintf("demonstration/%s/%d", p.File, use),
		})
		if err != nil {
			return err
		}
	}
	if captured == nil || captured.Variant.Status != graph.Proposed {
		return nil
	}
	switch p.Status {
	case graph.Approved:
		_, err := ops.ApproveVariant(ctx, captured.Variant.CodeHash, nil)
		return err
	case graph.Rejected:
		_, err := ops.RejectVariant(ctx, captured.Variant.CodeHash, p.Reason)
		return err
	}
	return nil
}
