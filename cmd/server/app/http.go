package app

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"regexp"
	"runtime/debug"
	"time"

	"procgraph/console"
	"procgraph/graph"
	"procgraph/operations"
	"procgraph/resolvers"
	"procgraph/trust"
	"procgraph/trust/middleware"
)

const (
	requestTimeout = 30 * time.Second
	pingTimeout    = 2 * time.Second
)

// handler answers every route. The path of a request is: log and count -> authenticate -> route -> operations.
func handler(ops *operations.Operations, store graph.Store, m *metrics, log *slog.Logger) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/graphql", resolvers.NewHandler(ops, log))
	mux.Handle("/graphiql", console.GraphiQL())
	mux.Handle("/graphiql/", console.GraphiQL())
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { answerText(w, http.StatusOK, "ok\n") })
	mux.HandleFunc("GET /readyz", ready(store))
	mux.HandleFunc(exportRoute, export(ops, log))
	mux.HandleFunc(importRoute, importGraph(ops, log))
	mux.Handle("GET /metrics", authenticated(m.handler()))
	mux.Handle("GET /{$}", http.RedirectHandler("/graphiql", http.StatusFound))

	refuse := func(w http.ResponseWriter, r *http.Request, err error) {
		if err != nil {
			log.Warn("a token could not be checked", "requestId", operations.RequestID(r.Context()), "error", err)
			answerError(w, r, http.StatusServiceUnavailable, operations.Unavailable, "the database does not answer")
			return
		}
		m.refusedTokens.Inc()
		log.Warn("a token was refused", "requestId", operations.RequestID(r.Context()), "remote", r.RemoteAddr)
		w.Header().Set("WWW-Authenticate", "Bearer")
		answerError(w, r, http.StatusUnauthorized, operations.Unauthenticated, "the token is not valid")
	}
	return observed(mux, m, log, middleware.Authenticate(ops.Authenticate, refuse, mux))
}

func ready(store graph.Store) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), pingTimeout)
		defer cancel()
		if err := store.Ping(ctx); err != nil {
			answerText(w, http.StatusServiceUnavailable, "the database does not answer\n")
			return
		}
		answerText(w, http.StatusOK, "ready\n")
	}
}

// authenticated lets any token through, and nobody without one.
func authenticated(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, ok := trust.CallerOf(r.Context()); !ok {
			w.Header().Set("WWW-Authenticate", "Bearer")
			answerError(w, r, http.StatusUnauthorized, operations.Unauthenticated, "a valid token is needed")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// observed gives each request an id and a deadline, logs and counts it, and survives a panic below it.
func observed(mux *http.ServeMux, m *metrics, log *slog.Logger, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		started := time.Now()
		id := requestID(r)
		_, route := mux.Handler(r)
		ctx, cancel := deadline(operations.WithRequestID(r.Context(), id), route)
		defer cancel()
		r = r.WithContext(ctx)
		w.Header().Set("X-Request-ID", id)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		recorder := &statusRecorder{ResponseWriter: w, status: http.StatusOK}
		defer func() {
			p := recover()
			err, _ := p.(error)
			aborted := errors.Is(err, http.ErrAbortHandler)
			if p != nil && !aborted {
				log.Error("panic", "requestId", id, "panic", p, "stack", string(debug.Stack()))
				if !recorder.wrote {
					answerError(recorder, r, http.StatusInternalServerError, operations.Internal, "an internal error; its request id is in the log")
				}
			}
			took := time.Since(started)
			m.observe(route, recorder.status, took)
			log.Info("request", "requestId", id, "method", r.Method, "route", route, "status", recorder.status,
				"ms", float64(took.Microseconds())/1000, "aborted", aborted)
			if aborted {
				panic(p)
			}
		}()
		next.ServeHTTP(recorder, r)
	})
}

// deadline ends a request that takes too long. An export or import may take as long as it goes on.
func deadline(ctx context.Context, route string) (context.Context, context.CancelFunc) {
	if route == exportRoute || route == importRoute {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, requestTimeout)
}

var plainID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// requestID is the client's own id of the request where it is fit for a log, else a random one.
func requestID(r *http.Request) string {
	if given := r.Header.Get("X-Request-ID"); plainID.MatchString(given) {
		return given
	}
	return rand.Text()
}

type statusRecorder struct {
	http.ResponseWriter
	status int
	wrote  bool
}

func (s *statusRecorder) WriteHeader(status int) {
	if !s.wrote {
		s.status, s.wrote = status, true
	}
	s.ResponseWriter.WriteHeader(status)
}

func (s *statusRecorder) Write(b []byte) (int, error) {
	s.wrote = true
	return s.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the writer below.
func (s *statusRecorder) Unwrap() http.ResponseWriter { return s.ResponseWriter }

func answerText(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(body)) // a client that is gone is no failure of ours
}

func answerError(w http.ResponseWriter, r *http.Request, status int, code operations.Code, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{
		"data":       nil,
		"errors":     []any{map[string]any{"message": message, "extensions": map[string]any{"code": code}}},
		"extensions": map[string]any{"requestId": operations.RequestID(r.Context())},
	})
}
