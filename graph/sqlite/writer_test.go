package sqlite

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"procgraph/graph"
)

var errOfTest = errors.New("an error of the test")

// occupied keeps the writer busy until release is called, so that what is queued meanwhile becomes one group.
func occupied(t *testing.T, store *Store) (release func()) {
	t.Helper()
	started, leave := make(chan struct{}), make(chan struct{})
	go func() {
		_, _ = store.Commit(t.Context(), graph.FactQuery{}, func(graph.Facts) (graph.Change, error) {
			close(started)
			<-leave
			return nil, nil
		})
	}()
	<-started
	return sync.OnceFunc(func() { close(leave) })
}

// queued waits until n writes are in the queue.
func queued(t *testing.T, store *Store, n int) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); len(store.queue) < n; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d writes are queued", len(store.queue), n)
		}
	}
}

// TestGroup puts good and failing writes into one transaction: each failure is its own.
func TestGroup(t *testing.T) {
	store := open(t)
	release := occupied(t, store)
	defer release()
	var writes sync.WaitGroup
	for n := range 8 {
		writes.Go(func() {
			if _, err := store.Capture(t.Context(), sample(n)); err != nil {
				t.Errorf("capture %d: %v", n, err)
			}
		})
	}
	writes.Go(func() {
		c := sample(100)
		c.Signature = []string{"proc__nothing"}
		if _, err := store.Capture(t.Context(), c); !errors.Is(err, graph.ErrUnknownProcedure) {
			t.Errorf("a capture of a name of nothing: %v", err)
		}
	})
	writes.Go(func() {
		err := store.write(t.Context(), func(t tx) error {
			if _, err := t.capture(sample(101)); err != nil {
				return err
			}
			return errOfTest
		})
		if !errors.Is(err, errOfTest) {
			t.Errorf("a write that fails after it wrote: %v", err)
		}
	})
	writes.Go(func() {
		defer func() {
			if recover() == nil {
				t.Error("a panic does not reach its caller")
			}
		}()
		_, _ = store.Commit(t.Context(), graph.FactQuery{}, func(graph.Facts) (graph.Change, error) { panic("a fault") })
	})
	queued(t, store, 11)
	release()
	writes.Wait()
	n, err := store.CountProcedures(t.Context(), graph.ProcedureFilter{}, 100)
	if n != 8 || err != nil {
		t.Errorf("%d procedures, %v; want 8", n, err)
	}
}

// TestQueueOrder checks that writes run in the order of their arrival, and that who leaves the queue writes nothing.
func TestQueueOrder(t *testing.T) {
	store := open(t)
	release := occupied(t, store)
	defer release()
	var writes sync.WaitGroup
	var order []int // only the writer appends
	ctx, cancel := context.WithCancel(t.Context())
	for n := range 3 * groupLimit {
		writes.Go(func() {
			of := t.Context()
			if n%3 == 0 {
				of = ctx
			}
			err := store.write(of, func(tx) error { order = append(order, n); return nil })
			if left := n%3 == 0; left != errors.Is(err, graph.ErrUnavailable) || left != errors.Is(err, context.Canceled) {
				t.Errorf("write %d: %v", n, err)
			}
		})
		queued(t, store, n+1)
	}
	cancel()
	time.Sleep(20 * time.Millisecond)
	release()
	writes.Wait()
	if !slices.IsSorted(order) {
		t.Errorf("the order is %v", order)
	}
	if len(order) != 2*groupLimit {
		t.Errorf("%d writes ran, want %d", len(order), 2*groupLimit)
	}
}

func TestClosed(t *testing.T) {
	store := open(t)
	release := occupied(t, store)
	defer release()
	waiting := make(chan error)
	go func() {
		_, err := store.Capture(t.Context(), sample(1))
		waiting <- err
	}()
	queued(t, store, 1)
	closed := make(chan error)
	go func() { closed <- store.Close() }()
	if err := <-waiting; !errors.Is(err, graph.ErrUnavailable) {
		t.Errorf("a queued capture answers %v", err)
	}
	release()
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if _, err := store.Capture(t.Context(), sample(1)); !errors.Is(err, graph.ErrUnavailable) {
		t.Errorf("a capture after it answers %v", err)
	}
	if err := store.Ping(t.Context()); !errors.Is(err, graph.ErrUnavailable) {
		t.Errorf("a read after it answers %v", err)
	}
}

// TestDiskFull lets the database run full, and gives it room again.
func TestDiskFull(t *testing.T) {
	store := open(t)
	pages := func(limit int) {
		t.Helper()
		if err := store.write(t.Context(), func(t tx) error {
			return t.query(fmt.Sprintf("PRAGMA max_page_count = %d", limit), func(row) error { return nil })
		}); err != nil {
			t.Fatal(err)
		}
	}
	pages(60)
	stored := 0
	var full error
	for n := range 500 {
		if _, full = store.Capture(t.Context(), sample(n)); full != nil {
			break
		}
		stored++
	}
	if !errors.Is(full, graph.ErrUnavailable) || stored == 0 {
		t.Fatalf("after %d captures: %v", stored, full)
	}
	checkWhole(t, store)
	pages(1 << 20)
	if _, err := store.Capture(t.Context(), sample(stored)); err != nil {
		t.Errorf("with room again: %v", err)
	}
	n, err := store.CountProcedures(t.Context(), graph.ProcedureFilter{}, 1000)
	if n != stored+1 || err != nil {
		t.Errorf("%d procedures, %v; want %d", n, err, stored+1)
	}
	checkWhole(t, store)
}
