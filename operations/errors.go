package operations

import (
	"context"
	"errors"
	"fmt"

	"procgraph/graph"
	"procgraph/procedures"
)

// Code is what kind of failure an operation answers. Clients rely on the words.
type Code string

// The codes of the API.
const (
	BadUserInput    Code = "BAD_USER_INPUT"
	Unauthenticated Code = "UNAUTHENTICATED"
	Forbidden       Code = "FORBIDDEN"
	NotFound        Code = "NOT_FOUND"
	Conflict        Code = "CONFLICT"
	Stale           Code = "STALE"
	LimitExceeded   Code = "LIMIT_EXCEEDED"
	Unavailable     Code = "UNAVAILABLE"
	Internal        Code = "INTERNAL"
)

// Error is a failure that a caller is told about. Cause is for the log alone.
type Error struct {
	Code    Code
	Message string
	// Line and Column (from 1) are set when the failure is at a place in code; Line alone, at a line of an import.
	Line, Column int
	Cause        error
}

func (e *Error) Error() string { return string(e.Code) + ": " + e.Message }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Cause }

func badInput(format string, args ...any) error {
	return &Error{Code: BadUserInput, Message: fmt.Sprintf(format, args...)}
}

func limitExceeded(format string, args ...any) error {
	return &Error{Code: LimitExceeded, Message: fmt.Sprintf(format, args...)}
}

func conflict(format string, args ...any) error {
	return &Error{Code: Conflict, Message: fmt.Sprintf(format, args...)}
}

func notFound(what string) error {
	return &Error{Code: NotFound, Message: what + " not found"}
}

// translate gives failures the words of the API. What it does not know is our fault: INTERNAL, with the cause for the
// log.
func translate(err error) error {
	var known *Error
	var source *procedures.SourceError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return err
	case errors.As(err, &source):
		return &Error{Code: BadUserInput, Line: source.Line, Column: source.Column, Cause: err,
			Message: fmt.Sprintf("line %d, column %d: %s", source.Line, source.Column, source.Message)}
	case errors.Is(err, graph.ErrUnavailable), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return &Error{Code: Unavailable, Message: "the database does not answer; whether it was stored is not known", Cause: err}
	case errors.Is(err, graph.ErrNotFound):
		return &Error{Code: NotFound, Message: "not found", Cause: err}
	case errors.Is(err, graph.ErrConflict):
		return &Error{Code: Conflict, Message: "it conflicts with what is stored", Cause: err}
	case errors.Is(err, graph.ErrUnknownProcedure):
		return &Error{Code: BadUserInput, Message: "the code names a procedure that is not stored", Cause: err}
	case errors.Is(err, graph.ErrBadCursor):
		return &Error{Code: BadUserInput, Message: "after: " + graph.ErrBadCursor.Error(), Cause: err}
	default:
		return &Error{Code: Internal, Message: "an internal error; its request id is in the log", Cause: err}
	}
}
