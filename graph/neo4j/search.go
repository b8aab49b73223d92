package neo4j

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"procgraph/graph"
)

// The full-text indexes, and how they take words apart: at blanks.
const (
	nodeWords     = "node_words"
	relationWords = "relation_words"
	analyzer      = "whitespace"
)

// The indexes are brought up to date in the background, so that no capture waits for that; a search does. Scores of one
// document for several queries add up.
var search = readStart + `
CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()
CALL () {
  UNWIND $in.nodeQueries AS query
  CALL db.index.fulltext.queryNodes('` + nodeWords + `', query, {limit: $in.limit}) YIELD node, score
  RETURN collect([CASE WHEN node:Variant THEN 'VARIANT' WHEN node:Cause THEN 'CAUSE' ELSE 'TOOL' END,
    coalesce(node.codeHash, node.name), node.procedure, score]) AS nodes
}
CALL () {
  UNWIND $in.relationQueries AS query
  CALL db.index.fulltext.queryRelationships('` + relationWords + `', query, {limit: $in.limit}) YIELD relationship, score
  RETURN collect(['USE', relationship.cause, relationship.procedure, score]) AS uses
}
CALL () {
  CALL () {
    MATCH (c:Cause {name: $in.name}) RETURN 'CAUSE' AS kind, c.name AS key
    UNION ALL
    MATCH (p:Procedure {toolName: $in.name}) RETURN 'PROCEDURE' AS kind, p.key AS key
    UNION ALL
    MATCH (t:Tool {name: $in.name}) RETURN 'TOOL' AS kind, t.name AS key
    UNION ALL
    MATCH (v:Variant {codeHash: $in.name}) RETURN 'VARIANT' AS kind, v.codeHash AS key
  }
  RETURN collect([kind, key]) AS exact
}` + readEnd + `, nodes + uses, exact`

// Search answers the documents that hold some of the words, and what has the exact name.
func (s *Store) Search(ctx context.Context, query graph.SearchQuery) (graph.Matches, error) {
	nodes, uses := queries(query)
	record, head, err := s.read(ctx, search, params{
		"nodeQueries": nodes, "relationQueries": uses, "limit": query.Limit, "name": textParam(query.Name),
	})
	if err != nil {
		return graph.Matches{}, err
	}
	matches := graph.Matches{Items: toMatches(record.Values[2]), Head: head}
	matches.Items = matches.Items[:min(len(matches.Items), query.Limit)]
	for _, row := range rows(record.Values[3]) {
		matches.Exact = append(matches.Exact, graph.NodeRef{Kind: graph.NodeKind(text(row[0])), Key: text(row[1])})
	}
	slices.SortFunc(matches.Exact, func(a, b graph.NodeRef) int { return cmp.Compare(a.Kind, b.Kind) })
	return matches, nil
}

// toMatches are the documents of all queries, the best first. What was deleted just now has no key any more; a query without
// words, such as one of a blank, matches everything with no score.
func toMatches(v any) []graph.Match {
	scores := map[graph.Match]float64{}
	for _, row := range rows(v) {
		score, _ := row[3].(float64)
		if key := text(row[1]); key != "" && score > 0 {
			scores[graph.Match{Document: graph.Document(text(row[0])), Key: key, Procedure: text(row[2])}] += score
		}
	}
	matches := make([]graph.Match, 0, len(scores))
	for match, score := range scores {
		match.Score = score
		matches = append(matches, match)
	}
	slices.SortFunc(matches, func(a, b graph.Match) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Document, b.Document), cmp.Compare(a.Key, b.Key),
			cmp.Compare(a.Procedure, b.Procedure))
	})
	return matches
}

// mostWords is how many words one query has: Lucene refuses more than 1,024 clauses.
const mostWords = 1_000

// queries are those of Lucene for nodes and for relations.
func queries(query graph.SearchQuery) (nodes, uses []string) {
	nodes, uses = []string{}, []string{}
	if query.Limit <= 0 {
		return nodes, uses
	}
	var kinds []string
	for _, kind := range []graph.Document{graph.DocumentVariant, graph.DocumentCause, graph.DocumentTool} {
		if slices.Contains(query.Documents, kind) {
			kinds = append(kinds, string(kind)+"^0")
		}
	}
	by := " "
	if query.All {
		by = " AND "
	}
	for some := range slices.Chunk(query.Words, mostWords) {
		quoted := make([]string, len(some))
		for i, word := range some {
			quoted[i] = `"` + escaping.Replace(word) + `"`
		}
		words := strings.Join(quoted, by)
		if len(kinds) > 0 {
			nodes = append(nodes, "+("+strings.Join(kinds, " ")+") +("+words+")")
		}
		if slices.Contains(query.Documents, graph.DocumentUse) {
			uses = append(uses, words)
		}
	}
	return nodes, uses
}

// escaping keeps a word within its quotes.
var escaping = strings.NewReplacer(`\`, `\\`, `"`, `\"`)
