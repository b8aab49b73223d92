package sqlite

import (
	"path/filepath"
	"testing"

	"procgraph/graph"
	"procgraph/graph/graphtest"
)

func TestStore(t *testing.T) {
	graphtest.Run(t, func(t *testing.T) graph.Store { return open(t) })
}

// open answers an empty store that is closed when the test ends.
func open(t testing.TB) *Store {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "graph.db"))
}

func openAt(t testing.TB, path string) *Store {
	t.Helper()
	store, err := Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return store
}
