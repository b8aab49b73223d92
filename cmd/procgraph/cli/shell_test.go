package cli

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
)

var hostileWords = []string{"read_log", "", "a b", "z; touch pwned #", "it's", `$(id) "x" \ !`, "`id`", "~", "*", "ä日本", "-n", "--yes",
	"a\nb", "a\u202eb'c\\", "\x1b[2J1", "\u009b31m", "\xff7"}

func TestShellWord(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal("bash is needed: a plain sh need not know $'…'")
	}
	for _, want := range hostileWords {
		word := shellWord(want)
		if line(word) != word {
			t.Errorf("%q is not shown as it is: %q", want, word)
		}
		got, err := exec.Command(bash, "--norc", "-c", "printf %s "+word).Output()
		if err != nil || string(got) != want {
			t.Errorf("%q is written as %s, which a shell takes for %q (%v)", want, word, got, err)
		}
	}
}

func TestCommandLinesAreSafeToPaste(t *testing.T) {
	for want, names := range map[string][]string{
		"x a b":                  {"a", "b"},
		"x 'z; touch pwned #' b": {"z; touch pwned #", "b"},
		"x -- a --yes":           {"a", "--yes"},
	} {
		if got := commandLine("x", names...); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	var out bytes.Buffer
	a := &app{out: &out, width: 80}
	if err := a.printImported(importedTools{Tools: []json.RawMessage{[]byte(`{"name":"z; touch pwned #","suspended":true}`)}}); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(out.String(), "procgraph tools confirm 'z; touch pwned #'\n") {
		t.Error(out.String())
	}
}
