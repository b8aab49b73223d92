package graphtest

import (
	"testing"

	"procgraph/graph"
)

// TestModel runs the suite on the model, so that a fault of the suite shows without a database.
func TestModel(t *testing.T) {
	Run(t, func(*testing.T) graph.Store { return newModel() })
}

func TestTwoModels(t *testing.T) {
	RunTwo(t, func(*testing.T) (a, b graph.Store) {
		m := newModel()
		return m, m
	})
}
