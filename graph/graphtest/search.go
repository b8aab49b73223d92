package graphtest

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"procgraph/graph"
)

var searchTests = []test{
	{"FoundByEachText", false, foundByEachText},
	{"ApprovalReplacesTexts", false, approvalReplacesTexts},
	{"DeletionRemoves", false, deletionRemoves},
	{"AnotherCause", false, anotherCause},
	{"ChangedSignals", false, changedSignals},
	{"WrittenTools", false, writtenTools},
	{"KindsAndLimit", false, kindsAndLimit},
	{"ExactNames", false, exactNames},
	{"WordsAreNoQuery", false, wordsAreNoQuery},
	{"AllScripts", false, allScripts},
	{"ManyWords", false, manyWords},
	{"BestFirst", false, bestFirst},
	{"FoundAtOnce", true, foundAtOnce},
	{"WhileOthersWrite", true, whileOthersWrite},
}

var allDocuments = []graph.Document{graph.DocumentVariant, graph.DocumentUse, graph.DocumentCause, graph.DocumentTool}

// searchFor looks for a text as words and as a name, in all kinds of documents unless some are given.
func searchFor(text string, documents ...graph.Document) graph.SearchQuery {
	words := graph.Words(text)
	slices.Sort(words)
	if len(documents) == 0 {
		documents = allDocuments
	}
	return graph.SearchQuery{Words: slices.Compact(words), Documents: documents, Limit: 500, Name: text}
}

// search answers the documents of a text, the best first, in a form that is short to compare: kind, key and procedure.
func (f *fixture) search(text string, documents ...graph.Document) []string {
	f.Helper()
	matches := read(f.store().Search(f.Context(), searchFor(text, documents...))).or(f)
	same(f, "head", matches.Head, f.head())
	return found(matches)
}

func found(matches graph.Matches) (list []string) {
	for _, m := range matches.Items {
		list = append(list, doc(m.Document, m.Key, m.Procedure))
	}
	return list
}

func doc(kind graph.Document, key, procedure string) string {
	return strings.TrimSpace(fmt.Sprint(kind, " ", key, " ", procedure))
}

func variantDoc(c graph.Capture) string {
	return doc(graph.DocumentVariant, c.Variant.CodeHash, c.ProcedureKey)
}

func useDoc(cause string, c graph.Capture) string {
	return doc(graph.DocumentUse, cause, c.ProcedureKey)
}
func causeDoc(name string) string { return doc(graph.DocumentCause, name, "") }
func toolDoc(name string) string  { return doc(graph.DocumentTool, name, "") }

// texts replaces the texts of a capture.
func texts(c graph.Capture, summary, strategy, whenToUse string) graph.Capture {
	c.Variant.Summary, c.Variant.Strategy, c.Variant.WhenToUse = summary, strategy, whenToUse
	return c
}

func foundByEachText(f *fixture) {
	f.register(graph.Tool{Name: "fetch_kettle", Description: "brings a saucepan", ParametersSchema: []byte("{}"), Class: graph.ReadOnly, Known: true})
	c := serving(texts(capture("await hammer()", "fetch_kettle", "stubbedSpoon"), "counts marbles", "weighs bricks", "when pigeons arrive"), "a broken umbrella")
	f.capture(c)
	for text, want := range map[string][]string{
		"marble": {variantDoc(c)}, "brick": {variantDoc(c)}, "pigeon": {variantDoc(c)}, "hammer": {variantDoc(c)},
		"Umbrellas": {causeDoc("a broken umbrella")}, "BROKEN": {causeDoc("a broken umbrella")},
		"kettle": {toolDoc("fetch_kettle")}, "saucepans": {toolDoc("fetch_kettle")}, "spoon": {toolDoc("stubbedSpoon")},
		"nothing of this": nil, "": nil,
	} {
		same(f, text, f.search(text), want)
	}
	sameSet(f, "all", f.search("marbles umbrella kettle spoon zebra"),
		[]string{variantDoc(c), causeDoc("a broken umbrella"), toolDoc("fetch_kettle"), toolDoc("stubbedSpoon")}, strings.Compare)
	for _, m := range read(f.store().Search(f.Context(), searchFor("marbles umbrella"))).or(f).Items {
		if m.Score <= 0 {
			f.Errorf("%+v has no score", m)
		}
	}
}

// judging stores other texts with an approval.
func judging(codeHash, summary, whenToUse string) (graph.FactQuery, func(graph.Facts) (graph.Change, error)) {
	query, decide := approving(codeHash)
	return query, func(facts graph.Facts) (graph.Change, error) {
		change, err := decide(facts)
		if judged, ok := change.(graph.VariantJudged); ok {
			judged.Summary, judged.WhenToUse = summary, whenToUse
			return judged, err
		}
		return change, err
	}
}

func approvalReplacesTexts(f *fixture) {
	c := texts(capture("await hammer()", "a", "b"), "counts marbles", "weighs bricks", "when pigeons arrive")
	f.capture(c)
	f.commit(judging(c.Variant.CodeHash, "counts marbles", "when pigeons arrive"))
	same(f, "with the same texts", f.search("marbles"), []string{variantDoc(c)})
	f.commit(judging(c.Variant.CodeHash, "sorts buttons", "when swallows leave"))
	for text, want := range map[string][]string{
		"marbles": nil, "pigeons": nil,
		"buttons": {variantDoc(c)}, "swallows": {variantDoc(c)}, "bricks": {variantDoc(c)}, "hammer": {variantDoc(c)},
	} {
		same(f, text, f.search(text), want)
	}
	f.capture(c)
	same(f, "captured again", f.search("marbles"), nil)
	same(f, "captured again", f.search("buttons"), []string{variantDoc(c)})
}

func deletionRemoves(f *fixture) {
	c := serving(texts(capture("await hammer()", "kettle", "b"), "marbles", "", ""), "umbrella")
	other := texts(capture("await hammer(2)", "kettle", "c"), "marbles", "", "")
	f.capture(c, serving(c, "parasol"), other)
	same(f, "before", f.search("parasol"), []string{causeDoc("parasol"), useDoc("parasol", c)})
	f.remove(c.ProcedureKey)
	same(f, "variants", f.search("marbles"), []string{variantDoc(other)})
	same(f, "a cause without uses", f.search("parasol"), []string{causeDoc("parasol")})
	same(f, "a tool", f.search("kettle"), []string{toolDoc("kettle")})
	same(f, "the name of what is gone", read(f.store().Search(f.Context(), searchFor(c.ToolName))).or(f).Exact, nil)
	f.capture(c)
	sameSet(f, "made again", f.search("marbles"), []string{variantDoc(c), variantDoc(other)}, strings.Compare)
	same(f, "without its old use", f.search("parasol"), []string{causeDoc("parasol")})
}

func signalled(c graph.Capture, signals ...string) graph.Capture {
	c.Use.TriggerSignals = signals
	return c
}

func anotherCause(f *fixture) {
	c := serving(texts(capture("await hammer()", "a", "b"), "marbles", "", "when pigeons arrive"), "first umbrella")
	f.capture(signalled(c, "pigeons"))
	same(f, "the capture that made the variant", f.search("umbrella pigeon", graph.DocumentUse), nil)
	f.capture(signalled(serving(c, "wet parasol"), "swallows", "sparrows in 3 rows"))
	for _, text := range []string{"parasol", "swallow", "sparrows", "3"} {
		same(f, text, f.search(text, graph.DocumentUse), []string{useDoc("wet parasol", c)})
	}
	f.capture(serving(c, "dry parasol"), serving(c, "dry parasol"))
	same(f, "without signals", f.search("dry", graph.DocumentUse), []string{useDoc("dry parasol", c)})
	// A new variant tells by itself when to use it.
	second := serving(texts(capture("await hammer(2)", "a", "b"), "bricks", "", ""), "green parasol", "wet parasol")
	f.capture(second)
	same(f, "a new variant", f.search("green", graph.DocumentUse), nil)
	same(f, "a use that was there", f.search("wet", graph.DocumentUse), []string{useDoc("wet parasol", c)})
}

func changedSignals(f *fixture) {
	c := serving(capture("await hammer()", "a", "b"), "umbrella")
	f.capture(signalled(c, "pigeons"), signalled(c, "pigeons"), c)
	same(f, "the same signals", f.search("pigeons", graph.DocumentUse), nil)
	f.capture(signalled(c, "swallows", "sparrows"))
	same(f, "other signals", f.search("swallows", graph.DocumentUse), []string{useDoc("umbrella", c)})
	same(f, "their cause", f.search("umbrella", graph.DocumentUse), []string{useDoc("umbrella", c)})
	f.capture(c, signalled(c, "swallows", "sparrows"))
	same(f, "the same signals again", f.search("sparrows", graph.DocumentUse), []string{useDoc("umbrella", c)})
	f.capture(signalled(c, "robins"))
	same(f, "new signals", f.search("robins", graph.DocumentUse), []string{useDoc("umbrella", c)})
	same(f, "replaced signals", f.search("swallows", graph.DocumentUse), nil)
}

func writtenTools(f *fixture) {
	f.capture(capture("await hammer()", "kettle", "b"))
	f.write(graph.Tool{Name: "kettle", Description: "boils water", ParametersSchema: []byte("{}"), Class: graph.ReadOnly, Known: true})
	same(f, "a stub that became known", f.search("water"), []string{toolDoc("kettle")})
	f.write(graph.Tool{Name: "kettle", Description: "boils milk", ParametersSchema: []byte("{}"), Class: graph.ReadOnly, Known: true})
	same(f, "a new description", f.search("milk"), []string{toolDoc("kettle")})
	same(f, "an old description", f.search("water"), nil)
	same(f, "the name", f.search("kettle"), []string{toolDoc("kettle")})
}

func kindsAndLimit(f *fixture) {
	c := serving(texts(capture("parasol = 1", "parasol", "b"), "", "", ""), "x")
	f.capture(c, serving(c, "parasol"))
	all := map[graph.Document]string{
		graph.DocumentVariant: variantDoc(c), graph.DocumentUse: useDoc("parasol", c),
		graph.DocumentCause: causeDoc("parasol"), graph.DocumentTool: toolDoc("parasol"),
	}
	for kind, want := range all {
		same(f, string(kind), f.search("parasol", kind), []string{want})
	}
	same(f, "two kinds", len(f.search("parasol", graph.DocumentUse, graph.DocumentTool)), 2)
	for limit := range 6 {
		query := searchFor("parasol")
		query.Limit = limit
		same(f, "limit", len(read(f.store().Search(f.Context(), query)).or(f).Items), min(limit, len(all)))
	}
	query := searchFor("parasol")
	query.Documents = nil
	same(f, "of no kind", found(read(f.store().Search(f.Context(), query)).or(f)), nil)

	// What the limit leaves out is the worst, of the kinds that are asked for.
	for i := range 30 {
		f.capture(texts(capture(fmt.Sprintf("zebra zebra %d", i), "a", fmt.Sprint("b", i)), "", "", ""))
	}
	f.capture(serving(c, "a zebra of the cause"))
	query = searchFor("zebra", graph.DocumentCause)
	query.Limit = 1
	same(f, "one of a rare kind", found(read(f.store().Search(f.Context(), query)).or(f)), []string{causeDoc("a zebra of the cause")})
}

func exactNames(f *fixture) {
	names := names()
	for chunk := range slices.Chunk(names, 16) {
		f.capture(serving(capture("await tools.a()", "a"), chunk...))
	}
	var tools []graph.Tool
	for _, name := range names {
		tools = append(tools, tool(name))
	}
	f.register(tools...)
	for _, name := range append(names, "more OR less", "NOT -found", "a AND b*", "find~2", `"quoted"`) {
		want := []graph.NodeRef{{Kind: graph.KindCause, Key: name}, {Kind: graph.KindTool, Key: name}}
		if !slices.Contains(names, name) {
			want = nil
		}
		same(f, "exactly "+name, read(f.store().Search(f.Context(), graph.SearchQuery{Name: name, Limit: 10})).or(f).Exact, want)
		read(f.store().Search(f.Context(), searchFor(name))).or(f)
	}
	c := capture("await tools.a()", "a")
	for name, want := range map[string]graph.NodeRef{
		c.ToolName: {Kind: graph.KindProcedure, Key: c.ProcedureKey}, c.Variant.CodeHash: {Kind: graph.KindVariant, Key: c.Variant.CodeHash},
	} {
		same(f, "exactly "+name, read(f.store().Search(f.Context(), searchFor(name))).or(f).Exact, []graph.NodeRef{want})
	}
	same(f, "a key", read(f.store().Search(f.Context(), searchFor(c.ProcedureKey))).or(f).Exact, nil)
	same(f, "no name", read(f.store().Search(f.Context(), graph.SearchQuery{Limit: 10, Documents: allDocuments})).or(f).Exact, nil)
}

// wordsAreNoQuery asks for words that search engines take for operators, and for texts that are no words.
func wordsAreNoQuery(f *fixture) {
	for _, word := range []string{"and", "or", "not", "near", "to", "AND", "NEAR", "words", "rowid", "null"} {
		f.capture(serving(capture("await tools.a()", "a"), word+" lantern"))
	}
	for _, word := range []string{"near", "NEAR", "words", "rowid", "null"} {
		if got := f.search(word, graph.DocumentCause); !slices.Contains(got, causeDoc(word+" lantern")) {
			f.Errorf("%q finds %q", word, got)
		}
	}
	for _, word := range []string{"and", "or", "not", "to", "near", "null"} {
		query := graph.SearchQuery{Words: []string{word, "lantern"}, Documents: allDocuments, Limit: 100}
		sameSet(f, word+" lantern", found(read(f.store().Search(f.Context(), query)).or(f)), f.search("lantern"), strings.Compare)
	}
	for _, word := range append(slices.Clone(hostile), "*", "lant*", `a" OR "lantern`, `"`, `\`, `\"`, "words:lantern", "^lantern", "lantern~", "[a TO z]", "(", "{", "/./") {
		query := graph.SearchQuery{Words: []string{word}, Documents: allDocuments, Limit: 100}
		if got := found(read(f.store().Search(f.Context(), query)).or(f)); len(got) > 0 && word != "null" {
			f.Errorf("%q finds %q", word, got)
		}
		query.Words = append(query.Words, "lantern")
		if got := found(read(f.store().Search(f.Context(), query)).or(f)); len(got) == 0 {
			f.Errorf("%q hides the other word", word)
		}
	}
}

func allScripts(f *fixture) {
	for _, text := range []string{
		"Straße", "ÉCOLE", "école", "ελληνικά", "русский", "עברית", "عربى", "हिन्दी", "ไทย", "日本語", "中文", "한국어", "ქართული", "አማርኛ",
		"😀", "👩‍👩‍👧‍👦", "𝔘𝔫𝔦", "Å", "İstanbul", "x²", "½", "→", "₿", "ﬁnd", "東京タワー",
	} {
		name := "cause of " + text
		f.capture(serving(capture("await tools.a()", "a"), name))
		if got := f.search(text, graph.DocumentCause); !slices.Contains(got, causeDoc(name)) {
			f.Errorf("%q (%q) finds %q", text, graph.Words(text), got)
		}
	}
	same(f, "compatible forms", f.search("find", graph.DocumentCause), []string{causeDoc("cause of ﬁnd")})
	same(f, "another word", f.search("ecole", graph.DocumentCause), nil)
}

func manyWords(f *fixture) {
	var words []string
	for i := range 4_000 {
		words = append(words, fmt.Sprintf("w%d", i))
	}
	long := texts(capture("await tools.a()", "a", "b"), strings.Join(words, " "), "", "")
	short := texts(capture("await tools.b()", "a", "c"), "w3999", "", "")
	f.capture(long, short)
	same(f, "the last of many", f.search("w3999"), []string{variantDoc(short), variantDoc(long)})
	same(f, "all of many", f.search(strings.Join(words, " ")), []string{variantDoc(long), variantDoc(short)})
	same(f, "a long word", f.search(strings.Repeat("w", 5000)), nil)
	f.commit(judging(long.Variant.CodeHash, "", ""))
	same(f, "no more", f.search("w3998"), nil)
}

// bestFirst checks the order where any sound ranking has the same.
func bestFirst(f *fixture) {
	var tools []graph.Tool
	for i := range 30 {
		tools = append(tools, graph.Tool{Name: fmt.Sprintf("t%02d", i), Description: "kettle common filler filler filler"})
	}
	write := func(name, description string) {
		tools = append(tools, graph.Tool{Name: name, Description: description})
	}
	write("one", "marble spoon spanner")
	write("two", "marble brick spanner")
	write("three", "marble brick button")
	write("rare", "zebra lantern spanner")
	write("often", "common lantern spanner")
	write("twice", "walrus walrus lantern")
	write("once", "walrus lantern candle")
	write("brief", "otter")
	write("lengthy", "otter swims where nobody else swims because water there stays cold")
	for i := range tools {
		tools[i].ParametersSchema, tools[i].Class, tools[i].Known = []byte("{}"), graph.ReadOnly, true
	}
	f.register(tools...)
	same(f, "more words", f.search("marble brick button"), []string{toolDoc("three"), toolDoc("two"), toolDoc("one")})
	same(f, "a rarer word", f.search("common zebra")[0], toolDoc("rare"))
	same(f, "more often", f.search("walrus"), []string{toolDoc("twice"), toolDoc("once")})
	same(f, "a shorter text", f.search("otter"), []string{toolDoc("brief"), toolDoc("lengthy")})
	same(f, "a rare and a common word", f.search("kettle marble spoon")[0], toolDoc("one"))
	equal := f.search("kettle")
	if len(equal) != 30 || !slices.IsSorted(equal) {
		f.Errorf("equal documents come as %q", equal)
	}
	scores := read(f.store().Search(f.Context(), searchFor("marble common zebra"))).or(f).Items
	if !slices.IsSortedFunc(scores, func(a, b graph.Match) int { return cmp.Compare(b.Score, a.Score) }) {
		f.Errorf("the scores do not fall: %+v", scores)
	}
}

// foundAtOnce looks for what was just captured, on the other store when there are two.
func foundAtOnce(f *fixture) {
	f.together(4, func(worker int, store graph.Store) error {
		for n := range 20 {
			word := fmt.Sprintf("word%dx%d", worker, n)
			c := serving(texts(capture("code "+word, "a", word), word, "", ""), "cause "+word)
			if _, err := store.Capture(f.Context(), c); err != nil {
				return err
			}
			got, err := f.at(worker+1).Search(f.Context(), searchFor(word))
			if err != nil {
				return err
			}
			want := sorted(variantDoc(c), causeDoc("cause "+word), toolDoc(word))
			if !slices.Equal(sorted(found(got)...), want) {
				return fmt.Errorf("%s is found as %q, want %q", word, found(got), want)
			}
		}
		return nil
	})
}

// whileOthersWrite searches while procedures come and go.
func whileOthersWrite(f *fixture) {
	var mu sync.Mutex
	made := map[string]bool{}
	stored := map[string]bool{}
	var writing sync.WaitGroup
	writing.Add(2)
	done := make(chan struct{})
	go func() { writing.Wait(); close(done) }()
	f.together(4, func(worker int, store graph.Store) error {
		if worker < 2 {
			defer writing.Done()
			for n := range 30 {
				c := texts(capture(fmt.Sprintf("lantern %d %d", worker, n), "a", fmt.Sprintf("b%d_%d", worker, n)), "", "", "")
				mu.Lock()
				made[variantDoc(c)] = true
				mu.Unlock()
				if _, err := store.Capture(f.Context(), c); err != nil {
					return err
				}
				if n%3 != 0 {
					mu.Lock()
					stored[variantDoc(c)] = true
					mu.Unlock()
					continue
				}
				query, decide := deleting(c.ProcedureKey, c.ToolName)
				if err := commitTo(f.Context(), store, query, decide); err != nil {
					return err
				}
			}
			return nil
		}
		for {
			select {
			case <-done:
				return nil
			default:
			}
			mu.Lock()
			before := len(stored)
			mu.Unlock()
			got, err := store.Search(f.Context(), searchFor("lantern"))
			if err != nil {
				return err
			}
			if len(got.Items) < before {
				return fmt.Errorf("%d documents, although %d were stored", len(got.Items), before)
			}
			mu.Lock()
			for _, d := range found(got) {
				if !made[d] {
					err = errors.Join(err, fmt.Errorf("%q was never stored", d))
				}
			}
			mu.Unlock()
			if err != nil {
				return err
			}
		}
	})
	var want []string
	for d := range stored {
		want = append(want, d)
	}
	sameSet(f, "in the end", f.search("lantern"), want, strings.Compare)
}
