package sqlite

import (
	"errors"
	"testing"

	"procgraph/graph"
)

func TestPagesAreKeptUntilSomethingIsWritten(t *testing.T) {
	p, err := newPages()
	if err != nil {
		t.Fatal(err)
	}
	key, ok := keyOf(graph.ProcedureFilter{Offered: true}, graph.ByFrequency, graph.Page{First: 25})
	if !ok {
		t.Fatal("a plain list is not kept")
	}
	page := graph.ProcedurePage{Slice: graph.Slice[graph.Offer]{More: true}}
	read := func() bool { _, _, found := p.get(key); return found }
	keep := func() { _, writes, _ := p.get(key); p.put(key, writes, page) }

	if read() {
		t.Error("something is there at the start")
	}
	keep()
	if !read() {
		t.Error("nothing is kept")
	}
	if err := p.commit(func() error {
		if read() {
			t.Error("an answer is given while a commit is under way")
		}
		keep()
		return errors.New("rolled back")
	}); err == nil {
		t.Error("the error of a commit is lost")
	}
	if read() {
		t.Error("what was kept before a commit, or during it, is answered after it")
	}

	// A read that began before a commit and ends after it: what it saw may be older than the commit.
	_, writes, _ := p.get(key)
	_ = p.commit(func() error { return nil })
	p.put(key, writes, page)
	if read() {
		t.Error("a read that a commit overtook is kept")
	}

	big := graph.ProcedurePage{Slice: graph.Slice[graph.Offer]{Items: []graph.Offer{{Current: &graph.Variant{Code: string(make([]byte, keptCode+1))}}}}}
	_, writes, _ = p.get(key)
	p.put(key, writes, big)
	if read() {
		t.Error("a page with much code is kept")
	}
	for _, filter := range []graph.ProcedureFilter{{Tools: []string{"a"}}, {Causes: []string{"a"}}} {
		if _, ok := keyOf(filter, graph.ByFrequency, graph.Page{}); ok {
			t.Errorf("%+v is kept under the key of another filter", filter)
		}
	}
	if _, ok := keyOf(graph.ProcedureFilter{}, graph.ByFrequency, graph.Page{Count: true}); ok {
		t.Error("a counted page is kept under the key of one without its total")
	}
}
