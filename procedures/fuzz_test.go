package procedures

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"testing"
)

func seeds(f *testing.F) {
	f.Helper()
	for _, code := range readAttacks(f) {
		f.Add(code)
	}
	for _, c := range signatureCases(f) {
		f.Add(c.Code)
	}
	for _, c := range ordinaryProcedures {
		f.Add(c.code)
	}
	for i := range uint64(50) {
		f.Add(program(i))
	}
}

// FuzzAnalyze wants an answer to any text that holds together: sorted names, findings exactly where nothing is proven,
// places inside of the text, and the same answer to the canonical text.
func FuzzAnalyze(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, source string) {
		got, err := Analyze(source)
		if err != nil {
			var refusal *SourceError
			if !errors.As(err, &refusal) || refusal.Code == "" || refusal.Line < 1 || refusal.Column < 1 {
				t.Fatalf("a bad refusal: %#v", err)
			}
			return
		}
		if got.Proven != (len(got.Findings) == 0) {
			t.Fatalf("proven %v with findings %v", got.Proven, got.Findings)
		}
		if !slices.IsSorted(got.Signature) || len(slices.Compact(slices.Clone(got.Signature))) != len(got.Signature) {
			t.Fatalf("the signature is not a sorted set: %q", got.Signature)
		}
		lines := strings.Count(got.Code, "\n") + 1
		for _, r := range got.References {
			if r.Line < 1 || r.Line > lines || r.Column < 1 || !slices.Contains(got.Signature, r.Tool) {
				t.Fatalf("a bad reference: %+v", r)
			}
		}
		for _, finding := range got.Findings {
			if finding.Line < 1 || finding.Line > lines || finding.Column < 1 || finding.Code == "" || finding.Message == "" {
				t.Fatalf("a bad finding: %+v", finding)
			}
		}
		if !got.Proven {
			return
		}
		// A second reader that knows only words: whatever follows the word tools and a dot is named.
		found, refusal := lex(got.Code)
		if refusal != nil {
			t.Fatal(refusal)
		}
		for i := 1; i < len(found.names); i++ {
			object, name := found.names[i-1], found.names[i]
			word := got.Code[name.start:name.end]
			if got.Code[object.start:object.end] == "tools" && !strings.HasSuffix(got.Code[:object.start], ".") && got.Code[object.end:name.start] == "." && isASCII(word) &&
				!slices.Contains(got.Signature, word) && strings.Count(got.Code, "tools") == 1 {
				t.Fatalf("proven with %v, and %s is named", got.Signature, word)
			}
		}
	})
}

// FuzzCanonical wants the canonical text of any text to be its own canonical text, with its own hash.
func FuzzCanonical(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, source string) {
		got, err := Analyze(source)
		if err != nil {
			return
		}
		sum := sha256.Sum256([]byte(got.Code))
		if got.CodeHash != hex.EncodeToString(sum[:]) {
			t.Fatal("the hash is not that of the canonical text")
		}
		checkIdempotent(t, source)
		if len(got.Code) > len(source) {
			t.Fatalf("the canonical text is longer: %q", got.Code)
		}
	})
}
