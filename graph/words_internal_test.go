package graph

import (
	"slices"
	"testing"
)

// FuzzASCIIWords checks that the quick way for ASCII answers what the general one does.
func FuzzASCIIWords(f *testing.F) {
	for _, seed := range []string{
		"What was the newest log of the failed job?", "proc__list_pods__read_log", "listPods HTTPServer v2Beta A1B2",
		"await tools.read_text_file(path='/a/b.txt')", "can't job's 'quoted' don'T x'1 1'2 ''a", "1,000.5;7 a,b a:b", "\x00\r\n\t",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !isASCII(text) {
			return
		}
		var quick, general []string
		asciiSegments(text, func(word string) bool { quick = append(quick, word); return true })
		unicodeSegments(text, func(word string) bool { general = append(general, word); return true })
		if !slices.Equal(quick, general) {
			t.Errorf("%q gives %q, and in general %q", text, quick, general)
		}
	})
}
