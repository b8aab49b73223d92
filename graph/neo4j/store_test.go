package neo4j

import (
	"context"
	"log/slog"
	"os"
	"testing"

	"procgraph/graph"
	"procgraph/graph/graphtest"
	"procgraph/integration/neo4jtest"
)

func TestMain(m *testing.M) { os.Exit(neo4jtest.Main(m)) }

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// open answers a store on the database of this test binary as it is.
func open(tb testing.TB) *Store {
	tb.Helper()
	server := neo4jtest.Start(tb)
	s, err := Open(context.Background(), Options{URI: server.URI, User: server.User, Password: server.Password}, quiet())
	if err != nil {
		tb.Fatalf("open: %v", err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Errorf("close: %v", err)
		}
	})
	return s
}

// must runs a statement of a test.
func must(tb testing.TB, s *Store, statement string, p params) []any {
	tb.Helper()
	record, err := s.run(context.Background(), statement, p)
	if err != nil {
		tb.Fatalf("%s: %v", statement, err)
	}
	if record == nil {
		return nil
	}
	return record.Values
}

// openEmpty answers a store on an empty graph. The node of the head stays the one that was made first.
func openEmpty(tb testing.TB) *Store {
	tb.Helper()
	s := open(tb)
	empty(tb, s)
	return s
}

func empty(tb testing.TB, s *Store) {
	tb.Helper()
	must(tb, s, `MATCH (n) WHERE NOT n:Head AND NOT n:Schema
CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 10000 ROWS`, nil)
	must(tb, s, `MATCH (h:Head) SET h.state = '0:'`, nil)
}

func TestConformance(t *testing.T) {
	graphtest.Run(t, func(t *testing.T) graph.Store {
		t.Helper()
		return openEmpty(t)
	})
}

// TestConformanceOfTwo runs what is parallel through two servers on one database.
func TestConformanceOfTwo(t *testing.T) {
	graphtest.RunTwo(t, func(t *testing.T) (a, b graph.Store) {
		t.Helper()
		return openEmpty(t), open(t)
	})
}
