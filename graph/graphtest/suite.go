// Package graphtest is the conformance suite of graph.Store: every backend runs it, and each sentence of the contract
// has a test in it. Identity and concurrency come first, because everything else rests on them.
package graphtest

import (
	"testing"

	"procgraph/graph"
)

// Run tests a backend. open answers an empty store, and closes it when the test ends; it is called once for each
// subtest, and only one of its stores is in use at a time.
func Run(t *testing.T, open func(t *testing.T) graph.Store) {
	run(t, false, func(t *testing.T) []graph.Store { return []graph.Store{open(t)} })
}

// RunTwo tests two stores on one database, as two servers have them: what runs in parallel is spread over both.
func RunTwo(t *testing.T, open func(t *testing.T) (a, b graph.Store)) {
	run(t, true, func(t *testing.T) []graph.Store {
		a, b := open(t)
		return []graph.Store{a, b}
	})
}

func run(t *testing.T, parallelOnly bool, open func(t *testing.T) []graph.Store) {
	for _, g := range groups {
		t.Run(g.name, func(t *testing.T) {
			for _, c := range g.tests {
				if parallelOnly && !c.parallel {
					continue
				}
				t.Run(c.name, func(t *testing.T) {
					c.run(&fixture{T: t, stores: open(t)})
				})
			}
		})
	}
}

// test is one named subtest. Those that write in parallel also run on two stores.
type test struct {
	name     string
	parallel bool
	run      func(f *fixture)
}

type group struct {
	name  string
	tests []test
}

var groups = []group{
	{"Identity", identityTests},
	{"Keys", keyTests},
	{"Names", nameTests},
	{"Capture", captureTests},
	{"Commit", commitTests},
	{"Changes", changeTests},
	{"Facts", factTests},
	{"Hints", hintTests},
	{"Pages", pageTests},
	{"Reads", readTests},
	{"Search", searchTests},
	{"Explore", exploreTests},
	{"Import", importTests},
	{"Random", randomTests},
}
