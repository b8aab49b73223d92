package graphtest

import (
	"fmt"
	"slices"
	"time"

	"procgraph/graph"
)

var importTests = []test{
	{"Export", false, exportPages},
	{"Tombstones", false, tombstonePages},
	{"New", false, importsNew},
	{"IntoWhatIsStored", false, importsIntoStored},
	{"OfProcedures", false, importsOfProcedures},
	{"Facts", false, importFacts},
	{"WhileCapturing", true, importsWhileCapturing},
}

func (t *twin) sameExport(query graph.ExportQuery) {
	t.Helper()
	asked(t, fmt.Sprintf("export %+v", query), func(s graph.Store) (graph.ExportPage, error) { return s.Export(t.Context(), query) },
		func(a *graph.ExportPage) {
			ordered(a.Items, func(e graph.Exported) string { return e.Procedure.Key })
		})
}

func (t *twin) sameTombstones(p graph.Page) {
	t.Helper()
	asked(t, "tombstones", func(s graph.Store) (graph.Slice[graph.Tombstone], error) { return s.Tombstones(t.Context(), p) },
		func(a *graph.Slice[graph.Tombstone]) { normalSlice(a, p) })
}

// imports are the changes of an import with an event after the head.
func (t *twin) imports(change graph.Imported) {
	t.Helper()
	t.commit(graph.FactQuery{}, func(facts graph.Facts) (graph.Change, error) {
		change.Event = seal(facts.Head, "graph.imported", "lines")
		return change, nil
	})
}

// signed is a procedure of a signature of tools as an import brings it.
func signed(signature ...string) graph.Procedure {
	return graph.Procedure{
		Key: keyOf(signature...), ToolName: nameOf(signature...), Signature: sorted(signature...), Reach: sorted(signature...),
		CreatedAt: minutes(-100), UpdatedAt: minutes(-50), LastUsedAt: minutes(-60),
	}
}

func used(p graph.Procedure, cause string, frequency int64, at time.Time) graph.ImportedUse {
	return graph.ImportedUse{Use: graph.Use{Cause: cause, Procedure: p.Key, ToolName: p.ToolName, Frequency: frequency, LastAt: at}}
}

func approvedVariant(code string, p graph.Procedure) graph.Variant {
	v := capture(code, p.Signature...).Variant
	v.Status, v.ApprovedBy, v.ApprovedAt = graph.Approved, "user:bob", minutes(7)
	return v
}

func exportPages(f *fixture) {
	t := newTwin(f)
	t.sameExport(graph.ExportQuery{First: 10, Each: 10})
	for i := range 7 {
		signature := []string{fmt.Sprint("tool ", i), "b"}
		for j := range i + 1 {
			c := capturedAt(capture(fmt.Sprint(i, " code ", j), signature...), minutes(j))
			t.capture(serving(c, "a cause", fmt.Sprint("cause ", j)))
		}
	}
	detailed := serving(capture("detailed", "x"), "a cause")
	confidence := 0.25
	detailed.Use = graph.UseDetails{Confidence: &confidence, TriggerSignals: []string{"one", "é"}, ObservedArguments: []byte(`{"n": 1}`), ResultSummary: "fine"}
	t.capture(detailed, capture("outer", detailed.ToolName, "b"))
	keys := slices.Sorted(func(yield func(string) bool) {
		for key := range t.model.procedures {
			if !yield(key) {
				return
			}
		}
	})
	for _, after := range []string{"", keys[0], keys[3], keys[len(keys)-1]} {
		for _, first := range []int{1, 3, len(keys), 100} {
			for _, each := range []int{1, 2, 50} {
				for _, bytes := range []int{0, 1, 20} {
					t.sameExport(graph.ExportQuery{After: after, First: first, Each: each, Bytes: bytes})
				}
			}
		}
	}
	t.sameExport(graph.ExportQuery{Keys: []string{keys[4], keys[1], "none"}, Each: 3})
	t.sameExport(graph.ExportQuery{Keys: []string{}, Each: 3})
}

func tombstonePages(f *fixture) {
	t := newTwin(f)
	t.sameTombstones(everything)
	t.capture(capture("one", "a"), capture("two", "a"), capture("three", "a"))
	key := keyOf("a")
	t.commit(graph.FactQuery{}, func(facts graph.Facts) (graph.Change, error) {
		return graph.ProcedureDeleted{Event: seal(facts.Head, "procedure.deleted", "a"), Key: key, At: minutes(5)}, nil
	})
	t.imports(graph.Imported{Tombstones: []graph.Tombstone{
		{CodeHash: hash("one"), DeletedAt: minutes(4)}, {CodeHash: hash("two"), DeletedAt: minutes(6)}, {CodeHash: hash("new"), DeletedAt: minutes(1)},
	}})
	t.sameTombstones(everything)
	for _, after := range []string{"", hash("one"), hash("new")} {
		t.sameTombstones(graph.Page{First: 2, After: after})
	}
}

func importsNew(f *fixture) {
	t := newTwin(f)
	one, two := signed("a", "b"), signed("c")
	two.RetiredAt = minutes(3)
	v := approvedVariant("offered", one)
	one.Current, one.Approved, one.Offered, one.ApprovedVariants = v.CodeHash, true, true, 1
	unproven := capture("unproven", "c").Variant
	unproven.Proven, unproven.Succeeded, unproven.Failed, unproven.LastRunAt = false, 3, 4, minutes(8)
	rejected := capture("rejected", "c").Variant
	rejected.Status, rejected.RejectedReason = graph.Rejected, "no"
	confidence := 0.5
	detailed := used(two, "cause 2", 1, minutes(-61))
	detailed.Confidence, detailed.TriggerSignals, detailed.ObservedArguments, detailed.ResultSummary = &confidence, []string{"signal 2"}, []byte(`[1]`), "done"
	detailed.Untold = true
	change := graph.Imported{
		Tools:      []graph.Tool{tool("a"), stub("b"), stub("c"), tool("unused")},
		Causes:     []graph.Cause{{Name: "cause 1", Description: "what happens"}, {Name: "cause 2"}, {Name: "cause alone"}},
		Procedures: []graph.Procedure{one, two},
		Variants:   []graph.Variant{v, unproven, rejected},
		Uses:       []graph.ImportedUse{used(one, "cause 1", 41, minutes(-60)), used(one, "cause 2", 1, minutes(-70)), detailed},
	}
	t.imports(change)
	t.sameEverything()
	t.sameExport(graph.ExportQuery{First: 10, Each: 10})
	before := f.content()
	// Once more, it makes nothing but its event.
	t.imports(change)
	t.sameEverything()
	after := f.content()
	before.Head, after.Head, before.Events, after.Events = graph.Head{}, graph.Head{}, nil, nil
	same(f, "content after the second time", after, before)
}

func importsIntoStored(f *fixture) {
	t := newTwin(f)
	confidence := 0.5
	c := serving(capture("known", "a", "b"), "cause 1", "cause 2")
	c.Use.ResultSummary = "kept"
	t.capture(c, capture("other", "a", "b"), capture("neighbour", "a"))
	p := signed("a", "b")
	p.LastUsedAt, p.UpdatedAt = minutes(-5), minutes(9)
	known := approvedVariant("known", p)
	known.Summary, known.Strategy, known.WhenToUse, known.CapturedBy = "summary 2", "strategy 2", "cause 1 of the file", "someone else"
	p.Current, p.Approved, p.ApprovedVariants = known.CodeHash, true, 1
	other := capture("other", "a", "b").Variant
	other.Summary = "not taken"
	more := used(p, "cause 1", 10, minutes(4))
	more.Confidence, more.TriggerSignals, more.ResultSummary = &confidence, []string{"signal 1"}, "not taken"
	less := used(p, "cause 2", 1, minutes(-4))
	untold := used(p, "cause 3", 5, minutes(1))
	untold.Untold = true
	t.imports(graph.Imported{
		Tools:      []graph.Tool{tool("a")},
		Causes:     []graph.Cause{{Name: "cause 1", Description: "now described"}, {Name: "cause 3"}},
		Procedures: []graph.Procedure{p},
		Variants:   []graph.Variant{known, other, capture("third", "a", "b").Variant},
		Uses:       []graph.ImportedUse{more, less, untold},
		Hints:      []graph.Hint{{Procedure: keyOf("a"), Offered: true}},
	})
	t.sameEverything()
	// What was decided stays decided.
	again := known
	again.Status, again.ApprovedBy, again.ApprovedAt, again.RejectedReason = graph.Rejected, "", time.Time{}, "no"
	t.imports(graph.Imported{Procedures: []graph.Procedure{p}, Variants: []graph.Variant{again}})
	t.sameEverything()
	t.capture(capturedAt(serving(capture("known", "a", "b"), "cause 3"), minutes(20)))
	t.sameEverything()
}

func importsOfProcedures(f *fixture) {
	t := newTwin(f)
	t.capture(capture("inner", "a", "b"))
	above := signed(innerName, "c")
	above.Reach = sorted("a", "b", "c", innerName)
	// It names one that is stored nowhere; the tools of that one come as stubs.
	missing := signed("x", "y")
	top := signed(above.ToolName, missing.ToolName)
	top.Reach = sorted(append(append([]string{above.ToolName, missing.ToolName}, above.Reach...), "x", "y")...)
	t.imports(graph.Imported{
		Tools: []graph.Tool{stub("c"), stub("x"), stub("y")}, Causes: []graph.Cause{{Name: "cause 1"}},
		Procedures: []graph.Procedure{top, above},
		Variants:   []graph.Variant{capture("top", top.Signature...).Variant, capture("above", above.Signature...).Variant},
		Uses:       []graph.ImportedUse{used(above, "cause 1", 2, minutes(0)), used(top, "cause 1", 3, minutes(0))},
	})
	t.sameEverything()
	t.sameFacts(graph.FactQuery{Names: []string{"a"}, Dependents: true})
	t.sameFacts(graph.FactQuery{Names: []string{"c"}, DependentsOf: []string{innerName}})
	t.sameFacts(graph.FactQuery{DependentsOf: []string{missing.ToolName, "y"}})
	t.capture(capture("missing", "x", "y"), capture("even higher", top.ToolName))
	t.sameEverything()
}

func importFacts(f *fixture) {
	t := newTwin(f)
	t.capture(serving(capture("one", "a", "b"), "cause 1", "cause 2"), capture("two", "a", nameOf("a", "b")), capture("gone", "c"))
	t.imports(graph.Imported{Tombstones: []graph.Tombstone{{CodeHash: hash("one"), DeletedAt: minutes(1)}}})
	p := keyOf("a", "b")
	t.sameFacts(graph.FactQuery{
		Uses:       []graph.UseRef{{Procedure: p, Cause: "cause 1"}, {Procedure: p, Cause: "none"}, {Procedure: "none", Cause: "cause 1"}},
		Causes:     []string{"cause 2", "none"},
		Tombstones: []string{hash("one"), hash("two")},
	})
	t.sameFacts(graph.FactQuery{Names: []string{"a", "c"}, DependentsOf: []string{"b"}})
	facts := f.facts(graph.FactQuery{Names: []string{"a"}, DependentsOf: []string{nameOf("a", "b")}})
	if len(facts.Dependents) != 2 {
		f.Errorf("%d dependents, want the procedure and the one that names it", len(facts.Dependents))
	}
}

// importsWhileCapturing imports a procedure again and again while it is captured: every capture counts.
func importsWhileCapturing(f *fixture) {
	const captures, importers, frequency = 64, 4, 3
	p := signed("a", "b")
	c := serving(capture("code", "a", "b"), "cause 1", "cause 2")
	change := graph.Imported{
		Tools: []graph.Tool{stub("a"), stub("b")}, Causes: []graph.Cause{{Name: "cause 1"}, {Name: "cause 2"}, {Name: "cause 3"}},
		Procedures: []graph.Procedure{p}, Variants: []graph.Variant{c.Variant, capture("another", "a", "b").Variant},
		Uses: []graph.ImportedUse{used(p, "cause 1", frequency, minutes(1)), used(p, "cause 3", frequency, minutes(1))},
	}
	f.together(captures+importers, func(worker int, store graph.Store) error {
		if worker >= captures {
			for range 4 {
				err := commitTo(f.Context(), store, graph.FactQuery{}, func(facts graph.Facts) (graph.Change, error) {
					one := change
					one.Event = seal(facts.Head, "graph.imported", "lines")
					return one, nil
				})
				if err != nil {
					return err
				}
			}
			return nil
		}
		_, err := store.Capture(f.Context(), keyed(capturedAt(c, minutes(worker))))
		return err
	})
	offer := f.procedure(p.Key)
	sum := int64(0)
	for _, u := range f.uses(p.Key) {
		sum += u.Frequency
		least, most := int64(captures), int64(captures+frequency)
		switch u.Cause {
		case "cause 2":
			most = captures
		case "cause 3":
			least, most = frequency, frequency
		}
		if u.Frequency < least || u.Frequency > most {
			f.Errorf("%s was counted %d times, want %d to %d", u.Cause, u.Frequency, least, most)
		}
	}
	if offer.Procedure.Frequency != sum || !offer.Procedure.LastUsedAt.Equal(minutes(captures-1)) {
		f.Errorf("the procedure was used %d times, at last %v; its uses are %d", offer.Procedure.Frequency, offer.Procedure.LastUsedAt, sum)
	}
	if n := len(f.variants(p.Key)); n != 2 {
		f.Errorf("%d variants, want 2", n)
	}
	if got := f.procedures(); len(got) != 1 {
		f.Errorf("%d procedures by name, want 1", len(got))
	}
	ranked := read(f.store().Procedures(f.Context(), graph.ProcedureFilter{}, graph.ByFrequency, graph.Page{First: 5,
		After: graph.Rank(sum+1, time.UnixMilli(0), "")})).or(f)
	if len(ranked.Items) != 1 {
		f.Error("the procedure is not at the rank of its uses")
	}
}
