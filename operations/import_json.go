package operations

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// members are those of a JSON object.
type members map[string]json.RawMessage

// optional marks a member that may be missing.
type optional struct{ into any }

// parseObject reads one JSON object, in which no name comes twice at any depth.
func parseObject(raw []byte) (members, error) {
	decoder := jsontext.NewDecoder(bytes.NewReader(raw))
	if decoder.PeekKind() != '{' {
		return nil, badInput("the line is not a JSON object")
	}
	if _, err := decoder.ReadToken(); err != nil {
		return nil, notJSON(err)
	}
	m := make(members, 20)
	for decoder.PeekKind() == '"' {
		token, err := decoder.ReadToken()
		if err != nil {
			return nil, notJSON(err)
		}
		name := token.String() // before the next read
		value, err := decoder.ReadValue()
		if err != nil {
			return nil, notJSON(err)
		}
		m[name] = json.RawMessage(value.Clone())
	}
	if _, err := decoder.ReadToken(); err != nil {
		return nil, notJSON(err)
	}
	if _, err := decoder.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, badInput("something follows the JSON object")
	}
	return m, nil
}

func notJSON(err error) error {
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return badInput("a name is there twice")
	}
	return badInput("the line is not valid JSON")
}

// all takes the wanted members, and refuses one that is missing or is not wanted.
func (m members) all(wanted map[string]any) error {
	for name, into := range wanted {
		if o, ok := into.(optional); ok {
			if _, there := m[name]; !there {
				continue
			}
			into = o.into
		}
		if err := m.take(name, into); err != nil {
			return err
		}
	}
	for name := range m {
		if _, ok := wanted[name]; !ok && name != "kind" {
			return badInput("%q is not a part of such a line", shortened(name))
		}
	}
	return nil
}

// take reads one member into a place that tells its type. The decoder of the library would take null for anything.
func (m members) take(name string, into any) error {
	raw, ok := m[name]
	if !ok {
		return badInput("%q is missing", name)
	}
	switch into := into.(type) {
	case *string:
		text, err := jsontext.AppendUnquote(nil, raw)
		if err != nil {
			return badInput("%q does not have its type", name)
		}
		*into = string(text)
		return nil
	case *json.RawMessage:
		var compact bytes.Buffer
		if err := json.Compact(&compact, raw); err != nil {
			return badInput("%q is not valid JSON", name)
		}
		*into = compact.Bytes()
		return nil
	case *time.Time:
		return takeTime(name, raw, into)
	case *moment:
		return takeTime(name, raw, (*time.Time)(into))
	case *[]string:
		var list []*string
		if err := json.Unmarshal(raw, &list); err != nil || list == nil || slices.Contains(list, nil) {
			return badInput("%q is not a list of texts", name)
		}
		for _, s := range list {
			*into = append(*into, *s)
		}
		return nil
	case **float64:
		var f float64
		if err := json.Unmarshal(raw, &f); err != nil || string(raw) == "null" || math.IsInf(f, 0) {
			return badInput("%q is not a number", name)
		}
		*into = &f
		return nil
	default:
		if err := json.Unmarshal(raw, into); err != nil || string(raw) == "null" {
			return badInput("%q does not have its type", name)
		}
		return nil
	}
}

func takeTime(name string, raw json.RawMessage, into *time.Time) error {
	text, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		return badInput("%q is not a time", name)
	}
	at, err := time.Parse(time.RFC3339Nano, string(text))
	if err != nil || at.UnixMilli() < 0 || at.Year() > 2200 {
		return badInput("%q is not a time such as 2026-03-01T09:30:00.000Z", name)
	}
	*into = at.UTC().Truncate(time.Millisecond)
	return nil
}
