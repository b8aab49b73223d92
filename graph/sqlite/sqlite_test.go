package sqlite

import (
	"path/filepath"
	"testing"

	"procgraph/graph"
	"procgraph/graph/graphtest"
)

// TestStore runs the suite, and then looks at the plan of every statement that it ran.
func TestStore(t *testing.T) {
	ran := &statements{seen: map[string]bool{}}
	t.Run("Suite", func(t *testing.T) {
		graphtest.Run(t, func(t *testing.T) graph.Store {
			store := open(t)
			store.trace = ran.add
			return store
		})
	})
	t.Run("Plans", ran.check)
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
