package procedures_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"procgraph/procedures"
)

var wellFormed = regexp.MustCompile(`^proc__[a-zA-Z0-9_]{1,58}$`)

func TestToolNameSpellsOutShortPlainNames(t *testing.T) {
	for name, signature := range map[string][]string{
		"proc__list_pods__read_log": {"list_pods", "read_log"},
		"proc__ping":                {"ping"},
		"proc__A__a":                {"A", "a"},
		// 60 characters in all are spelled out.
		"proc__" + strings.Repeat("a", 54): {strings.Repeat("a", 54)},
	} {
		if got := procedures.ToolName(signature); got != name {
			t.Errorf("%q is named %s, want %s", signature, got, name)
		}
	}
}

func TestToolNameCutsTheRest(t *testing.T) {
	cut := regexp.MustCompile(`_[a-z2-7]{16}$`)
	for _, signature := range [][]string{
		{strings.Repeat("a", 55)},
		{"a__b", "c"}, {"_a"}, {"a_"}, {"_"}, {"___"},
		{"read-log"}, {"читать"}, {"読む"}, {"🙂"}, {"é"},
		{"proc__a__b", "c"}, {"my_proc__x"},
		{"a", "very_long_tool_name_number_1", "very_long_tool_name_number_2", "very_long_tool_name_number_3"},
		{"team__ops", "wipe"}, {"team_", "_wipe"},
		// Looks like a cut name, and could take the name of another signature.
		{"a_abcdefghijklmnop"},
	} {
		name := procedures.ToolName(signature)
		if !wellFormed.MatchString(name) || !cut.MatchString(name) || len(name) > 64 {
			t.Errorf("%q is named %q", signature, name)
		}
	}
}

func TestToolNamesDoNotCollide(t *testing.T) {
	alphabet := []string{"a", "b", "c", "_", "__", "a__b", "b__c", "team", "team_", "_wipe", "wipe", "A", "é", "e\u0301", "-", "proc__a",
		"proc__a__b", "abcdefghijklmnop", "a_abcdefghijklmnop", strings.Repeat("x", 50)}
	seen := map[string]string{}
	rapid.Check(t, func(t *rapid.T) {
		signature := rapid.SliceOfNDistinct(rapid.SampledFrom(alphabet), 1, 4, rapid.ID).Draw(t, "signature")
		slices.Sort(signature)
		name, key := procedures.ToolName(signature), procedures.SignatureKey(signature)
		if !wellFormed.MatchString(name) {
			t.Fatalf("%q is named %q", signature, name)
		}
		if other, ok := seen[name]; ok && other != key {
			t.Fatalf("%q takes the name %s of another signature", signature, name)
		}
		seen[name] = key
	})
}

func TestSignatureKeyIsUnambiguous(t *testing.T) {
	pairs := [][2][]string{
		{{"a", "b.c"}, {"a.b", "c"}},
		{{"ab"}, {"a", "b"}},
		{{"sync", "_x"}, {"sync_", "x"}},
		{{"a", ""}, {"a"}},
	}
	for _, p := range pairs {
		if procedures.SignatureKey(p[0]) == procedures.SignatureKey(p[1]) {
			t.Errorf("%q and %q have one key", p[0], p[1])
		}
	}
}

func TestNormalName(t *testing.T) {
	if got := procedures.NormalName(" e\u0301tat\t"); got != "état" {
		t.Errorf("got %q", got)
	}
}
