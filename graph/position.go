package graph

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Positions are strings that sort ascending in the order of a list. They have no ties, so a position is both the
// order and the cursor, and both stores compare them byte by byte.

const (
	// MaxCount is the greatest count that positions tell apart.
	MaxCount  = 9_999_999_999
	maxMillis = 9_999_999_999_999
)

// inverted is a number as wide as its limit that sorts the greatest first. A page has one for each row, so it is not
// formatted by package fmt.
func inverted(limit, n int64) string {
	// The limit is all nines, so the sum has one digit more, which is dropped.
	return strconv.FormatInt(limit+1+limit-min(max(n, 0), limit), 10)[1:]
}

// Rank sorts procedures by most used, then last used, then name.
func Rank(frequency int64, lastUsed time.Time, toolName string) string {
	return inverted(MaxCount, frequency) + ":" + inverted(maxMillis, lastUsed.UnixMilli()) + ":" + toolName
}

// Recent sorts procedures by last updated, then name.
func Recent(updated time.Time, toolName string) string {
	return inverted(maxMillis, updated.UnixMilli()) + ":" + toolName
}

// Position is the place of the procedure in an order.
func (p Procedure) Position(order ProcedureOrder) string {
	switch order {
	case ByUpdated:
		return Recent(p.UpdatedAt, p.ToolName)
	case ByName:
		return p.ToolName
	default:
		return Rank(p.Frequency, p.LastUsedAt, p.ToolName)
	}
}

// NameAt is the tool name in a procedure's position.
func (o ProcedureOrder) NameAt(position string) string {
	switch o {
	case ByName:
		return position
	case ByUpdated:
		_, name, _ := strings.Cut(position, ":")
		return name
	default:
		_, rest, _ := strings.Cut(position, ":")
		_, name, _ := strings.Cut(rest, ":")
		return name
	}
}

// Position sorts the variants of a procedure by the time of their capture.
func (v Variant) Position() string {
	return fmt.Sprintf("%013d:%s", max(v.CapturedAt.UnixMilli(), 0), v.CodeHash)
}

// OfProcedure sorts the uses of a procedure: most frequent first, then by the name of the cause.
func (u Use) OfProcedure() string {
	return inverted(MaxCount, u.Frequency) + ":" + u.Cause
}

// OfCause sorts the uses of a cause: most frequent first, then by the name of the procedure.
func (u Use) OfCause() string {
	return inverted(MaxCount, u.Frequency) + ":" + u.ToolName
}

// ErrBadCursor says that a cursor was not made for the list that it is used with.
var ErrBadCursor = errors.New("the cursor does not belong to this list")

// Cursor is the opaque form of a position in the named list.
func Cursor(list, position string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(list + "\x00" + position))
}

// ParseCursor gives back the position, or ErrBadCursor when the cursor is of another list. An empty cursor is the start.
func ParseCursor(list, cursor string) (string, error) {
	if cursor == "" {
		return "", nil
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil {
		return "", ErrBadCursor
	}
	of, position, ok := strings.Cut(string(raw), "\x00")
	if !ok || of != list || position == "" {
		return "", ErrBadCursor
	}
	return position, nil
}

// NodeID is the public id of a node: the same on both stores and after an import.
func NodeID(kind NodeKind, key string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strings.ToLower(string(kind)) + ":" + key))
}

// ParseNodeID gives back the kind and key; ok is false for anything that NodeID does not make.
func ParseNodeID(id string) (kind NodeKind, key string, ok bool) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(id)
	if err != nil {
		return "", "", false
	}
	k, key, ok := strings.Cut(string(raw), ":")
	if !ok || key == "" || k != strings.ToLower(k) {
		return "", "", false
	}
	return NodeKind(strings.ToUpper(k)), key, true
}
