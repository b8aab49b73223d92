package trust

import (
	"context"
	"slices"
)

// The scopes that operations of this version ask for.
const (
	ScopeGraphRead        = "graph:read"
	ScopeProcedureCapture = "procedure:capture"
	ScopeProcedureApprove = "procedure:approve"
	ScopeToolAdmin        = "tool:admin"
	ScopeAdmin            = "admin"
)

// AllScopes are the scopes of the bootstrap admin.
func AllScopes() []string {
	return []string{ScopeGraphRead, ScopeProcedureCapture, ScopeProcedureApprove, ScopeToolAdmin, ScopeAdmin}
}

// Caller is who asks, as proven by a verified token. The zero caller is nobody.
type Caller struct {
	Principal string
	Token     string // the id of the token, never the token
	Scopes    []string
}

// Has tells whether the caller holds a scope; admin holds every scope.
func (c Caller) Has(scope string) bool {
	return slices.Contains(c.Scopes, scope) || slices.Contains(c.Scopes, ScopeAdmin)
}

type callerKey struct{}

// WithCaller remembers who asks for the rest of a request.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerOf answers who asks; ok is false when nobody was authenticated.
func CallerOf(ctx context.Context) (c Caller, ok bool) {
	c, ok = ctx.Value(callerKey{}).(Caller)
	return c, ok && c.Principal != ""
}
