package procedures

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// readAttacks reads the programs of testdata/attacks.txt.
func readAttacks(tb testing.TB) []string {
	tb.Helper()
	data, err := os.ReadFile("testdata/attacks.txt")
	if err != nil {
		tb.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n-----\n")[1:]
}

// TestAttacks wants kill to be named wherever something is proven.
func TestAttacks(t *testing.T) {
	attacks := readAttacks(t)
	if len(attacks) < 300 {
		t.Fatalf("only %d attacks were read", len(attacks))
	}
	refused, named := 0, 0
	for _, code := range attacks {
		got, err := Analyze(code)
		switch {
		case err != nil:
			refused++
		case !got.Proven:
		case slices.Contains(got.Signature, "kill"):
			named++
		default:
			t.Errorf("proven with %v:\n%s", got.Signature, code)
		}
	}
	t.Logf("%d attacks: %d refused, %d proven with kill in the signature, the others not proven", len(attacks), refused, named)
	checkAgainstPython(t, attacks)
}
