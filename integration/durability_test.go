package integration

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"procgraph/graph"
	"procgraph/graph/neo4j"
	"procgraph/graph/sqlite"
	"procgraph/integration/neo4jtest"
	"procgraph/trust"
)

// A server that is killed in the middle of captures and trust writes has lost nothing that it answered, has nothing
// half, and its chain is whole.
func TestKillLosesNothingAcknowledged(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) {
		killed := killUnderLoad(t, start(t, ""))
		store, err := sqlite.Open(t.Context(), filepath.Join(killed.data, "procgraph.db"), slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		killed.verifyChain(store)
		killed.verify(start(t, killed.data))
	})
	t.Run("neo4j", func(t *testing.T) {
		database := neo4jtest.Start(t)
		args := neo4jEmpty(t, database)
		killed := killUnderLoad(t, start(t, "", args...))
		store, err := neo4j.Open(t.Context(), neo4j.Options{URI: database.URI, User: database.User, Password: database.Password, Database: "neo4j"},
			slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		killed.verifyChain(store)
		killed.verify(start(t, killed.data, args...))
	})
}

type acknowledged struct {
	*server
	mu       sync.Mutex
	captures map[string]int    // by tool name
	statuses map[string]string // by code hash
}

func killUnderLoad(t *testing.T, s *server) *acknowledged {
	s.register("READ_ONLY", "a", "b")
	k := &acknowledged{server: s, captures: map[string]int{}, statuses: map[string]string{}}
	var group sync.WaitGroup
	var done atomic.Int64
	for worker := range 8 {
		group.Go(func() {
			for i := 0; ; i++ {
				code := fmt.Sprintf("x = %d\nawait tools.a()\nawait tools.b()\nawait tools.t%d()", i, worker%3)
				a, err := s.ask(captureMutation, capture(code, "load"))
				var c captured
				if err != nil || len(a.Errors) > 0 || json.Unmarshal(a.Data, &c) != nil {
					return
				}
				k.mu.Lock()
				k.captures[c.CaptureProcedure.Procedure.ToolName]++
				k.mu.Unlock()
				hash := c.CaptureProcedure.Variant.CodeHash
				if a, err = s.ask(approveMutation, map[string]any{"h": hash}); err != nil || len(a.Errors) > 0 {
					return
				}
				k.mu.Lock()
				k.statuses[hash] = "APPROVED"
				k.mu.Unlock()
				done.Add(1)
			}
		})
	}
	deadline := time.Now().Add(time.Minute)
	for done.Load() < 150 && time.Now().Before(deadline) {
		time.Sleep(5 * time.Millisecond)
	}
	s.kill()
	group.Wait()
	if done.Load() < 150 {
		t.Fatalf("only %d writes in a minute: %s", done.Load(), s.log)
	}
	return k
}

func (k *acknowledged) verifyChain(store graph.Store) {
	k.Helper()
	var head graph.Head
	for {
		events, err := store.Events(k.Context(), head.Sequence, 500)
		if err != nil {
			k.Fatal(err)
		}
		if len(events) == 0 {
			break
		}
		if head, err = trust.VerifyChain(head, events); err != nil {
			k.Fatal(err)
		}
	}
	facts, err := store.Facts(k.Context(), graph.FactQuery{})
	if err != nil || facts.Head != head {
		k.Errorf("the head is %v, the chain ends at %v: %v", facts.Head, head, err)
	}
	if err := store.Close(); err != nil {
		k.Fatal(err)
	}
}

func (k *acknowledged) verify(again *server) {
	k.Helper()
	for name, count := range k.captures {
		var got struct {
			Procedure struct {
				Frequency int
				Signature []string
				Tools     struct{ Nodes []struct{ Name string } }
				Uses      struct{ Nodes []struct{ Frequency int } }
			}
		}
		again.get(&got, `query($n:String!){procedure(toolName:$n){frequency signature tools{nodes{name}} uses{nodes{frequency}}}}`, map[string]any{"n": name})
		p := got.Procedure
		// A write that was under way may be there without having been acknowledged.
		if p.Frequency < count || p.Frequency > count+8 || len(p.Uses.Nodes) != 1 || p.Uses.Nodes[0].Frequency != p.Frequency ||
			len(p.Tools.Nodes) != len(p.Signature) {
			k.Errorf("%s: %d acknowledged, stored %+v", name, count, p)
		}
	}
	for hash, status := range k.statuses {
		var got struct{ Variant struct{ Status string } }
		again.get(&got, `query($h:String!){variant(codeHash:$h){status}}`, map[string]any{"h": hash})
		if got.Variant.Status != status {
			k.Errorf("%s is %q, acknowledged as %s", hash, got.Variant.Status, status)
		}
	}
}
