package procedures

import (
	"errors"
	"strings"
	"testing"
)

// TestFieldReports are faults of neighbouring systems, restated for this one.
func TestFieldReports(t *testing.T) {
	t.Run("K3-1 a lone CR ends a comment", func(t *testing.T) {
		got, err := Analyze("x = 1  # note\rtools.github.delete_issue(id=1)\n")
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Signature) != 1 || got.Signature[0] != "github" {
			t.Errorf("signature %v", got.Signature)
		}
		if want := "x = 1  # note\ntools.github.delete_issue(id=1)"; got.Code != want {
			t.Errorf("the text that is hashed and run is %q", got.Code)
		}
	})
	t.Run("K3-3 an attribute is read where no attribute is written", func(t *testing.T) {
		for _, code := range []string{
			"match tools.github:\n    case object(delete_issue=f):\n        f(id=1)\n",
			"@tools.github.delete_issue\ndef f(): pass\n",
			"def f(t=tools.github.delete_issue):\n    t(id=1)\nf()\n",
			"getattr(tools.github, 'delete' + '_issue')(id=1)\n",
		} {
			got, err := Analyze(code)
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Signature) != 1 || got.Signature[0] != "github" {
				t.Errorf("signature %v of %q", got.Signature, code)
			}
		}
		for _, code := range []string{
			"match tools:\n    case object(delete_issue=f):\n        f(id=1)\n",
			"match x:\n    case object(__globals__=f):\n        f(id=1)\n",
		} {
			if got, err := Analyze(code); err != nil || got.Proven {
				t.Errorf("proven: %q", code)
			}
		}
	})
	t.Run("K3-5 a deep tree does not end the process", func(t *testing.T) {
		for _, code := range []string{
			strings.Repeat("(", 900_000) + "1" + strings.Repeat(")", 900_000),
			strings.Repeat("(", 100_000) + "1" + strings.Repeat(")", 100_000),
			"f" + strings.Repeat("()", 100_000),
			"f" + strings.Repeat("()", 2_000),
			"x" + strings.Repeat("+1", 100_000),
			"x" + strings.Repeat("+1", 2_000),
			"x" + strings.Repeat(".a", 2_000),
			strings.Repeat("not ", 2_000) + "x",
		} {
			var refusal *SourceError
			if _, err := Analyze(code); !errors.As(err, &refusal) {
				t.Errorf("%.20q… of %d bytes is not refused: %v", code, len(code), err)
			}
		}
	})
	t.Run("K7-1 the hash covers the exact text", func(t *testing.T) {
		if hashOf(t, "_x = 1\n") == hashOf(t, "x = 1\n") {
			t.Error("two texts have one hash")
		}
	})
	t.Run("K7-5 the same code is found whatever its line ends", func(t *testing.T) {
		code := "rows = await tools.etl()\nif rows == 1:\n    return rows\n"
		want := hashOf(t, code)
		for _, same := range []string{
			strings.ReplaceAll(code, "\n", "\r\n"),
			strings.ReplaceAll(code, "\n", "\r"),
			strings.ReplaceAll(code, "\n", "  \t\n"),
			strings.ReplaceAll(code, "\n", "\n\n"),
			strings.TrimSpace(code),
		} {
			if hashOf(t, same) != want {
				t.Errorf("another hash for %q", same)
			}
		}
		if hashOf(t, strings.Replace(code, "==", "!=", 1)) == want {
			t.Error("changed code has the same hash")
		}
	})
}

func hashOf(tb testing.TB, code string) string {
	tb.Helper()
	got, err := Analyze(code)
	if err != nil {
		tb.Fatalf("%q: %v", code, err)
	}
	return got.CodeHash
}
