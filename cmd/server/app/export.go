package app

import (
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"procgraph/operations"
)

const (
	exportRoute = "GET /export"
	importRoute = "POST /import"
	// stallTimeout is how long an export or import may stand still because of the client.
	stallTimeout = time.Minute
)

// export streams the whole graph. A failure after the first byte aborts the connection, so that nobody takes what came
// for the whole.
func export(ops *operations.Operations, log *slog.Logger) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			answerError(w, r, http.StatusMethodNotAllowed, operations.BadUserInput, "an export is asked for with GET")
			return
		}
		control := http.NewResponseController(w)
		// The deadline of the server's reads would end the request: the server reads ahead to notice that the client goes.
		if err := control.SetReadDeadline(time.Time{}); err != nil {
			log.Warn("no deadline can be set", "requestId", operations.RequestID(r.Context()), "error", err)
		}
		w.Header().Set("Content-Type", "application/x-ndjson")
		body := &steadyWriter{w: w, control: control}
		err := ops.Export(r.Context(), body)
		if err == nil {
			return
		}
		if body.failed || r.Context().Err() != nil {
			log.Info("the client of an export is gone", "requestId", operations.RequestID(r.Context()), "error", err)
			panic(http.ErrAbortHandler)
		}
		status, answer := failure(err)
		logFailure(log, r, status, err)
		if body.wrote {
			panic(http.ErrAbortHandler)
		}
		answerError(w, r, status, answer.Code, answer.Message)
	}
}

// importGraph stores a text of an export and tells what it did, also when it failed on the way.
func importGraph(ops *operations.Operations, log *slog.Logger) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		body := &steadyReader{r: r.Body, control: control}
		done, err := ops.Import(r.Context(), body)
		document := map[string]any{
			"data": importAnswer(done), "extensions": map[string]any{"requestId": operations.RequestID(r.Context())},
		}
		status := http.StatusOK
		if err != nil {
			var answer *operations.Error
			status, answer = failure(err)
			logFailure(log, r, status, err)
			extensions := map[string]any{"code": answer.Code}
			if answer.Line > 0 {
				extensions["line"] = answer.Line
			}
			document["errors"] = []any{map[string]any{"message": answer.Message, "extensions": extensions}}
			body.stop()
			w.Header().Set("Connection", "close")
		}
		_ = control.SetWriteDeadline(time.Now().Add(stallTimeout))
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(document) // a client that is gone is no failure of ours
	}
}

func importAnswer(done operations.Imported) map[string]any {
	counts := func(c operations.ImportCounts) map[string]int64 {
		return map[string]int64{"tools": c.Tools, "causes": c.Causes, "procedures": c.Procedures, "variants": c.Variants, "uses": c.Uses}
	}
	s := done.Skipped
	return map[string]any{
		"lines": done.Lines, "written": counts(done.Written), "known": counts(done.Known),
		"skipped": map[string]int64{"definitions": s.Definitions, "retirements": s.Retirements, "statuses": s.Statuses,
			"offers": s.Offers, "captures": s.Captures, "counts": s.Counts, "tombstones": s.Tombstones},
	}
}

// failure is the answer to an error, and the status that it is answered with.
func failure(err error) (int, *operations.Error) {
	var e *operations.Error
	if !errors.As(err, &e) {
		e = &operations.Error{Code: operations.Internal, Message: "an internal error; its request id is in the log", Cause: err}
	}
	switch e.Code {
	case operations.BadUserInput, operations.LimitExceeded:
		return http.StatusBadRequest, e
	case operations.Unauthenticated:
		return http.StatusUnauthorized, e
	case operations.Forbidden:
		return http.StatusForbidden, e
	case operations.NotFound:
		return http.StatusNotFound, e
	case operations.Conflict, operations.Stale:
		return http.StatusConflict, e
	case operations.Unavailable:
		return http.StatusServiceUnavailable, e
	default:
		return http.StatusInternalServerError, e
	}
}

func logFailure(log *slog.Logger, r *http.Request, status int, err error) {
	level := slog.LevelInfo
	if status >= http.StatusInternalServerError {
		level = slog.LevelError
	}
	log.Log(r.Context(), level, "request failed", "requestId", operations.RequestID(r.Context()), "error", err, "cause", errors.Unwrap(err))
}

// steadyWriter gives each write a deadline of its own.
type steadyWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
	wrote   bool
	failed  bool
}

func (s *steadyWriter) Write(b []byte) (int, error) {
	s.wrote = true
	if err := s.control.SetWriteDeadline(time.Now().Add(stallTimeout)); err != nil {
		return 0, err
	}
	n, err := s.w.Write(b)
	if err == nil {
		err = s.control.Flush()
	}
	s.failed = err != nil
	return n, err
}

// steadyReader gives each read a deadline of its own. At the end there is none, because the server goes on reading to
// notice that the client goes.
type steadyReader struct {
	r       io.Reader
	control *http.ResponseController
	mu      sync.Mutex // held while a deadline is set
	stopped bool
}

func (s *steadyReader) Read(b []byte) (int, error) {
	if err := s.until(time.Now().Add(stallTimeout)); err != nil {
		return 0, err
	}
	n, err := s.r.Read(b)
	if errors.Is(err, io.EOF) {
		if err := s.until(time.Time{}); err != nil {
			return n, err
		}
	}
	return n, err
}

var errStopped = errors.New("nobody waits for the rest of the body")

func (s *steadyReader) until(deadline time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return errStopped
	}
	return s.control.SetReadDeadline(deadline)
}

// stop ends a read that waits for the client, and all later ones.
func (s *steadyReader) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
	_ = s.control.SetReadDeadline(time.Now()) // then the read ends by the deadline that it has
}
