package graphtest

import (
	"cmp"
	"context"
	"math"
	"slices"

	"procgraph/graph"
)

// Search ranks by BM25, as the stores do, so that the tests of the order hold for it too; random tests compare no scores.
func (m *model) Search(ctx context.Context, query graph.SearchQuery) (graph.Matches, error) {
	if err := m.lock(ctx); err != nil {
		return graph.Matches{}, err
	}
	defer m.mu.Unlock()
	answer := graph.Matches{Exact: m.exactly(query.Name), Head: m.head}
	documents := m.documents()
	for match, words := range documents {
		if query.All && slices.ContainsFunc(query.Words, func(word string) bool { return !slices.Contains(words, word) }) {
			continue
		}
		for _, word := range query.Words {
			match.Score += bm25(word, words, documents)
		}
		if match.Score > 0 && slices.Contains(query.Documents, match.Document) {
			answer.Items = append(answer.Items, match)
		}
	}
	slices.SortFunc(answer.Items, func(a, b graph.Match) int { return cmp.Or(cmp.Compare(b.Score, a.Score), byPlace(a, b)) })
	answer.Items = answer.Items[:min(len(answer.Items), query.Limit)]
	return answer, nil
}

// documents are the words of all documents.
func (m *model) documents() map[graph.Match][]string {
	all := map[graph.Match][]string{}
	put := func(document graph.Document, key, procedure string, words []string) {
		all[graph.Match{Document: document, Key: key, Procedure: procedure}] = words
	}
	for _, v := range m.variants {
		put(graph.DocumentVariant, v.CodeHash, v.Procedure, v.Words())
	}
	for r := range m.documented {
		put(graph.DocumentUse, r.cause, r.procedure, graph.Words(append([]string{r.cause}, m.uses[r].TriggerSignals...)...))
	}
	for _, c := range m.causes {
		put(graph.DocumentCause, c.Name, "", graph.Words(c.Name, c.Description))
	}
	for _, t := range m.tools {
		put(graph.DocumentTool, t.Name, "", graph.Words(t.Name, t.Description))
	}
	return all
}

// bm25 is how much a word counts for a document among all.
func bm25(word string, words []string, documents map[graph.Match][]string) float64 {
	times := count(words, word)
	if times == 0 {
		return 0
	}
	holding, length := 0.0, 0.0
	for _, each := range documents {
		length += float64(len(each))
		if slices.Contains(each, word) {
			holding++
		}
	}
	n := float64(len(documents))
	return math.Log(1+(n-holding+0.5)/(holding+0.5)) * times / (times + 1.2*(0.25+0.75*float64(len(words))*n/length))
}

func count(words []string, word string) (n float64) {
	for _, each := range words {
		if each == word {
			n++
		}
	}
	return n
}

func (m *model) exactly(name string) (refs []graph.NodeRef) {
	if _, ok := m.causes[name]; ok {
		refs = append(refs, graph.NodeRef{Kind: graph.KindCause, Key: name})
	}
	if p, ok := m.named(name); ok {
		refs = append(refs, graph.NodeRef{Kind: graph.KindProcedure, Key: p.Key})
	}
	if _, ok := m.tools[name]; ok {
		refs = append(refs, graph.NodeRef{Kind: graph.KindTool, Key: name})
	}
	if _, ok := m.variants[name]; ok {
		refs = append(refs, graph.NodeRef{Kind: graph.KindVariant, Key: name})
	}
	return refs
}

// byPlace is the order of documents that match equally well.
func byPlace(a, b graph.Match) int {
	return cmp.Or(cmp.Compare(a.Document, b.Document), cmp.Compare(a.Key, b.Key), cmp.Compare(a.Procedure, b.Procedure))
}
