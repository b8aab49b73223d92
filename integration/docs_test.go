package integration

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// Every query of the docs works as written on the demonstration graph.
func TestQueriesOfTheDocs(t *testing.T) {
	pages, err := filepath.Glob("../docs/*.md")
	if err != nil || len(pages) < 2 {
		t.Fatalf("pages %v, error %v", pages, err)
	}
	s := start(t, "", "--demo")
	queries := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		blocks := regexp.MustCompile("(?s)```graphql\n(.*?)```").FindAllStringSubmatch(string(text), -1)
		queries += len(blocks)
		for _, block := range blocks {
			got, err := s.ask(block[1], map[string]any{})
			if err != nil || len(got.Errors) > 0 {
				t.Errorf("%s: %v %+v\n%s", page, err, got.Errors, block[1])
			}
		}
	}
	if queries < 18 {
		t.Errorf("only %d queries were found", queries)
	}
}
