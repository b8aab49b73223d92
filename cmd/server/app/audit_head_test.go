package app

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"procgraph/graph"
)

func TestHeadsArePublishedUntilTheStop(t *testing.T) {
	data := t.TempDir()
	p := publishHeads(data, slog.New(slog.DiscardHandler))
	for _, n := range []int64{1, 3, 2} { // commits may tell of their heads out of order
		p.moved(graph.Head{Sequence: n, Hash: "hash"})
	}
	p.stop()
	p.moved(graph.Head{Sequence: 4, Hash: "hash"}) // a request that was cut off does no harm
	got, err := os.ReadFile(filepath.Join(data, "audit.head"))
	if err != nil || string(got) != "3 hash\n" {
		t.Errorf("audit.head is %q: %v", got, err)
	}
}
