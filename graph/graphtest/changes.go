package graphtest

import (
	"slices"
	"sync/atomic"
	"time"

	"procgraph/graph"
)

var changeTests = []test{
	{"ToolsWritten", false, toolsWritten},
	{"VariantJudged", false, variantJudged},
	{"ProcedureChanged", false, procedureChanged},
	{"ProcedureDeleted", false, procedureDeleted},
	{"DeletedComesBackAsProposed", false, deletedComesBack},
	{"AdminMade", true, adminMade},
	{"OfNothingIsNotFound", false, ofNothing},
}

// world is a small graph of known tools, two levels of procedures, proposed and approved codes, a retired procedure and
// one that nothing else touches:
//
//	inner {a, b} <- outer {inner, c} <- top {outer, d},  aside {a, d} retired,  alone {e, f}
func world(f *fixture) {
	f.Helper()
	f.registerNames("a", "b", "c", "d", "e", "f")
	f.capture(
		serving(capture("inner", "a", "b"), "cause 1", "cause 2"),
		capture("inner, otherwise", "a", "b"),
		capture("outer", nameOf("a", "b"), "c"),
		capture("top", nameOf(nameOf("a", "b"), "c"), "d"),
		serving(capture("aside", "a", "d"), "cause 2"),
		capture("alone", "e", "f"),
	)
	f.approve(hash("inner"), hash("outer"), hash("top"), hash("aside"), hash("alone"))
	f.retire(keyOf("a", "d"), true)
}

var (
	innerName = nameOf("a", "b")
	outerName = nameOf(innerName, "c")
	topName   = nameOf(outerName, "d")
	inner     = keyOf("a", "b")
	outer     = keyOf(innerName, "c")
	top       = keyOf(outerName, "d")
	aside     = keyOf("a", "d")
	alone     = keyOf("e", "f")
)

// expect compares the content with what it was before, which is changed as a test says.
func (f *fixture) expect(before content, after func(*content)) {
	f.Helper()
	after(&before)
	before.Head = f.head()
	got := f.content()
	got.Events, before.Events = nil, nil
	same(f, "content", got, before)
}

// of is the procedure with a key.
func (c *content) of(key string) *graph.Offer {
	return &c.Procedures[slices.IndexFunc(c.Procedures, func(o graph.Offer) bool { return o.Procedure.Key == key })]
}

// variant is the variant of a procedure with a code hash.
func (c *content) variant(key, codeHash string) *graph.Variant {
	variants := c.Variants[key]
	return &variants[slices.IndexFunc(variants, func(v graph.Variant) bool { return v.CodeHash == codeHash })]
}

// offers makes one variant of a procedure the offered one, and answers it; an empty hash is none.
func (c *content) offers(key, codeHash string) (offered *graph.Variant) {
	for i := range c.Variants[key] {
		v := &c.Variants[key][i]
		if v.Offered = v.CodeHash == codeHash; v.Offered {
			offered = v
		}
	}
	return offered
}

// hinted sets the hint of procedures.
func (c *content) hinted(offered bool, keys ...string) {
	for _, key := range keys {
		c.of(key).Procedure.Offered = offered
	}
}

func toolsWritten(f *fixture) {
	world(f)
	before := f.content()
	changed := tool("a")
	changed.Description, changed.ParametersSchema, changed.Hints = "another", []byte(`{"x":1}`), []byte(`{"y":2}`)
	changed.Class, changed.ExternalAccess, changed.Suspended, changed.DefinitionHash = graph.StateChanging, true, true, hash("x")
	made := graph.Tool{Name: "made", ParametersSchema: []byte(`{}`), Class: graph.Unclassified, Known: true, DefinitionHash: hash("made")}
	write := func(hints []graph.Hint, tools ...graph.Tool) {
		f.commit(graph.FactQuery{}, func(facts graph.Facts) (graph.Change, error) {
			return graph.ToolsWritten{Event: seal(facts.Head, "TOOLS_REGISTERED", "tools"), Tools: tools, Hints: hints}, nil
		})
	}
	write([]graph.Hint{{Procedure: inner}, {Procedure: outer}, {Procedure: alone, Offered: true}}, changed, made)
	f.expect(before, func(c *content) {
		c.Tools[0] = changed
		c.Tools = append(c.Tools, made)
		c.hinted(false, inner, outer)
	})
	// Written whole: what is not given is gone. Hints that are not given stay.
	before = f.content()
	write(nil, tool("a"))
	f.expect(before, func(c *content) { c.Tools[0] = tool("a") })
	before = f.content()
	write([]graph.Hint{{Procedure: outer, Offered: true}})
	f.expect(before, func(c *content) { c.hinted(true, outer) })
	f.expectOffered(outer, top, alone)
}

// expectOffered checks what the registry lists.
func (f *fixture) expectOffered(keys ...string) {
	f.Helper()
	page := read(f.store().Registry(f.Context(), graph.RegistryFilter{}, everything)).or(f)
	var got []string
	for _, o := range page.Items {
		got = append(got, o.Procedure.Key)
	}
	same(f, "offered", sorted(got...), sorted(keys...))
	if page.Total != len(keys) {
		f.Errorf("a total of %d, want %d", page.Total, len(keys))
	}
}

func variantJudged(f *fixture) {
	world(f)
	before := f.content()
	judge := func(change graph.VariantJudged) {
		f.Helper()
		f.commit(graph.FactQuery{CodeHashes: []string{change.CodeHash}}, func(facts graph.Facts) (graph.Change, error) {
			change.Event = seal(facts.Head, "VARIANT_JUDGED", change.CodeHash)
			return change, nil
		})
	}
	approval := graph.VariantJudged{
		CodeHash: hash("inner, otherwise"), Status: graph.Approved, Summary: "s", WhenToUse: "w", ApprovedBy: "user:bob", ApprovedAt: minutes(50),
		Procedure: graph.ProcedureState{Key: inner, Current: hash("inner, otherwise"), Approved: true, ApprovedVariants: 2, UpdatedAt: minutes(51)},
		Hints:     []graph.Hint{{Procedure: outer, Offered: false}, {Procedure: alone, Offered: false}},
	}
	judge(approval)
	f.expect(before, func(c *content) {
		v := c.offers(inner, approval.CodeHash)
		v.Status, v.Summary, v.WhenToUse, v.ApprovedBy, v.ApprovedAt = graph.Approved, "s", "w", "user:bob", minutes(50)
		o := c.of(inner)
		o.Current = v
		o.Procedure.Current, o.Procedure.Offered, o.Procedure.UpdatedAt, o.Procedure.ApprovedVariants = v.CodeHash, false, minutes(51), 2
		c.hinted(false, outer, alone)
	})
	f.expectOffered(top)
	// Rejected, with nothing to offer any more; what was approved is taken back.
	before = f.content()
	judge(graph.VariantJudged{
		CodeHash: hash("inner"), Status: graph.Rejected, Summary: "s2", WhenToUse: "w2", RejectedReason: "too slow",
		Procedure: graph.ProcedureState{Key: inner, UpdatedAt: minutes(60), RetiredAt: minutes(59)},
		Hints:     []graph.Hint{{Procedure: alone, Offered: true}},
	})
	f.expect(before, func(c *content) {
		c.offers(inner, "")
		v := c.variant(inner, hash("inner"))
		v.Status, v.Summary, v.WhenToUse, v.RejectedReason = graph.Rejected, "s2", "w2", "too slow"
		v.ApprovedBy, v.ApprovedAt = "", time.Time{}
		o := c.of(inner)
		o.Current = nil
		o.Procedure.Current, o.Procedure.Approved, o.Procedure.ApprovedVariants = "", false, 0
		o.Procedure.UpdatedAt, o.Procedure.RetiredAt = minutes(60), minutes(59)
		c.hinted(true, alone)
	})
	f.expectOffered(top, alone)
}

func procedureChanged(f *fixture) {
	world(f)
	before := f.content()
	write := func(state graph.ProcedureState, hints ...graph.Hint) {
		f.Helper()
		f.commit(graph.FactQuery{Names: []string{innerName}}, func(facts graph.Facts) (graph.Change, error) {
			return graph.ProcedureChanged{Event: seal(facts.Head, "PROCEDURE_CHANGED", innerName), Procedure: state, Hints: hints}, nil
		})
	}
	// Retired: it leaves the lists, but not those that include the retired.
	write(graph.ProcedureState{Key: inner, Current: hash("inner"), ApprovedVariants: 5, RetiredAt: minutes(70), UpdatedAt: minutes(71)},
		graph.Hint{Procedure: outer}, graph.Hint{Procedure: top})
	f.expect(before, func(c *content) {
		p := &c.of(inner).Procedure
		p.Approved, p.Offered, p.RetiredAt, p.UpdatedAt, p.ApprovedVariants = false, false, minutes(70), minutes(71), 5
		c.hinted(false, outer, top)
	})
	f.expectOffered(alone)
	n := read(f.store().CountProcedures(f.Context(), graph.ProcedureFilter{}, 100)).or(f)
	all := read(f.store().CountProcedures(f.Context(), graph.ProcedureFilter{IncludeRetired: true}, 100)).or(f)
	if n != 3 || all != 5 {
		f.Errorf("%d procedures and %d with the retired, want 3 and 5", n, all)
	}
	// Restored, with another code offered.
	before = f.content()
	write(graph.ProcedureState{Key: inner, Current: hash("inner, otherwise"), Approved: true, Offered: true, ApprovedVariants: 1, UpdatedAt: minutes(72)})
	f.expect(before, func(c *content) {
		o := c.of(inner)
		o.Current = c.offers(inner, hash("inner, otherwise"))
		o.Procedure.Current, o.Procedure.Approved, o.Procedure.Offered = hash("inner, otherwise"), true, true
		o.Procedure.ApprovedVariants, o.Procedure.RetiredAt, o.Procedure.UpdatedAt = 1, time.Time{}, minutes(72)
	})
	f.expectOffered(inner, alone)
	// The position by the last update follows, also backwards.
	write(graph.ProcedureState{Key: inner, UpdatedAt: minutes(-5)})
	recent := read(f.store().Procedures(f.Context(), graph.ProcedureFilter{IncludeRetired: true}, graph.ByUpdated, everything)).or(f)
	if last := recent.Items[len(recent.Items)-1].Procedure; last.Key != inner || !last.UpdatedAt.Equal(minutes(-5)) {
		f.Errorf("the last by update is %s of %v", last.ToolName, last.UpdatedAt)
	}
}

func procedureDeleted(f *fixture) {
	world(f)
	before := f.content()
	f.remove(inner)
	f.expect(before, func(c *content) {
		c.Procedures = slices.DeleteFunc(c.Procedures, func(o graph.Offer) bool { return o.Procedure.Key == inner })
		delete(c.Variants, inner)
		delete(c.Uses, inner)
		c.hinted(false, outer, top)
	})
	ctx, s := f.Context(), f.store()
	if p := read(s.ProceduresBy(ctx, graph.ProcedureRefs{
		Keys: []string{inner}, ToolNames: []string{innerName}, CodeHashes: []string{hash("inner"), hash("inner, otherwise")},
	})).or(f); len(p.Items) > 0 {
		f.Errorf("the deleted procedure is answered: %v", toolNames(p.Items))
	}
	if v := read(s.VariantsBy(ctx, []string{hash("inner"), hash("inner, otherwise")})).or(f); len(v.Items) > 0 {
		f.Errorf("its variants are answered: %v", v.Items)
	}
	uses := read(s.UsesOf(ctx, graph.UseOwners{Causes: []string{"cause 1", "cause 2"}}, everything)).or(f)
	if len(uses.By["cause 1"].Items) > 0 || len(uses.By["cause 2"].Items) != 1 {
		f.Errorf("uses %+v, want those of others only", uses.By)
	}
	if p := read(s.ProceduresUsing(ctx, []string{"a", "b"}, everything)).or(f); len(p.By["a"].Items) != 1 || len(p.By["b"].Items) > 0 {
		f.Errorf("procedures by tool %+v, want those of others only", p.By)
	}
	// What names it is still there, and the name stands for nothing.
	page := read(s.ProceduresBy(ctx, graph.ProcedureRefs{Keys: []string{top}})).or(f)
	same(f, "reach of top", page.Items[0].Procedure.Reach, sorted("a", "b", "c", "d", innerName, outerName))
	if _, ok := page.Known.Procedures[innerName]; ok || len(page.Known.Procedures) != 1 || len(page.Known.Tools) != 4 {
		f.Errorf("known %+v, want all but the deleted procedure", page.Known)
	}
	f.expectOffered(alone)
}

func deletedComesBack(f *fixture) {
	world(f)
	f.remove(inner)
	again := capturedAt(capture("inner", "a", "b"), minutes(9000))
	got := f.capture(again)
	if !got.CreatedProcedure || !got.CreatedVariant {
		f.Error("the deleted procedure was not made again")
	}
	same(f, "variant", got.Variant, again.Variant)
	same(f, "procedure", got.Offer, graph.Offer{Procedure: graph.Procedure{
		Key: inner, ToolName: innerName, Signature: []string{"a", "b"}, Reach: []string{"a", "b"},
		Frequency: 1, LastUsedAt: minutes(9000), CreatedAt: minutes(9000), UpdatedAt: minutes(9000),
	}})
	same(f, "uses", f.uses(inner), []graph.Use{{Cause: "a cause", Procedure: inner, ToolName: innerName, Frequency: 1, LastAt: minutes(9000)}})
	f.approve(hash("inner"))
	f.expectOffered(inner, outer, top, alone)
	f.remove(inner)
	f.capture(capture("inner", "a", "b"))
	f.remove(inner)
	f.expectOffered(alone)
}

func adminMade(f *fixture) {
	if a := read(f.store().Facts(f.Context(), graph.FactQuery{Admin: true})).or(f).Admin; a != nil {
		f.Errorf("an empty store has an admin: %+v", a)
	}
	credential := func(id string) graph.Credential {
		return graph.Credential{ID: id, Hash: hash(id), Principal: "admin", CreatedAt: minutes(3)}
	}
	made, refused := atomic.Int64{}, atomic.Int64{}
	f.together(8, func(worker int, store graph.Store) error {
		err := commitTo(f.Context(), store, graph.FactQuery{Admin: true}, func(facts graph.Facts) (graph.Change, error) {
			return graph.AdminMade{Event: seal(facts.Head, "ADMIN_MADE", "admin"), Credential: credential("token-1")}, nil
		})
		if err == nil {
			made.Add(1)
			return nil
		}
		refused.Add(1)
		f.wantError("a second admin", err, graph.ErrConflict)
		return nil
	})
	if made.Load() != 1 || refused.Load() != 7 {
		f.Errorf("%d admins made, %d refused", made.Load(), refused.Load())
	}
	err := commitTo(f.Context(), f.store(), graph.FactQuery{}, func(facts graph.Facts) (graph.Change, error) {
		return graph.AdminMade{Event: seal(facts.Head, "ADMIN_MADE", "admin"), Credential: credential("token-2")}, nil
	})
	f.wantError("another admin", err, graph.ErrConflict)
	if head := f.head(); head.Sequence != 1 {
		f.Errorf("the head is at %d, want 1", head.Sequence)
	}
	want := credential("token-1")
	same(f, "admin", read(f.store().Facts(f.Context(), graph.FactQuery{Admin: true})).or(f).Admin, &want)
	if a := read(f.store().Facts(f.Context(), graph.FactQuery{})).or(f).Admin; a != nil {
		f.Error("the admin comes unasked")
	}
}

func ofNothing(f *fixture) {
	world(f)
	before := f.content()
	missing := keyOf("missing")
	for what, change := range map[string]func(graph.Event) graph.Change{
		"judging a code that is not stored": func(e graph.Event) graph.Change {
			return graph.VariantJudged{Event: e, CodeHash: hash("missing"), Status: graph.Approved, Procedure: graph.ProcedureState{Key: inner, UpdatedAt: epoch}}
		},
		"changing a procedure that is not stored": func(e graph.Event) graph.Change {
			return graph.ProcedureChanged{Event: e, Procedure: graph.ProcedureState{Key: missing, UpdatedAt: epoch}, Hints: []graph.Hint{{Procedure: alone}}}
		},
		"deleting a procedure that is not stored": func(e graph.Event) graph.Change {
			return graph.ProcedureDeleted{Event: e, Key: missing, At: epoch, Hints: []graph.Hint{{Procedure: alone}}}
		},
	} {
		err := commitTo(f.Context(), f.store(), graph.FactQuery{}, func(facts graph.Facts) (graph.Change, error) {
			return change(seal(facts.Head, "ACTION", "missing")), nil
		})
		f.wantError(what, err, graph.ErrNotFound)
	}
	same(f, "content", f.content(), before)
}
