package operations

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"procgraph/graph"
	"procgraph/procedures"
	"procgraph/trust"
)

const (
	maxMatches    = 200   // documents that one search looks at
	maxWords      = 64    // distinct words of a search; what follows in the text does not count
	snippetLength = 160   // characters
	snippetFrom   = 4_096 // bytes of a text in which its part is looked for
)

// SearchInput asks what a text is about.
type SearchInput struct {
	Text  string
	Kinds []graph.NodeKind // empty is all
	Page  PageInput
}

// SearchHit is a node that was found: a *Procedure, *Variant, *graph.Cause or *graph.Tool.
type SearchHit struct {
	Node    any
	Score   float64
	Snippet string
	place   int // from 1
}

// hit is a node that matches, with its best documents.
type hit struct {
	graph.NodeRef
	exact   bool
	score   float64
	variant string // the code hash of the variant that matches best
	use     string // the cause of the use that matches best
}

// documents are where the nodes of a kind are described.
var documents = map[graph.NodeKind][]graph.Document{
	graph.KindProcedure: {graph.DocumentVariant, graph.DocumentUse},
	graph.KindVariant:   {graph.DocumentVariant},
	graph.KindCause:     {graph.DocumentCause},
	graph.KindTool:      {graph.DocumentTool},
}

// nodeKinds are in the order of hits that match equally well.
var nodeKinds = []graph.NodeKind{graph.KindProcedure, graph.KindCause, graph.KindTool, graph.KindVariant}

// Search answers the nodes that a text names or describes: those of exactly that name first, then those whose texts hold
// its words, the best first. A procedure is found by the texts of its variants and uses. The text is no query language.
func (o *Operations) Search(ctx context.Context, in SearchInput) (*Connection[SearchHit], error) {
	if _, err := require(ctx, trust.ScopeGraphRead); err != nil {
		return nil, err
	}
	if err := text("the text", in.Text); err != nil {
		return nil, err
	}
	kinds := slices.DeleteFunc(slices.Clone(nodeKinds), func(k graph.NodeKind) bool {
		return len(in.Kinds) > 0 && !slices.Contains(in.Kinds, k)
	})
	list := "search/" + hashOf(in.Text, fmt.Sprint(kinds))
	page, err := in.Page.page(list)
	if err != nil {
		return nil, err
	}
	from := 0
	if page.After != "" {
		if from, err = strconv.Atoi(page.After); err != nil || from < 0 {
			return nil, translate(graph.ErrBadCursor)
		}
	}
	words := distinct(graph.Words(in.Text))
	words = words[:min(len(words), maxWords)]
	query := graph.SearchQuery{Words: words, Limit: maxMatches, Name: procedures.NormalName(in.Text)}
	for _, k := range kinds {
		query.Documents = append(query.Documents, documents[k]...)
	}
	query.Documents = slices.Compact(slices.Sorted(slices.Values(query.Documents)))
	matches, err := o.Store.Search(ctx, query)
	if err != nil {
		return nil, translate(err)
	}
	observe(ctx, matches.Head)
	hits := ranked(matches, kinds)
	from = min(from, len(hits))
	to := min(from+page.First, len(hits))
	c := &Connection[SearchHit]{More: to < len(hits), Before: from > 0,
		cursor: func(h SearchHit) string { return graph.Cursor(list, strconv.Itoa(h.place)) }}
	if c.Items, err = o.found(ctx, hits[from:to], from, words); err != nil {
		return nil, err
	}
	if to > from {
		c.end = graph.Cursor(list, strconv.Itoa(to))
	}
	return c, nil
}

// ranked makes hits of matches, the best first. A procedure counts as its best variant and its best use together, so it
// comes before each of its variants.
func ranked(matches graph.Matches, kinds []graph.NodeKind) []*hit {
	hits := map[graph.NodeRef]*hit{}
	at := func(kind graph.NodeKind, key string) *hit {
		ref := graph.NodeRef{Kind: kind, Key: key}
		if hits[ref] == nil {
			hits[ref] = &hit{NodeRef: ref}
		}
		return hits[ref]
	}
	for _, m := range matches.Items { // the best first
		switch m.Document {
		case graph.DocumentVariant:
			if p := at(graph.KindProcedure, m.Procedure); p.variant == "" {
				p.variant = m.Key
				p.score += m.Score
			}
			at(graph.KindVariant, m.Key).score = m.Score
		case graph.DocumentUse:
			if p := at(graph.KindProcedure, m.Procedure); p.use == "" {
				p.use = m.Key
				p.score += m.Score
			}
		case graph.DocumentCause:
			at(graph.KindCause, m.Key).score = m.Score
		case graph.DocumentTool:
			at(graph.KindTool, m.Key).score = m.Score
		}
	}
	for _, ref := range matches.Exact {
		at(ref.Kind, ref.Key).exact = true
	}
	list := make([]*hit, 0, len(hits))
	best := 0.0
	for _, h := range hits {
		if slices.Contains(kinds, h.Kind) {
			list = append(list, h)
			best = max(best, h.score)
		}
	}
	for _, h := range list {
		if h.exact {
			h.score += best + 1
		}
	}
	slices.SortFunc(list, func(a, b *hit) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(slices.Index(nodeKinds, a.Kind), slices.Index(nodeKinds, b.Kind)),
			cmp.Compare(a.Key, b.Key))
	})
	return list
}

// found reads the nodes of hits. What was deleted since it matched is left out.
func (o *Operations) found(ctx context.Context, hits []*hit, before int, words []string) ([]SearchHit, error) {
	keys := map[graph.NodeKind][]string{}
	for _, h := range hits {
		keys[h.Kind] = append(keys[h.Kind], h.Key)
		if h.Kind == graph.KindProcedure && h.variant != "" {
			keys[graph.KindVariant] = append(keys[graph.KindVariant], h.variant)
		}
	}
	nodes, texts := map[graph.NodeRef]any{}, map[graph.NodeRef][]string{}
	add := func(kind graph.NodeKind, key string, node any, of ...string) {
		ref := graph.NodeRef{Kind: kind, Key: key}
		nodes[ref], texts[ref] = node, of
	}
	if len(keys[graph.KindProcedure]) > 0 {
		by, err := o.ProceduresByKeys(ctx, keys[graph.KindProcedure])
		if err != nil {
			return nil, err
		}
		for key, p := range by {
			add(graph.KindProcedure, key, p, p.Procedure.ToolName)
		}
	}
	if len(keys[graph.KindVariant]) > 0 {
		by, err := o.VariantsByHash(ctx, distinct(keys[graph.KindVariant]))
		if err != nil {
			return nil, err
		}
		for hash, v := range by {
			add(graph.KindVariant, hash, v, v.Summary, v.WhenToUse, v.Strategy, v.Code)
		}
	}
	if len(keys[graph.KindCause]) > 0 {
		by, err := o.CausesByName(ctx, keys[graph.KindCause])
		if err != nil {
			return nil, err
		}
		for name, cause := range by {
			add(graph.KindCause, name, &cause, cause.Name, cause.Description)
		}
	}
	if len(keys[graph.KindTool]) > 0 {
		by, err := o.ToolsByName(ctx, keys[graph.KindTool])
		if err != nil {
			return nil, err
		}
		for name, tool := range by {
			add(graph.KindTool, name, &tool, tool.Name, tool.Description)
		}
	}
	rows := make([]SearchHit, 0, len(hits))
	sought := newSought(words)
	for i, h := range hits {
		if err := ctx.Err(); err != nil {
			return nil, translate(err)
		}
		node, ok := nodes[h.NodeRef]
		if !ok {
			continue
		}
		of := texts[h.NodeRef]
		if h.Kind == graph.KindProcedure {
			of = slices.Concat(texts[graph.NodeRef{Kind: graph.KindVariant, Key: h.variant}], []string{h.use}, of)
		}
		rows = append(rows, SearchHit{Node: node, Score: h.score, Snippet: sought.snippet(of), place: before + i + 1})
	}
	return rows, nil
}

// sought are the words of a search, and what the runs of letters in the texts that it found have of them.
type sought struct {
	words map[string]bool
	runs  map[string][]string
}

func newSought(words []string) sought {
	s := sought{words: map[string]bool{}, runs: map[string][]string{}}
	for _, word := range words {
		s.words[word] = true
	}
	return s
}

// in answers which of the words a run of letters has.
func (s sought) in(run string) []string {
	held, known := s.runs[run]
	if !known {
		held = slices.DeleteFunc(graph.Words(run), func(word string) bool { return !s.words[word] })
		s.runs[run] = held
	}
	return held
}

// snippet is the part of the texts that holds most of the words; the beginning of the first text when none does.
func (s sought) snippet(texts []string) string {
	var best string
	most := -1
	for _, text := range texts {
		if strings.TrimSpace(text) == "" {
			continue
		}
		if part, held := s.around(text[:boundary(text, snippetFrom)]); held > most {
			best, most = part, held
		}
	}
	return best
}

// boundary is where a text can be cut so that at most so many bytes are left.
func boundary(text string, most int) int {
	end := min(len(text), most)
	for end > 0 && end < len(text) && !utf8.RuneStart(text[end]) {
		end--
	}
	return end
}

// around cuts a text to where it first holds one of the words, and counts which of them the text holds.
func (s sought) around(text string) (part string, held int) {
	first, seen := -1, map[string]bool{}
	for start, end := range runsOf(text) {
		for _, word := range s.in(text[start:end]) {
			seen[word] = true
			if first < 0 {
				first = start
			}
		}
	}
	// A third of the part comes before the word.
	begin := max(first, 0)
	for n := 0; n < snippetLength/3 && begin > 0; n++ {
		_, size := utf8.DecodeLastRuneInString(text[:begin])
		begin -= size
	}
	part = text[begin:]
	cut := ""
	if runes := []rune(part); len(runes) > snippetLength {
		part, cut = string(runes[:snippetLength]), "…"
	}
	part = strings.Join(strings.Fields(part), " ") + cut
	if begin > 0 {
		part = "…" + part
	}
	return part, len(seen)
}

// runsOf gives the places of the runs of letters and digits in a text.
func runsOf(text string) func(yield func(start, end int) bool) {
	return func(yield func(start, end int) bool) {
		start := -1
		for i, r := range text {
			inside := unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
			switch {
			case inside && start < 0:
				start = i
			case !inside && start >= 0:
				if !yield(start, i) {
					return
				}
				start = -1
			}
		}
		if start >= 0 {
			yield(start, len(text))
		}
	}
}
