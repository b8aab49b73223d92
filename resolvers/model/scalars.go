package model

import (
	"bytes"
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

// Int32 is a count as GraphQL can show it.
func Int32[N int | int64](n N) int32 {
	return int32(min(max(int64(n), math.MinInt32), math.MaxInt32))
}

func badInput(format string, args ...any) error {
	return &operations.Error{Code: operations.BadUserInput, Message: fmt.Sprintf(format, args...)}
}
