package model

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"procgraph/operations"
)

const timeFormat = "2006-01-02T15:04:05.000Z"

// MarshalTime writes a moment in UTC with milliseconds.
func MarshalTime(t time.Time) graphql.Marshaler {
	return graphql.WriterFunc(func(w io.Writer) {
		var b [len(timeFormat) + 2]byte
		quoted := append(t.UTC().AppendFormat(append(b[:0], '"'), timeFormat), '"')
		_, _ = w.Write(quoted)
	})
}

// UnmarshalTime reads RFC 3339.
func UnmarshalTime(v any) (time.Time, error) {
	s, _ := v.(string)
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return t, badInput("a Time is RFC 3339, for example 2026-03-01T09:30:00.000Z")
	}
	return t.UTC().Truncate(time.Millisecond), nil
}

// MarshalJSON writes stored JSON as it is.
func MarshalJSON(raw json.RawMessage) graphql.Marshaler {
	if len(raw) == 0 {
		return graphql.Null
	}
	return graphql.WriterFunc(func(w io.Writer) { _, _ = w.Write(raw) })
}

// UnmarshalJSON takes any value. Variables arrive decoded, with json.Number for numbers, so no digit is lost.
func UnmarshalJSON(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, badInput("a JSON value cannot be read")
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// The library takes texts for numbers and numbers for texts, which GraphQL forbids: what is stored would not be what was
// sent. Numbers in variables arrive as json.Number.

// MarshalText writes a String.
func MarshalText(s string) graphql.Marshaler { return graphql.MarshalString(s) }

// UnmarshalText reads a String.
func UnmarshalText(v any) (string, error) {
	if s, ok := v.(string); ok {
		return s, nil
	}
	return "", badInput("a String is a text in quotes")
}

// MarshalNumber writes a Float.
func MarshalNumber(f float64) graphql.ContextMarshaler { return graphql.MarshalFloatContext(f) }

// UnmarshalNumber reads a Float.
func UnmarshalNumber(ctx context.Context, v any) (float64, error) {
	if _, quoted := v.(string); quoted {
		return 0, badInput("a Float is a number without quotes")
	}
	return graphql.UnmarshalFloatContext(ctx, v)
}

// MarshalCount writes an Int.
func MarshalCount(n int32) graphql.Marshaler { return graphql.MarshalInt32(n) }

// UnmarshalCount reads an Int.
func UnmarshalCount(v any) (int32, error) {
	if _, quoted := v.(string); quoted {
		return 0, badInput("an Int is a number without quotes")
	}
	return graphql.UnmarshalInt32(v)
}

// Int32 is a count as GraphQL can show it.
func Int32[N int | int64](n N) int32 {
	return int32(min(max(int64(n), math.MinInt32), math.MaxInt32))
}

func badInput(format string, args ...any) error {
	return &operations.Error{Code: operations.BadUserInput, Message: fmt.Sprintf(format, args...)}
}
