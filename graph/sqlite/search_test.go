package sqlite

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"procgraph/graph"
)

// worded stores tools whose descriptions have 20 words out of some, the first words in many and the last ones in few.
func worded(t *testing.T, store *Store, n int) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	err := store.write(t.Context(), func(t tx) error {
		for i := range n {
			tool := graph.Tool{Name: fmt.Sprintf("t%d", i), Class: graph.ReadOnly}
			for range 20 {
				tool.Description += fmt.Sprintf("w%d ", int(100*r.Float64()*r.Float64()*r.Float64()))
			}
			if err := t.putTool(tool); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestCommonWords checks that what is best stays so when common words do not lead, and explains the statements.
func TestCommonWords(t *testing.T) {
	store := open(t)
	worded(t, store, 2000)
	ran := &statements{seen: map[string]bool{}}
	for _, text := range []string{"w0 w90", "w0 w1 w85 w95", "w0", "w0 w1", "w0 w50 w80", "w2 w75"} {
		query := graph.SearchQuery{Words: strings.Fields(text), Documents: documentKinds, Limit: 10}
		err := store.read(t.Context(), func(read tx) error {
			read.trace = ran.add
			exact, err := read.search(query, 1_000_000)
			if err != nil {
				return err
			}
			bounded, err := read.search(query, 300)
			if len(exact) != 10 || len(bounded) != 10 {
				t.Fatalf("%q: %d and %d documents", text, len(exact), len(bounded))
			}
			if strings.ContainsAny(text, "789") { // a rare word leads
				if !slices.ContainsFunc(bounded[:3], func(m graph.Match) bool { return m.Key == exact[0].Key }) {
					t.Errorf("%q: the first are %+v, want %s", text, bounded[:3], exact[0].Key)
				}
				return err
			}
			for _, m := range bounded {
				tools, err := store.ToolsBy(t.Context(), []string{m.Key})
				if err != nil || len(tools.Items) != 1 {
					t.Fatalf("%s: %+v, error %v", m.Key, tools, err)
				}
				held := strings.Fields(tools.Items[0].Description)
				for _, word := range query.Words {
					if !slices.Contains(held, word) {
						t.Errorf("%q finds %s, which does not hold %q", text, m.Key, word)
					}
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := store.read(t.Context(), func(read tx) error {
		for statement := range ran.seen {
			err := read.query("EXPLAIN QUERY PLAN "+statement, func(r row) error {
				if step := r.text(3); strings.HasPrefix(step, "SCAN ") && !bounded(step) {
					t.Errorf("%s in\n%s", step, statement)
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// TestForgottenDocuments checks that nothing is left of documents that were replaced or removed.
func TestForgottenDocuments(t *testing.T) {
	store := open(t)
	worded(t, store, 50)
	worded(t, store, 50)
	err := store.write(t.Context(), func(t tx) error {
		for i := range 50 {
			tool := graph.Tool{Name: fmt.Sprintf("t%d", i), Description: fmt.Sprintf("now %d", i)}
			if err := t.putTool(tool); err != nil {
				return err
			}
		}
		return t.forgetDocuments(`procedure = 0 AND kind = 3 AND key = 't7'`)
	})
	if err != nil {
		t.Fatal(err)
	}
	for statement, want := range map[string]int{
		`SELECT count(*) FROM documents`:                                               49,
		`SELECT count(*) FROM word_places WHERE term = 'w0'`:                           0,
		`SELECT count(*) FROM words WHERE words MATCH 'w0'`:                            0,
		`SELECT count(*) FROM word_places`:                                             49 * 2,
		`SELECT count(*) FROM word_places WHERE term = 't8'`:                           1,
		`SELECT count(*) FROM word_places WHERE doc NOT IN (SELECT id FROM documents)`: 0,
	} {
		err := store.read(t.Context(), func(read tx) error {
			got, err := read.one(statement)
			if got != want {
				t.Errorf("%s answers %d, want %d", statement, got, want)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// found are matches without their scores, which depend a little on the order in which documents were made.
func found(matches []graph.Match) (list []string) {
	for _, m := range matches {
		list = append(list, fmt.Sprint(m.Document, " ", m.Key, " ", m.Procedure))
	}
	slices.Sort(list)
	return list
}

// TestDocumentsOfEarlierVersions makes the documents of a database that has none, with a stop in between.
func TestDocumentsOfEarlierVersions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "graph.db")
	store, err := Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	seed(t, store, documentBatch+100)
	again := sample(3)
	again.Key, again.Causes, again.Use.TriggerSignals = "again", []string{"a leaking umbrella", "when rows"}, []string{"rain"}
	if _, err := store.Capture(t.Context(), again); err != nil {
		t.Fatal(err)
	}
	questions := []string{"rows compare", "4", "cause 31", "umbrella", "rain", "tool 077", "detail"}
	ask := func(store *Store) (answers [][]graph.Match) {
		for _, text := range questions {
			query := graph.SearchQuery{Words: graph.Words(text), Documents: []graph.Document{
				graph.DocumentVariant, graph.DocumentCause, graph.DocumentTool,
			}, Limit: 5000}
			matches, err := store.Search(t.Context(), query)
			if err != nil {
				t.Fatal(err)
			}
			for i := range matches.Items {
				matches.Items[i].Score = 0
			}
			slices.SortFunc(matches.Items, func(a, b graph.Match) int { return strings.Compare(a.Key, b.Key) })
			answers = append(answers, matches.Items)
		}
		return answers
	}
	want := ask(store)
	err = store.write(t.Context(), func(t tx) error {
		for _, statement := range []string{
			`DROP TABLE word_places`, `DROP TABLE words`, `DROP TABLE documents`,
			`DROP TABLE undocumented`, `PRAGMA user_version = 1`,
		} {
			if err := t.exec(statement); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	// A start that ends after its first batches.
	writer := tx{conn: store.writer}
	if err := migrate(writer, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	for kind := range documentKinds {
		if _, err := writer.documentBatch(kind, ""); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	store = openAt(t, path)
	got := ask(store)
	for i, text := range questions {
		if len(want[i]) == 0 && text != "rain" || !slices.Equal(found(got[i]), found(want[i])) {
			t.Errorf("%q finds %d documents, want %d", text, len(got[i]), len(want[i]))
		}
	}
	for text, uses := range map[string]int{"umbrella": 1, "rain": 2} {
		query := graph.SearchQuery{Words: graph.Words(text), Documents: []graph.Document{graph.DocumentUse}, Limit: 10}
		if matches, err := store.Search(t.Context(), query); err != nil || len(matches.Items) != uses {
			t.Errorf("%q finds the uses %+v, error %v; want %d", text, matches.Items, err, uses)
		}
	}
}
