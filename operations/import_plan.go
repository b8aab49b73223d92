package operations

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"procgraph/graph"
	"procgraph/procedures"
)

// importPlan is what lines make of the facts. A later line finds what an earlier one has planned.
type importPlan struct {
	*importer
	facts graph.Facts
	now   time.Time
	first int64 // line
	last  int64

	tools      planned[string, graph.Tool]
	causes     planned[string, graph.Cause]
	procedures planned[string, graph.Offer] // by tool name
	variants   planned[string, graph.Variant]
	uses       planned[graph.UseRef, graph.ImportedUse]
	tombstones planned[string, graph.Tombstone]
	changed    []string // names whose dependents may be judged otherwise than before
	counts     Imported
}

// planned are values to be stored, in the order of their lines.
type planned[K comparable, V any] struct {
	by    map[K]V
	order []K
}

func (p *planned[K, V]) put(key K, value V) {
	if p.by == nil {
		p.by = map[K]V{}
	}
	if _, known := p.by[key]; !known {
		p.order = append(p.order, key)
	}
	p.by[key] = value
}

func (p *planned[K, V]) values() []V {
	list := make([]V, len(p.order))
	for i, key := range p.order {
		list[i] = p.by[key]
	}
	return list
}

// refusedLine says which of the lines that were to be stored together cannot be.
type refusedLine struct {
	line   importLine
	index  int
	reason error
}

func (r *refusedLine) Error() string { return r.reason.Error() }

// Unwrap gives the reason.
func (r *refusedLine) Unwrap() error { return r.reason }

// queryOf asks for all that the lines are about.
func queryOf(lines []orderedLine) graph.FactQuery {
	var q graph.FactQuery
	for _, line := range lines {
		switch {
		case line.tool != nil:
			q.Names = append(q.Names, line.tool.Name)
		case line.cause != nil:
			q.Causes = append(q.Causes, line.cause.Name)
		case line.procedure != nil:
			q.Names = append(append(q.Names, line.procedure.ToolName), line.procedure.Reach...)
			q.DependentsOf = append(q.DependentsOf, line.procedure.ToolName)
		case line.variant != nil:
			q.Names = append(q.Names, line.owner.ToolName)
			q.CodeHashes = append(q.CodeHashes, line.variant.CodeHash)
			q.Tombstones = append(q.Tombstones, line.variant.CodeHash)
		case line.use != nil:
			q.Names = append(q.Names, line.owner.ToolName)
			q.Causes = append(q.Causes, line.use.Cause)
			q.Uses = append(q.Uses, graph.UseRef{Procedure: line.owner.Key, Cause: line.use.Cause})
		case line.tombstone != nil:
			q.Tombstones = append(q.Tombstones, line.tombstone.CodeHash)
		}
	}
	q.Names, q.Causes, q.DependentsOf = distinct(q.Names), distinct(q.Causes), distinct(q.DependentsOf)
	return q
}

// plan makes the plan of lines. The error is a *refusedLine.
func (i *importer) plan(f graph.Facts, lines []orderedLine) (*importPlan, error) {
	p := &importPlan{importer: i, facts: f, now: i.ops.now(), first: lines[0].number, last: lines[len(lines)-1].number}
	for index, line := range lines {
		var err error
		switch {
		case line.tool != nil:
			p.planTool(*line.tool)
		case line.cause != nil:
			p.planCause(*line.cause)
		case line.procedure != nil:
			err = p.planProcedure(*line.procedure)
		case line.variant != nil:
			err = p.planVariant(line.owner, *line.variant)
		case line.use != nil:
			err = p.planUse(line.owner, *line.use, line.untold)
		case line.tombstone != nil:
			p.planTombstone(*line.tombstone)
		}
		if err == nil {
			continue
		}
		refused := &refusedLine{line: line.importLine, index: index, reason: err}
		if index > 0 && lines[index-1].procedure != nil {
			refused.index-- // no procedure is stored without its first variant
		}
		return nil, refused
	}
	return p, nil
}

func tally(written bool, counts *Imported, of func(*ImportCounts) *int64) {
	if written {
		*of(&counts.Written)++
	} else {
		*of(&counts.Known)++
	}
}

func (p *importPlan) planTool(given graph.Tool) {
	stored, known := p.facts.Tools[given.Name]
	if pending, ok := p.tools.by[given.Name]; ok {
		stored, known = pending, true
	}
	tool := given
	if !p.admin && given.Known {
		p.counts.Skipped.Definitions++
		tool = stubOf(given.Name)
	}
	write := !known || tool.Known && !stored.Known
	if write {
		if known {
			p.changed = append(p.changed, tool.Name)
		}
		p.tools.put(tool.Name, tool)
	} else if p.admin && given.Known && !sameDefinition(given, stored) {
		p.counts.Skipped.Definitions++
	}
	tally(write, &p.counts, func(c *ImportCounts) *int64 { return &c.Tools })
}

// sameDefinition compares tools whose JSON may be written with other blanks.
func sameDefinition(a, b graph.Tool) bool {
	return a.Fact() == b.Fact() && bytes.Equal(compact(a.Hints), compact(b.Hints))
}

func compact(raw json.RawMessage) []byte {
	var b bytes.Buffer
	if len(raw) == 0 || json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}

func stubOf(name string) graph.Tool {
	return graph.Tool{Name: name, ParametersSchema: []byte(`{}`), Class: graph.Unclassified}
}

func (p *importPlan) planCause(given graph.Cause) {
	stored, known := p.cause(given.Name)
	write := !known || p.admin && stored.Description == "" && given.Description != ""
	if write {
		p.causes.put(given.Name, given)
	}
	tally(write, &p.counts, func(c *ImportCounts) *int64 { return &c.Causes })
}

func (p *importPlan) cause(name string) (graph.Cause, bool) {
	if pending, ok := p.causes.by[name]; ok {
		return pending, true
	}
	stored, known := p.facts.Causes[name]
	return stored, known
}

// procedure answers a procedure as it is stored or planned.
func (p *importPlan) procedure(toolName string) (graph.Offer, bool) {
	if pending, ok := p.procedures.by[toolName]; ok {
		return pending, true
	}
	stored, known := p.facts.Known.Procedures[toolName]
	return stored, known
}

func (p *importPlan) planProcedure(given graph.Procedure) error {
	stored, known := p.procedure(given.ToolName)
	if known && stored.Procedure.Key != given.Key {
		return conflict("the name %s belongs to another procedure", given.ToolName)
	}
	if err := p.checkReach(given); err != nil {
		return err
	}
	retires := !given.RetiredAt.IsZero() && (!known || stored.Procedure.RetiredAt.IsZero())
	if retires && (!p.admin || known && stored.Procedure.Current != "") {
		p.counts.Skipped.Retirements++
		retires = false
	}
	if known {
		if !slices.Equal(stored.Procedure.Reach, given.Reach) {
			return conflict("the stored procedure has another reach")
		}
		offer := stored
		write := p.admin && (retires || given.LastUsedAt.After(offer.Procedure.LastUsedAt) || given.UpdatedAt.After(offer.Procedure.UpdatedAt))
		if write {
			if retires { // it offers nothing here, and what the text offers is retired there
				offer.Procedure.RetiredAt = given.RetiredAt
			}
			offer.Procedure.LastUsedAt = laterOf(offer.Procedure.LastUsedAt, given.LastUsedAt)
			offer.Procedure.UpdatedAt = laterOf(offer.Procedure.UpdatedAt, given.UpdatedAt)
			p.procedures.put(given.ToolName, offer)
		}
		tally(write, &p.counts, func(c *ImportCounts) *int64 { return &c.Procedures })
		return nil
	}
	if !p.admin {
		given.CreatedAt, given.UpdatedAt = p.now, p.now
		given.LastUsedAt, given.RetiredAt = time.Time{}, time.Time{}
	}
	for _, name := range given.Reach {
		_, stored := p.facts.Tools[name]
		if _, pending := p.tools.by[name]; !stored && !pending && !procedures.IsProcedureName(name) {
			p.tools.put(name, stubOf(name))
		}
	}
	p.procedures.put(given.ToolName, graph.Offer{Procedure: given})
	p.changed = append(p.changed, given.ToolName)
	tally(true, &p.counts, func(c *ImportCounts) *int64 { return &c.Procedures })
	return nil
}

// checkReach follows the procedures that are named. The word of an admin stands for those that were deleted where the
// text comes from.
func (p *importPlan) checkReach(given graph.Procedure) error {
	reach := slices.Clone(given.Signature)
	missing := ""
	for _, name := range given.Signature {
		if !procedures.IsProcedureName(name) {
			continue
		}
		named, ok := p.procedure(name)
		if !ok {
			missing = name
			continue
		}
		reach = append(reach, named.Procedure.Reach...)
	}
	slices.Sort(reach)
	reach = slices.Compact(reach)
	if missing != "" && !p.admin {
		return badInput("%s is neither stored nor before this line", missing)
	}
	if _, self := slices.BinarySearch(reach, given.ToolName); self {
		return badInput("the procedure reaches itself")
	}
	if missing == "" && !slices.Equal(reach, given.Reach) || !holds(given.Reach, reach) {
		return badInput("the reach is not what the named procedures reach")
	}
	check := func(above graph.Procedure) error {
		if _, reaches := slices.BinarySearch(above.Reach, given.ToolName); reaches && !holds(above.Reach, given.Reach) {
			return conflict("%s names this procedure and reaches other names", above.ToolName)
		}
		return nil
	}
	for _, above := range p.facts.Dependents {
		if err := check(above.Procedure); err != nil {
			return err
		}
	}
	for _, above := range p.procedures.by {
		if err := check(above.Procedure); err != nil {
			return err
		}
	}
	return nil
}

// holds says whether a sorted list holds all of another.
func holds(all, some []string) bool {
	return !slices.ContainsFunc(some, func(name string) bool {
		_, found := slices.BinarySearch(all, name)
		return !found
	})
}

func laterOf(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func (p *importPlan) planTombstone(given graph.Tombstone) {
	if !p.admin {
		p.counts.Skipped.Tombstones++
		return
	}
	at, known := p.facts.Tombstones[given.CodeHash]
	if pending, ok := p.tombstones.by[given.CodeHash]; ok {
		at, known = pending.DeletedAt, true
	}
	if !known || given.DeletedAt.After(at) {
		p.tombstones.put(given.CodeHash, given)
	}
}
