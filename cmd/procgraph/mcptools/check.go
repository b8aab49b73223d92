package mcptools

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	jsonv2 "github.com/go-json-experiment/json"

	"procgraph/names"
)

// maxText is a limit of registerTools, in bytes. It is checked before anything is registered, so that not one batch of
// two is.
const maxText = 64 << 10

// Check refuses a catalogue that a server of procedures would refuse, with the tool that is to blame. Names get the
// prefix and are trimmed as they will be stored.
func Check(tools []Tool, prefix string) error {
	seen := map[string]bool{}
	for i := range tools {
		t := &tools[i]
		if names.Normal(t.Name) == "" {
			return failed("tool %d of the MCP server has no name: tell its maker", i+1)
		}
		name, err := names.Stored(prefix + t.Name)
		if err != nil {
			return failed("the name of the MCP server's tool %d, %s, %v: tell its maker", i+1, cut(prefix+t.Name), err)
		}
		t.Name = name
		what := "the MCP server's tool " + t.Name
		switch {
		case names.IsProcedure(t.Name):
			return failed("%s is named like a procedure: --prefix gives the tools of this server other names", what)
		case seen[t.Name]:
			return failed("%s is listed twice: tell its maker", what)
		case t.Description != nil && len(*t.Description) > maxText:
			return failed("the description of %s is longer than %d bytes: tell its maker", what, maxText)
		case t.Description != nil && !isText(*t.Description):
			return failed("the description of %s holds a NUL or redirects the direction of writing: tell its maker", what)
		case !isObject(t.InputSchema):
			return failed("the schema of %s is no JSON object of at most %d bytes: tell its maker", what, maxText)
		case !isNull(t.Annotations) && !isObject(t.Annotations):
			return failed("the annotations of %s are no JSON object of at most %d bytes: tell its maker", what, maxText)
		}
		seen[t.Name] = true
	}
	return nil
}

// cut is enough of a name to find it by.
func cut(name string) string {
	if r := []rune(name); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return name
}

func isText(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return r == 0 || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
	})
}

func isObject(raw json.RawMessage) bool {
	return len(raw) <= maxText && bytes.HasPrefix(raw, []byte("{")) && !bytes.Contains(raw, []byte(`\u0000`))
}

func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// Claims are what a server says of a tool of its own. They are no more than that.
type Claims struct {
	ReadOnly    *bool `json:"readOnlyHint"`
	Destructive *bool `json:"destructiveHint"`
}

// Claims reads the annotations; what is no boolean is no claim.
func (t Tool) Claims() (c Claims) {
	if jsonv2.Unmarshal(t.Annotations, &c) != nil {
		return Claims{}
	}
	return c
}

// Suggestion is the class that the claims suggest: STATE_CHANGING, READ_ONLY or UNCLASSIFIED.
func (t Tool) Suggestion() string {
	c := t.Claims()
	switch {
	case c.ReadOnly != nil && !*c.ReadOnly, c.Destructive != nil && *c.Destructive:
		return "STATE_CHANGING"
	case c.ReadOnly != nil:
		return "READ_ONLY"
	default:
		return "UNCLASSIFIED"
	}
}

// Hints are the annotations as they are stored; nil without any.
func (t Tool) Hints() json.RawMessage {
	if isNull(t.Annotations) {
		return nil
	}
	return t.Annotations
}
