package trust_test

import (
	"testing"
	"time"

	"procgraph/graph"
	"procgraph/trust"
)

func chain(t *testing.T, n int) []graph.Event {
	t.Helper()
	var head graph.Head
	var events []graph.Event
	for i := range n {
		e, err := trust.Seal(head, time.UnixMilli(int64(1000+i)), "admin", "tools.registered", "read_log",
			map[string]any{"b": i, "a": []string{"x", "y"}})
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
		head = graph.Head{Sequence: e.Sequence, Hash: e.Hash}
	}
	return events
}

func TestChainIsWhole(t *testing.T) {
	events := chain(t, 5)
	head, err := trust.VerifyChain(graph.Head{}, events)
	if err != nil || head.Sequence != 5 || head.Hash != events[4].Hash {
		t.Fatalf("head %v, error %v", head, err)
	}
	if string(events[0].Details) != `{"a":["x","y"],"b":0}` {
		t.Errorf("details are not canonical: %s", events[0].Details)
	}
}

func TestEveryChangeBreaksTheChain(t *testing.T) {
	changes := map[string]func(*graph.Event){
		"sequence": func(e *graph.Event) { e.Sequence++ },
		"time":     func(e *graph.Event) { e.At = e.At.Add(time.Millisecond) },
		"actor":    func(e *graph.Event) { e.Actor = "mallory" },
		"action":   func(e *graph.Event) { e.Action = "x" },
		"subject":  func(e *graph.Event) { e.Subject = "x" },
		"moved boundary between fields": func(e *graph.Event) {
			e.Actor, e.Action = e.Actor+e.Action[:1], e.Action[1:]
		},
		"details":       func(e *graph.Event) { e.Details = []byte(`{}`) },
		"hash":          func(e *graph.Event) { e.Hash = e.PreviousHash },
		"previous hash": func(e *graph.Event) { e.PreviousHash = e.Hash },
	}
	for name, change := range changes {
		events := chain(t, 4)
		change(&events[2])
		if _, err := trust.VerifyChain(graph.Head{}, events); err == nil {
			t.Errorf("a changed %s is not noticed", name)
		}
	}
	events := chain(t, 4)
	if _, err := trust.VerifyChain(graph.Head{}, append(events[:1:1], events[2:]...)); err == nil {
		t.Error("a removed event is not noticed")
	}
}
