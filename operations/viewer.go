package operations

import (
	"context"

	"procgraph/trust"
)

// Viewer answers who asks.
func (o *Operations) Viewer(ctx context.Context) (trust.Caller, error) {
	caller, ok := trust.CallerOf(ctx)
	if !ok {
		return caller, &Error{Code: Unauthenticated, Message: "a valid token is needed"}
	}
	return caller, nil
}
