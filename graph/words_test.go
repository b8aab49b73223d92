package graph_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"procgraph/graph"
)

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"What was the newest log of the failed job?": "newest log fail job",
		"proc__list_pods__read_log":                  "proc list pod read log",
		"listPods HTTPServer v2Beta":                 "list pod httpserver v2 beta",
		"disk-full DISK_FULL":                        "disk full disk full",
		`a" OR * NEAR(x) log~2^9 \`:                  "near x log 2 9",
		"AND":                                        "and",
		"await tools.read_text_file(path=a)":         "await tool read text file path",
		"it can't, the job's log.":                   "cant job log",
		"( ) \\ ' -- * \x00":                         "",
		"Ｆｕｌｌ ﬁle":                                   "full file",
		"日志文件":                                       "日 志 文 件",
		"Größe naïve Ёлка":                           "größe naïv ёлка",
		"ship it 🚀":                                  "ship 🚀",
		"":                                           "",
	} {
		if got := strings.Join(graph.Words(text), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := graph.Words("one", "two"); !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("two texts give %q", got)
	}
	if n := len(graph.Words(strings.Repeat("word ", 10_000))); n > 4_096 {
		t.Errorf("%d words of one text", n)
	}
}

func FuzzWords(f *testing.F) {
	for _, seed := range []string{"newest_log of theJob", "\xff\xfe", "日志", "e\u0301\u0301", "🚀👩‍👩‍👧", "ﷺ", strings.Repeat("a", 300), "İ"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		words := graph.Words(text)
		for _, word := range words {
			if word == "" || len(word) > 64 || strings.ContainsFunc(word, func(r rune) bool {
				return unicode.IsSpace(r) || r == unicode.ReplacementChar && !strings.ContainsRune(text, r) ||
					r < 128 && !unicode.IsLetter(r) && !unicode.IsDigit(r)
			}) {
				t.Errorf("%q gives the word %q", text, word)
			}
		}
		if again := graph.Words(strings.Join(words, " ")); len(again) > 2*len(words)+8 {
			t.Errorf("%q gives %q and that %q", text, words, again)
		}
	})
}
