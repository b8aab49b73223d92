package graphtest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"procgraph/graph"
)

var randomTests = []test{
	{"StepsAgainstTheModel", false, stepsAgainstTheModel},
}

// stepsAgainstTheModel writes at random to the store and to the model, and compares what both answer after each step.
// The seed is fixed, so a failure repeats.
func stepsAgainstTheModel(f *fixture) {
	const steps = 300
	r := &random{twin: newTwin(f), Rand: rand.New(rand.NewPCG(20260304, 1))}
	r.commit(writing(tool("a"), tool("b"), tool("c"), tool("d")))
	for step := range steps {
		what := r.write(step)
		r.compare()
		if step%60 == 59 || step == steps-1 {
			r.sameEverything()
			r.checkHints("at this step")
		}
		if f.Failed() {
			f.Fatalf("after step %d: %s", step, what)
		}
	}
}

// random makes random steps and questions.
type random struct {
	*twin
	*rand.Rand
	sent []graph.Capture
}

var (
	someTools  = []string{"a", "b", "c", "d", "e"}
	someWords  = []string{"summary", "judged", "strategy", "signal", "cause 1", "cause 4", "5", "signal 3", "c", "what b does", "1", "2"}
	someCauses = []string{"cause 1", "cause 2", "cause 3", "cause 4", "Cause 4", "cause 5"}
)

// chance is true once in n times.
func (r *random) chance(n int) bool { return r.IntN(n) == 0 }

// some are up to n of the names, which may include one that is not stored.
func (r *random) some(n int, names []string) (chosen []string) {
	for _, i := range r.Perm(len(names)) {
		if len(chosen) < n {
			chosen = append(chosen, names[i])
		}
	}
	if r.chance(8) {
		chosen = append(chosen, "absent")
	}
	return chosen
}

func (r *random) keys() []string       { return slices.Sorted(maps.Keys(r.model.procedures)) }
func (r *random) codeHashes() []string { return slices.Sorted(maps.Keys(r.model.variants)) }

// names are the names of the stored procedures.
func (r *random) names() (names []string) {
	for _, key := range r.keys() {
		names = append(names, r.model.procedures[key].ToolName)
	}
	return names
}

// few are the names that captured code may name: few, so that reaches stay small.
func (r *random) few() []string { return r.names()[:min(4, len(r.model.procedures))] }

// write makes one change and says which.
func (r *random) write(step int) string {
	keys, hashes := r.keys(), r.codeHashes()
	dice := r.IntN(40)
	if len(keys) == 0 {
		dice = 0
	}
	switch {
	case dice < 18:
		c := r.capturing(step)
		r.capture(c)
		return fmt.Sprintf("capture of %v for %v", c.Signature, c.Causes)
	case dice < 28:
		h := hashes[r.IntN(len(hashes))]
		r.commit(approving(h))
		return "approval of " + r.model.variants[h].Code
	case dice < 29:
		h := hashes[r.IntN(len(hashes))]
		r.commit(rejecting(h))
		return "rejection of " + r.model.variants[h].Code
	case dice < 32:
		p := r.model.procedures[keys[r.IntN(len(keys))]]
		retired := r.chance(3)
		r.commit(retiring(p.Key, p.ToolName, retired))
		return fmt.Sprintf("retirement (%v) of %s", retired, p.ToolName)
	case dice < 34:
		p := r.model.procedures[keys[r.IntN(len(keys))]]
		r.commit(deleting(p.Key, p.ToolName))
		return "deletion of " + p.ToolName
	case dice < 35:
		r.commit(graph.FactQuery{Admin: true}, func(facts graph.Facts) (graph.Change, error) {
			return graph.AdminMade{
				Event:      seal(facts.Head, "ADMIN_MADE", "admin"),
				Credential: graph.Credential{ID: "1", Hash: hash("1"), Principal: "admin", CreatedAt: minutes(step)},
			}, nil
		})
		return "an admin"
	default:
		var tools []graph.Tool
		for _, name := range r.some(1+r.IntN(3), someTools) {
			t := tool(name)
			t.Class = graph.ReadOnly
			if r.chance(8) {
				t.Class = []graph.ToolClass{graph.StateChanging, graph.Unclassified}[r.IntN(2)]
			}
			t.Suspended, t.ExternalAccess = r.chance(12), r.chance(2)
			tools = append(tools, t)
		}
		r.commit(writing(tools...))
		return fmt.Sprintf("writing of %d tools", len(tools))
	}
}

// capturing is a capture: a new one, one sent before, or one sent before with another input.
func (r *random) capturing(step int) graph.Capture {
	if len(r.sent) > 0 && r.chance(6) {
		c := r.sent[r.IntN(len(r.sent))]
		if r.chance(3) {
			c.Input = hash("another input")
		}
		// What becomes of a key whose procedure was deleted is open.
		if _, known := r.model.keys[c.Key]; known {
			return c
		}
	}
	signature := r.signature()
	c := capture(fmt.Sprintf("%s %d", strings.Join(signature, " "), r.IntN(3)), signature...)
	c.Variant.Proven = !r.chance(6)
	c.Causes = r.some(1+r.IntN(4), someCauses)
	if r.chance(2) {
		c = keyed(c)
	}
	c = capturedAt(c, epoch.Add(time.Duration(r.IntN(100_000_000))*time.Millisecond))
	if r.chance(2) {
		confidence := float64(r.IntN(11)) / 10
		c.Use.Confidence = &confidence
	}
	if r.chance(3) {
		c.Use.TriggerSignals = r.some(3, []string{"signal 1", "signal 2", "signal 3"})
	}
	if r.chance(3) {
		c.Use.ObservedArguments = fmt.Appendf(nil, `{"step":  %d}`, step)
	}
	if r.chance(3) {
		c.Use.ResultSummary = fmt.Sprintf("result %d", step)
	}
	r.sent = append(r.sent, c)
	return c
}

// signature is one that is stored, or another.
func (r *random) signature() []string {
	if keys := r.keys(); len(keys) > 0 && !r.chance(3) {
		return r.model.procedures[keys[r.IntN(len(keys))]].Signature
	}
	signature := r.some(1+r.IntN(4), someTools)
	if few := r.few(); len(few) > 0 && r.chance(3) {
		signature = append(signature, few[r.IntN(len(few))])
	}
	if r.chance(10) {
		signature = append(signature, "proc__missing")
	}
	return sorted(signature...)
}

// rejecting decides that a code is rejected; when it was offered, nothing is offered any more.
func rejecting(codeHash string) (graph.FactQuery, func(graph.Facts) (graph.Change, error)) {
	query := graph.FactQuery{CodeHashes: []string{codeHash}, Dependents: true}
	return query, func(facts graph.Facts) (graph.Change, error) {
		v, ok := facts.Variants[codeHash]
		if !ok {
			return nil, graph.ErrNotFound
		}
		if v.Status == graph.Rejected {
			return nil, nil
		}
		o := facts.Owners[v.Procedure]
		p := &o.Procedure
		if v.Status == graph.Approved {
			p.ApprovedVariants--
		}
		if p.Current == codeHash {
			p.Current, o.Current = "", nil
		}
		event := seal(facts.Head, "VARIANT_REJECTED", codeHash)
		p.Approved, p.UpdatedAt = p.ApprovedVariants > 0 && p.RetiredAt.IsZero(), event.At
		p.Offered = offered(o, facts.Known)
		facts.Known.Procedures = maps.Clone(facts.Known.Procedures)
		if facts.Known.Procedures == nil {
			facts.Known.Procedures = map[string]graph.Offer{}
		}
		facts.Known.Procedures[p.ToolName] = o
		return graph.VariantJudged{
			Event: event, CodeHash: codeHash, Status: graph.Rejected, Summary: v.Summary, WhenToUse: v.WhenToUse,
			RejectedReason: "no", Procedure: stateOf(*p), Hints: hints(facts.Dependents, facts.Known, p.Key),
		}, nil
	}
}

// documents are some kinds of documents, or all.
func (r *random) documents() (kinds []graph.Document) {
	for _, kind := range allDocuments {
		if r.chance(3) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// exploring is a random question about what lies around nodes.
func (r *random) exploring(keys, hashes []string) graph.ExploreQuery {
	query := graph.ExploreQuery{Depth: r.IntN(4), Limit: []int{0, 1, 3, 10, 30, 500}[r.IntN(6)]}
	for _, of := range graph.RelationTypes {
		if !r.chance(4) {
			query.Types = append(query.Types, of)
		}
	}
	for _, of := range []struct {
		kind graph.NodeKind
		keys []string
	}{
		{graph.KindProcedure, keys}, {graph.KindVariant, hashes}, {graph.KindCause, someCauses}, {graph.KindTool, someTools},
	} {
		if r.chance(2) {
			for _, key := range r.some(2, of.keys) {
				query.From = append(query.From, graph.NodeRef{Kind: of.kind, Key: key})
			}
		}
	}
	return query
}

// page is a page of a list with these positions.
func (r *random) page(positions ...string) graph.Page {
	p := graph.Page{First: []int{0, 1, 2, 3, 100}[r.IntN(5)], Count: r.chance(2)}
	if len(positions) > 0 && r.chance(2) {
		p.After = positions[r.IntN(len(positions))]
	}
	return p
}

// filter is a random filter of procedures.
func (r *random) filter() (filter graph.ProcedureFilter) {
	if r.chance(3) {
		filter.Tools = r.some(1+r.IntN(2), append(slices.Clone(someTools), r.names()...))
	}
	if r.chance(3) {
		filter.Causes = r.some(1+r.IntN(2), someCauses)
	}
	filter.Approved, filter.Offered, filter.IncludeRetired = r.chance(4), r.chance(4), r.chance(2)
	return filter
}

// compare asks both a few random questions.
func (r *random) compare() {
	r.Helper()
	keys, hashes, names := r.keys(), r.codeHashes(), r.names()
	all := append(slices.Clone(someTools), names...)
	order := graph.ByFrequency
	dice := r.IntN(3)
	if dice == 0 {
		order = orders[r.IntN(len(orders))]
	}
	var positions []string
	for _, key := range keys {
		positions = append(positions, r.model.procedures[key].Position(order))
	}
	switch dice {
	case 0:
		r.sameProcedures(r.filter(), order, r.page(positions...))
	case 1:
		registry := graph.RegistryFilter{Mutating: r.chance(2)}
		if r.chance(3) {
			registry.Causes = r.some(2, someCauses)
		}
		r.sameRegistry(registry, r.page(positions...))
	default:
		r.sameFacts(graph.FactQuery{Names: r.some(2, all), CodeHashes: r.some(2, hashes), Dependents: r.chance(2), Admin: r.chance(2)})
	}
	r.sameSearch(searchFor(strings.Join(r.some(2, someWords), " "), r.documents()...))
	if r.chance(2) {
		r.sameExplore(r.exploring(keys, hashes))
	}
	switch r.IntN(10) {
	case 0:
		r.sameCount(r.filter(), r.IntN(8))
	case 1:
		r.sameProceduresBy(graph.ProcedureRefs{Keys: r.some(2, keys), ToolNames: r.some(2, names), CodeHashes: r.some(2, hashes)})
	case 2:
		r.sameProceduresUsing(r.some(3, someTools), r.page(names...))
	case 3:
		r.sameVariantsBy(r.some(3, hashes))
	case 4:
		var after []string
		for _, h := range hashes {
			after = append(after, r.model.variants[h].Position())
		}
		r.sameVariantsOf(r.some(4, keys), r.page(after...))
	case 5:
		var after []string
		for _, u := range r.model.uses {
			after = append(after, u.OfProcedure())
		}
		slices.Sort(after)
		r.sameUsesOf(graph.UseOwners{Procedures: r.some(4, keys)}, r.page(after...))
	case 6:
		var after []string
		for _, u := range r.model.uses {
			after = append(after, u.OfCause())
		}
		slices.Sort(after)
		r.sameUsesOf(graph.UseOwners{Causes: r.some(4, someCauses)}, r.page(after...))
	case 7:
		known, suspended, class := r.chance(2), r.chance(2), []graph.ToolClass{graph.ReadOnly, graph.StateChanging, graph.Unclassified}[r.IntN(3)]
		var filter graph.ToolFilter
		if r.chance(2) {
			filter.Known = &known
		}
		if r.chance(2) {
			filter.Suspended = &suspended
		}
		if r.chance(2) {
			filter.Class = &class
		}
		r.sameTools(filter, r.page(someTools...))
	case 8:
		r.sameToolsOf(r.some(4, keys), r.page(someTools...))
		r.sameToolsBy(r.some(3, someTools))
	case 9:
		r.sameCauses(r.page(someCauses...))
		r.sameCausesBy(r.some(3, someCauses))
		r.sameEvents(int64(r.IntN(20)), r.IntN(10))
	}
}
