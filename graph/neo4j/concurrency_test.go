package neo4j

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"procgraph/graph"
)

// TestCapturesDoNotWait keeps a capture open and makes others of other procedures and causes over the same tools.
func TestCapturesDoNotWait(t *testing.T) {
	s := openEmpty(t)
	tools := []string{"a", "b", "c"}
	capture := func(ctx context.Context, name, cause string) error {
		c := testCapture(name, tools, []string{cause})
		c.Key = fmt.Sprint(name, time.Now().UnixNano())
		_, err := s.Capture(ctx, c)
		return err
	}
	for _, name := range []string{"known", "held"} {
		if err := capture(t.Context(), name, "cause of "+name); err != nil {
			t.Fatal(err)
		}
	}
	for _, held := range []string{"held", "held and new"} {
		err := s.transaction(t.Context(), func(tx neo4j.ExplicitTransaction) error {
			c := testCapture(held, tools, []string{"cause of " + held})
			c.Key = held
			statement, p := captureParams(c)
			setTry(p)
			if _, err := s.runIn(t.Context(), tx, statement, p); err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			if err := capture(ctx, "known", "cause of known"); err != nil {
				t.Errorf("a known procedure waits for %s: %v", held, err)
			}
			if err := capture(ctx, "new beside "+held, "new cause beside "+held); err != nil {
				t.Errorf("a new procedure waits for %s: %v", held, err)
			}
			if err := classifyOne(s, "elsewhere"); err != nil {
				t.Errorf("a trust write waits for %s: %v", held, err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestReadsAreOfOneMoment writes many tools in each change: whatever a read finds belongs to the head that it answers.
func TestReadsAreOfOneMoment(t *testing.T) {
	s := openEmpty(t)
	names := make([]string, 40)
	for i := range names {
		names[i] = fmt.Sprintf("tool%02d", i)
	}
	write := func() error {
		_, err := s.Commit(t.Context(), graph.FactQuery{}, func(f graph.Facts) (graph.Change, error) {
			tools := make([]graph.Tool, len(names))
			for i, name := range names {
				tools[i] = graph.Tool{Name: name, Class: graph.ReadOnly, DefinitionHash: fmt.Sprint(f.Head.Sequence + 1)}
			}
			return graph.ToolsWritten{Event: testEvent(f.Head, "all"), Tools: tools}, nil
		})
		return err
	}
	if err := write(); err != nil {
		t.Fatal(err)
	}
	var stop atomic.Bool
	var work sync.WaitGroup
	work.Go(func() {
		defer stop.Store(true)
		for range 200 {
			if err := write(); err != nil {
				t.Error(err)
				return
			}
		}
	})
	var reads atomic.Int64
	for range 3 {
		work.Go(func() {
			for !stop.Load() {
				found, err := s.ToolsBy(t.Context(), names)
				if err != nil {
					t.Error(err)
					return
				}
				reads.Add(1)
				want := fmt.Sprint(found.Head.Sequence)
				if i := slices.IndexFunc(found.Items, func(tool graph.Tool) bool { return tool.DefinitionHash != want }); i >= 0 {
					t.Errorf("with the head %s comes a tool of %s", want, found.Items[i].DefinitionHash)
					return
				}
			}
		})
	}
	work.Wait()
	t.Logf("%d reads", reads.Load())
}

// TestPositions compares what the statements make of numbers with what package graph makes of them.
func TestPositions(t *testing.T) {
	s := openEmpty(t)
	for i := range 12 {
		c := testCapture("positions", []string{"a"}, []string{"one", "two"})
		c.Key, c.At = fmt.Sprint(i), epoch.Add(time.Duration(i%7)*time.Hour)
		got, err := s.Capture(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		stored := must(t, s, `MATCH (p:Procedure)<-[u:INVESTIGATED_BY]-(c:Cause {name: 'one'}) RETURN p.rank, p.recent, u.ofProcedure, u.ofCause`, nil)
		p, use := got.Offer.Procedure, graph.Use{Cause: "one", ToolName: c.ToolName, Frequency: int64(i + 1)}
		want := []any{p.Position(graph.ByFrequency), p.Position(graph.ByUpdated), use.OfProcedure(), use.OfCause()}
		if !slices.Equal(stored, want) {
			t.Errorf("stored %q, want %q", stored, want)
		}
	}
}

// TestCapturesAgainstDeletion deletes a procedure again and again while it is captured: a capture finds it or makes it.
func TestCapturesAgainstDeletion(t *testing.T) {
	s := openEmpty(t)
	var stop atomic.Bool
	var work sync.WaitGroup
	var captured, deleted atomic.Int64
	for worker := range 4 {
		work.Go(func() {
			for i := 0; !stop.Load(); i++ {
				c := testCapture("doomed", []string{"a", "b"}, []string{"one", "two"})
				c.Variant.Code += fmt.Sprint("# ", worker)
				c.Variant.CodeHash = sum(c.Variant.Code)
				c.Key = fmt.Sprint(worker, " ", i/2) // each key twice
				if _, err := s.Capture(t.Context(), c); err != nil {
					t.Error(err)
					stop.Store(true)
				}
				captured.Add(1)
			}
		})
	}
	key := testCapture("doomed", nil, nil).ProcedureKey
	for range 60 {
		_, err := s.Commit(t.Context(), graph.FactQuery{}, func(f graph.Facts) (graph.Change, error) {
			return graph.ProcedureDeleted{Event: testEvent(f.Head, "doomed"), Key: key, At: epoch}, nil
		})
		switch {
		case err == nil:
			deleted.Add(1)
		case !errors.Is(err, graph.ErrNotFound):
			t.Error(err)
		}
		time.Sleep(5 * time.Millisecond)
	}
	stop.Store(true)
	work.Wait()
	left := must(t, s, `OPTIONAL MATCH (p:Procedure)
OPTIONAL MATCH (p)<-[u:INVESTIGATED_BY]-()
WITH count(DISTINCT p) AS procedures, coalesce(max(p.frequency), 0) - coalesce(sum(u.frequency), 0) AS lost
OPTIONAL MATCH (v:Variant) WHERE NOT EXISTS { (:Procedure {key: v.procedure})-[:HAS_VARIANT]->(v) }
RETURN procedures, lost, count(v) AS orphans`, nil)
	if left[0].(int64) > 1 || left[1] != int64(0) || left[2] != int64(0) {
		t.Errorf("procedures, lost uses and orphaned variants are %v", left)
	}
	if deleted.Load() == 0 {
		t.Error("nothing was deleted")
	}
	t.Logf("%d captures, %d deletions", captured.Load(), deleted.Load())
}
