package graphtest

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"procgraph/graph"
)

var pageTests = []test{
	{"OfALibrary", false, ofALibrary},
	{"FullAfterFilters", false, fullAfterFilters},
	{"FirstIsZero", false, firstIsZero},
	{"CountsStopAtTheLimit", false, countsStop},
	{"TotalsStop", false, totalsStop},
	{"StableWhileCapturesRun", true, stableWhileCapturesRun},
	{"NoRowIsLost", false, noRowIsLost},
}

// library is a graph for lists: procedures that differ in how often and when they were used, what they name and serve,
// and in whether they are approved, offered or retired. Some have equal frequencies and times, so that only names part them.
func library(t *twin) {
	t.Helper()
	const procedures = 36
	tools := []graph.Tool{tool("a"), tool("b"), tool("c")}
	for i := range 12 {
		if i%4 != 3 { // the others stay stubs
			tools = append(tools, tool(fmt.Sprintf("own_%02d", i)))
		}
	}
	t.commit(writing(tools...))
	for i := range procedures {
		own := fmt.Sprintf("own_%02d", i%12)
		signature := []string{"a", own}
		if i%3 == 1 {
			signature = append(signature, "b")
		}
		if i >= 12 {
			signature = append(signature, "c")
		}
		if i >= 24 {
			signature = append(signature, nameOf("a", "own_00"))
		}
		causes := []string{"every", fmt.Sprintf("mod %d", i%4), fmt.Sprintf("mod %d", i%3)}
		slices.Sort(causes)
		causes = slices.Compact(causes)
		for n := range 1 + i%3 {
			t.capture(capturedAt(serving(capture(fmt.Sprintf("procedure %d, code %d", i, n), signature...), causes...), minutes(i/2)))
		}
		if i%2 == 0 {
			t.commit(approving(hash(fmt.Sprintf("procedure %d, code 0", i))))
		}
		if i%8 == 4 {
			t.commit(retiring(keyOf(signature...), nameOf(signature...), true))
		}
	}
}

// ofALibrary runs what only reads on one library, because it takes long to fill.
func ofALibrary(f *fixture) {
	t := newTwin(f)
	library(t)
	for _, c := range []struct {
		name string
		run  func(*twin)
	}{
		{"EveryOrder", everyOrder}, {"EveryFilter", everyFilter}, {"BatchesPageEachOwner", batchesPage}, {"ToolsAndCauses", toolsAndCausesPage},
	} {
		f.Run(c.name, func(sub *testing.T) { c.run(&twin{&fixture{T: sub, stores: f.stores}, t.model}) })
	}
}

// walk reads a list page by page and checks what holds for each page: positions go up, a full page where rows follow,
// and a total that counts the rows of all pages.
func walk[T any](f *fixture, what string, size, total int, position func(T) string, list func(graph.Page) graph.Slice[T]) (rows []T) {
	f.Helper()
	p := graph.Page{First: size, Count: true}
	for {
		s := list(p)
		for _, row := range s.Items {
			if at := position(row); at <= p.After {
				f.Fatalf("%s by %d: %q comes after %q", what, size, at, p.After)
			}
			p.After = position(row)
		}
		rows = append(rows, s.Items...)
		if s.Total != total {
			f.Errorf("%s by %d: a total of %d, want %d", what, size, s.Total, total)
		}
		if !s.More {
			if more := list(p); len(more.Items) > 0 {
				f.Errorf("%s by %d: rows follow a page that says there are none", what, size)
			}
			break
		}
		if len(s.Items) != size {
			f.Fatalf("%s: %d rows on a page of %d although more follow", what, len(s.Items), size)
		}
	}
	if len(rows) != total {
		f.Errorf("%s by %d: %d rows, want %d", what, size, len(rows), total)
	}
	return rows
}

func everyOrder(t *twin) {
	f := t.fixture
	for _, order := range orders {
		position := func(o graph.Offer) string { return o.Procedure.Position(order) }
		for _, filter := range []graph.ProcedureFilter{{IncludeRetired: true}, {Offered: true}, {Causes: []string{"mod 1", "mod 2"}}} {
			want := t.model.matching(filter)
			slices.SortFunc(want, func(a, b graph.Offer) int { return strings.Compare(position(a), position(b)) })
			for _, size := range []int{1, 5, 12, 100} {
				if size == 1 && len(want) > 20 {
					continue
				}
				rows := walk(f, string(order), size, len(want), position, func(p graph.Page) graph.Slice[graph.Offer] {
					t.sameProcedures(filter, order, p)
					return read(f.store().Procedures(f.Context(), filter, order, p)).or(f).Slice
				})
				same(f, fmt.Sprintf("all pages of %d %s", size, order), toolNames(rows), toolNames(want))
			}
		}
		// A page of exactly the rows that are left says that none follow.
		all := t.model.matching(graph.ProcedureFilter{})
		exact := read(f.store().Procedures(f.Context(), graph.ProcedureFilter{}, order, graph.Page{First: len(all)})).or(f)
		if exact.More || len(exact.Items) != len(all) {
			f.Errorf("a page of exactly %d has %d rows and says more: %v", len(all), len(exact.Items), exact.More)
		}
		beyond := read(f.store().Procedures(f.Context(), graph.ProcedureFilter{}, order, graph.Page{First: 3, After: "\U0010ffff", Count: true})).or(f)
		if beyond.More || len(beyond.Items) > 0 || beyond.Total != len(all) {
			f.Errorf("after the end: %d rows of %d, more %v", len(beyond.Items), beyond.Total, beyond.More)
		}
	}
}

func everyFilter(t *twin) {
	f := t.fixture
	inner := nameOf("a", "own_00")
	var some []string
	for i, offer := range t.model.matching(graph.ProcedureFilter{IncludeRetired: true}) {
		if i%3 == 0 {
			some = append(some, offer.Procedure.Key)
		}
	}
	p := graph.Page{First: 7, Count: true}
	for i, filter := range []graph.ProcedureFilter{
		{}, {IncludeRetired: true},
		{Tools: []string{"a"}}, {Tools: []string{"a", "b"}}, {Tools: []string{"c", "own_01", "b"}}, {Tools: []string{"b", "absent"}},
		{Tools: []string{inner}}, {Tools: []string{inner, "c"}, IncludeRetired: true}, {Tools: []string{"a", "a"}},
		{Causes: []string{"mod 0"}}, {Causes: []string{"mod 0", "mod 3"}}, {Causes: []string{"absent"}}, {Causes: []string{"absent", "every"}},
		{Causes: []string{"every", "every"}},
		{Keys: []string{}}, {Keys: some}, {Keys: some, IncludeRetired: true}, {Keys: some, Offered: true}, {Keys: append(some, some[0], "absent")},
		{Keys: some, Tools: []string{"b"}}, {Keys: some, Causes: []string{"mod 1", "mod 2"}, Approved: true},
		{Approved: true}, {Approved: true, IncludeRetired: true}, {Offered: true}, {Offered: true, IncludeRetired: true},
		{Approved: true, Offered: true}, {Tools: []string{"b"}, Causes: []string{"mod 2", "mod 3"}, Approved: true},
		{Tools: []string{"a", "c"}, Causes: []string{"every"}, Offered: true}, {Causes: []string{"mod 3"}, IncludeRetired: true},
	} {
		for _, order := range orders {
			t.sameProcedures(filter, order, p)
		}
		for _, limit := range []int{0, 1, 5, 1000} {
			t.sameCount(filter, limit)
		}
		if f.Failed() {
			f.Fatalf("with the filter %d: %+v", i, filter)
		}
	}
	for _, filter := range []graph.RegistryFilter{
		{}, {Mutating: true}, {Causes: []string{"mod 1"}}, {Causes: []string{"mod 1", "mod 2"}}, {Mutating: true, Causes: []string{"mod 0", "absent"}},
		{Causes: []string{"absent"}}, {Causes: []string{"every", "mod 1", "mod 1"}}, {Keys: some}, {Keys: some, Causes: []string{"mod 1"}},
	} {
		t.sameRegistry(filter, p)
		t.sameRegistry(filter, everything)
	}
}

// fullAfterFilters hides wanted rows behind many that are used more: a filter after the limit would find none.
func fullAfterFilters(f *fixture) {
	f.registerNames("a", "b")
	const others, wanted = 40, 4
	for i := range others {
		own := fmt.Sprintf("other_%02d", i)
		f.capture(serving(capture(own, "a", own), "cause 1", "cause 2", "cause 3"))
	}
	for i := range wanted {
		own := fmt.Sprintf("wanted_%02d", i)
		f.capture(serving(capture(own, "b", own), "rare"))
		f.write(tool(own))
		f.approve(hash(own))
	}
	ctx, s, p := f.Context(), f.store(), graph.Page{First: 3, Count: true}
	for what, got := range map[string]graph.ProcedurePage{
		"the registry":           read(s.Registry(ctx, graph.RegistryFilter{}, p)).or(f),
		"the mutating registry":  read(s.Registry(ctx, graph.RegistryFilter{Mutating: true}, p)).or(f),
		"the registry of causes": read(s.Registry(ctx, graph.RegistryFilter{Causes: []string{"rare"}}, p)).or(f),
		"approved":               read(s.Procedures(ctx, graph.ProcedureFilter{Approved: true}, graph.ByFrequency, p)).or(f),
		"offered":                read(s.Procedures(ctx, graph.ProcedureFilter{Offered: true}, graph.ByUpdated, p)).or(f),
		"of a cause":             read(s.Procedures(ctx, graph.ProcedureFilter{Causes: []string{"rare"}}, graph.ByFrequency, p)).or(f),
		"of a tool":              read(s.Procedures(ctx, graph.ProcedureFilter{Tools: []string{"b"}}, graph.ByFrequency, p)).or(f),
	} {
		if len(got.Items) != 3 || !got.More || got.Total != wanted {
			f.Errorf("%s: %d rows of %d, more %v; want 3 of %d and more", what, len(got.Items), got.Total, got.More, wanted)
		}
	}
}

func firstIsZero(f *fixture) {
	world(f)
	ctx, s, p := f.Context(), f.store(), graph.Page{Count: true}
	procedures := read(s.Procedures(ctx, graph.ProcedureFilter{IncludeRetired: true}, graph.ByName, p)).or(f)
	registry := read(s.Registry(ctx, graph.RegistryFilter{}, p)).or(f)
	tools := read(s.Tools(ctx, graph.ToolFilter{}, p)).or(f)
	causes := read(s.Causes(ctx, p)).or(f)
	uses := read(s.UsesOf(ctx, graph.UseOwners{Causes: []string{"cause 2"}}, p)).or(f)
	variants := read(s.VariantsOf(ctx, []string{inner}, p)).or(f)
	toolsOf := read(s.ToolsOf(ctx, []string{inner}, p)).or(f)
	using := read(s.ProceduresUsing(ctx, []string{"a"}, p)).or(f)
	for _, c := range []struct {
		what              string
		rows, total, want int
	}{
		{"procedures", len(procedures.Items), procedures.Total, 5},
		{"registry", len(registry.Items), registry.Total, 4},
		{"tools", len(tools.Items), tools.Total, 6},
		{"causes", len(causes.Items), causes.Total, 3},
		{"uses", len(uses.By["cause 2"].Items), uses.By["cause 2"].Total, 2},
		{"variants", len(variants.By[inner].Items), variants.By[inner].Total, 2},
		{"tools of a procedure", len(toolsOf.By[inner].Items), toolsOf.By[inner].Total, 2},
		{"procedures using a tool", len(using.By["a"].Items), using.By["a"].Total, 2},
	} {
		if c.rows != 0 || c.total != c.want {
			f.Errorf("%s: %d rows of %d, want none of %d", c.what, c.rows, c.total, c.want)
		}
	}
	head := f.head()
	for what, got := range map[string]graph.Head{
		"procedures": procedures.Head, "registry": registry.Head, "tools": tools.Head, "causes": causes.Head,
		"uses": uses.Head, "variants": variants.Head, "tools of": toolsOf.Head, "using": using.Head,
	} {
		same(f, "head of "+what, got, head)
	}
}

func countsStop(f *fixture) {
	world(f)
	for _, c := range []struct {
		filter      graph.ProcedureFilter
		limit, want int
	}{
		{graph.ProcedureFilter{}, 100, 4}, {graph.ProcedureFilter{}, 4, 4}, {graph.ProcedureFilter{}, 3, 3}, {graph.ProcedureFilter{}, 1, 1},
		{graph.ProcedureFilter{IncludeRetired: true}, 100, 5}, {graph.ProcedureFilter{Tools: []string{"a"}}, 100, 1},
		{graph.ProcedureFilter{Causes: []string{"cause 2"}, IncludeRetired: true}, 1, 1},
		{graph.ProcedureFilter{Causes: []string{"cause 1", "cause 2", "a cause"}}, 100, 4},
		{graph.ProcedureFilter{Causes: []string{"absent"}}, 100, 0},
	} {
		if n := read(f.store().CountProcedures(f.Context(), c.filter, c.limit)).or(f); n != c.want {
			f.Errorf("count of %+v with the limit %d: %d, want %d", c.filter, c.limit, n, c.want)
		}
	}
}

// totalsStop writes more tools than a total counts, in one change.
func totalsStop(f *fixture) {
	tools := make([]graph.Tool, graph.MaxTotal+5)
	for i := range tools {
		tools[i] = graph.Tool{Name: fmt.Sprintf("tool_%05d", i), ParametersSchema: []byte(`{}`), Class: graph.ReadOnly, Known: i < 7}
	}
	for chunk := range slices.Chunk(tools, 2500) {
		f.register(chunk...)
	}
	known := true
	if s := read(f.store().Tools(f.Context(), graph.ToolFilter{}, graph.Page{First: 2, Count: true})).or(f); s.Total != graph.MaxTotal || !s.More {
		f.Errorf("a total of %d, more %v; want %d and more", s.Total, s.More, graph.MaxTotal)
	}
	if s := read(f.store().Tools(f.Context(), graph.ToolFilter{Known: &known}, graph.Page{First: 7, Count: true})).or(f); s.Total != 7 || s.More {
		f.Errorf("a total of %d, more %v; want 7 and no more", s.Total, s.More)
	}
}

// stableWhileCapturesRun pages through the most used procedures while others are used more and more. A row whose place
// does not change is neither lost nor repeated.
func stableWhileCapturesRun(f *fixture) {
	const rows, movers = 30, 6
	at := func(i int) graph.Capture { return capture(fmt.Sprint("row ", i), "a", fmt.Sprintf("own_%02d", i)) }
	for i := range rows {
		f.capture(capturedAt(at(i), minutes(i)))
	}
	var stop atomic.Bool
	f.together(movers+1, func(worker int, store graph.Store) error {
		if worker < movers {
			for n := 0; !stop.Load(); n++ {
				c := at(worker * 5)
				if _, err := store.Capture(f.Context(), c); err != nil {
					return err
				}
			}
			return nil
		}
		defer stop.Store(true)
		for round := range 5 {
			seen, p := map[string]int{}, graph.Page{First: 4}
			for {
				page, err := store.Procedures(f.Context(), graph.ProcedureFilter{}, graph.ByFrequency, p)
				if err != nil {
					return err
				}
				for _, o := range page.Items {
					seen[o.Procedure.Key]++
					p.After = o.Procedure.Position(graph.ByFrequency)
				}
				if !page.More {
					break
				}
			}
			for i := range rows {
				if n := seen[at(i).ProcedureKey]; n != 1 && i%5 != 0 {
					return fmt.Errorf("round %d: row %d was seen %d times", round, i, n)
				}
			}
		}
		return nil
	})
}

// noRowIsLost lists everything while places change: a read of one moment has each row once, wherever its place is.
func noRowIsLost(f *fixture) {
	const rows = 12
	f.registerNames("a", "b")
	captures := make([]graph.Capture, rows)
	for i := range captures {
		captures[i] = capturedAt(capture(fmt.Sprint("row ", i), "a", "b", fmt.Sprintf("own_%02d", i)), minutes(i))
		f.capture(captures[i])
		f.write(tool(fmt.Sprintf("own_%02d", i)))
		f.approve(captures[i].Variant.CodeHash)
	}
	lists := map[string]func(graph.Store) (graph.ProcedurePage, error){
		"the registry": func(s graph.Store) (graph.ProcedurePage, error) {
			return s.Registry(f.Context(), graph.RegistryFilter{}, everything)
		},
		"procedures by use": func(s graph.Store) (graph.ProcedurePage, error) {
			return s.Procedures(f.Context(), graph.ProcedureFilter{}, graph.ByFrequency, everything)
		},
		"procedures by update": func(s graph.Store) (graph.ProcedurePage, error) {
			return s.Procedures(f.Context(), graph.ProcedureFilter{}, graph.ByUpdated, everything)
		},
		"procedures of a cause": func(s graph.Store) (graph.ProcedurePage, error) {
			return s.Procedures(f.Context(), graph.ProcedureFilter{Causes: []string{"a cause"}}, graph.ByFrequency, everything)
		},
	}
	var stop atomic.Bool
	f.together(4, func(worker int, store graph.Store) error {
		if worker < 2 {
			defer stop.Store(true)
			for n := range 80 {
				c := captures[(worker*5+n*7)%rows]
				c.At = minutes(20_000 + n)
				if _, err := store.Capture(f.Context(), c); err != nil {
					return err
				}
			}
			return nil
		}
		for !stop.Load() {
			for what, list := range lists {
				page, err := list(store)
				if err != nil {
					return err
				}
				distinct := map[string]bool{}
				for _, o := range page.Items {
					distinct[o.Procedure.Key] = true
				}
				if len(page.Items) != rows || len(distinct) != rows || page.Total != rows {
					return fmt.Errorf("%s: %d rows, %d of them distinct, a total of %d; want %d", what, len(page.Items), len(distinct), page.Total, rows)
				}
			}
		}
		return nil
	})
}

func batchesPage(t *twin) {
	f := t.fixture
	keys := []string{keyOf("a", "own_00"), keyOf("a", "b", "own_01"), keyOf("a", "c", "own_02"), keyOf("a", "c", "own_00", nameOf("a", "own_00")), "absent"}
	keys = append(keys, keys[0])
	causes := []string{"every", "mod 0", "mod 3", "absent", "every"}
	tools := []string{"a", "b", "own_05", "absent", nameOf("a", "own_00"), "a"}
	for _, p := range []graph.Page{{First: 1}, {First: 2, Count: true}, {First: 3, Count: true}, {First: 100, Count: true}} {
		for range 4 {
			t.sameVariantsOf(keys, p)
			t.sameUsesOf(graph.UseOwners{Procedures: keys}, p)
			t.sameUsesOf(graph.UseOwners{Causes: causes}, p)
			t.sameToolsOf(keys, p)
			// What names a procedure is asked for by procedure filters; here the names are those of tools.
			t.sameProceduresUsing(slices.DeleteFunc(slices.Clone(tools), isProcedure), p)
			if f.Failed() {
				f.Fatalf("with the page %+v", p)
			}
			uses := read(f.store().UsesOf(f.Context(), graph.UseOwners{Causes: causes[:1]}, p)).or(f).By["every"].Items
			if len(uses) == 0 {
				break
			}
			p.After = uses[len(uses)-1].OfCause()
		}
	}
	// Each list has its own positions.
	using := walk(f, "procedures using a", 5, 36, func(o graph.Offer) string { return o.Procedure.ToolName }, func(p graph.Page) graph.Slice[graph.Offer] {
		t.sameProceduresUsing([]string{"a", "b"}, p)
		return read(f.store().ProceduresUsing(f.Context(), []string{"a", "b"}, p)).or(f).By["a"]
	})
	if len(using) != 36 {
		f.Errorf("%d procedures use a, want 36", len(using))
	}
	walk(f, "uses of a cause", 5, 36, graph.Use.OfCause, func(p graph.Page) graph.Slice[graph.Use] {
		return read(f.store().UsesOf(f.Context(), graph.UseOwners{Causes: causes}, p)).or(f).By["every"]
	})
	walk(f, "uses of a procedure", 1, len(f.uses(keys[1])), graph.Use.OfProcedure, func(p graph.Page) graph.Slice[graph.Use] {
		t.sameUsesOf(graph.UseOwners{Procedures: keys}, p)
		return read(f.store().UsesOf(f.Context(), graph.UseOwners{Procedures: keys}, p)).or(f).By[keys[1]]
	})
	walk(f, "variants", 1, 3, graph.Variant.Position, func(p graph.Page) graph.Slice[graph.Variant] {
		t.sameVariantsOf(keys, p)
		return read(f.store().VariantsOf(f.Context(), keys, p)).or(f).By[keys[2]]
	})
	walk(f, "tools of a procedure", 1, 3, func(tool graph.Tool) string { return tool.Name }, func(p graph.Page) graph.Slice[graph.Tool] {
		t.sameToolsOf(keys, p)
		return read(f.store().ToolsOf(f.Context(), keys, p)).or(f).By[keys[1]]
	})
}

// toolsAndCausesPage comes last, because it changes tools.
func toolsAndCausesPage(t *twin) {
	f := t.fixture
	for _, size := range []int{1, 4, 15, 100} {
		walk(f, "tools", size, 15, func(tool graph.Tool) string { return tool.Name }, func(p graph.Page) graph.Slice[graph.Tool] {
			return read(f.store().Tools(f.Context(), graph.ToolFilter{}, p)).or(f)
		})
		walk(f, "causes", size, 5, func(c graph.Cause) string { return c.Name }, func(p graph.Page) graph.Slice[graph.Cause] {
			t.sameCauses(p)
			return read(f.store().Causes(f.Context(), p)).or(f)
		})
	}
	yes, no := true, false
	suspended, changing := tool("c"), tool("b")
	suspended.Suspended, changing.Class = true, graph.StateChanging
	t.commit(writing(suspended, changing))
	classes := []graph.ToolClass{graph.ReadOnly, graph.StateChanging, graph.Unclassified}
	for _, class := range []*graph.ToolClass{nil, &classes[0], &classes[1], &classes[2]} {
		for _, known := range []*bool{nil, &yes, &no} {
			for _, held := range []*bool{nil, &yes, &no} {
				filter := graph.ToolFilter{Class: class, Known: known, Suspended: held}
				t.sameTools(filter, everything)
				t.sameTools(filter, graph.Page{First: 2, After: "own_01", Count: true})
			}
		}
	}
}
