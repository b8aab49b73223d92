package operations

import (
	"context"
	"time"

	"procgraph/graph"
	"procgraph/procedures"
	"procgraph/trust"
)

// judgement is a variant about to be judged, with its procedure and all that the decision needs.
type judgement struct {
	facts   graph.Facts
	variant graph.Variant
	offer   graph.Offer
	caller  trust.Caller
	now     time.Time
}

// judgeVariant runs a trust write about one variant. Decide answers nil when nothing has to change.
func (o *Operations) judgeVariant(ctx context.Context, hash string, decide func(judgement) (graph.Change, error)) (*Variant, error) {
	caller, err := require(ctx, trust.ScopeProcedureApprove)
	if err != nil {
		return nil, err
	}
	if hash, err = codeHash(hash); err != nil {
		return nil, err
	}
	err = o.commit(ctx, graph.FactQuery{CodeHashes: []string{hash}, Dependents: true}, func(f graph.Facts) (graph.Change, error) {
		variant, ok := f.Variants[hash]
		if !ok {
			return nil, notFound("variant")
		}
		return decide(judgement{f, variant, f.Owners[variant.Procedure], caller, o.now()})
	})
	if err != nil {
		return nil, err
	}
	return o.variantNow(ctx, hash)
}

// variantNow answers a variant as it is after a write.
func (o *Operations) variantNow(ctx context.Context, hash string) (*Variant, error) {
	got, err := o.Store.VariantsBy(ctx, []string{hash})
	if err != nil {
		return nil, translate(err)
	}
	if len(got.Items) == 0 {
		return nil, notFound("variant")
	}
	return o.variant(got.Items[0], got.Known), nil
}

// ApproveVariant makes a variant one that may be offered. The first that is approved is offered until another one is
// promoted. A summary replaces the one that the capture gave.
func (o *Operations) ApproveVariant(ctx context.Context, hash string, summary *string) (*Variant, error) {
	if summary != nil {
		if err := text("summary", *summary); err != nil {
			return nil, err
		}
	}
	return o.judgeVariant(ctx, hash, func(j judgement) (graph.Change, error) {
		if j.variant.Status == graph.Approved {
			return nil, nil
		}
		v := j.variant
		v.Status, v.ApprovedBy, v.ApprovedAt, v.RejectedReason = graph.Approved, j.caller.Principal, j.now, ""
		if summary != nil {
			v.Summary = *summary
		}
		offer := j.offer
		offer.Procedure.ApprovedVariants++
		if offer.Current == nil {
			offer.Current = &v
		}
		return o.variantJudged(j, "variant.approved", v, offer)
	})
}

// RejectVariant keeps a variant from being offered. When it was the offered one, none is until one is promoted or
// approved.
func (o *Operations) RejectVariant(ctx context.Context, hash, reason string) (*Variant, error) {
	if err := text("reason", reason); err != nil {
		return nil, err
	}
	return o.judgeVariant(ctx, hash, func(j judgement) (graph.Change, error) {
		if j.variant.Status == graph.Rejected {
			return nil, nil
		}
		v, offer := j.variant, j.offer
		if v.Status == graph.Approved {
			offer.Procedure.ApprovedVariants--
		}
		v.Status, v.RejectedReason, v.ApprovedBy, v.ApprovedAt = graph.Rejected, reason, "", time.Time{}
		if offer.Procedure.Current == v.CodeHash {
			offer.Current = nil
		}
		return o.variantJudged(j, "variant.rejected", v, offer)
	})
}

// PromoteVariant makes an approved variant the offered one.
func (o *Operations) PromoteVariant(ctx context.Context, hash string) (*Procedure, error) {
	v, err := o.judgeVariant(ctx, hash, func(j judgement) (graph.Change, error) {
		if j.variant.Status != graph.Approved {
			return nil, conflict("only an approved variant can be promoted; this one is %s", j.variant.Status)
		}
		if j.offer.Procedure.Current == j.variant.CodeHash {
			return nil, nil
		}
		offer := j.offer
		offer.Current = &j.variant
		return o.procedureChanged(j.facts, j.caller, "variant.promoted", j.variant.CodeHash, offer, map[string]any{
			"procedure": offer.Procedure.ToolName, "before": j.offer.Procedure.Current, "after": j.variant.CodeHash})
	})
	if err != nil {
		return nil, err
	}
	return o.procedureNow(ctx, graph.ProcedureRefs{Keys: []string{v.Procedure}})
}

// variantJudged is the change that stores a judged variant and what its procedure becomes by it.
func (o *Operations) variantJudged(j judgement, action string, v graph.Variant, offer graph.Offer) (graph.Change, error) {
	state, hints, err := o.offering(j.facts, offer, j.now)
	if err != nil {
		return nil, err
	}
	event, err := trust.Seal(j.facts.Head, j.now, j.caller.Principal, action, v.CodeHash, map[string]any{
		"procedure": offer.Procedure.ToolName, "before": j.variant.Status, "after": v.Status,
		"offeredBefore": j.offer.Procedure.Current, "offered": state.Current})
	if err != nil {
		return nil, err
	}
	return graph.VariantJudged{Event: event, CodeHash: v.CodeHash, Status: v.Status, Summary: v.Summary,
		WhenToUse: v.WhenToUse, ApprovedBy: v.ApprovedBy, ApprovedAt: v.ApprovedAt, RejectedReason: v.RejectedReason,
		Procedure: state, Hints: hints}, nil
}

// procedureChanged is the change that stores another offered variant, a retirement or its end.
func (o *Operations) procedureChanged(f graph.Facts, caller trust.Caller, action, subject string, offer graph.Offer, details any) (graph.Change, error) {
	now := o.now()
	state, hints, err := o.offering(f, offer, now)
	if err != nil {
		return nil, err
	}
	event, err := trust.Seal(f.Head, now, caller.Principal, action, subject, details)
	if err != nil {
		return nil, err
	}
	return graph.ProcedureChanged{Event: event, Procedure: state, Hints: hints}, nil
}

// offering is what the procedure is stored as once its offer is the given one, and the hints that change by it. An
// offer by which the procedure would reach itself is refused.
func (o *Operations) offering(f graph.Facts, offer graph.Offer, now time.Time) (graph.ProcedureState, []graph.Hint, error) {
	p := &offer.Procedure
	p.Current = ""
	if offer.Current != nil {
		current := *offer.Current
		current.Offered = true
		offer.Current = &current
		p.Current = current.CodeHash
	}
	known := after(f.Known, nil, offer)
	offered := false
	if offer.Current != nil {
		reach := procedures.ReachOf(o.fromCode(offer), known, o.fromCodeOrStored)
		for _, r := range reach.Reasons {
			if r.Code == procedures.ReasonReachCycle {
				return graph.ProcedureState{}, nil, conflict("%s: the procedures would reach themselves", r.Message)
			}
		}
		offered = len(procedures.NotOffered(offer, reach)) == 0
	}
	return graph.ProcedureState{
		Key: p.Key, Current: p.Current, Approved: p.ApprovedVariants > 0 && p.RetiredAt.IsZero(), Offered: offered,
		ApprovedVariants: p.ApprovedVariants, RetiredAt: p.RetiredAt, UpdatedAt: now,
	}, hints(f.Dependents, known, p.Key), nil
}

// fromCodeOrStored judges an offer by its code where the facts carry it, else by the stored analysis.
func (o *Operations) fromCodeOrStored(offer graph.Offer) procedures.Named {
	if offer.Current.Code == "" {
		return procedures.StoredJudge(offer)
	}
	return o.fromCode(offer)
}
