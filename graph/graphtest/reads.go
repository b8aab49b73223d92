package graphtest

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"

	"procgraph/graph"
)

var readTests = []test{
	{"OfAnEmptyStore", false, readsOfNothing},
	{"AbsentIsAbsent", false, absentIsAbsent},
	{"EachOnce", false, eachOnce},
	{"LargeBatches", false, largeBatches},
	{"RegistryHasOfferedVariants", false, registryOffers},
	{"KnownIsComplete", false, knownIsComplete},
	{"OfferedVariantIsMarked", false, offeredIsMarked},
	{"TruthAndHeadAreOfOneMoment", true, headOfOneMoment},
	{"NoUseIsLost", false, noUseIsLost},
	{"CancelledFails", false, cancelledReads},
	{"Ping", false, func(f *fixture) {
		if err := f.store().Ping(f.Context()); err != nil {
			f.Errorf("ping: %v", err)
		}
	}},
}

// questions are one call of each read, with names that may be stored or not.
func questions(names ...string) map[string]func(context.Context, graph.Store) (any, error) {
	p := graph.Page{First: 10, Count: true}
	return map[string]func(context.Context, graph.Store) (any, error){
		"Registry": func(ctx context.Context, s graph.Store) (any, error) {
			return s.Registry(ctx, graph.RegistryFilter{Causes: names}, p)
		},
		"Procedures": func(ctx context.Context, s graph.Store) (any, error) {
			return s.Procedures(ctx, graph.ProcedureFilter{Tools: names, Causes: names}, graph.ByFrequency, p)
		},
		"CountProcedures": func(ctx context.Context, s graph.Store) (any, error) {
			return s.CountProcedures(ctx, graph.ProcedureFilter{Tools: names, Causes: names}, 10)
		},
		"ProceduresBy": func(ctx context.Context, s graph.Store) (any, error) {
			return s.ProceduresBy(ctx, graph.ProcedureRefs{Keys: names, ToolNames: names, CodeHashes: names})
		},
		"ProceduresUsing": func(ctx context.Context, s graph.Store) (any, error) { return s.ProceduresUsing(ctx, names, p) },
		"VariantsBy":      func(ctx context.Context, s graph.Store) (any, error) { return s.VariantsBy(ctx, names) },
		"VariantsOf":      func(ctx context.Context, s graph.Store) (any, error) { return s.VariantsOf(ctx, names, p) },
		"UsesOf procedures": func(ctx context.Context, s graph.Store) (any, error) {
			return s.UsesOf(ctx, graph.UseOwners{Procedures: names}, p)
		},
		"UsesOf causes": func(ctx context.Context, s graph.Store) (any, error) {
			return s.UsesOf(ctx, graph.UseOwners{Causes: names}, p)
		},
		"Tools":    func(ctx context.Context, s graph.Store) (any, error) { return s.Tools(ctx, graph.ToolFilter{}, p) },
		"ToolsBy":  func(ctx context.Context, s graph.Store) (any, error) { return s.ToolsBy(ctx, names) },
		"ToolsOf":  func(ctx context.Context, s graph.Store) (any, error) { return s.ToolsOf(ctx, names, p) },
		"Causes":   func(ctx context.Context, s graph.Store) (any, error) { return s.Causes(ctx, p) },
		"CausesBy": func(ctx context.Context, s graph.Store) (any, error) { return s.CausesBy(ctx, names) },
		"Facts": func(ctx context.Context, s graph.Store) (any, error) {
			return s.Facts(ctx, graph.FactQuery{Names: names, CodeHashes: names, Dependents: true, Admin: true})
		},
		"Events": func(ctx context.Context, s graph.Store) (any, error) { return s.Events(ctx, 0, 10) },
		"Search": func(ctx context.Context, s graph.Store) (any, error) {
			return s.Search(ctx, searchFor(strings.Join(names, " ")))
		},
	}
}

// rows are how many rows an answer holds.
func rows(answer any) int {
	switch a := answer.(type) {
	case int:
		return a
	case graph.ProcedurePage:
		return len(a.Items) + a.Total + len(a.Known.Tools) + len(a.Known.Procedures)
	case graph.VariantPage:
		return len(a.Items) + a.Total + len(a.Known.Tools) + len(a.Known.Procedures)
	case graph.Slice[graph.Tool]:
		return len(a.Items) + a.Total
	case graph.Slice[graph.Cause]:
		return len(a.Items) + a.Total
	case graph.ProceduresByTool:
		return batchRows(a.By) + len(a.Known.Tools) + len(a.Known.Procedures)
	case graph.VariantsByProcedure:
		return batchRows(a.By) + len(a.Known.Tools) + len(a.Known.Procedures)
	case graph.Batch[graph.Use]:
		return batchRows(a.By)
	case graph.Batch[graph.Tool]:
		return batchRows(a.By)
	case graph.Facts:
		return len(a.Known.Tools) + len(a.Known.Procedures) + len(a.Tools) + len(a.Variants) + len(a.Owners) + len(a.Dependents)
	case []graph.Event:
		return len(a)
	case graph.Matches:
		return len(a.Items) + len(a.Exact)
	default:
		return -1
	}
}

func batchRows[T any](by map[string]graph.Slice[T]) (n int) {
	for _, s := range by {
		n += len(s.Items) + s.Total
	}
	return n
}

func readsOfNothing(f *fixture) {
	for what, question := range questions("a", "proc__b", hash("c")) {
		answer, err := question(f.Context(), f.store())
		if err != nil || rows(answer) != 0 {
			f.Errorf("%s of an empty store: %v, %v", what, answer, err)
		}
	}
	for what, question := range questions() {
		if answer, err := question(f.Context(), f.store()); err != nil || rows(answer) != 0 {
			f.Errorf("%s about nothing of an empty store: %v, %v", what, answer, err)
		}
	}
	same(f, "head", f.head(), graph.Head{})
}

func absentIsAbsent(f *fixture) {
	world(f)
	lists := map[string]bool{"Tools": true, "Causes": true, "Events": true}
	for what, question := range questions("absent", "proc__absent", hash("absent"), "") {
		if answer, err := question(f.Context(), f.store()); err != nil || rows(answer) != 0 && !lists[what] {
			f.Errorf("%s of what is absent: %+v, %v", what, answer, err)
		}
	}
	whole := map[string]bool{"Registry": true, "Procedures": true, "CountProcedures": true, "Tools": true, "Causes": true, "Events": true}
	for what, question := range questions() {
		if answer, err := question(f.Context(), f.store()); err != nil || (rows(answer) != 0) != whole[what] {
			f.Errorf("%s about nothing: %+v, %v", what, answer, err)
		}
	}
	// What is stored is answered beside what is absent.
	page := read(f.store().ProceduresBy(f.Context(), graph.ProcedureRefs{Keys: []string{"absent", inner}})).or(f)
	same(f, "procedures", toolNames(page.Items), []string{innerName})
}

func eachOnce(f *fixture) {
	world(f)
	page := read(f.store().ProceduresBy(f.Context(), graph.ProcedureRefs{
		Keys: []string{inner, inner, alone}, ToolNames: []string{innerName, outerName, innerName},
		CodeHashes: []string{hash("inner"), hash("inner, otherwise"), hash("outer"), hash("aside")},
	})).or(f)
	same(f, "procedures", sorted(toolNames(page.Items)...), sorted(innerName, outerName, nameOf("a", "d"), nameOf("e", "f")))
	if len(page.Items) != 4 {
		f.Errorf("%d procedures, want each of 4 once", len(page.Items))
	}
	for what, n := range map[string]int{
		"tools":    len(read(f.store().ToolsBy(f.Context(), []string{"a", "a", "b"})).or(f).Items),
		"causes":   len(read(f.store().CausesBy(f.Context(), []string{"cause 1", "cause 1", "cause 2"})).or(f).Items),
		"variants": len(read(f.store().VariantsBy(f.Context(), []string{hash("inner"), hash("inner"), hash("outer")})).or(f).Items),
	} {
		if n != 2 {
			f.Errorf("%d %s, want each of 2 once", n, what)
		}
	}
}

// largeBatches asks for more names than a statement may have parameters in some databases.
func largeBatches(f *fixture) {
	world(f)
	names := []string{inner, innerName, "a", "cause 2", hash("inner")}
	for i := range 600 {
		names = append(names, fmt.Sprintf("absent %04d", i), fmt.Sprintf("proc__absent_%04d", i))
	}
	for what, question := range questions(names...) {
		answer, err := question(f.Context(), f.store())
		// No procedure names all of these tools.
		none := what == "Procedures" || what == "CountProcedures"
		if err != nil || (rows(answer) == 0) != none && what != "Registry" {
			f.Errorf("%s about %d names: %d rows, error %v", what, len(names), rows(answer), err)
		}
	}
}

func registryOffers(f *fixture) {
	world(f)
	f.capture(capturedAt(capture("outer", innerName, "c"), minutes(1)), serving(capture("alone", "e", "f"), "cause 1", "cause 2", "cause 3"))
	page := read(f.store().Registry(f.Context(), graph.RegistryFilter{}, everything)).or(f)
	want := []graph.Offer{f.procedure(alone), f.procedure(inner), f.procedure(outer), f.procedure(top)} // used 4, 3, 2 and once
	same(f, "registry", page.Items, want)
	for _, o := range page.Items {
		if o.Current == nil || o.Current.CodeHash != o.Procedure.Current || o.Current.Code == "" || o.Current.Procedure != o.Procedure.Key {
			f.Errorf("%s comes with the variant %+v", o.Procedure.ToolName, o.Current)
		}
	}
	of := read(f.store().Registry(f.Context(), graph.RegistryFilter{Causes: []string{"cause 1"}}, everything)).or(f)
	same(f, "registry of a cause", of.Items, want[:2])
	// A tool that changes state takes procedures out of the registry, and leaves them in the mutating one.
	changing := tool("a")
	changing.Class = graph.StateChanging
	f.write(changing)
	same(f, "registry", toolNames(read(f.store().Registry(f.Context(), graph.RegistryFilter{}, everything)).or(f).Items), []string{nameOf("e", "f")})
	mutating := read(f.store().Registry(f.Context(), graph.RegistryFilter{Mutating: true}, everything)).or(f)
	same(f, "mutating registry", toolNames(mutating.Items), toolNames(want))
	same(f, "class", mutating.Known.Tools["a"].Class, graph.StateChanging)
}

func knownIsComplete(f *fixture) {
	world(f)
	f.remove(outer)
	f.capture(capture("stub", "g", innerName))
	all := f.knownOf("a", "b", "d", "e", "f", "g", "c", innerName)
	only := func(names ...string) graph.Known {
		pick := map[string]bool{}
		for _, name := range names {
			pick[name] = true
		}
		known := graph.Known{Tools: map[string]graph.ToolFact{}, Procedures: map[string]graph.Offer{}}
		for name, fact := range all.Tools {
			if pick[name] {
				known.Tools[name] = fact
			}
		}
		for name, o := range all.Procedures {
			if pick[name] {
				known.Procedures[name] = o
			}
		}
		return known
	}
	ctx, s := f.Context(), f.store()
	everyone := graph.ProcedureFilter{IncludeRetired: true}
	// The reach of top names outer, which is gone; c is reached through it alone, and is told.
	same(f, "of all", read(s.Procedures(ctx, everyone, graph.ByName, everything)).or(f).Known, all)
	same(f, "of none", read(s.Procedures(ctx, everyone, graph.ByName, graph.Page{First: 0})).or(f).Known, graph.Known{})
	same(f, "of one", read(s.ProceduresBy(ctx, graph.ProcedureRefs{Keys: []string{alone}})).or(f).Known, only("e", "f"))
	same(f, "of top", read(s.ProceduresBy(ctx, graph.ProcedureRefs{Keys: []string{top}})).or(f).Known, only("a", "b", "c", "d", innerName))
	same(f, "of a variant", read(s.VariantsBy(ctx, []string{hash("top"), hash("stub")})).or(f).Known, only("a", "b", "c", "d", "g", innerName))
	same(f, "of variants of a procedure", read(s.VariantsOf(ctx, []string{aside}, everything)).or(f).Known, only("a", "d"))
	same(f, "of what uses a tool", read(s.ProceduresUsing(ctx, []string{"d", "e"}, everything)).or(f).Known, only("a", "b", "c", "d", "e", "f", innerName))
	same(f, "of a page of the registry", read(s.Registry(ctx, graph.RegistryFilter{}, graph.Page{First: 1})).or(f).Known, only("a", "b"))
	first := read(s.Procedures(ctx, everyone, graph.ByName, graph.Page{First: 1})).or(f)
	same(f, "of the first row only", first.Known, only(first.Items[0].Procedure.Reach...))
}

func offeredIsMarked(f *fixture) {
	world(f)
	check := func(codeHash string, want bool) {
		f.Helper()
		ctx, s := f.Context(), f.store()
		by := read(s.VariantsBy(ctx, []string{codeHash})).or(f)
		if len(by.Items) != 1 || by.Items[0].Offered != want {
			f.Errorf("the variant by its hash is %+v, want offered %v", by.Items, want)
		}
		for _, v := range f.variants(inner) {
			if v.CodeHash == codeHash && v.Offered != want {
				f.Errorf("the variant of its procedure is offered %v, want %v", v.Offered, want)
			}
		}
		if got := f.facts(graph.FactQuery{CodeHashes: []string{codeHash}}).Variants[codeHash]; got.Offered != want {
			f.Errorf("the variant of the facts is offered %v, want %v", got.Offered, want)
		}
		if o := f.procedure(inner); o.Current == nil || !o.Current.Offered {
			f.Errorf("the current variant is not marked: %+v", o.Current)
		}
	}
	check(hash("inner"), true)
	check(hash("inner, otherwise"), false)
	if got := f.capture(capture("inner", "a", "b")); !got.Variant.Offered || !got.Offer.Current.Offered {
		f.Error("the captured variant is not marked")
	}
	if got := f.capture(capture("inner, otherwise", "a", "b")); got.Variant.Offered || !got.Offer.Current.Offered {
		f.Error("the captured variant is marked, although another is offered")
	}
	f.approve(hash("inner, otherwise"))
	check(hash("inner"), false)
	check(hash("inner, otherwise"), true)
	if got := f.procedure(outer); !got.Current.Offered {
		f.Error("another procedure lost its mark")
	}
	known := read(f.store().ProceduresBy(f.Context(), graph.ProcedureRefs{Keys: []string{outer}})).or(f).Known
	if o := known.Procedures[innerName]; o.Current == nil || !o.Current.Offered || o.Current.CodeHash != hash("inner, otherwise") {
		f.Errorf("the known variant is %+v", o.Current)
	}
}

// headOfOneMoment writes the sequence of each change into a tool: a read whose head and tools were of two moments would
// show another one. Decisions rest on this, so it holds for each read that tells facts.
func headOfOneMoment(f *fixture) {
	write := func(facts graph.Facts) (graph.Change, error) {
		t := tool("a")
		t.DefinitionHash = strconv.FormatInt(facts.Head.Sequence+1, 10)
		return graph.ToolsWritten{Event: seal(facts.Head, "TOOLS_REGISTERED", "a"), Tools: []graph.Tool{t}}, nil
	}
	f.commit(graph.FactQuery{}, write)
	c := capture("await tools.a(); await tools.b()", "a", "b")
	f.capture(c)
	f.approve(c.Variant.CodeHash)
	f.commit(graph.FactQuery{}, write)
	check := func(what string, head graph.Head, fact graph.ToolFact) error {
		if got := strconv.FormatInt(head.Sequence, 10); got != fact.DefinitionHash {
			return fmt.Errorf("%s: the head %s comes with what the head %s wrote", what, got, fact.DefinitionHash)
		}
		return nil
	}
	var stop atomic.Bool
	f.together(4, func(worker int, store graph.Store) error {
		if worker == 0 {
			defer stop.Store(true)
			for range 80 {
				if err := commitTo(f.Context(), store, graph.FactQuery{}, write); err != nil {
					return err
				}
			}
			return nil
		}
		for n := worker; !stop.Load(); n++ {
			var err error
			switch n % 4 {
			case 0:
				var facts graph.Facts
				if facts, err = store.Facts(f.Context(), graph.FactQuery{CodeHashes: []string{c.Variant.CodeHash}, Dependents: n%3 == 0}); err == nil {
					err = check("facts", facts.Head, facts.Known.Tools["a"])
				}
			case 1:
				var page graph.ProcedurePage
				if page, err = store.Registry(f.Context(), graph.RegistryFilter{Mutating: true}, everything); err == nil {
					err = check("registry", page.Head, page.Known.Tools["a"])
				}
			case 2:
				var page graph.ProcedurePage
				if page, err = store.ProceduresBy(f.Context(), graph.ProcedureRefs{ToolNames: []string{c.ToolName}}); err == nil {
					err = check("procedures", page.Head, page.Known.Tools["a"])
				}
			case 3:
				again := c
				var got graph.Captured
				if got, err = store.Capture(f.Context(), again); err == nil {
					err = check("capture", got.Head, got.Known.Tools["a"])
				}
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// noUseIsLost captures for several causes at once, so that the places of the uses change while they are read.
func noUseIsLost(f *fixture) {
	c := serving(capture("await tools.a(); await tools.b()", "a", "b"), "cause 1", "cause 2", "cause 3", "cause 4")
	f.capture(c)
	var stop atomic.Bool
	f.together(4, func(worker int, store graph.Store) error {
		if worker < 2 {
			defer stop.Store(true)
			for range 60 {
				if _, err := store.Capture(f.Context(), c); err != nil {
					return err
				}
			}
			return nil
		}
		for !stop.Load() {
			uses, err := store.UsesOf(f.Context(), graph.UseOwners{Procedures: []string{c.ProcedureKey}}, everything)
			if err != nil {
				return err
			}
			if n := len(uses.By[c.ProcedureKey].Items); n != 4 {
				return fmt.Errorf("%d uses, want 4: a read lost what was being counted", n)
			}
		}
		return nil
	})
}

func cancelledReads(f *fixture) {
	world(f)
	cancelled, cancel := context.WithCancel(f.Context())
	cancel()
	for what, question := range questions("a", inner) {
		answer, err := question(cancelled, f.store())
		if err == nil {
			f.Errorf("%s with a cancelled context answers %+v", what, answer)
		}
		for _, kind := range []error{graph.ErrNotFound, graph.ErrConflict, graph.ErrUnknownProcedure} {
			f.refuseError(what+" with a cancelled context", err, kind)
		}
		if _, err := question(f.Context(), f.store()); err != nil {
			f.Errorf("%s after it: %v", what, err)
		}
	}
	if err := f.store().Ping(cancelled); err == nil {
		f.Error("a ping with a cancelled context succeeded")
	}
}
