package neo4j

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"procgraph/graph"
)

// TestWordsOfEarlierVersions opens a database in which some nodes and relations have words and most have none.
func TestWordsOfEarlierVersions(t *testing.T) {
	s := openEmpty(t)
	c := testCapture("earlier", []string{"kettle", "spoon"}, []string{"a job has failed"})
	again := c
	again.Causes, again.Use.TriggerSignals = []string{"a leaking umbrella", "a job has failed"}, []string{"rain"}
	for _, capture := range []graph.Capture{c, again} {
		if _, err := s.Capture(t.Context(), capture); err != nil {
			t.Fatal(err)
		}
	}
	if err := classifyOne(s, "newcomer"); err != nil {
		t.Fatal(err)
	}
	ask := func(s *Store) (answers []string) {
		for _, text := range []string{"newest lines", "leaking", "rain", "failed", "kettle", "newcomer"} {
			matches, err := s.Search(t.Context(), graph.SearchQuery{Words: graph.Words(text), Limit: 100, Documents: []graph.Document{
				graph.DocumentVariant, graph.DocumentUse, graph.DocumentCause, graph.DocumentTool,
			}})
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range matches.Items {
				answers = append(answers, fmt.Sprintf("%s: %s %s", text, m.Document, m.Key))
			}
		}
		slices.Sort(answers)
		return answers
	}
	want := ask(s)
	must(t, s, `MATCH (n:Variant|Cause|Tool) WHERE n.name IS NULL OR n.name <> 'kettle' REMOVE n.words`, nil)
	must(t, s, `MATCH ()-[u:INVESTIGATED_BY]->() REMOVE u.words`, nil)
	must(t, s, `MATCH (s:Schema) SET s.version = 1`, nil)
	if left := ask(s); !slices.Equal(left, []string{"kettle: TOOL kettle"}) {
		t.Fatalf("without words %q are found", left)
	}
	s, err := openAgain(t)
	if err != nil {
		t.Fatal(err)
	}
	if got := ask(s); !slices.Equal(got, want) || len(got) < 8 {
		t.Errorf("found are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if err := s.Ping(t.Context()); err != nil {
		t.Error(err)
	}
}
