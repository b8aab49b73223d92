package graph_test

import (
	"slices"
	"testing"
	"time"

	"procgraph/graph"
)

func TestPositionsSortAndTellTheName(t *testing.T) {
	at := time.UnixMilli(1_700_000_000_000)
	inOrder := []graph.Procedure{
		{Frequency: 1 << 60, ToolName: "beyond the greatest count"},
		{Frequency: 9_999_999_999, ToolName: "the greatest count"},
		{Frequency: 10, LastUsedAt: at.Add(time.Millisecond), ToolName: "proc__z"},
		{Frequency: 10, LastUsedAt: at, ToolName: "a:b:c"},
		{Frequency: 10, LastUsedAt: at, ToolName: "proc__b"},
		{Frequency: 9, LastUsedAt: at.Add(time.Hour), ToolName: "proc__a"},
		{Frequency: 0, LastUsedAt: at, ToolName: "never"},
		{Frequency: -1, LastUsedAt: time.UnixMilli(-5), ToolName: "below nothing"},
	}
	var ranks []string
	for _, p := range inOrder {
		p.UpdatedAt = p.LastUsedAt
		ranks = append(ranks, p.Position(graph.ByFrequency))
		for _, order := range []graph.ProcedureOrder{graph.ByFrequency, graph.ByUpdated, graph.ByName} {
			position := p.Position(order)
			if name := order.NameAt(position); name != p.ToolName {
				t.Errorf("%s: the position %q tells the name %q", order, position, name)
			}
		}
	}
	if !slices.IsSorted(ranks) {
		t.Errorf("not in order: %q", ranks)
	}
	for rank, want := range map[string]string{
		graph.Rank(3, at, "x"):                             "9999999996:8299999999999:x",
		graph.Rank(0, time.UnixMilli(0), "x"):              "9999999999:9999999999999:x",
		graph.Rank(9_999_999_999, at, "x"):                 "0000000000:8299999999999:x",
		graph.Recent(time.UnixMilli(1<<52), "x"):           "0000000000000:x",
		graph.Use{Frequency: 12, Cause: "c"}.OfProcedure(): "9999999987:c",
	} {
		if rank != want {
			t.Errorf("%q, want %q", rank, want)
		}
	}
}
