package operations

import (
	"fmt"
	"slices"
	"time"

	"procgraph/graph"
	"procgraph/procedures"
	"procgraph/trust"
)

// owned is the procedure of a variant or use: it is stored, or its line came before.
func (p *importPlan) owned(owner *graph.Procedure) (graph.Offer, error) {
	offer, known := p.procedure(owner.ToolName)
	if !known {
		return offer, conflict("its procedure was deleted meanwhile")
	}
	return offer, nil
}

func (p *importPlan) planVariant(owner *graph.Procedure, given importedVariant) error {
	offer, err := p.owned(owner)
	if err != nil {
		return err
	}
	stored, known := p.facts.Variants[given.CodeHash]
	if pending, ok := p.variants.by[given.CodeHash]; ok {
		stored, known = pending, true
	}
	if known && stored.Procedure != owner.Key {
		return conflict("the code belongs to another procedure")
	}
	_, buried := p.facts.Tombstones[given.CodeHash]
	v := given.Variant
	v.Procedure, v.CapturedWith, v.Offered = owner.Key, p.caller.Token, false
	decides := v.Status != graph.Proposed && p.admin && !buried && (!known || stored.Status == graph.Proposed)
	agrees := v.Status == graph.Proposed || p.admin && known && stored.Status == v.Status
	if !decides && !agrees {
		p.counts.Skipped.Statuses++
	}
	if !decides {
		v.Status, v.ApprovedBy, v.ApprovedAt, v.RejectedReason = graph.Proposed, "", time.Time{}, ""
	}
	if !p.admin {
		p.counts.Skipped.Captures++
		if v.Succeeded+v.Failed > 0 {
			p.counts.Skipped.Counts++
		}
		v.CapturedBy, v.CapturedAt = p.caller.Principal, p.now
		v.Succeeded, v.Failed, v.LastRunAt = 0, 0, time.Time{}
	}
	write := !known || decides
	if known {
		if v.Status = stored.Status; decides {
			v.Status = given.Status
		}
	}
	if write {
		if v.Status == graph.Approved {
			offer.Procedure.ApprovedVariants++
		}
		p.variants.put(v.CodeHash, v)
	}
	offers := given.Offered && p.admin && v.Status == graph.Approved && offer.Procedure.Current == ""
	if offers {
		current := v
		current.Offered = true
		offer.Current, offer.Procedure.Current = &current, v.CodeHash
		p.changed = append(p.changed, owner.ToolName)
	} else if given.Offered && offer.Procedure.Current != v.CodeHash {
		p.counts.Skipped.Offers++
	}
	if write || offers {
		offer.Procedure.Unproven = offer.Procedure.Unproven || !v.Proven
		p.procedures.put(owner.ToolName, offer)
	}
	tally(write || offers, &p.counts, func(c *ImportCounts) *int64 { return &c.Variants })
	return nil
}

func (p *importPlan) planUse(owner *graph.Procedure, given graph.Use, untold bool) error {
	offer, err := p.owned(owner)
	if err != nil {
		return err
	}
	ref := graph.UseRef{Procedure: owner.Key, Cause: given.Cause}
	stored, known := p.facts.Uses[ref]
	u := given
	u.Procedure = owner.Key
	if !p.admin {
		if u.Frequency > 1 {
			p.counts.Skipped.Counts++
		}
		u.Frequency, u.LastAt = 1, p.now
	}
	write := !known || p.admin && addsTo(stored, u)
	if write {
		if _, stored := p.cause(u.Cause); !stored {
			p.causes.put(u.Cause, graph.Cause{Name: u.Cause})
		}
		p.uses.put(ref, graph.ImportedUse{Use: u, Untold: untold})
		offer.Procedure.LastUsedAt = laterOf(offer.Procedure.LastUsedAt, u.LastAt)
		if !p.admin {
			offer.Procedure.UpdatedAt = laterOf(offer.Procedure.UpdatedAt, p.now)
		}
		p.procedures.put(owner.ToolName, offer)
	}
	tally(write, &p.counts, func(c *ImportCounts) *int64 { return &c.Uses })
	return nil
}

// addsTo says whether a use has something that the stored one lacks.
func addsTo(stored, given graph.Use) bool {
	return given.Frequency > stored.Frequency || given.LastAt.After(stored.LastAt) ||
		stored.Confidence == nil && given.Confidence != nil ||
		len(stored.TriggerSignals) == 0 && len(given.TriggerSignals) > 0 ||
		len(stored.ObservedArguments) == 0 && len(given.ObservedArguments) > 0 ||
		stored.ResultSummary == "" && given.ResultSummary != ""
}

// empty says that there is nothing to store.
func (p *importPlan) empty() bool {
	return len(p.tools.order)+len(p.causes.order)+len(p.procedures.order)+len(p.tombstones.order) == 0
}

// unasked are the names whose dependents have to be judged anew and were not asked for.
func (p *importPlan) unasked(asked []string) (missing []string) {
	known := make(map[string]bool, len(asked))
	for _, name := range asked {
		known[name] = true
	}
	for _, name := range p.changed {
		if !known[name] {
			known[name] = true
			missing = append(missing, name)
		}
	}
	return missing
}

func (p *importPlan) count(done *Imported) {
	add := func(to *ImportCounts, c ImportCounts) {
		to.Tools += c.Tools
		to.Causes += c.Causes
		to.Procedures += c.Procedures
		to.Variants += c.Variants
		to.Uses += c.Uses
	}
	add(&done.Written, p.counts.Written)
	add(&done.Known, p.counts.Known)
	to, s := &done.Skipped, p.counts.Skipped
	to.Definitions += s.Definitions
	to.Retirements += s.Retirements
	to.Statuses += s.Statuses
	to.Offers += s.Offers
	to.Captures += s.Captures
	to.Counts += s.Counts
	to.Tombstones += s.Tombstones
}

// change is the write of the plan, with the hints as they have to be after it.
func (p *importPlan) change() (graph.Change, error) {
	known := after(p.facts.Known, p.tools.values(), p.procedures.values()...)
	change := graph.Imported{
		Tools: p.tools.values(), Causes: p.causes.values(), Variants: p.variants.values(), Uses: p.uses.values(),
		Tombstones: p.tombstones.values(),
	}
	written := map[string]bool{}
	for _, offer := range p.procedures.values() {
		state := offer.Procedure
		state.Approved = state.ApprovedVariants > 0 && state.RetiredAt.IsZero()
		state.Offered = false
		if offer.Current != nil {
			reach := procedures.ReachOf(p.ops.fromCode(offer), known, p.ops.fromCodeOrStored)
			state.Offered = len(procedures.NotOffered(offer, reach)) == 0
		}
		written[state.Key] = true
		change.Procedures = append(change.Procedures, state)
	}
	change.Hints = slices.DeleteFunc(hints(p.facts.Dependents, known, ""), func(h graph.Hint) bool { return written[h.Procedure] })
	var err error
	change.Event, err = trust.Seal(p.facts.Head, p.now, p.caller.Principal, "graph.imported",
		fmt.Sprintf("lines %d to %d", p.first, p.last), p.details())
	return change, err
}

// details are what the audit trail tells of an import.
func (p *importPlan) details() map[string]any {
	type tool struct {
		Name   string           `json:"name"`
		Before *graph.ToolClass `json:"before"`
		After  graph.ToolClass  `json:"after"`
	}
	type variant struct {
		CodeHash string               `json:"codeHash"`
		Status   graph.VariantStatus  `json:"status"`
		Before   *graph.VariantStatus `json:"before"`
	}
	tools := make([]tool, 0, len(p.tools.order))
	for _, t := range p.tools.values() {
		w := tool{Name: t.Name, After: t.Class}
		if before, ok := p.facts.Tools[t.Name]; ok {
			w.Before = &before.Class
		}
		tools = append(tools, w)
	}
	type procedure struct {
		Name    string  `json:"name"`
		Before  *string `json:"offeredBefore"`
		Offered string  `json:"offered"`
		Retired bool    `json:"retired"`
	}
	procedures := []procedure{}
	for _, o := range p.procedures.values() {
		before, known := p.facts.Known.Procedures[o.Procedure.ToolName]
		retired := !o.Procedure.RetiredAt.IsZero()
		if known && before.Procedure.Current == o.Procedure.Current && retired == !before.Procedure.RetiredAt.IsZero() {
			continue
		}
		w := procedure{Name: o.Procedure.ToolName, Offered: o.Procedure.Current, Retired: retired}
		if known {
			w.Before = &before.Procedure.Current
		}
		procedures = append(procedures, w)
	}
	variants := make([]variant, 0, len(p.variants.order))
	for _, v := range p.variants.values() {
		w := variant{CodeHash: v.CodeHash, Status: v.Status}
		if before, ok := p.facts.Variants[v.CodeHash]; ok {
			w.Before = &before.Status
		}
		variants = append(variants, w)
	}
	return map[string]any{"tools": tools, "variants": variants, "procedures": procedures,
		"uses": len(p.uses.order), "causes": len(p.causes.order), "tombstones": p.tombstones.order}
}
