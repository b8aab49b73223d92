package graphtest

import (
	"maps"
	"slices"

	"procgraph/graph"
)

var factTests = []test{
	{"OfNothing", false, factsOfNothing},
	{"OfNames", false, factsOfNames},
	{"OfCodes", false, factsOfCodes},
	{"Dependents", false, dependents},
	{"DependentsAfterDeletion", false, dependentsAfterDeletion},
	{"StubBecomesKnown", false, stubBecomesKnown},
}

// sameFacts compares facts. What is known may hold more than was wanted: it is compared by names that were.
func sameFacts(f *fixture, what string, got, want graph.Facts) {
	f.Helper()
	for _, facts := range []*graph.Facts{&got, &want} {
		facts.Dependents = slices.Clone(facts.Dependents)
		slices.SortFunc(facts.Dependents, byKey)
		// The code of a procedure that only dependents reach may be left out, so it is not compared.
		facts.Known.Procedures = maps.Clone(facts.Known.Procedures)
		for name, o := range facts.Known.Procedures {
			facts.Known.Procedures[name] = withoutCode(o)
		}
	}
	got.Known = graph.Known{Tools: restricted(got.Known.Tools, want.Known.Tools), Procedures: restricted(got.Known.Procedures, want.Known.Procedures)}
	same(f, what, got, want)
}

// restricted is a map with the keys of another only.
func restricted[V any](from, to map[string]V) map[string]V {
	kept := map[string]V{}
	for name := range to {
		if v, ok := from[name]; ok {
			kept[name] = v
		}
	}
	return kept
}

func (f *fixture) facts(query graph.FactQuery) graph.Facts {
	f.Helper()
	return read(f.store().Facts(f.Context(), query)).or(f)
}

// knownOf are the facts that hold for names, read one by one.
func (f *fixture) knownOf(names ...string) graph.Known {
	f.Helper()
	known := graph.Known{Tools: map[string]graph.ToolFact{}, Procedures: map[string]graph.Offer{}}
	for _, t := range read(f.store().ToolsBy(f.Context(), names)).or(f).Items {
		known.Tools[t.Name] = t.Fact()
	}
	for _, o := range read(f.store().ProceduresBy(f.Context(), graph.ProcedureRefs{ToolNames: names})).or(f).Items {
		known.Procedures[o.Procedure.ToolName] = o
	}
	return known
}

func factsOfNothing(f *fixture) {
	same(f, "facts of an empty store", f.facts(graph.FactQuery{Names: []string{"a"}, CodeHashes: []string{hash("x")}, Dependents: true, Admin: true}), graph.Facts{})
	world(f)
	same(f, "facts about nothing", f.facts(graph.FactQuery{}), graph.Facts{Head: f.head()})
	same(f, "dependents of nothing", f.facts(graph.FactQuery{Dependents: true}), graph.Facts{Head: f.head()})
	same(f, "facts about what is not stored", f.facts(graph.FactQuery{Names: []string{"x", "proc__x"}, CodeHashes: []string{hash("x")}, Dependents: true}), graph.Facts{Head: f.head()})
}

func factsOfNames(f *fixture) {
	world(f)
	sameFacts(f, "a tool", f.facts(graph.FactQuery{Names: []string{"a"}}), graph.Facts{
		Head: f.head(), Known: f.knownOf("a"), Tools: map[string]graph.Tool{"a": tool("a")},
	})
	got := f.facts(graph.FactQuery{Names: []string{topName, "e", "absent", "proc__absent", "e"}})
	sameFacts(f, "a procedure, a tool and names of nothing", got, graph.Facts{
		Head: f.head(), Known: f.knownOf("a", "b", "c", "d", "e", innerName, outerName, topName),
		Tools: map[string]graph.Tool{"e": tool("e")}, Owners: map[string]graph.Offer{top: f.procedure(top)},
	})
	if o := got.Owners[top]; o.Current == nil || o.Current.Code != "top" {
		f.Errorf("the owner comes without its code: %+v", o)
	}
	if o := got.Known.Procedures[innerName]; o.Current == nil || o.Current.Code != "inner" {
		f.Errorf("what is reached comes without its code: %+v", o)
	}
	if _, ok := got.Known.Tools["absent"]; ok {
		f.Error("a name of nothing is known")
	}
}

func factsOfCodes(f *fixture) {
	world(f)
	proposed := hash("inner, otherwise")
	got := f.facts(graph.FactQuery{CodeHashes: []string{proposed, hash("outer"), hash("absent"), proposed}})
	variants := map[string]graph.Variant{}
	for _, v := range read(f.store().VariantsBy(f.Context(), []string{proposed, hash("outer")})).or(f).Items {
		variants[v.CodeHash] = v
	}
	sameFacts(f, "two codes", got, graph.Facts{
		Head: f.head(), Known: f.knownOf("a", "b", "c", innerName), Variants: variants,
		Owners: map[string]graph.Offer{inner: f.procedure(inner), outer: f.procedure(outer)},
	})
	if v := got.Variants[proposed]; v.Code != "inner, otherwise" {
		f.Errorf("the variant comes without its code: %+v", v)
	}
	both := f.facts(graph.FactQuery{Names: []string{innerName, "f"}, CodeHashes: []string{hash("alone")}})
	sameFacts(f, "a name and a code", both, graph.Facts{
		Head: f.head(), Known: f.knownOf("a", "b", "e", "f", innerName),
		Tools:    map[string]graph.Tool{"f": tool("f")},
		Variants: map[string]graph.Variant{hash("alone"): f.variants(alone)[0]},
		Owners:   map[string]graph.Offer{inner: f.procedure(inner), alone: f.procedure(alone)},
	})
}

// dependentsOf checks who depends on what a query names, and that all they reach is known.
func (f *fixture) dependentsOf(what string, query graph.FactQuery, keys ...string) graph.Facts {
	f.Helper()
	query.Dependents = true
	facts := f.facts(query)
	var got, names []string
	for _, o := range facts.Dependents {
		got = append(got, o.Procedure.Key)
		names = append(names, o.Procedure.Reach...)
		same(f, "dependent "+o.Procedure.ToolName, o, withoutCode(f.procedure(o.Procedure.Key)))
	}
	slices.Sort(got)
	want := slices.Clone(keys)
	slices.Sort(want)
	same(f, "dependents of "+what, got, want)
	known := f.knownOf(sorted(names...)...)
	same(f, "known tools of the dependents of "+what, restricted(facts.Known.Tools, known.Tools), known.Tools)
	for name, o := range known.Procedures {
		same(f, "known "+name+" of the dependents of "+what, withoutCode(facts.Known.Procedures[name]), withoutCode(o))
	}
	return facts
}

func dependents(f *fixture) {
	world(f)
	f.dependentsOf("a", graph.FactQuery{Names: []string{"a"}}, inner, outer, top, aside)
	f.dependentsOf("c", graph.FactQuery{Names: []string{"c"}}, outer, top)
	f.dependentsOf("d", graph.FactQuery{Names: []string{"d"}}, top, aside)
	f.dependentsOf("a, d and e", graph.FactQuery{Names: []string{"a", "d", "e"}}, inner, outer, top, aside, alone)
	f.dependentsOf("inner", graph.FactQuery{Names: []string{innerName}}, inner, outer, top)
	f.dependentsOf("top", graph.FactQuery{Names: []string{topName}}, top)
	f.dependentsOf("the code of inner", graph.FactQuery{CodeHashes: []string{hash("inner")}}, inner, outer, top)
	f.dependentsOf("a proposed code of inner", graph.FactQuery{CodeHashes: []string{hash("inner, otherwise")}}, inner, outer, top)
	f.dependentsOf("the codes of outer and alone", graph.FactQuery{CodeHashes: []string{hash("outer"), hash("alone")}}, outer, top, alone)
	f.dependentsOf("a name and a code", graph.FactQuery{Names: []string{"c"}, CodeHashes: []string{hash("inner")}}, inner, outer, top)
	f.dependentsOf("a name of nothing", graph.FactQuery{Names: []string{"absent"}})
	if d := f.facts(graph.FactQuery{Names: []string{"a"}, CodeHashes: []string{hash("inner")}}).Dependents; len(d) > 0 {
		f.Errorf("dependents come unasked: %v", toolNames(d))
	}
	// A procedure that is not approved is a dependent too, and one that offers nothing has no current variant.
	f.capture(capture("proposed", topName, "g"))
	facts := f.dependentsOf("inner", graph.FactQuery{Names: []string{innerName}}, inner, outer, top, keyOf(topName, "g"))
	for _, o := range facts.Dependents {
		if (o.Current == nil) != (o.Procedure.Key == keyOf(topName, "g")) {
			f.Errorf("%s has the current variant %+v", o.Procedure.ToolName, o.Current)
		}
	}
}

func dependentsAfterDeletion(f *fixture) {
	world(f)
	f.remove(inner)
	f.dependentsOf("a deleted procedure", graph.FactQuery{Names: []string{innerName}}, outer, top)
	f.dependentsOf("a tool that is reached through a deleted procedure", graph.FactQuery{Names: []string{"b"}}, outer, top)
	f.capture(capture("inner, made again", "a", "b"))
	f.dependentsOf("a procedure that was made again", graph.FactQuery{Names: []string{innerName}}, inner, outer, top)
	f.dependentsOf("a code of it", graph.FactQuery{CodeHashes: []string{hash("inner, made again")}}, inner, outer, top)
	f.dependentsOf("a tool of it", graph.FactQuery{Names: []string{"b"}}, inner, outer, top)
	f.remove(outer)
	f.dependentsOf("inner, without outer", graph.FactQuery{Names: []string{innerName}}, inner, top)
	f.remove(top)
	f.dependentsOf("inner, without any", graph.FactQuery{Names: []string{innerName}}, inner)
	f.remove(inner)
	f.dependentsOf("nothing any more", graph.FactQuery{Names: []string{innerName, outerName, topName}})
}

func stubBecomesKnown(f *fixture) {
	c := capture("await tools.a(); await tools.b()", "a", "b")
	f.capture(c)
	f.approve(c.Variant.CodeHash)
	f.expectOffered()
	f.write(tool("a"))
	f.expectOffered()
	f.write(tool("b"))
	f.expectOffered(c.ProcedureKey)
	suspended := tool("a")
	suspended.Suspended = true
	f.write(suspended)
	f.expectOffered()
	same(f, "known", f.facts(graph.FactQuery{CodeHashes: []string{c.Variant.CodeHash}}).Known.Tools, map[string]graph.ToolFact{"a": suspended.Fact(), "b": tool("b").Fact()})
}
