package graphtest

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"

	"procgraph/graph"
)

var exploreTests = []test{
	{"NodesInOrder", false, nodesInOrder},
	{"NodesOfATool", false, nodesOfATool},
	{"ClosedWhileWritten", true, closedWhileWritten},
	{"OfOneMoment", true, neighbourhoodOfOneMoment},
	{"EveryNode", false, everyNode},
	{"EveryLimit", false, everyLimit},
	{"Starts", false, exploreStarts},
	{"Overview", false, exploreOverview},
	{"DeletedAndRetired", false, deletedAndRetired},
	{"Names", false, exploreNames},
	{"CountsOfHubs", false, countsOfHubs},
	{"ManyCauses", false, manyCauses},
}

// around is a question about all types.
func around(limit, depth int, from ...graph.NodeRef) graph.ExploreQuery {
	return graph.ExploreQuery{From: from, Depth: depth, Types: graph.RelationTypes, Limit: limit}
}

// along asks along some types only.
func along(query graph.ExploreQuery, types ...graph.RelationType) graph.ExploreQuery {
	query.Types = types
	return query
}

// about is a question in few words.
func about(q graph.ExploreQuery) string {
	return fmt.Sprintf("%d nodes in %d steps along %v from %d nodes %v", q.Limit, q.Depth, q.Types, len(q.From), q.From[:min(len(q.From), 2)])
}

// explore answers a neighbourhood that is sound.
func (f *fixture) explore(query graph.ExploreQuery) graph.Neighbourhood {
	f.Helper()
	got := read(f.store().Explore(f.Context(), query)).or(f)
	if err := sound(query, got); err != nil {
		f.Errorf("%s: %v", about(query), err)
	}
	return got
}

// sameExplore compares neighbourhoods.
func (t *twin) sameExplore(query graph.ExploreQuery) {
	t.Helper()
	asked(t, about(query), func(s graph.Store) (graph.Neighbourhood, error) {
		got, err := s.Explore(t.Context(), query)
		if err == nil {
			err = sound(query, got)
		}
		return got, err
	}, func(n *graph.Neighbourhood) {
		ordered(n.Procedures, func(o graph.Offer) string { return o.Procedure.Key })
		ordered(n.Variants, func(v graph.Variant) string { return v.CodeHash })
		ordered(n.Causes, func(c graph.Cause) string { return c.Name })
		ordered(n.Tools, func(t graph.Tool) string { return t.Name })
	})
}

// sound says what is wrong with a neighbourhood, whatever is stored.
func sound(query graph.ExploreQuery, n graph.Neighbourhood) error {
	told := map[graph.NodeRef]int{}
	known := func(names ...string) bool {
		return !slices.ContainsFunc(names, func(name string) bool {
			_, ok := n.Known.Tools[name]
			return !ok && !isProcedure(name)
		})
	}
	for _, o := range n.Procedures {
		told[procedureRef(o.Procedure.Key)]++
		if !known(o.Procedure.Reach...) {
			return fmt.Errorf("it is not known what %s reaches", o.Procedure.ToolName)
		}
	}
	for _, v := range n.Variants {
		told[variantRef(v.CodeHash)]++
	}
	for _, c := range n.Causes {
		told[causeRef(c.Name)]++
	}
	for _, t := range n.Tools {
		told[toolRef(t.Name)]++
	}
	if len(n.Nodes) > max(query.Limit, 0) || len(told) != len(n.Nodes) {
		return fmt.Errorf("%d nodes of %d, %d told", len(n.Nodes), query.Limit, len(told))
	}
	for _, ref := range n.Nodes {
		if told[ref] != 1 {
			return fmt.Errorf("%v is told %d times", ref, told[ref])
		}
	}
	for _, r := range n.Relations {
		if told[r.From] != 1 || told[r.To] != 1 {
			return fmt.Errorf("the relation %s from %v to %v is not closed", r.Type, r.From, r.To)
		}
		if !slices.Contains(query.Types, r.Type) || (r.Use != nil) != (r.Type == graph.RelationInvestigatedBy) {
			return fmt.Errorf("the relation %s from %v to %v has the use %v", r.Type, r.From, r.To, r.Use)
		}
	}
	for _, h := range n.Hidden {
		if told[h.Node] != 1 || !slices.Contains(query.Types, h.Type) || h.Count < 1 || h.Count > graph.MaxHidden {
			return fmt.Errorf("hidden %+v", h)
		}
	}
	return nil
}

// relations are relations without what is stored of them.
func relations(n graph.Neighbourhood) (list [][3]string) {
	for _, r := range n.Relations {
		list = append(list, [3]string{string(r.Type), r.From.Key, r.To.Key})
	}
	return list
}

func nodesInOrder(f *fixture) {
	f.capture(
		capturedAt(serving(capture("later", "a", "b"), "x", "n"), minutes(2)),
		capturedAt(serving(capture("earlier", "a", "b"), "x", "m"), minutes(1)),
		serving(capture("beside", "b", "c"), "x"),
		serving(capture("outer", "a", nameOf("a", "b")), "z"),
	)
	main, beside, outer := procedureRef(keyOf("a", "b")), procedureRef(keyOf("b", "c")), procedureRef(keyOf("a", nameOf("a", "b")))
	early, late := variantRef(hash("earlier")), variantRef(hash("later"))
	near := []graph.NodeRef{main, causeRef("x"), causeRef("m"), causeRef("n"), toolRef("a"), toolRef("b"), early, late}
	same(f, "one step", f.explore(around(100, 1, main)).Nodes, near)
	far := f.explore(around(100, 2, main))
	same(f, "two steps", far.Nodes, append(near[:len(near):len(near)],
		beside, outer, variantRef(hash("outer")), variantRef(hash("beside"))))
	var want [][3]string
	add := func(of graph.RelationType, pairs ...[2]graph.NodeRef) {
		slices.SortFunc(pairs, func(a, b [2]graph.NodeRef) int {
			return cmp.Or(cmp.Compare(a[0].Key, b[0].Key), cmp.Compare(a[1].Key, b[1].Key))
		})
		for _, pair := range pairs {
			want = append(want, [3]string{string(of), pair[0].Key, pair[1].Key})
		}
	}
	type pair = [2]graph.NodeRef
	a, b, x := toolRef("a"), toolRef("b"), causeRef("x")
	besides, outers := variantRef(hash("beside")), variantRef(hash("outer"))
	add(graph.RelationInvestigatedBy, pair{x, main}, pair{causeRef("m"), main}, pair{causeRef("n"), main}, pair{x, beside})
	add(graph.RelationUses, pair{main, a}, pair{main, b}, pair{beside, b}, pair{outer, a})
	add(graph.RelationHasVariant, pair{main, early}, pair{main, late}, pair{beside, besides}, pair{outer, outers})
	add(graph.RelationCalls, pair{early, a}, pair{early, b}, pair{late, a}, pair{late, b}, pair{besides, b}, pair{outers, a})
	same(f, "relations", relations(far), want)
	same(f, "hidden", far.Hidden, []graph.Hidden{
		{Node: beside, Type: graph.RelationUses, Count: 1},
		{Node: outer, Type: graph.RelationInvestigatedBy, Count: 1},
		{Node: besides, Type: graph.RelationCalls, Count: 1},
	})
	for _, r := range far.Relations {
		if r.Use != nil && (r.Use.Cause != r.From.Key || r.Use.Procedure != r.To.Key) {
			f.Errorf("from %v to %v the use is %+v", r.From, r.To, r.Use)
		}
	}
	uses := f.uses(main.Key)
	same(f, "the use", *far.Relations[slices.IndexFunc(far.Relations, func(r graph.Relation) bool {
		return r.From == x && r.To == main
	})].Use, uses[0])
	same(f, "from two", f.explore(around(100, 1, x, outer)).Nodes, []graph.NodeRef{
		x, outer, main, beside, causeRef("z"), a, outers,
	})
}

func nodesOfATool(f *fixture) {
	type used struct{ name, key, first, second string }
	var users []used
	for i := range 5 {
		signature := []string{"hub", fmt.Sprint("other ", i)}
		u := used{nameOf(signature...), keyOf(signature...), fmt.Sprint("first ", i), fmt.Sprint("second ", i)}
		f.capture(capturedAt(capture(u.second, signature...), minutes(9-i)), capturedAt(capture(u.first, signature...), minutes(3-i)))
		users = append(users, u)
	}
	slices.SortFunc(users, func(a, b used) int { return cmp.Compare(a.name, b.name) })
	hub := toolRef("hub")
	want := []graph.NodeRef{hub}
	for _, u := range users {
		want = append(want, procedureRef(u.key))
	}
	for _, u := range users {
		want = append(want, variantRef(hash(u.first)), variantRef(hash(u.second)))
	}
	same(f, "all", f.explore(around(100, 1, hub)).Nodes, want)
	some := f.explore(around(9, 1, hub))
	same(f, "some", some.Nodes, want[:9])
	same(f, "hidden of the tool", some.Hidden[0], graph.Hidden{Node: hub, Type: graph.RelationCalls, Count: 7})
	same(f, "variants", f.explore(along(around(6, 1, hub), graph.RelationCalls)).Nodes, append([]graph.NodeRef{hub}, want[6:11]...))
}

// exploreWorld has each kind of node and relation, procedures of procedures, and what was retired or has lost a procedure
// that it reaches. It answers all nodes.
func exploreWorld(t *twin) (all []graph.NodeRef) {
	t.Helper()
	t.commit(writing(tool("a"), tool("b"), tool("c"), tool("d"), tool("unused")))
	t.capture(
		capturedAt(serving(capture("inner", "a", "b"), "cause 1", "cause 2"), minutes(5)),
		capturedAt(serving(capture("inner, otherwise", "a", "b"), "cause 2"), minutes(4)),
		serving(capture("outer", nameOf("a", "b"), "c"), "cause 3"),
		serving(capture("top", nameOf(nameOf("a", "b"), "c"), "d"), "cause 2", "cause 3"),
		serving(capture("aside", "a", "d"), "cause 2"),
		serving(capture("alone", "e", "f"), "cause 4"),
		serving(capture("only procedures", nameOf("a", "b"), nameOf("a", "d")), "cause 1"),
		serving(capture("gone", "a", "c"), "cause 5"),
	)
	for _, code := range []string{"inner", "outer", "top"} {
		t.commit(approving(hash(code)))
	}
	t.commit(retiring(aside, nameOf("a", "d"), true))
	t.commit(deleting(outer, outerName))
	t.commit(deleting(keyOf("a", "c"), nameOf("a", "c")))
	for key := range t.model.procedures {
		all = append(all, procedureRef(key))
	}
	for codeHash := range t.model.variants {
		all = append(all, variantRef(codeHash))
	}
	for name := range t.model.causes {
		all = append(all, causeRef(name))
	}
	for name := range t.model.tools {
		all = append(all, toolRef(name))
	}
	slices.SortFunc(all, func(a, b graph.NodeRef) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Key, b.Key)) })
	return all
}

func everyNode(f *fixture) {
	t := newTwin(f)
	all := exploreWorld(t)
	for _, node := range all {
		for depth := range 4 {
			t.sameExplore(around(500, depth, node))
		}
		for _, of := range graph.RelationTypes {
			t.sameExplore(along(around(500, 2, node), of))
		}
	}
	t.sameExplore(around(500, 0, all...))
	t.sameExplore(around(500, 3, all...))
	t.sameExplore(along(around(500, 3, all...)))
	two := []graph.RelationType{graph.RelationCalls, graph.RelationInvestigatedBy}
	t.sameExplore(along(around(500, 3, all...), two...))
	if n := len(f.explore(around(500, 0, all...)).Nodes); n != len(all) {
		f.Errorf("%d nodes, want %d", n, len(all))
	}
}

func everyLimit(f *fixture) {
	t := newTwin(f)
	all := exploreWorld(t)
	from := procedureRef(inner)
	reached := len(f.explore(around(500, 3, from)).Nodes)
	if reached < 15 || reached >= len(all) {
		f.Fatalf("%d nodes are reached of %d", reached, len(all))
	}
	for limit := range reached + 2 {
		t.sameExplore(around(limit, 3, from))
		if n := len(f.explore(around(limit, 3, from)).Nodes); n != min(limit, reached) {
			f.Errorf("limit %d: %d nodes", limit, n)
		}
		t.sameExplore(around(limit, 1, all...))
	}
}

func exploreStarts(f *fixture) {
	t := newTwin(f)
	exploreWorld(t)
	absent := []graph.NodeRef{
		procedureRef(outer), procedureRef(innerName), procedureRef(""), variantRef(hash("outer")), variantRef(inner), causeRef("cause 9"), causeRef("a"),
		toolRef(innerName), toolRef(outerName), toolRef("cause 1"), toolRef(""), {Kind: "HOUSE", Key: "a"}, {Key: "a"}, {Kind: "tool", Key: "a"},
	}
	nothing := f.explore(around(100, 3, absent...))
	if len(nothing.Nodes)+len(nothing.Relations)+len(nothing.Hidden)+len(nothing.Known.Procedures)+len(nothing.Known.Tools) > 0 {
		f.Errorf("around nothing is %+v", nothing)
	}
	same(f, "head of nothing", nothing.Head, f.head())
	t.sameExplore(around(100, 3, absent...))
	// What is not stored takes nobody's place.
	mixed := append(absent[:7:7], toolRef("d"), causeRef("cause 3"), variantRef(hash("inner")))
	mixed = append(mixed, absent[7:]...)
	mixed = append(mixed, procedureRef(aside))
	same(f, "two starts", f.explore(around(2, 2, mixed...)).Nodes, []graph.NodeRef{toolRef("d"), causeRef("cause 3")})
	for limit := range 8 {
		for depth := range 3 {
			t.sameExplore(around(limit, depth, mixed...))
		}
	}
	var many []graph.NodeRef
	for i := range 100 {
		many = append(many, toolRef(fmt.Sprint("absent ", i)))
	}
	t.sameExplore(around(50, 2, append(many, causeRef("cause 2"))...))
}

func exploreOverview(f *fixture) {
	same(f, "of nothing", f.explore(around(100, 2)).Nodes, nil)
	t := newTwin(f)
	exploreWorld(t)
	for limit := range 30 {
		t.sameExplore(around(limit, limit%4))
	}
	t.sameExplore(around(500, 3))
	ranked := read(f.store().Procedures(f.Context(), graph.ProcedureFilter{IncludeRetired: true}, graph.ByFrequency, graph.Page{First: 2})).or(f)
	var want []graph.NodeRef
	for _, o := range ranked.Items {
		want = append(want, procedureRef(o.Procedure.Key))
	}
	same(f, "a quarter", f.explore(around(11, 0)).Nodes, want)
	same(f, "at least one", f.explore(around(1, 3)).Nodes, want[:1])
	same(f, "nobody", f.explore(around(0, 3)).Nodes, nil)
}

func deletedAndRetired(f *fixture) {
	t := newTwin(f)
	exploreWorld(t)
	// What was reached through what is gone is known, and the retired one is as the others.
	got := f.explore(around(100, 1, procedureRef(top), procedureRef(aside)))
	if _, ok := got.Known.Tools["c"]; !ok || got.Known.Procedures[outerName].Procedure.Key != "" {
		f.Errorf("known %+v", got.Known)
	}
	if !slices.Contains(got.Nodes, variantRef(hash("aside"))) {
		f.Errorf("nodes %v", got.Nodes)
	}
	t.commit(deleting(inner, innerName))
	t.sameExplore(around(100, 3, causeRef("cause 1"), toolRef("b")))
	t.capture(capture("inner", "a", "b"))
	t.sameExplore(around(100, 3, causeRef("cause 1"), toolRef("b"), procedureRef(inner)))
}

// exploreNames looks around nodes whose names are alike or code to somebody.
func exploreNames(f *fixture) {
	t := newTwin(f)
	names := names()
	var from []graph.NodeRef
	for i, name := range names {
		c := serving(capture(fmt.Sprint("code ", i), "base", name), name)
		c.ToolName = "proc__" + name
		t.capture(c)
		from = append(from, causeRef(name), toolRef(name))
	}
	for i := range 12 {
		t.sameExplore(around(500, 2, from[i]))
	}
	t.sameExplore(around(500, 1, from...))
	t.sameExplore(along(around(40, 1, toolRef("base")), graph.RelationCalls))
	t.sameExplore(along(around(40, 2, toolRef("base")), graph.RelationUses))
}

// countsOfHubs counts where counting stops.
func countsOfHubs(f *fixture) {
	const most, n = graph.MaxHidden, graph.MaxHidden + 3
	f.capture(serving(capture("code 0", "hub", "tool 0"), "hub"))
	f.together(4, func(worker int, store graph.Store) error {
		for i := worker + 1; i < n; i += 4 {
			if _, err := store.Capture(f.Context(), serving(capture(fmt.Sprint("code ", i), "hub", fmt.Sprint("tool ", i)), "hub")); err != nil {
				return err
			}
		}
		return nil
	})
	hidden := func(query graph.ExploreQuery, node graph.NodeRef, of graph.RelationType) int {
		f.Helper()
		for _, h := range f.explore(query).Hidden {
			if h.Node == node && h.Type == of {
				return h.Count
			}
		}
		return 0
	}
	cause, hub := causeRef("hub"), toolRef("hub")
	for _, c := range []struct {
		node graph.NodeRef
		of   graph.RelationType
	}{
		{cause, graph.RelationInvestigatedBy}, {hub, graph.RelationUses}, {hub, graph.RelationCalls},
	} {
		for taken, want := range map[int]int{0: most, 1: most, 2: most, 3: most, 4: most - 1, 5: most - 2} {
			if got := hidden(along(around(taken+1, 1, c.node), c.of), c.node, c.of); got != want {
				f.Errorf("%s of %v: %d hidden beside %d, want %d", c.of, c.node, got, taken, want)
			}
		}
	}
	both := around(50, 2, hub, cause)
	if got, also := hidden(both, hub, graph.RelationUses), hidden(both, cause, graph.RelationInvestigatedBy); got != n-48 || also != n-48 {
		f.Errorf("%d and %d hidden, want %d", got, also, n-48)
	}
}

// manyCauses counts the causes of a procedure where counting stops, and finds those among the nodes however many there are.
func manyCauses(f *fixture) {
	const n = graph.MaxHidden + 3
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("cause %04d", i))
	}
	for chunk := range slices.Chunk(names, 16) {
		f.capture(serving(capture("code", "a", "b"), chunk...))
	}
	one := procedureRef(keyOf("a", "b"))
	for taken, want := range map[int]int{0: graph.MaxHidden, 3: graph.MaxHidden, 4: graph.MaxHidden - 1, n - 20: 20} {
		got := f.explore(along(around(taken+1, 1, one), graph.RelationInvestigatedBy))
		if len(got.Relations) != taken || len(got.Hidden) != 1 || got.Hidden[0].Count != want {
			f.Errorf("%d relations and hidden %v, want %d and %d", len(got.Relations), got.Hidden, taken, want)
		}
		for i := range taken {
			same(f, "cause", got.Nodes[i+1], causeRef(names[i]))
		}
	}
	// The last ones, which are no start of any list.
	got := f.explore(around(4, 0, causeRef(names[n-1]), one, causeRef(names[50])))
	same(f, "relations", relations(got), [][3]string{
		{"INVESTIGATED_BY", names[50], one.Key}, {"INVESTIGATED_BY", names[n-1], one.Key},
	})
	all := f.explore(along(around(n+1, 1, one), graph.RelationInvestigatedBy))
	if len(all.Relations) != n || len(all.Hidden) != 0 {
		f.Errorf("%d relations and hidden %v, want %d and none", len(all.Relations), all.Hidden, n)
	}
}

func closedWhileWritten(f *fixture) {
	f.registerNames("a", "b")
	f.capture(serving(capture("stays", "a", "b"), "x", "y"))
	stays := procedureRef(keyOf("a", "b"))
	var stop atomic.Bool
	f.together(4, func(worker int, store graph.Store) error {
		if worker == 0 {
			defer stop.Store(true)
			for i := range 20 {
				c := serving(capture(fmt.Sprint("goes ", i), "a", fmt.Sprint("tool ", i%3)), "x", fmt.Sprint("cause ", i))
				outer := serving(capture(fmt.Sprint("goes, too ", i), "b", c.ToolName), "y")
				for _, c := range []graph.Capture{c, outer, serving(capture("stays", "a", "b"), "x")} {
					if _, err := store.Capture(f.Context(), c); err != nil {
						return err
					}
				}
				for _, c := range []graph.Capture{c, outer} {
					query, decide := deleting(c.ProcedureKey, c.ToolName)
					if err := commitTo(f.Context(), store, query, decide); err != nil {
						return err
					}
				}
			}
			return nil
		}
		for n := worker; !stop.Load(); n++ {
			query := [...]graph.ExploreQuery{
				around(100, 3, toolRef("a")), around(12, 3, causeRef("x"), causeRef("y")), around(40, 2), around(100, 2, stays),
			}[n%4]
			got, err := store.Explore(f.Context(), query)
			if err == nil {
				err = sound(query, got)
			}
			if err == nil && query.Limit > 12 && !slices.Contains(got.Nodes, stays) {
				err = fmt.Errorf("what stays is not among %v", got.Nodes)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// neighbourhoodOfOneMoment is headOfOneMoment for a neighbourhood, which may take several statements to read.
func neighbourhoodOfOneMoment(f *fixture) {
	write := func(facts graph.Facts) (graph.Change, error) {
		t := tool("a")
		t.DefinitionHash = strconv.FormatInt(facts.Head.Sequence+1, 10)
		return graph.ToolsWritten{Event: seal(facts.Head, "TOOLS_REGISTERED", "a"), Tools: []graph.Tool{t}}, nil
	}
	f.commit(graph.FactQuery{}, write)
	f.capture(capture("code", "a", "b"))
	var stop atomic.Bool
	f.together(3, func(worker int, store graph.Store) error {
		if worker == 0 {
			defer stop.Store(true)
			for range 80 {
				if err := commitTo(f.Context(), store, graph.FactQuery{}, write); err != nil {
					return err
				}
			}
			return nil
		}
		for !stop.Load() {
			got, err := store.Explore(f.Context(), around(100, 2, causeRef("a cause")))
			if err != nil {
				return err
			}
			i := slices.IndexFunc(got.Tools, func(t graph.Tool) bool { return t.Name == "a" })
			head := strconv.FormatInt(got.Head.Sequence, 10)
			if i < 0 || got.Tools[i].DefinitionHash != head || got.Known.Tools["a"].DefinitionHash != head {
				return fmt.Errorf("the head %s comes with %+v and %+v", head, got.Tools, got.Known.Tools)
			}
		}
		return nil
	})
}
