package operations_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"procgraph/graph"
	"procgraph/operations"
	"procgraph/trust"
)

// found names the hits of a search, with their kinds.
func (b *bench) found(text string, kinds ...graph.NodeKind) (names []string, hits []operations.SearchHit) {
	b.Helper()
	c, err := b.Search(b.ctx, operations.SearchInput{Text: text, Kinds: kinds, Page: operations.PageInput{First: 20}})
	b.must(err)
	for _, hit := range c.Items {
		names = append(names, label(hit.Node))
	}
	return names, c.Items
}

func label(node any) string {
	switch n := node.(type) {
	case *operations.Procedure:
		return n.Procedure.ToolName
	case *operations.Variant:
		return n.CodeHash
	case *graph.Cause:
		return n.Name
	case *graph.Tool:
		return n.Name
	}
	return fmt.Sprintf("%T", node)
}

func TestSearchFindsByEveryText(t *testing.T) {
	b := newBench(t)
	description := "walks over glaciers"
	_, err := b.RegisterTools(b.ctx, []operations.ToolInput{{Name: "walk_ice", Description: &description}})
	b.must(err)
	c := b.capture("mountain = await tools.r()\nreturn await tools.r2(peak=mountain)", func(in *operations.CaptureInput) {
		in.Causes, in.Summary, in.Strategy = []string{"avalanche warning"}, "Measures the snow.", "Begin at the hut."
		in.TriggerSignals = []string{"thunder at noon"}
	})
	b.capture(c.Variant.Code, func(in *operations.CaptureInput) {
		in.Causes, in.TriggerSignals = []string{"lost hiker"}, []string{"flare in the valley"}
	})
	name := c.Procedure.Procedure.ToolName
	for text, want := range map[string][]string{
		"snow": {name}, "hut": {name}, "peak": {name}, "thunder": {name}, "flare": {name}, "valleys and flares": {name},
		"avalanches": {name, "avalanche warning"}, "hiker": {name, "lost hiker"}, "glacier": {"walk_ice"}, "ice": {"walk_ice"},
	} {
		names, hits := b.found(text, graph.KindProcedure, graph.KindCause, graph.KindTool)
		slices.Sort(names)
		slices.Sort(want)
		if !slices.Equal(names, want) {
			t.Errorf("%q finds %v, want %v", text, names, want)
		}
		for _, hit := range hits {
			if hit.Score <= 0 || hit.Snippet == "" {
				t.Errorf("%q: %+v has no score or snippet", text, hit)
			}
		}
	}
	if names, _ := b.found("snow"); !slices.Equal(names, []string{name, c.Variant.CodeHash}) {
		t.Errorf("of all kinds: %v, want the procedure before its variant", names)
	}
	if _, hits := b.found("snow", graph.KindProcedure); hits[0].Snippet != "Measures the snow." {
		t.Errorf("snippet %q", hits[0].Snippet)
	}
	for _, nothing := range []string{"", " ", "volcano", "*", "(", "\"", "the of and"} {
		if names, _ := b.found(nothing); len(names) > 0 {
			t.Errorf("%q finds %v", nothing, names)
		}
	}
}

func TestExactNamesComeFirst(t *testing.T) {
	b := newBench(t)
	for _, cause := range []string{"disk", "disk full", "disk full again", "disk-full OR *", "AND"} {
		b.capture(calls("r", "r2"), func(in *operations.CaptureInput) { in.Causes, in.Summary = []string{cause}, "disk disk disk full full" })
	}
	b.capture(calls("r"))
	hash := b.capture(calls("r", "r3")).Variant.CodeHash
	for _, name := range []string{"disk", "disk full", "  disk full ", "disk-full OR *", "AND", "proc__r__r2", "proc__r", "r2", hash} {
		names, _ := b.found(name)
		if len(names) == 0 || names[0] != strings.TrimSpace(name) {
			t.Errorf("%q finds %v first", name, names)
		}
	}
}

func TestSearchPages(t *testing.T) {
	b := newBench(t)
	for i := range 25 {
		b.capture(fmt.Sprintf("await tools.r()\nawait tools.r2()\nx = %d", i), func(in *operations.CaptureInput) {
			in.Causes, in.Summary = []string{fmt.Sprintf("cause %d", i)}, "needle in the hay"
		})
	}
	all, _ := b.found("needle hay", graph.KindVariant)
	c, err := b.Search(b.ctx, operations.SearchInput{Text: "needle hay", Kinds: []graph.NodeKind{graph.KindVariant}, Page: operations.PageInput{First: 25}})
	b.must(err)
	if len(c.Items) != 25 || c.More || len(all) != 20 {
		t.Fatalf("%d hits, more %v", len(c.Items), c.More)
	}
	var paged []string
	in := operations.SearchInput{Text: "needle hay", Kinds: []graph.NodeKind{graph.KindVariant}, Page: operations.PageInput{First: 7}}
	for {
		page, err := b.Search(b.ctx, in)
		b.must(err)
		for _, hit := range page.Items {
			paged = append(paged, label(hit.Node))
		}
		if in.Page.After = page.EndCursor(); !page.More {
			break
		}
	}
	for i, hit := range c.Items {
		if i >= len(paged) || paged[i] != label(hit.Node) {
			t.Fatalf("pages of seven give %d hits in another order", len(paged))
		}
	}
	in.Text = "needle"
	_, err = b.Search(b.ctx, in)
	b.fails(err, operations.BadUserInput)
	for _, first := range []int{-1, 501} {
		_, err = b.Search(b.ctx, operations.SearchInput{Text: "x", Page: operations.PageInput{First: first}})
		b.fails(err, operations.BadUserInput)
	}
	_, err = b.Search(caller("bob"), operations.SearchInput{Text: "x"})
	b.fails(err, operations.Forbidden)
	_, err = b.Search(b.ctx, operations.SearchInput{Text: strings.Repeat("a word ", 10_000)})
	b.fails(err, operations.LimitExceeded)
	names, _ := b.found("needle " + strings.Repeat("and other words ", 600))
	if len(names) == 0 {
		t.Error("10 KB of text find nothing")
	}
}

func TestExploreIsClosed(t *testing.T) {
	b := newBench(t)
	one := b.capture(calls("r", "r2"), func(in *operations.CaptureInput) { in.Causes = []string{"one", "both"} })
	two := b.capture(calls("r2", "w"), func(in *operations.CaptureInput) { in.Causes = []string{"both"} })
	explore := func(in operations.ExploreInput) *operations.Subgraph {
		t.Helper()
		s, err := b.Explore(b.ctx, in)
		b.must(err)
		ids := map[string]bool{}
		for _, node := range s.Nodes {
			switch n := node.(type) {
			case *operations.Procedure:
				ids[n.ID()] = true
			case *operations.Variant:
				ids[n.ID()] = true
			case *graph.Cause:
				ids[graph.NodeID(graph.KindCause, n.Name)] = true
			case *graph.Tool:
				ids[graph.NodeID(graph.KindTool, n.Name)] = true
			default:
				t.Fatalf("a node is a %T", node)
			}
		}
		for _, r := range s.Relations {
			if !ids[r.From()] || !ids[r.To()] {
				t.Errorf("the relation %s from %s to %s is not closed", r.Type, r.From(), r.To())
			}
		}
		return s
	}
	near := explore(operations.ExploreInput{From: []string{one.Procedure.ID()}, Depth: 1, Limit: 200})
	if len(near.Nodes) != 6 || len(near.Relations) != 7 {
		t.Errorf("%d nodes and %d relations, want a procedure, a variant, two causes and two tools, and seven", len(near.Nodes), len(near.Relations))
	}
	hidden := map[string]int{}
	for _, h := range near.Hidden {
		hidden[string(h.Type)+" "+h.Node()] += h.Count
	}
	if n := hidden["INVESTIGATED_BY "+graph.NodeID(graph.KindCause, "both")]; n != 1 || hidden["USES "+graph.NodeID(graph.KindTool, "r2")] != 1 {
		t.Errorf("hidden %v", hidden)
	}
	far := explore(operations.ExploreInput{From: []string{one.Procedure.ID()}, Depth: 2, Limit: 200})
	if !slices.ContainsFunc(far.Nodes, func(n any) bool { return label(n) == two.Procedure.Procedure.ToolName }) {
		t.Error("two steps do not reach the other procedure")
	}
	if s := explore(operations.ExploreInput{From: []string{"no id", graph.NodeID(graph.KindTool, "none")}, Depth: 1, Limit: 9}); len(s.Nodes) != 0 {
		t.Errorf("unknown ids lead to %d nodes", len(s.Nodes))
	}
	if s := explore(operations.ExploreInput{From: []string{}, Depth: 1, Limit: 9}); len(s.Nodes) != 0 {
		t.Errorf("no ids lead to %d nodes", len(s.Nodes))
	}
	if s := explore(operations.ExploreInput{Overview: true, Depth: 1, Limit: 50}); len(s.Nodes) < 6 {
		t.Errorf("the overview has %d nodes", len(s.Nodes))
	}
	for _, in := range []operations.ExploreInput{{Depth: 4}, {Depth: -1}, {Limit: 501}, {Limit: -1}, {From: make([]string, 101)}} {
		_, err := b.Explore(b.ctx, in)
		b.fails(err, operations.BadUserInput)
	}
	_, err := b.Explore(caller("bob", trust.ScopeProcedureCapture), operations.ExploreInput{Overview: true})
	b.fails(err, operations.Forbidden)
}

func TestListsByText(t *testing.T) {
	b := newBench(t)
	ice, snow := "walks over glaciers", "shovels snow"
	class := graph.ReadOnly
	_, err := b.RegisterTools(b.ctx, []operations.ToolInput{
		{Name: "walk_ice", Description: &ice, Class: &class}, {Name: "shovel", Description: &snow, Class: &class}, {Name: "ice_box"},
	})
	b.must(err)
	one := b.capture("return await tools.walk_ice(peak=await tools.shovel())", func(in *operations.CaptureInput) {
		in.Causes, in.Summary = []string{"avalanche warning"}, "Measures the snow near the hut."
	})
	_, err = b.ApproveVariant(b.ctx, one.Variant.CodeHash, nil)
	b.must(err)
	two := b.capture("return await tools.walk_ice()", func(in *operations.CaptureInput) {
		in.Causes, in.Summary = []string{"lost hiker", "warning of snow"}, "Looks for people in the snow."
	})
	names := func(text string, causes ...string) (names []string) {
		filter := operations.ProcedureFilter{Text: text, Causes: causes}
		page, err := b.Procedures(b.ctx, filter, graph.ByName, operations.PageInput{First: 10})
		b.must(err)
		for _, p := range page.Items {
			names = append(names, p.Procedure.ToolName)
		}
		n, err := b.CountProcedures(b.ctx, filter)
		b.must(err)
		if n != len(names) {
			t.Errorf("%q: counted %d, listed %d", text, n, len(names))
		}
		return names
	}
	first, second := one.Procedure.Procedure.ToolName, two.Procedure.Procedure.ToolName
	for _, c := range []struct {
		text   string
		causes []string
		want   []string
	}{
		{"snow", nil, []string{first, second}}, {"snow hut", nil, []string{first}}, {"snow AND hut", nil, []string{first}},
		{"snow people hut", nil, nil}, {"  ", nil, []string{first, second}}, {"( * )", nil, nil}, {"snow", []string{"lost hiker"}, []string{second}},
		{"walk ice", nil, []string{first, second}}, {"hikers", nil, []string{second}},
	} {
		if got := names(c.text, c.causes...); !slices.Equal(got, c.want) {
			t.Errorf("%q of %v lists %v, want %v", c.text, c.causes, got, c.want)
		}
	}
	for text, want := range map[string]int{"hut": 1, "people": 0, "": 1} {
		offered, err := b.ProcedureTools(b.ctx, operations.RegistryInput{Text: text, Page: operations.PageInput{First: 10}})
		if b.must(err); len(offered.Items) != want {
			t.Errorf("%q offers %d, want %d", text, len(offered.Items), want)
		}
	}
	tools, err := b.Tools(b.ctx, operations.ToolFilter{Text: "ice"}, operations.PageInput{First: 1, Count: true})
	if b.must(err); len(tools.Items) != 1 || tools.Items[0].Name != "ice_box" || !tools.More || tools.Total != 2 {
		t.Errorf("tools: %+v", tools)
	}
	tools, err = b.Tools(b.ctx, operations.ToolFilter{Text: "ice", Class: &class}, operations.PageInput{First: 5})
	if b.must(err); len(tools.Items) != 1 || tools.Items[0].Name != "walk_ice" {
		t.Errorf("tools of a class: %+v", tools)
	}
	causes, err := b.Causes(b.ctx, "warnings", operations.PageInput{First: 1})
	if b.must(err); len(causes.Items) != 1 || causes.Items[0].Name != "avalanche warning" || !causes.More {
		t.Fatalf("causes: %+v", causes)
	}
	causes, err = b.Causes(b.ctx, "warnings", operations.PageInput{First: 1, After: causes.EndCursor()})
	if b.must(err); len(causes.Items) != 1 || causes.Items[0].Name != "warning of snow" || causes.More {
		t.Errorf("the second page of causes: %+v", causes)
	}
}

// TestSnippetsOfHugeTexts looks for the part that matches at the beginning of each text only.
func TestSnippetsOfHugeTexts(t *testing.T) {
	b := newBench(t)
	filler := strings.Repeat("ж ", 40_000)
	b.capture("return await tools.r(await tools.r2())", func(in *operations.CaptureInput) { in.Summary = "zebra " + filler[:60_000] })
	b.capture("return await tools.r(await tools.r3())", func(in *operations.CaptureInput) { in.Summary = filler[:8_190] + " zebra" })
	_, hits := b.found("zebra", graph.KindProcedure)
	if len(hits) != 2 {
		t.Fatalf("%d hits", len(hits))
	}
	for _, hit := range hits {
		if !utf8.ValidString(hit.Snippet) || len([]rune(hit.Snippet)) > 162 {
			t.Errorf("the snippet is %q", hit.Snippet)
		}
	}
}
