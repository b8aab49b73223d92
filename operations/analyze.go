package operations

import (
	"context"

	"procgraph/graph"
	"procgraph/trust"
)

// AnalyzeCode tells what a code names and what running it can do, from the present classes. Nothing is stored.
func (o *Operations) AnalyzeCode(ctx context.Context, code string) (*Analysis, error) {
	if _, err := require(ctx, trust.ScopeGraphRead); err != nil {
		return nil, err
	}
	analysis, err := o.Analyses.Analyze(code)
	if err != nil {
		return nil, translate(err)
	}
	if len(analysis.Signature) == 0 {
		return o.analysis(analysis, graph.Known{}), nil
	}
	facts, err := o.Store.Facts(ctx, graph.FactQuery{Names: analysis.Signature})
	if err != nil {
		return nil, translate(err)
	}
	observe(ctx, facts.Head)
	return o.analysis(analysis, facts.Known), nil
}
