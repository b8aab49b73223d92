package graphtest

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"procgraph/graph"
)

var commitTests = []test{
	{"Chain", true, chain},
	{"FactsAreLocked", true, factsAreLocked},
	{"ErrorRollsBack", false, errorRollsBack},
	{"NilChangeWritesNothing", false, nilChange},
	{"EventHasToFollow", false, eventHasToFollow},
	{"FactsOfDecide", false, factsOfDecide},
	{"ReadsGoOnMeanwhile", false, readsGoOn},
	{"WaitingEndsWithItsContext", false, waitingEnds},
	{"CancelledWritesNothing", false, cancelledCommit},
	{"PanicFreesTheLock", false, panicFrees},
	{"Events", false, eventsTail},
}

// chain checks that commits at one moment get sequences without gaps, each linked to the one before it.
func chain(f *fixture) {
	const commits = 16
	var runs atomic.Int64
	heads := make([]graph.Head, commits)
	f.together(commits, func(worker int, store graph.Store) (err error) {
		heads[worker], err = store.Commit(f.Context(), graph.FactQuery{}, func(facts graph.Facts) (graph.Change, error) {
			runs.Add(1)
			name := fmt.Sprintf("tool_%02d", worker)
			return graph.ToolsWritten{Event: seal(facts.Head, "TOOLS_REGISTERED", name), Tools: []graph.Tool{tool(name)}}, nil
		})
		return err
	})
	events := read(f.store().Events(f.Context(), 0, 100)).or(f)
	if len(events) != commits {
		f.Fatalf("%d events, want %d", len(events), commits)
	}
	var previous graph.Head
	for i, e := range events {
		if e.Sequence != int64(i+1) || e.PreviousHash != previous.Hash {
			f.Errorf("event %d has the sequence %d and follows %q, want %d and %q", i, e.Sequence, e.PreviousHash, i+1, previous.Hash)
		}
		previous = graph.Head{Sequence: e.Sequence, Hash: e.Hash}
	}
	same(f, "head", f.head(), previous)
	answered := map[int64]string{}
	for _, h := range heads {
		answered[h.Sequence] = h.Hash
	}
	for _, e := range events {
		if answered[e.Sequence] != e.Hash {
			f.Errorf("no commit was told of event %d", e.Sequence)
		}
	}
	if len(f.tools()) != commits {
		f.Errorf("%d tools, want %d", len(f.tools()), commits)
	}
	for i := range f.stores {
		if head := read(f.at(i).Facts(f.Context(), graph.FactQuery{})).or(f).Head; head != previous {
			f.Errorf("store %d is at %v, want %v", i, head, previous)
		}
	}
}

// factsAreLocked counts in the text of a tool: a decision that rested on old facts would lose a count.
func factsAreLocked(f *fixture) {
	counter := tool("counter")
	counter.Description = "0"
	f.register(counter)
	const workers, each = 8, 4
	f.together(workers, func(_ int, store graph.Store) error {
		for range each {
			err := commitTo(f.Context(), store, graph.FactQuery{Names: []string{"counter"}}, func(facts graph.Facts) (graph.Change, error) {
				t := facts.Tools["counter"]
				n, err := strconv.Atoi(t.Description)
				if err != nil {
					return nil, err
				}
				t.Description = strconv.Itoa(n + 1)
				return graph.ToolsWritten{Event: seal(facts.Head, "TOOLS_REGISTERED", t.Name), Tools: []graph.Tool{t}}, nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if got := f.tools()[0].Description; got != strconv.Itoa(workers*each) {
		f.Errorf("counted %s, want %d", got, workers*each)
	}
}

func errorRollsBack(f *fixture) {
	f.registerNames("a")
	before := f.content()
	refused := errors.New("decided against it")
	change := func(facts graph.Facts) graph.Change {
		return graph.ToolsWritten{Event: seal(facts.Head, "TOOLS_REGISTERED", "b"), Tools: []graph.Tool{tool("b")}}
	}
	for _, kind := range []error{refused, graph.ErrConflict, graph.ErrNotFound, graph.ErrUnavailable, context.Canceled} {
		runs := 0
		_, err := f.store().Commit(f.Context(), graph.FactQuery{Names: []string{"a"}}, func(facts graph.Facts) (graph.Change, error) {
			runs++
			return change(facts), kind
		})
		if !errors.Is(err, kind) {
			f.Errorf("the error is %v, want %v as decide returned it", err, kind)
		}
		if runs != 1 {
			f.Errorf("decide ran %d times although it refused", runs)
		}
	}
	same(f, "content after errors", f.content(), before)
	f.commit(graph.FactQuery{}, func(facts graph.Facts) (graph.Change, error) { return change(facts), nil })
	if head := f.head(); head.Sequence != 2 {
		f.Errorf("the head is at %d, want 2", head.Sequence)
	}
}

func nilChange(f *fixture) {
	nothing := func(graph.Facts) (graph.Change, error) { return nil, nil }
	same(f, "head of an empty store", f.commit(graph.FactQuery{Admin: true}, nothing), graph.Head{})
	f.registerNames("a")
	before := f.content()
	same(f, "head", f.commit(graph.FactQuery{Names: []string{"a"}}, nothing), before.Head)
	same(f, "content", f.content(), before)
}

func eventHasToFollow(f *fixture) {
	f.registerNames("a")
	before := f.content()
	for what, wrong := range map[string]func(*graph.Event){
		"the sequence of the head": func(e *graph.Event) { e.Sequence-- },
		"a gap":                    func(e *graph.Event) { e.Sequence++ },
		"no sequence":              func(e *graph.Event) { e.Sequence = 0 },
		"another previous hash":    func(e *graph.Event) { e.PreviousHash = hash("another") },
		"no previous hash":         func(e *graph.Event) { e.PreviousHash = "" },
	} {
		_, err := f.store().Commit(f.Context(), graph.FactQuery{}, func(facts graph.Facts) (graph.Change, error) {
			event := seal(facts.Head, "TOOLS_REGISTERED", "b")
			wrong(&event)
			return graph.ToolsWritten{Event: event, Tools: []graph.Tool{tool("b")}}, nil
		})
		if err == nil {
			f.Errorf("a change with %s was written", what)
		}
		for _, kind := range []error{graph.ErrNotFound, graph.ErrConflict, graph.ErrUnavailable, graph.ErrUnknownProcedure} {
			f.refuseError(what, err, kind)
		}
	}
	same(f, "content", f.content(), before)
}

// factsOfDecide checks that decide sees what a read sees.
func factsOfDecide(f *fixture) {
	world(f)
	query := graph.FactQuery{
		Names: []string{"a", nameOf("a", "b"), "absent"}, CodeHashes: []string{hash("outer"), hash("absent")}, Dependents: true, Admin: true,
	}
	want := read(f.store().Facts(f.Context(), query)).or(f)
	f.commit(query, func(facts graph.Facts) (graph.Change, error) {
		f.checkTimes(facts)
		sameFacts(f, "facts of decide", facts, want)
		return nil, nil
	})
}

func readsGoOn(f *fixture) {
	f.registerNames("a")
	before := f.content()
	f.commit(graph.FactQuery{}, func(facts graph.Facts) (graph.Change, error) {
		// Nothing of the commit shows, and no reader waits for it.
		same(f, "content during a commit", f.content(), before)
		return graph.ToolsWritten{Event: seal(facts.Head, "TOOLS_REGISTERED", "b"), Tools: []graph.Tool{tool("b")}}, nil
	})
	if len(f.tools()) != 2 {
		f.Errorf("%d tools, want 2", len(f.tools()))
	}
}

func waitingEnds(f *fixture) {
	inside, leave, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		first := true
		_, err := f.store().Commit(f.Context(), graph.FactQuery{}, func(facts graph.Facts) (graph.Change, error) {
			if first {
				first = false
				close(inside)
				<-leave
			}
			return graph.ToolsWritten{Event: seal(facts.Head, "TOOLS_REGISTERED", "a"), Tools: []graph.Tool{tool("a")}}, nil
		})
		done <- err
	}()
	<-inside
	waiting, cancel := context.WithTimeout(f.Context(), 50*time.Millisecond)
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		ended <- commitTo(waiting, f.store(), graph.FactQuery{}, func(facts graph.Facts) (graph.Change, error) {
			return graph.ToolsWritten{Event: seal(facts.Head, "TOOLS_REGISTERED", "b"), Tools: []graph.Tool{tool("b")}}, nil
		})
	}()
	select {
	case err := <-ended:
		if err == nil {
			f.Error("a commit passed one that holds the lock")
		}
	case <-time.After(10 * time.Second):
		f.Error("a waiting commit does not end with its context")
	}
	close(leave)
	if err := <-done; err != nil {
		f.Errorf("the first commit: %v", err)
	}
	if tools := f.tools(); len(tools) != 1 || tools[0].Name != "a" {
		f.Errorf("tools %+v, want those of the first commit", tools)
	}
}

func cancelledCommit(f *fixture) {
	f.registerNames("a")
	before := f.content()
	write := func(name string) func(graph.Facts) (graph.Change, error) {
		return func(facts graph.Facts) (graph.Change, error) {
			return graph.ToolsWritten{Event: seal(facts.Head, "TOOLS_REGISTERED", name), Tools: []graph.Tool{tool(name)}}, nil
		}
	}
	cancelled, cancel := context.WithCancel(f.Context())
	cancel()
	if err := commitTo(cancelled, f.store(), graph.FactQuery{}, write("b")); err == nil {
		f.Error("a commit with a cancelled context succeeded")
	}
	same(f, "content after it", f.content(), before)
	// Cancelled while it decides, it may still succeed, but says so.
	during, stop := context.WithCancel(f.Context())
	if err := commitTo(during, f.store(), graph.FactQuery{}, func(facts graph.Facts) (graph.Change, error) {
		stop()
		return write("b")(facts)
	}); err != nil {
		same(f, "content after a commit that was cancelled", f.content(), before)
	} else if f.head().Sequence != 2 || len(f.tools()) != 2 {
		f.Error("an acknowledged change is not stored")
	}
	// Cut short at any moment, the change and its event are both there or neither is.
	for i := range 30 {
		short, end := context.WithTimeout(f.Context(), time.Duration(i)*200*time.Microsecond)
		err := commitTo(short, f.store(), graph.FactQuery{}, write(fmt.Sprintf("cut_%02d", i)))
		end()
		tools, head := len(f.tools()), f.head().Sequence
		if int64(tools) != head {
			f.Fatalf("%d tools at the head %d: a change is half stored", tools, head)
		}
		if e := read(f.store().Events(f.Context(), 0, 100)).or(f); int64(len(e)) != head {
			f.Fatalf("%d events at the head %d", len(e), head)
		}
		if found := read(f.store().ToolsBy(f.Context(), []string{fmt.Sprintf("cut_%02d", i)})).or(f).Items; err == nil && len(found) == 0 {
			f.Error("an acknowledged change is not stored")
		}
	}
}

// panicFrees checks that a decision that panics, which a server recovers from, blocks nobody.
func panicFrees(f *fixture) {
	func() {
		defer func() { _ = recover() }()
		_, _ = f.store().Commit(f.Context(), graph.FactQuery{}, func(graph.Facts) (graph.Change, error) { panic("a fault of decide") })
	}()
	ctx, cancel := context.WithTimeout(f.Context(), 10*time.Second)
	defer cancel()
	if err := commitTo(ctx, f.store(), graph.FactQuery{}, func(facts graph.Facts) (graph.Change, error) {
		return graph.ToolsWritten{Event: seal(facts.Head, "TOOLS_REGISTERED", "a"), Tools: []graph.Tool{tool("a")}}, nil
	}); err != nil {
		f.Errorf("a commit after a panic: %v", err)
	}
}

func eventsTail(f *fixture) {
	if e := read(f.store().Events(f.Context(), 0, 10)).or(f); len(e) > 0 {
		f.Errorf("an empty chain has events %+v", e)
	}
	var want []graph.Event
	for i := range 7 {
		head := f.commit(graph.FactQuery{}, func(facts graph.Facts) (graph.Change, error) {
			event := seal(facts.Head, fmt.Sprintf("ACTION_%d", i), fmt.Sprintf("subject %d", i))
			want = append(want, event)
			return graph.ToolsWritten{Event: event, Tools: []graph.Tool{tool("a")}}, nil
		})
		want = append(want[:i], want[len(want)-1]) // decide may have run again
		same(f, "head", head, graph.Head{Sequence: want[i].Sequence, Hash: want[i].Hash})
	}
	for _, c := range []struct {
		after int64
		limit int
		want  []graph.Event
	}{
		{0, 100, want}, {0, 7, want}, {0, 3, want[:3]}, {3, 3, want[3:6]}, {6, 3, want[6:]}, {7, 3, nil}, {99, 3, nil}, {2, 0, nil},
	} {
		same(f, fmt.Sprintf("%d events after %d", c.limit, c.after), read(f.store().Events(f.Context(), c.after, c.limit)).or(f), c.want)
	}
}
