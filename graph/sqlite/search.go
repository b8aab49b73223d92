package sqlite

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"procgraph/graph"
)

// manyPlaces is from how many places on a word is common: it counts for the documents that rarer words or several common
// ones lead to, and for those that were read. So a search reads a bounded number of places for each word.
const manyPlaces = 1_000

// The parameters of BM25, as Lucene has them.
const (
	saturation    = 1.2
	lengthMatters = 0.75
)

// Search answers the documents that hold some of the words, and what has the exact name.
func (s *Store) Search(ctx context.Context, query graph.SearchQuery) (graph.Matches, error) {
	var matches graph.Matches
	err := s.read(ctx, func(t tx) (err error) {
		if matches.Items, err = t.search(query, manyPlaces); err != nil {
			return err
		}
		if matches.Exact, err = t.exactly(query.Name); err != nil {
			return err
		}
		matches.Head, err = t.head()
		return err
	})
	return matches, err
}

// word is one of a search with the documents that hold it.
type word struct {
	text  string
	times map[documentID]float64 // how often it is in a document; of a common word, in the first documents only
	many  bool                   // there are more places than were read
	in    float64                // in how many documents it is; of a common word, an estimate
}

func (t tx) search(query graph.SearchQuery, many int) ([]graph.Match, error) {
	if len(query.Words) == 0 || len(query.Documents) == 0 || query.Limit <= 0 {
		return nil, nil
	}
	r := ranking{many: many, scores: map[documentID]float64{}}
	if err := r.measure(t); err != nil {
		return nil, err
	}
	if query.All {
		err := r.holdAll(t, query)
		if err != nil {
			return nil, err
		}
	} else if err := r.rank(t, query); err != nil {
		return nil, err
	}
	matches, err := t.matches(r.best(query))
	slices.SortFunc(matches, func(a, b graph.Match) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Document, b.Document), cmp.Compare(a.Key, b.Key),
			cmp.Compare(a.Procedure, b.Procedure))
	})
	return matches, err
}

// ranking gives documents their scores.
type ranking struct {
	many      int
	documents float64 // how many were ever made
	length    float64 // of a usual one, in words
	scores    map[documentID]float64
}

// measured is from how many documents, the newest ones, the usual length is taken.
const measured = 200

func (r *ranking) measure(t tx) error {
	total, words := 0, int64(0)
	err := t.query(`SELECT id FROM documents WHERE id > 0 ORDER BY id DESC LIMIT +?`, func(row row) error {
		id := documentID(row.int(0))
		if total == 0 {
			r.documents = float64(id.number())
		}
		total++
		words += id.length()
		return nil
	}, measured)
	r.length = float64(words) / float64(max(total, 1))
	return err
}

// holdAll finds documents that hold all the words, the first of them; for all the same score.
func (r *ranking) holdAll(t tx, query graph.SearchQuery) error {
	words := make([]word, len(query.Words))
	for i, text := range query.Words {
		words[i].text = text
	}
	kinds := make([]string, len(query.Documents))
	for i, document := range query.Documents {
		kinds[i] = strconv.Itoa(slices.Index(documentKinds, document))
	}
	return t.query(`SELECT rowid FROM words WHERE words MATCH ?1 AND CAST(rowid >> ?3 & ?4 AS TEXT) IN (SELECT value FROM json_each(?2))
		LIMIT +?5`, func(row row) error {
		r.scores[documentID(row.int(0))] = 1
		return nil
	}, joined(words, " AND "), kinds, lengthBits, 1<<kindBits-1, query.Limit)
}

func (r *ranking) rank(t tx, query graph.SearchQuery) error {
	var leading, common []word
	for _, text := range query.Words {
		w, err := r.look(t, text)
		if err != nil {
			return err
		}
		if w.many {
			common = append(common, w)
		} else if len(w.times) > 0 {
			leading = append(leading, w)
		}
	}
	slices.SortStableFunc(common, func(a, b word) int { return cmp.Compare(a.in, b.in) })
	if len(leading) == 0 {
		if err := r.addTogether(t, common, query.Limit); err != nil {
			return err
		}
	} else {
		for _, w := range common {
			if err := w.addLed(t, leading); err != nil {
				return err
			}
		}
	}
	for _, w := range append(leading, common...) {
		for id, times := range w.times {
			r.scores[id] += r.score(id, w.in, times)
		}
	}
	return nil
}

// look reads the places of a word. Documents come by number, so where the reading stops tells about how many there are.
func (r *ranking) look(t tx, text string) (word, error) {
	w := word{text: text, times: map[documentID]float64{}}
	places, last := 0, documentID(0)
	err := t.query(`SELECT doc FROM word_places WHERE term = ? LIMIT +?`, func(row row) error {
		last = documentID(row.int(0))
		w.times[last]++
		places++
		return nil
	}, text, r.many)
	w.many, w.in = places == r.many, float64(len(w.times))
	if w.many {
		w.in = min(w.in*r.documents/float64(last.number()), r.documents)
	}
	return w, err
}

// addTogether adds documents that hold several common words: all of them, and if these are too few, all but the most
// common one, and so on.
func (r *ranking) addTogether(t tx, common []word, enough int) error {
	for n := len(common); n >= 2; n-- {
		found := 0
		err := t.query(`SELECT rowid FROM words WHERE words MATCH ? LIMIT +?`, func(row row) error {
			found++
			for _, w := range common[:n] {
				w.hold(documentID(row.int(0)))
			}
			return nil
		}, joined(common[:n], " AND "), r.many)
		if err != nil || found >= enough {
			return err
		}
	}
	return nil
}

// addLed adds the documents that a leading word is in, too.
func (w word) addLed(t tx, leading []word) error {
	return t.query(`SELECT rowid FROM words WHERE words MATCH ?`, func(r row) error {
		w.hold(documentID(r.int(0)))
		return nil
	}, "("+joined(leading, " OR ")+") AND "+quoted(w.text))
}

// hold adds a document that holds the word. How often is not asked: it matters little.
func (w word) hold(id documentID) {
	if w.times[id] == 0 {
		w.times[id] = 1
	}
}

func joined(words []word, by string) string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = quoted(w.text)
	}
	return strings.Join(list, by)
}

// quoted makes a text one word of a query, whatever it holds.
func quoted(text string) string { return `"` + strings.ReplaceAll(text, `"`, `""`) + `"` }

// score is what BM25 gives a document for holding a word some times, when so many documents hold it.
func (r *ranking) score(id documentID, in, times float64) float64 {
	rarity := math.Log(1 + (r.documents-in+0.5)/(in+0.5))
	length := float64(id.length()) / r.length
	return rarity * times / (times + saturation*(1-lengthMatters+lengthMatters*length))
}

// scored is a document with its score.
type scored struct {
	id    documentID
	score float64
}

// best are the documents that are asked for, the best first.
func (r *ranking) best(query graph.SearchQuery) []scored {
	list := make([]scored, 0, len(r.scores))
	for id, score := range r.scores {
		if slices.Contains(query.Documents, id.document()) {
			list = append(list, scored{id, score})
		}
	}
	slices.SortFunc(list, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.id, b.id))
	})
	return list[:min(len(list), query.Limit)]
}

func (t tx) matches(best []scored) ([]graph.Match, error) {
	list, scores := make([]string, len(best)), make(map[documentID]float64, len(best))
	for i, s := range best {
		list[i], scores[s.id] = strconv.FormatInt(int64(s.id), 10), s.score
	}
	matches := make([]graph.Match, 0, len(best))
	err := t.query(`SELECT d.id, d.key, coalesce(p.key, '') FROM json_each(?) j CROSS JOIN documents d ON d.id = j.value
		LEFT JOIN procedures p ON p.id = d.procedure`, func(r row) error {
		id := documentID(r.int(0))
		matches = append(matches, graph.Match{Document: id.document(), Key: r.text(1), Procedure: r.text(2), Score: scores[id]})
		return nil
	}, list)
	return matches, err
}

// exactly answers what has a name, by kind.
func (t tx) exactly(name string) (refs []graph.NodeRef, err error) {
	if name == "" {
		return nil, nil
	}
	err = t.query(`SELECT 'CAUSE', name FROM causes WHERE name = ?1
		UNION ALL SELECT 'PROCEDURE', key FROM procedures WHERE tool_name = ?1
		UNION ALL SELECT 'TOOL', name FROM tools WHERE name = ?1
		UNION ALL SELECT 'VARIANT', code_hash FROM variants WHERE code_hash = ?1`,
		func(r row) error {
			refs = append(refs, graph.NodeRef{Kind: graph.NodeKind(r.text(0)), Key: r.text(1)})
			return nil
		}, name)
	return refs, err
}
