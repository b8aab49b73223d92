package neo4j

import (
	"fmt"
	"slices"
	"testing"

	"procgraph/graph"
)

// TestHubs pages through what a tool and a cause of 1,200 procedures lead to: more than are sorted.
func TestHubs(t *testing.T) {
	const n = 1_200
	s := openEmpty(t)
	seed(t, s, n, func(i int) (tools, causes []string) {
		tools, causes = []string{"hub"}, []string{"hub"}
		if i%3 == 0 {
			tools = append(tools, "third")
		}
		return tools, causes
	})
	names := func(keep func(i int) bool) (want []string) {
		for i := range n {
			if keep(i) {
				want = append(want, fmt.Sprintf("proc__seed%06d", i)) // the order of all three orders
			}
		}
		return want
	}
	all, thirds, evenThirds := names(func(int) bool { return true }), names(func(i int) bool { return i%3 == 0 }), names(func(i int) bool { return i%6 == 0 })

	// pages collects the names on all pages.
	pages := func(what string, want []string, read func(page graph.Page) (rows []string, last string, more bool, total int, err error)) {
		t.Helper()
		var got []string
		page := graph.Page{First: 450, Count: true}
		for more := true; more; {
			rows, last, next, total, err := read(page)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			if total != len(want) {
				t.Fatalf("%s: total %d, want %d", what, total, len(want))
			}
			got, page.After, more = append(got, rows...), last, next
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %d rows, want %d, or others, or in another order", what, len(got), len(want))
		}
	}
	for _, order := range []graph.ProcedureOrder{graph.ByFrequency, graph.ByUpdated, graph.ByName} {
		for what, c := range map[string]struct {
			filter graph.ProcedureFilter
			want   []string
		}{
			"tool":             {graph.ProcedureFilter{Tools: []string{"hub"}}, all},
			"cause":            {graph.ProcedureFilter{Causes: []string{"hub", "none"}}, all},
			"tool and cause":   {graph.ProcedureFilter{Tools: []string{"hub"}, Causes: []string{"hub"}}, all},
			"two tools":        {graph.ProcedureFilter{Tools: []string{"hub", "third", "hub"}, Causes: []string{"hub"}}, thirds},
			"offered":          {graph.ProcedureFilter{Tools: []string{"third"}, Causes: []string{"hub"}, Offered: true}, evenThirds},
			"a tool of nobody": {graph.ProcedureFilter{Tools: []string{"hub", "none"}}, nil},
			"no filter":        {graph.ProcedureFilter{}, all},
		} {
			pages(fmt.Sprint(what, " ", order), c.want, func(page graph.Page) (rows []string, last string, more bool, total int, err error) {
				answer, err := s.Procedures(t.Context(), c.filter, order, page)
				for _, offer := range answer.Items {
					rows, last = append(rows, offer.Procedure.ToolName), offer.Procedure.Position(order)
				}
				return rows, last, answer.More, answer.Total, err
			})
		}
	}
	pages("procedures using", all, func(page graph.Page) (rows []string, last string, more bool, total int, err error) {
		answer, err := s.ProceduresUsing(t.Context(), []string{"hub"}, page)
		for _, offer := range answer.By["hub"].Items {
			rows, last = append(rows, offer.Procedure.ToolName), offer.Procedure.ToolName
		}
		return rows, last, answer.By["hub"].More, answer.By["hub"].Total, err
	})
	pages("uses of a cause", all, func(page graph.Page) (rows []string, last string, more bool, total int, err error) {
		answer, err := s.UsesOf(t.Context(), graph.UseOwners{Causes: []string{"hub"}}, page)
		for _, use := range answer.By["hub"].Items {
			rows, last = append(rows, use.ToolName), use.OfCause()
		}
		return rows, last, answer.By["hub"].More, answer.By["hub"].Total, err
	})
	facts, err := s.Facts(t.Context(), graph.FactQuery{Names: []string{"hub"}, Dependents: true})
	if err != nil || len(facts.Dependents) != n {
		t.Errorf("%d dependents, error %v; want %d", len(facts.Dependents), err, n)
	}
}
