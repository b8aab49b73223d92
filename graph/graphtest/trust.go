package graphtest

import (
	"context"
	"time"

	"procgraph/graph"
)

// offered is what the maintained hint has to be, computed from nothing but the present state of the procedure and of
// what it reaches.
func offered(o graph.Offer, known graph.Known) bool {
	if len(o.Procedure.Signature) < 2 || !standing(o) {
		return false
	}
	for _, name := range o.Procedure.Reach {
		if isProcedure(name) {
			if inner, ok := known.Procedures[name]; !ok || !standing(inner) {
				return false
			}
			continue
		}
		if t, ok := known.Tools[name]; !ok || !t.Known || t.Suspended || t.Class != graph.ReadOnly {
			return false
		}
	}
	return true
}

// standing says that a procedure has an approved, proven, unretired code to run.
func standing(o graph.Offer) bool {
	return o.Current != nil && o.Current.Status == graph.Approved && o.Current.Proven && o.Procedure.RetiredAt.IsZero()
}

// hints are those of the dependents that a change of what is known makes wrong.
func hints(dependents []graph.Offer, known graph.Known, but string) (changed []graph.Hint) {
	for _, o := range dependents {
		if now := offered(o, known); o.Procedure.Key != but && now != o.Procedure.Offered {
			changed = append(changed, graph.Hint{Procedure: o.Procedure.Key, Offered: now})
		}
	}
	return changed
}

// approving decides that a code is approved and becomes the offered one.
func approving(codeHash string) (graph.FactQuery, func(graph.Facts) (graph.Change, error)) {
	query := graph.FactQuery{CodeHashes: []string{codeHash}, Dependents: true}
	return query, func(facts graph.Facts) (graph.Change, error) {
		v, ok := facts.Variants[codeHash]
		if !ok {
			return nil, graph.ErrNotFound
		}
		event := seal(facts.Head, "VARIANT_APPROVED", codeHash)
		o := facts.Owners[v.Procedure]
		if v.Status != graph.Approved {
			o.Procedure.ApprovedVariants++
		}
		v.Status = graph.Approved
		o.Current, o.Procedure.Current, o.Procedure.Approved = &v, codeHash, o.Procedure.RetiredAt.IsZero()
		o.Procedure.Offered = offered(o, facts.Known)
		o.Procedure.UpdatedAt = event.At
		if facts.Known.Procedures == nil {
			facts.Known.Procedures = map[string]graph.Offer{}
		}
		facts.Known.Procedures[o.Procedure.ToolName] = o
		return graph.VariantJudged{
			Event: event, CodeHash: codeHash, Status: graph.Approved, Summary: v.Summary, WhenToUse: v.WhenToUse,
			ApprovedBy: "user:zoe", ApprovedAt: event.At, Procedure: stateOf(o.Procedure),
			Hints: hints(facts.Dependents, facts.Known, o.Procedure.Key),
		}, nil
	}
}

// writing decides that tools become what they are given as.
func writing(tools ...graph.Tool) (graph.FactQuery, func(graph.Facts) (graph.Change, error)) {
	query := graph.FactQuery{Dependents: true}
	for _, t := range tools {
		query.Names = append(query.Names, t.Name)
	}
	return query, func(facts graph.Facts) (graph.Change, error) {
		if facts.Known.Tools == nil {
			facts.Known.Tools = map[string]graph.ToolFact{}
		}
		for _, t := range tools {
			facts.Known.Tools[t.Name] = t.Fact()
		}
		return graph.ToolsWritten{
			Event: seal(facts.Head, "TOOLS_CLASSIFIED", "tools"), Tools: tools, Hints: hints(facts.Dependents, facts.Known, ""),
		}, nil
	}
}

// deleting decides that a procedure goes.
func deleting(key, toolName string) (graph.FactQuery, func(graph.Facts) (graph.Change, error)) {
	query := graph.FactQuery{Names: []string{toolName}, Dependents: true}
	return query, func(facts graph.Facts) (graph.Change, error) {
		event := seal(facts.Head, "PROCEDURE_DELETED", toolName)
		delete(facts.Known.Procedures, toolName)
		return graph.ProcedureDeleted{
			Event: event, Key: key, At: event.At, Hints: hints(facts.Dependents, facts.Known, key),
		}, nil
	}
}

// retiring decides that a procedure is retired, or that it is so no more.
func retiring(key, toolName string, retired bool) (graph.FactQuery, func(graph.Facts) (graph.Change, error)) {
	query := graph.FactQuery{Names: []string{toolName}, Dependents: true}
	return query, func(facts graph.Facts) (graph.Change, error) {
		o, ok := facts.Owners[key]
		if !ok {
			return nil, graph.ErrNotFound
		}
		event := seal(facts.Head, "PROCEDURE_RETIRED", toolName)
		p := &o.Procedure
		p.RetiredAt, p.Approved = time.Time{}, o.Procedure.ApprovedVariants > 0
		if retired {
			p.RetiredAt, p.Approved = event.At, false
		}
		p.UpdatedAt = event.At
		p.Offered = offered(o, facts.Known)
		facts.Known.Procedures[toolName] = o
		return graph.ProcedureChanged{
			Event: event, Procedure: stateOf(*p), Hints: hints(facts.Dependents, facts.Known, key),
		}, nil
	}
}

// approve makes a code the offered one of its procedure.
func (f *fixture) approve(codeHashes ...string) {
	f.Helper()
	for _, codeHash := range codeHashes {
		f.commit(approving(codeHash))
	}
}

// write stores tools whole and keeps the hints right.
func (f *fixture) write(tools ...graph.Tool) {
	f.Helper()
	f.commit(writing(tools...))
}

// remove deletes a procedure.
func (f *fixture) remove(key string) {
	f.Helper()
	f.commit(deleting(key, f.procedure(key).Procedure.ToolName))
}

// retire retires a procedure, or ends its retirement.
func (f *fixture) retire(key string, retired bool) {
	f.Helper()
	f.commit(retiring(key, f.procedure(key).Procedure.ToolName, retired))
}

// commitTo is commit on one of two stores.
func commitTo(ctx context.Context, store graph.Store, query graph.FactQuery, decide func(graph.Facts) (graph.Change, error)) error {
	_, err := store.Commit(ctx, query, decide)
	return err
}
