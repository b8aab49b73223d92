package sqlite

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"procgraph/graph"
)

// statements collects what stores run.
type statements struct {
	mu   sync.Mutex
	seen map[string]bool
}

func (s *statements) add(statement string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen[statement] = true
}

// check explains each statement: none may look through a table or an index from its start.
func (s *statements) check(t *testing.T) {
	store := open(t)
	explained := 0
	for statement := range s.seen {
		if strings.Contains(statement, "LIMIT ?") {
			t.Errorf("prepared anew each time, for its bare limit:\n%s", statement)
		}
		verb, _, _ := strings.Cut(strings.TrimSpace(statement), " ")
		switch verb {
		case "SELECT", "INSERT", "UPDATE", "DELETE":
		default:
			continue
		}
		explained++
		err := store.read(t.Context(), func(tx tx) error {
			return tx.query("EXPLAIN QUERY PLAN "+statement, func(r row) error {
				step := r.text(3)
				if strings.HasPrefix(step, "SCAN ") && !bounded(step) {
					t.Errorf("%s in\n%s", step, statement)
				}
				return nil
			})
		})
		if err != nil {
			t.Errorf("explain: %v", err)
		}
	}
	if explained < 40 {
		t.Errorf("only %d statements were explained", explained)
	}
}

// bounded are the scans whose length does not depend on the graph: of the elements of a list, of rows that the statement
// itself selected before, and of what the index of words leads to: the places of one word (259), a query, a row.
func bounded(step string) bool {
	for _, part := range []string{"SCAN json_each VIRTUAL TABLE", "SCAN j VIRTUAL TABLE", "SCAN CONSTANT ROW", "SCAN f", "SCAN (subquery",
		"SCAN word_places VIRTUAL TABLE INDEX 259:", "SCAN words VIRTUAL TABLE INDEX 0:M", "SCAN words VIRTUAL TABLE INDEX 0:="} {
		if strings.HasPrefix(step, part) {
			return true
		}
	}
	return false
}

// filters are all combinations of what a filter can ask for, on the graph of seed.
func filters(visit func(graph.ProcedureFilter, graph.ProcedureOrder)) {
	for bits := range 1 << 6 {
		filter := graph.ProcedureFilter{Approved: bits&1 != 0, Offered: bits&2 != 0, IncludeRetired: bits&4 != 0}
		if bits&8 != 0 {
			filter.Tools = append(filter.Tools, "detail_0")
		}
		if bits&16 != 0 {
			filter.Tools = append(filter.Tools, "tool_001", "tool_000")
		}
		if bits&32 != 0 {
			filter.Causes = []string{"cause 1", "cause 2", "cause 31", "nothing"}
		}
		for _, order := range []graph.ProcedureOrder{graph.ByFrequency, graph.ByUpdated, graph.ByName} {
			visit(filter, order)
		}
	}
}

// listed answers the tool names of a page and the count.
func listed(tx tx, filter graph.ProcedureFilter, order graph.ProcedureOrder, few int, page graph.Page) ([]string, int, error) {
	list, err := tx.listing(filter, order, few)
	if err != nil {
		return nil, 0, err
	}
	statement, args := list.page(page.After, page.First)
	offers, err := tx.offers(statement, args...)
	if err != nil {
		return nil, 0, err
	}
	var names []string
	for _, offer := range offers {
		names = append(names, offer.Procedure.ToolName)
	}
	n, err := tx.count(list, 100)
	return names, n, err
}

// TestBothWays checks that sorting few procedures and following the order answer the same, and explains the statements
// of both.
func TestBothWays(t *testing.T) {
	store := open(t)
	seed(t, store, 500)
	if err := store.write(t.Context(), func(t tx) error {
		return t.exec(`UPDATE procedures SET retired_at = 1, approved = 0, offered = 0 WHERE id % 5 = 0`)
	}); err != nil {
		t.Fatal(err)
	}
	ran := &statements{seen: map[string]bool{}}
	answers := 0
	filters(func(filter graph.ProcedureFilter, order graph.ProcedureOrder) {
		err := store.read(t.Context(), func(read tx) error {
			read.trace = ran.add
			all, n, err := listed(read, filter, order, 0, graph.Page{First: 100})
			if err != nil {
				return err
			}
			sorted, m, err := listed(read, filter, order, fewProcedures, graph.Page{First: 100})
			if !slices.Equal(all, sorted) || n != m || n != len(all) {
				t.Errorf("%+v %s: %d of %d along the order, %d of %d sorted", filter, order, len(all), n, len(sorted), m)
			}
			answers += n
			return err
		})
		if err != nil {
			t.Errorf("%+v %s: %v", filter, order, err)
		}
	})
	if answers < 1000 {
		t.Errorf("the filters answer only %d rows", answers)
	}
	ran.check(t)
}
