package procedures

import (
	"encoding/json"
	"os"
	"slices"
	"testing"
)

// signatureCase is one snippet of testdata/python-signatures.json.
type signatureCase struct {
	ID                string   `json:"id"`
	Code              string   `json:"code"`
	SignatureExpected []string `json:"signature_expected"`
	FullyResolved     bool     `json:"fully_resolved"`
	ConservativeOK    bool     `json:"conservative_ok"`
	RuntimeSeen       []string `json:"runtime_seen"`
}

func signatureCases(tb testing.TB) []signatureCase {
	tb.Helper()
	data, err := os.ReadFile("testdata/python-signatures.json")
	if err != nil {
		tb.Fatal(err)
	}
	var cases []signatureCase
	if err := json.Unmarshal(data, &cases); err != nil {
		tb.Fatal(err)
	}
	return cases
}

// refusedBySection3 are the snippets with characters that the source rules refuse.
var refusedBySection3 = []string{"syn-11", "syn-15", "cut-01", "cut-03", "cut-05", "cut-07", "cut-09"}

// TestSignatureCases compares with the answers of a careful analyser. Nothing may be proven that misses a tool.
func TestSignatureCases(t *testing.T) {
	resolvable, resolved := 0, 0
	for _, c := range signatureCases(t) {
		got, err := Analyze(c.Code)
		if err != nil {
			if !slices.Contains(refusedBySection3, c.ID) {
				t.Errorf("%s: refused: %v", c.ID, err)
			}
			continue
		}
		if slices.Contains(refusedBySection3, c.ID) {
			t.Errorf("%s: not refused", c.ID)
		}
		exact := got.Proven && slices.Equal(got.Signature, c.SignatureExpected)
		if got.Proven {
			for _, tool := range append(slices.Clone(c.RuntimeSeen), c.SignatureExpected...) {
				if !slices.Contains(got.Signature, tool) {
					t.Errorf("%s: proven without %s", c.ID, tool)
				}
			}
			if !c.FullyResolved {
				t.Errorf("%s: proven, and nothing can be", c.ID)
			}
		}
		if c.FullyResolved {
			resolvable++
			if exact {
				resolved++
			} else if !c.ConservativeOK {
				t.Errorf("%s: got %v, %v; want exactly %v", c.ID, got.Signature, got.Findings, c.SignatureExpected)
			}
		}
		t.Logf("%-9s proven %-5v signature %v findings %v", c.ID, got.Proven, got.Signature, got.Findings)
	}
	t.Logf("%d of %d resolvable snippets are resolved exactly", resolved, resolvable)
	if resolved*100 < 80*resolvable {
		t.Errorf("only %d of %d are resolved", resolved, resolvable)
	}
}
