package operations

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"procgraph/graph"
)

// maxFiltered is how many texts a filter by text finds at most.
const maxFiltered = 500

// holding answers the documents of some kinds that hold all the words of a filter's text.
func (o *Operations) holding(ctx context.Context, filter string, documents ...graph.Document) ([]graph.Match, error) {
	if err := text("the text", filter); err != nil {
		return nil, err
	}
	words := distinct(graph.Words(filter))
	found, err := o.Store.Search(ctx, graph.SearchQuery{
		Words: words[:min(len(words), maxWords)], All: true, Documents: documents, Limit: maxFiltered,
	})
	return found.Items, translate(err)
}

// narrows tells whether a text is there to filter by: a blank one, which a form may send, is not.
func narrows(text string) bool { return strings.TrimSpace(text) != "" }

// named are the keys of what was found.
func named(found []graph.Match) []string {
	keys := make([]string, len(found))
	for i, match := range found {
		keys[i] = match.Key
	}
	return keys
}

// paged is a page of all rows there are, by their names.
func paged[T any](rows []T, name func(T) string, page graph.Page, head graph.Head) graph.Slice[T] {
	slices.SortFunc(rows, func(a, b T) int { return cmp.Compare(name(a), name(b)) })
	slice := graph.Slice[T]{Head: head}
	if page.Count {
		slice.Total = len(rows)
	}
	rows = slices.DeleteFunc(rows, func(row T) bool { return name(row) <= page.After })
	slice.More = len(rows) > page.First
	slice.Items = rows[:min(len(rows), page.First)]
	return slice
}
