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

// loadDemo loads the demonstration graph through the operations that agents and operators use, once for a database:
// what operators decide or delete afterwards stays as they left it. The tools come last, and are the sign that all is
// loaded; until then each step can be taken again.
func loadDemo(ctx context.Context, ops *operations.Operations, log *slog.Logger) error {
	data, err := demo.Load()
	if err != nil {
		return err
	}
	ctx = trust.WithCaller(ctx, trust.Caller{Principal: operations.AdminName, Token: "demo", Scopes: trust.AllScopes()})
	var tools []operations.ToolInput
	for _, catalogue := range data.Catalogues {
		for _, t := range catalogue.Tools {
			tools = append(tools, operations.ToolInput{Name: t.Name, Description: &t.Description,
				ParametersSchema: t.ParametersSchema, Class: &t.Class, ExternalAccess: &t.ExternalAccess, Hints: t.Hints})
		}
	}
	last, err := ops.Tool(ctx, tools[len(tools)-1].Name)
	if err != nil {
		return err
	}
	if last != nil && last.Known {
		log.Info("the demonstration graph was loaded before")
		return nil
	}
	for _, p := range data.Procedures {
		if err := loadProcedure(ctx, ops, p); err != nil {
			return fmt.Errorf("%s: %w", p.File, err)
		}
	}
	if _, err := ops.RegisterTools(ctx, tools); err != nil {
		return err
	}
	log.Info("the demonstration graph is loaded", "tools", len(tools), "codes", len(data.Procedures))
	return nil
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
