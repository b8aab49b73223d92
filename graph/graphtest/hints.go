package graphtest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"procgraph/graph"
)

var hintTests = []test{
	{"ApprovalsAgainstClassifications", true, approvalsAgainstClassifications},
	{"AllTrustWritesTogether", true, allTrustWritesTogether},
	{"DeletionsAgainstCaptures", true, deletionsAgainstCaptures},
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
	const approvals = 8
	rounds := 150
	if len(f.stores) > 1 {
		rounds = 50
	}
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

// deletionsAgainstCaptures deletes a procedure again and again while it, another of its codes and code that names it are
// captured and approved. Each capture makes the procedure anew or counts on it, and nothing is left half there.
func deletionsAgainstCaptures(f *fixture) {
	const workers, each = 8, 15
	f.registerNames("a", "b", "c")
	codes := []graph.Capture{
		serving(capture("inner", "a", "b"), "cause 1", "cause 2"),
		serving(capture("inner, otherwise", "a", "b"), "cause 2", "cause 3"),
		serving(capture("outer", innerName, "c"), "cause 1", "cause 3"),
	}
	f.capture(codes...)
	f.together(workers, func(worker int, store graph.Store) error {
		for n := range each {
			var err error
			switch c := codes[(worker+n)%len(codes)]; worker % 4 {
			case 0:
				query, decide := deleting(inner, innerName)
				err = commitTo(f.Context(), store, query, func(facts graph.Facts) (graph.Change, error) {
					if _, stored := facts.Owners[inner]; !stored {
						return nil, nil
					}
					return decide(facts)
				})
			case 1:
				query, decide := approving(c.Variant.CodeHash)
				if err = commitTo(f.Context(), store, query, decide); errors.Is(err, graph.ErrNotFound) {
					err = nil
				}
			default:
				_, err = store.Capture(f.Context(), c)
				if c.ProcedureKey == outer && errors.Is(err, graph.ErrUnknownProcedure) {
					err = nil
				}
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	f.checkHints("in the end")
	f.checkWhole()
	f.capture(serving(capture("inner", "a", "b"), "cause 1"))
	f.checkWhole()
	f.dependentsOf("inner", graph.FactQuery{Names: []string{innerName}}, inner, outer)
	f.remove(inner)
	f.checkWhole()
	if n := len(f.procedures()); n != 1 {
		f.Errorf("%d procedures, want the outer one only", n)
	}
}

// checkWhole checks what holds for every procedure: it has a code, its uses sum up, and causes lead to it and to no other.
func (f *fixture) checkWhole() {
	f.Helper()
	c := f.content()
	uses := map[string][]graph.Use{}
	for _, s := range read(f.store().UsesOf(f.Context(), graph.UseOwners{Causes: c.Causes}, everything)).or(f).By {
		for _, u := range s.Items {
			uses[u.Procedure] = append(uses[u.Procedure], u)
		}
	}
	byCause := func(a, b graph.Use) int { return strings.Compare(a.Cause, b.Cause) }
	for _, o := range c.Procedures {
		p := o.Procedure
		var sum int64
		for _, u := range c.Uses[p.Key] {
			sum += u.Frequency
		}
		if sum != p.Frequency || sum == 0 {
			f.Errorf("%s has %d uses, its causes say %d", p.ToolName, p.Frequency, sum)
		}
		sameSet(f, "uses of "+p.ToolName+" from both ends", uses[p.Key], c.Uses[p.Key], byCause)
		delete(uses, p.Key)
		if len(c.Variants[p.Key]) == 0 {
			f.Errorf("%s has no variant", p.ToolName)
		}
		if p.Current != "" && (o.Current == nil || o.Current.Procedure != p.Key) {
			f.Errorf("%s offers %s, which is not stored", p.ToolName, p.Current)
		}
		tools := read(f.store().ToolsOf(f.Context(), []string{p.Key}, everything)).or(f).By[p.Key].Items
		var names []string
		for _, t := range tools {
			names = append(names, t.Name)
		}
		same(f, "tools of "+p.ToolName, names, slices.DeleteFunc(slices.Clone(p.Signature), isProcedure))
	}
	if len(uses) > 0 {
		f.Errorf("causes lead to procedures that are not stored: %v", uses)
	}
}
