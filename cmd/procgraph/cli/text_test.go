package cli

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestEscapes(t *testing.T) {
	for given, want := range map[string]string{
		"plain äöü 日本 👩‍💻":    "plain äöü 日本 👩‍💻",
		"\x1b[31mred":         `\x1b[31mred`,
		"a\u202eb\u2066":      `a\u202eb\u2066`,
		"a\r\nb\tc":           `a\r\nb\tc`,
		"\u009b31m\x7f":       `\x9b31m\x7f`,
		"\xff":                `\xff`,
		"\U000e0041":          `\U000e0041`,
		"a\u2028b\u200bc\x00": `a\u2028b\u200bc\x00`,
	} {
		if got := line(given); got != want {
			t.Errorf("%q is shown as %q, want %q", given, got, want)
		}
	}
	if got := block("a\n\tb\r\x1b"); got != "a\n\tb\\r\\x1b" {
		t.Errorf("a block is shown as %q", got)
	}
}

func FuzzSafeJSON(f *testing.F) {
	f.Add("a\u202e\u009b\x7f\U000e0041\n\"\\")
	f.Fuzz(func(t *testing.T, s string) {
		document, err := json.Marshal(map[string]string{s: s})
		if err != nil {
			t.Fatal(err) // any text can be written
		}
		safe := safeJSON(document)
		if strings.ContainsFunc(string(safe), hidden) {
			t.Errorf("%q has hidden characters", safe)
		}
		var before, after any
		if json.Unmarshal(document, &before) != nil || json.Unmarshal(safe, &after) != nil || !reflect.DeepEqual(before, after) {
			t.Errorf("%q is another document than %q", safe, document)
		}
		if strings.ContainsFunc(line(s), hidden) {
			t.Errorf("%q is shown with hidden characters", s)
		}
	})
}

func TestLabelsCannotLeaveTheirQuotes(t *testing.T) {
	hostile := "a\"];\nb [label=x] `c` #35; <b>&lt;</b> \\"
	if got, want := dotText(hostile), `a\"];\\nb [label=x] `+"`c`"+` #35; <b>&amp;lt;</b> \\`; got != want {
		t.Errorf("DOT: %s, want %s", got, want)
	}
	got := mermaidText(hostile)
	if strings.ContainsAny(got, "\"[]<>`\\\n&") || !strings.HasPrefix(got, "a#34;#93;#59;#92;nb ") {
		t.Errorf("Mermaid: %s", got)
	}
	g := subgraph{}
	if err := json.Unmarshal([]byte(`{"nodes":[{"id":"x","kind":"CAUSE","label":"a\"]"},{"id":"y","kind":"NEW","label":"b"}],
		"relations":[{"type":"INVESTIGATED_BY","from":"x","to":"y","properties":{"frequency":3}}],"hidden":[{"node":"y","type":"USES","count":7}]}`), &g); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`n0 [shape=ellipse, label="a\"]"];`, `n0 -> n1 [label="INVESTIGATED_BY 3"];`, `label="7 more"`} {
		if !strings.Contains(g.dot(), want) {
			t.Errorf("no %s in %s", want, g.dot())
		}
	}
	for _, want := range []string{`n0(["a#34;#93;"])`, `n0 -->|"INVESTIGATED_BY 3"| n1`, `n1 -.->|"USES"| h0`} {
		if !strings.Contains(g.mermaid(), want) {
			t.Errorf("no %s in %s", want, g.mermaid())
		}
	}
}
