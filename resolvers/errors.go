package resolvers

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"procgraph/operations"
)

var (
	errUnauthenticated = &operations.Error{Code: operations.Unauthenticated, Message: "a valid token is needed"}
	errInternal        = &operations.Error{Code: operations.Internal, Message: "an internal error; its request id is in the log"}
)

const maxMessage = 500 // bytes of a message; some repeat what the client sent

// present gives every failure a code and words for the client. What it does not know is INTERNAL: the cause goes to
// the log, with the request id, and nowhere else.
func (h *handler) present(ctx context.Context, err error) *gqlerror.Error {
	shown := &gqlerror.Error{Path: graphql.GetPath(ctx)}
	var placed *gqlerror.Error
	if errors.As(err, &placed) {
		shown.Path, shown.Locations = placed.Path, placed.Locations
	}
	var known *operations.Error
	switch {
	case errors.As(err, &known):
	case placed != nil && (refused(placed) || ofArgument(ctx, placed)):
		known = &operations.Error{Code: operations.BadUserInput, Message: plain(placed.Message)}
	default:
		h.report(ctx, nil, err)
		known = errInternal
	}
	if known.Cause != nil {
		h.report(ctx, known, known.Cause)
	}
	shown.Message = known.Message
	if len(shown.Message) > maxMessage {
		shown.Message = strings.ToValidUTF8(shown.Message[:maxMessage], "") + "…"
	}
	shown.Extensions = map[string]any{"code": known.Code}
	if known.Line > 0 {
		shown.Extensions["line"], shown.Extensions["column"] = known.Line, known.Column
	}
	return shown
}

// plain is the library's message but for the one about a variable's type, which quotes another value than was sent.
func plain(message string) string {
	if strings.HasPrefix(message, "cannot use ") {
		return "the value is no " + message[strings.LastIndexByte(message, ' ')+1:]
	}
	return message
}

// refused tells that parsing or validation refused the document or its variables.
func refused(err *gqlerror.Error) bool {
	code := err.Extensions["code"]
	return code == errcode.ParseFailed || code == errcode.ValidationFailed
}

// ofArgument tells that an argument could not be read. Its path leads below the field; those of failures of the field
// itself end at it.
func ofArgument(ctx context.Context, err *gqlerror.Error) bool {
	field := graphql.GetFieldContext(ctx)
	return field != nil && len(err.Path) > len(field.Path())
}

// report logs why a request failed where the fault is not the client's. A failure that many rows of a response share is
// logged once.
func (h *handler) report(ctx context.Context, known *operations.Error, cause error) {
	level := slog.LevelError
	switch {
	case known == nil || known.Code == operations.Internal:
	case known.Code == operations.Unavailable:
		level = slog.LevelWarn
	default:
		return
	}
	if seen, ok := ctx.Value(reportedKey{}).(*reported); ok && known != nil && seen.before(known) {
		return
	}
	h.log.LogAttrs(ctx, level, "a request failed", slog.String("requestId", operations.RequestID(ctx)),
		slog.String("path", graphql.GetPath(ctx).String()), slog.String("cause", cause.Error()))
}

type reportedKey struct{}

// reported are the failures of a response that were logged.
type reported struct {
	mu   sync.Mutex
	seen map[*operations.Error]bool
}

func (r *reported) before(e *operations.Error) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.seen[e] {
		return true
	}
	if r.seen == nil {
		r.seen = map[*operations.Error]bool{}
	}
	r.seen[e] = true
	return false
}

// recovered turns a panic into an internal error.
func (h *handler) recovered(ctx context.Context, panicked any) error {
	h.log.LogAttrs(ctx, slog.LevelError, "a request panicked", slog.String("requestId", operations.RequestID(ctx)),
		slog.Any("panic", panicked), slog.String("stack", string(debug.Stack())))
	return errInternal
}
