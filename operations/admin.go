package operations

import (
	"context"
	"crypto/subtle"
	"errors"

	"procgraph/graph"
	"procgraph/trust"
)

// AdminName is the bootstrap admin of every database.
const AdminName = "admin"

// Admin answers the credential of the database's admin, or nil when the database has none yet. It is asked by the
// server when it starts, for nobody.
func (o *Operations) Admin(ctx context.Context) (*graph.Credential, error) {
	facts, err := o.Store.Facts(ctx, graph.FactQuery{Admin: true})
	if err != nil {
		return nil, err
	}
	return facts.Admin, nil
}

// MakeAdmin stores the hash of the first token of the database's admin. When another server was quicker, made is false.
func (o *Operations) MakeAdmin(ctx context.Context, token string) (made bool, err error) {
	credential := graph.Credential{ID: randomID(), Hash: trust.TokenHash(token), Principal: AdminName, CreatedAt: o.now()}
	head, err := o.Store.Commit(ctx, graph.FactQuery{Admin: true}, func(f graph.Facts) (graph.Change, error) {
		made = false
		if f.Admin != nil {
			return nil, nil
		}
		event, err := trust.Seal(f.Head, o.now(), AdminName, "admin.created", AdminName, map[string]any{
			"token": credential.ID, "scopes": trust.AllScopes()})
		if err != nil {
			return nil, err
		}
		made = true
		return graph.AdminMade{Event: event, Credential: credential}, nil
	})
	if errors.Is(err, graph.ErrConflict) {
		return false, nil
	}
	if err == nil && made {
		o.HeadMoved(head)
	}
	return made, err
}

// Authenticate answers who a token belongs to; ok is false when it is nobody's.
func (o *Operations) Authenticate(ctx context.Context, token string) (caller trust.Caller, ok bool, err error) {
	if !trust.WellFormedToken(token) {
		return trust.Caller{}, false, nil
	}
	admin := o.admin.Load()
	if admin == nil {
		if admin, err = o.Admin(ctx); err != nil {
			return trust.Caller{}, false, translate(err)
		}
		if admin == nil {
			return trust.Caller{}, false, nil
		}
		// The credential of the admin is never changed, so it is read once.
		o.admin.Store(admin)
	}
	if subtle.ConstantTimeCompare([]byte(trust.TokenHash(token)), []byte(admin.Hash)) != 1 {
		return trust.Caller{}, false, nil
	}
	return trust.Caller{Principal: admin.Principal, Token: admin.ID, Scopes: trust.AllScopes()}, true, nil
}
