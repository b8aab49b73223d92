package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"charm.land/huh/v2"

	"procgraph/cmd/procgraph/mcptools"
)

// Codes of failures that no server told; the others are the server's extensions.code.
const (
	codeUsage       = "USAGE"
	codeInterrupted = "INTERRUPTED"
	codeFailed      = "FAILED"
	codeUnavailable = "UNAVAILABLE"
	codeBadFile     = "BAD_FILE"
	codeNotFound    = "NOT_FOUND"
)

// failure is an error with a code, and what to do about it.
type failure struct {
	Code    string   `json:"code"`
	Message string   `json:"message"`
	Line    int      `json:"line,omitempty"`   // of a file that is imported, from 1
	Detail  []string `json:"detail,omitempty"` // further lines, such as the last ones that a process wrote
}

func (f *failure) Error() string { return f.Message }

func failed(code, format string, args ...any) error {
	return &failure{Code: code, Message: fmt.Sprintf(format, args...)}
}

// usage marks an error as one of the command line's.
func usage(err error) error {
	return failed(codeUsage, "%s; --help tells more", firstLine(err.Error()))
}

// fail tells the error and answers the status to exit with.
func (a *app) fail(ctx context.Context, err error) int {
	var f *failure
	var server *mcptools.Error
	switch {
	case ctx.Err() != nil, errors.Is(err, huh.ErrUserAborted), errors.Is(err, context.Canceled):
		f = &failure{Code: codeInterrupted, Message: "interrupted"}
	case errors.As(err, &f):
	case errors.As(err, &server):
		f = &failure{Code: codeFailed, Message: server.Error(), Detail: server.Output}
	default:
		f = &failure{Code: codeFailed, Message: err.Error()}
	}
	a.tell(f)
	switch f.Code {
	case codeUsage:
		return 2
	case codeInterrupted:
		return 130
	default:
		return 1
	}
}

func (a *app) tell(f *failure) {
	if a.json {
		encoded, err := json.Marshal(map[string]any{"error": f})
		if err == nil {
			_, _ = fmt.Fprintf(a.errOut, "%s\n", safeJSON(encoded))
		}
		return
	}
	_, _ = fmt.Fprintf(a.errOut, "procgraph: %s\n", line(f.Message))
	for _, detail := range f.Detail {
		_, _ = fmt.Fprintf(a.errOut, "  | %s\n", line(detail))
	}
}

func firstLine(s string) string {
	first, _, _ := strings.Cut(s, "\n")
	return first
}
