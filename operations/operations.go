// Package operations holds what callers may ask for, one file an operation: it checks scopes and input, composes the
// pure rules with the store, and answers views. Every surface translates to these and adds nothing.
package operations

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"sync/atomic"
	"time"

	"procgraph/graph"
	"procgraph/procedures"
	"procgraph/trust"
)

// Options are what the operations work with. Store and Analyses are required.
type Options struct {
	Store    graph.Store
	Analyses *procedures.Cache
	Log      *slog.Logger
	Now      func() time.Time
	// HeadMoved is told of the head after every trust write of this server. It may be called out of order.
	HeadMoved func(graph.Head)
	// HintDisagreed is told of every row that the registry dropped since the recomputed truth was worse than its hint.
	HintDisagreed func()
}

// Operations answers callers. It is safe for concurrent use.
type Operations struct {
	Options
	admin atomic.Pointer[graph.Credential]
}

// New makes the operations.
func New(o Options) *Operations {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.HeadMoved == nil {
		o.HeadMoved = func(graph.Head) {}
	}
	if o.HintDisagreed == nil {
		o.HintDisagreed = func() {}
	}
	return &Operations{Options: o}
}

// now is the present time as both stores keep it.
func (o *Operations) now() time.Time { return o.Now().UTC().Truncate(time.Millisecond) }

// require answers who asks when he holds the scope.
func require(ctx context.Context, scope string) (trust.Caller, error) {
	caller, ok := trust.CallerOf(ctx)
	if !ok {
		return caller, &Error{Code: Unauthenticated, Message: "a valid token is needed"}
	}
	if !caller.Has(scope) {
		return caller, &Error{Code: Forbidden, Message: "the token does not have the scope " + scope}
	}
	return caller, nil
}

// stored analyses the code of a variant, the parse of which may be remembered. It is nil for code that the rules of
// source text refuse today, or that is not what its hash says.
func (o *Operations) stored(v graph.Variant) *procedures.Analysis {
	analysis, err := o.Analyses.Analyze(v.Code)
	if err != nil || analysis.CodeHash != v.CodeHash {
		return nil
	}
	return analysis
}

// fromCode judges an offer by its code.
func (o *Operations) fromCode(offer graph.Offer) procedures.Named {
	return namedBy(o.stored(*offer.Current), offer)
}

// namedBy is what an analysis says about an offer. Without one nothing is proven.
func namedBy(analysis *procedures.Analysis, offer graph.Offer) procedures.Named {
	if analysis == nil {
		return procedures.Named{Names: offer.Procedure.Signature}
	}
	return procedures.Named{Names: analysis.Signature, Proven: analysis.Proven}
}

// commit is the one way of operations to the store's Commit: it publishes the head and translates failures.
func (o *Operations) commit(ctx context.Context, query graph.FactQuery, decide func(graph.Facts) (graph.Change, error)) error {
	before := int64(-1)
	head, err := o.Store.Commit(ctx, query, func(f graph.Facts) (graph.Change, error) {
		before = f.Head.Sequence
		return decide(f)
	})
	if err != nil {
		return translate(err)
	}
	observe(ctx, head)
	if head.Sequence != before {
		o.HeadMoved(head)
	}
	return nil
}

// Revision remembers the newest head that a request has seen.
type Revision struct{ sequence atomic.Int64 }

// Sequence is the sequence of the newest audit event that the request has seen; ok is false when it saw none.
func (r *Revision) Sequence() (sequence int64, ok bool) {
	n := r.sequence.Load()
	return n - 1, n > 0
}

type revisionKey struct{}

// WithRevision makes a request remember the newest head that its operations see.
func WithRevision(ctx context.Context) (context.Context, *Revision) {
	r := &Revision{}
	return context.WithValue(ctx, revisionKey{}, r), r
}

func observe(ctx context.Context, head graph.Head) {
	r, ok := ctx.Value(revisionKey{}).(*Revision)
	if !ok {
		return
	}
	for {
		seen := r.sequence.Load()
		if head.Sequence+1 <= seen || r.sequence.CompareAndSwap(seen, head.Sequence+1) {
			return
		}
	}
}

// Head answers the present end of the audit chain.
func (o *Operations) Head(ctx context.Context) (graph.Head, error) {
	if _, ok := trust.CallerOf(ctx); !ok {
		return graph.Head{}, &Error{Code: Unauthenticated, Message: "a valid token is needed"}
	}
	facts, err := o.Store.Facts(ctx, graph.FactQuery{})
	if err != nil {
		return graph.Head{}, translate(err)
	}
	observe(ctx, facts.Head)
	return facts.Head, nil
}

// randomID is 128 random bits in hex.
func randomID() string {
	var b [16]byte
	if _, err := rand.Read(b[:]); err != nil { // never happens: crypto/rand ends the program first
		return ""
	}
	return hex.EncodeToString(b[:])
}
