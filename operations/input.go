package operations

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"procgraph/graph"
	"procgraph/names"
)

const (
	maxPage       = 500
	maxBatch      = 100
	maxCauses     = 16
	maxText       = 64 << 10 // bytes of one text
	maxSignals    = 64
	maxKey        = 500 // characters of an idempotency key
	maxListFilter = 100
)

// PageInput is the first and after of a list.
type PageInput struct {
	First int
	After string
	// Count asks for the total.
	Count bool
}

// page checks the input of a list and finds the place to go on from.
func (p PageInput) page(list string) (graph.Page, error) {
	if p.First < 0 || p.First > maxPage {
		return graph.Page{}, badInput("first and limit go from 0 to %d", maxPage)
	}
	after, err := graph.ParseCursor(list, p.After)
	if err != nil {
		return graph.Page{}, translate(err)
	}
	return graph.Page{First: p.First, After: after, Count: p.Count}, nil
}

// storedName is the form of a name that is stored, or an error when it cannot be one.
func storedName(what, name string) (string, error) {
	stored, err := names.Stored(name)
	if err != nil {
		return "", badInput("%s %v", what, err)
	}
	return stored, nil
}

// redirecting tells characters that show a text in another order than it is read.
func redirecting(r rune) bool {
	return r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}

func toolName(name string) (string, error) {
	normal, err := storedName("a tool's name", name)
	if err == nil && names.IsProcedure(normal) {
		return "", badInput("the name of a tool cannot start with %s: those are procedures", names.ProcedurePrefix)
	}
	return normal, err
}

// text refuses what is too long or cannot be stored alike on both stores.
func text(what, s string) error {
	if len(s) > maxText {
		return tooLong(what)
	}
	if !utf8.ValidString(s) || strings.ContainsRune(s, 0) || strings.IndexFunc(s, redirecting) >= 0 {
		return badInput("%s is not valid text", what)
	}
	return nil
}

func tooLong(what string) error {
	return limitExceeded("%s is longer than %d bytes", what, maxText)
}

func jsonText(what string, raw json.RawMessage) error {
	if len(raw) > maxText {
		return tooLong(what)
	}
	if len(raw) > 0 && (!json.Valid(raw) || strings.Contains(string(raw), `\u0000`)) {
		return badInput("%s is not JSON that can be stored", what)
	}
	return nil
}

func codeHash(hash string) (string, error) {
	if len(hash) != 64 || strings.Trim(hash, "0123456789abcdef") != "" {
		return "", notFound("variant")
	}
	return hash, nil
}

// distinct keeps the first of equal strings.
func distinct[S ~string](list []S) []S {
	seen := make(map[S]bool, len(list))
	var kept []S
	for _, s := range list {
		if !seen[s] {
			seen[s] = true
			kept = append(kept, s)
		}
	}
	return kept
}
