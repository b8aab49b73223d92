package names_test

import (
	"strings"
	"testing"

	"procgraph/names"
)

func TestStored(t *testing.T) {
	for given, want := range map[string]string{
		" e\u0301tat\t":          "état",
		"👩\u200d💻":               "👩\u200d💻",
		strings.Repeat("é", 200): strings.Repeat("é", 200),
		"proc__a":                "proc__a",
	} {
		if got, err := names.Stored(given); err != nil || got != want {
			t.Errorf("%q is stored as %q (%v), want %q", given, got, err, want)
		}
	}
	for given, want := range map[string]string{
		"":                          "is blank",
		" \t":                       "is blank",
		"\u200d\ufe0f":              "is blank",
		"a\xff":                     "is not valid Unicode",
		"a\ufffd":                   "is not valid Unicode",
		strings.Repeat("é", 201):    "is longer than 200 characters",
		"a\x00b":                    "holds a control or invisible character",
		"a\u2800":                   "holds a control or invisible character",
		"a\u2028b":                  "holds a control or invisible character",
		"a\u200bb":                  "holds a control or invisible character",
		"a\u3164":                   "holds a control or invisible character",
		"a\u202eb":                  "holds a control or invisible character",
		"a" + string(rune(0xe0041)): "holds a control or invisible character",
	} {
		if got, err := names.Stored(given); err == nil || err.Error() != want || got != "" {
			t.Errorf("%q: %q and %v, want %q", given, got, err, want)
		}
	}
}
