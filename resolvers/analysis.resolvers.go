package resolvers

import (
	"context"

	"procgraph/operations"
)

// AnalyzeCode is the resolver for the analyzeCode field.
func (r *queryResolver) AnalyzeCode(ctx context.Context, code string) (*operations.Analysis, error) {
	return r.ops.AnalyzeCode(ctx, code)
}
