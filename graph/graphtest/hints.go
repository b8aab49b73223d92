package graphtest

import (
	"fmt"
	"math/rand/v2"

	"procgraph/graph"
)

var hintTests = []test{
	{"ApprovalsAgainstClassifications", true, approvalsAgainstClassifications},
	{"AllTrustWritesTogether", true, allTrustWritesTogether},
}

// checkHints recomputes every hint from what is stored and compares it with the stored one.
func (f *fixture) checkHints(when string) {
	f.Helper()
	page := read(f.store().Procedures(f.Context(), graph.ProcedureFilter{IncludeRetired: true}, graph.ByName, everything)).or(f)
	wanted := 0
	for _, o := range page.Items {
		want := offered(o, page.Known)
		if want {
			wanted++
		}
		if o.Procedure.Offered != want {
			f.Errorf("%s: the hint of %s is %v, want %v", when, o.Procedure.ToolName, o.Procedure.Offered, want)
		}
	}
	if listed := read(f.store().Registry(f.Context(), graph.RegistryFilter{}, everything)).or(f); len(listed.Items) != wanted || listed.Total != wanted {
		f.Errorf("%s: the registry lists %d, in all %d; want %d", when, len(listed.Items), listed.Total, wanted)
	}
}

// approvalsAgainstClassifications is the race that leaves stale hints in a store whose commits do not lock the head
// before they read: in each round eight procedures over one tool are approved while the tool is classified anew.
func approvalsAgainstClassifications(f *fixture) {
	const approvals, rounds = 8, 150
	f.registerNames("a", "b")
	for procedure := range approvals {
		f.capture(capture(fmt.Sprintf("procedure %d", procedure), "a", "b", fmt.Sprintf("own_%d", procedure)))
		f.write(tool(fmt.Sprintf("own_%d", procedure)))
	}
	for round := range rounds {
		class := graph.ReadOnly
		if round%2 == 0 {
			class = graph.StateChanging
		}
		if round > 0 {
			f.takeBack(approvals)
		}
		f.together(approvals+1, func(worker int, store graph.Store) error {
			if worker == approvals {
				changed := tool("a")
				changed.Class = class
				query, decide := writing(changed)
				return commitTo(f.Context(), store, query, decide)
			}
			query, decide := approving(hash(fmt.Sprintf("procedure %d", worker)))
			return commitTo(f.Context(), store, query, decide)
		})
		page := read(f.store().Procedures(f.Context(), graph.ProcedureFilter{}, graph.ByName, everything)).or(f)
		for _, o := range page.Items {
			if !o.Procedure.Approved || o.Procedure.Offered != offered(o, page.Known) || o.Procedure.Offered != (class == graph.ReadOnly) {
				f.Fatalf("round %d: %s is approved %v and offered %v while the tool is %s", round, o.Procedure.ToolName, o.Procedure.Approved, o.Procedure.Offered, class)
			}
		}
	}
	f.checkHints("in the end")
}

// takeBack makes all procedures of a round unoffered again, in one change.
func (f *fixture) takeBack(procedures int) {
	f.Helper()
	var unhinted []graph.Hint
	for i := range procedures {
		unhinted = append(unhinted, graph.Hint{Procedure: keyOf("a", "b", fmt.Sprintf("own_%d", i))})
	}
	f.commit(graph.FactQuery{}, func(facts graph.Facts) (graph.Change, error) {
		return graph.ToolsWritten{Event: seal(facts.Head, "TAKEN_BACK", "all"), Hints: unhinted}, nil
	})
}

// allTrustWritesTogether runs every kind of trust write and captures at one moment, over procedures that reach each
// other.
func allTrustWritesTogether(f *fixture) {
	const workers, each = 9, 12
	names := []string{"a", "b", "c", "d"}
	f.registerNames(names...)
	codes := []graph.Capture{
		capture("inner", "a", "b"), capture("inner 2", "a", "b"), capture("outer", innerName, "c"), capture("top", outerName, "d"),
		capture("flat", "c", "d"), capture("single", "a"),
	}
	f.capture(codes...)
	f.together(workers, func(worker int, store graph.Store) error {
		random := rand.New(rand.NewPCG(11, uint64(worker)))
		for range each {
			c := codes[random.IntN(len(codes))]
			var query graph.FactQuery
			var decide func(graph.Facts) (graph.Change, error)
			switch worker % 3 {
			case 0:
				query, decide = approving(c.Variant.CodeHash)
			case 1:
				changed := tool(names[random.IntN(len(names))])
				if random.IntN(3) == 0 {
					changed.Class = graph.StateChanging
				}
				changed.Suspended = random.IntN(5) == 0
				query, decide = writing(changed)
			case 2:
				again := c
				again.Key = fmt.Sprintf("%s-%d-%d", c.Key, worker, random.Int64())
				if _, err := store.Capture(f.Context(), again); err != nil {
					return err
				}
				query, decide = retiring(c.ProcedureKey, c.ToolName, random.IntN(3) == 0)
			}
			if err := commitTo(f.Context(), store, query, decide); err != nil {
				return err
			}
		}
		return nil
	})
	f.checkHints("in the end")
	if head := f.head(); head.Sequence != 1+workers*each {
		f.Errorf("the head is at %d, want %d", head.Sequence, 1+workers*each)
	}
}
