package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"procgraph/graph"
	"procgraph/graph/neo4j"
	"procgraph/graph/sqlite"
	"procgraph/operations"
	"procgraph/procedures"
)

const (
	openTimeout  = time.Minute
	drainTimeout = 8 * time.Second // of the ten seconds that a stop may take
	parseCache   = 4096            // analyses that are remembered
)

// Run serves until the context ends, then drains and stops. It prints one line to stdout when it is ready and logs to
// stderr. The error says in one line why it could not start or stop.
func Run(ctx context.Context, options Options, stdout, stderr io.Writer) (err error) {
	if os.Getenv("GOGC") == "" {
		// The heap is small and requests leave much garbage: collecting it less often costs little memory.
		debug.SetGCPercent(400)
	}
	log := slog.New(slog.NewJSONHandler(stderr, nil))
	if err := os.MkdirAll(options.Data, 0o700); err != nil {
		return fmt.Errorf("data folder: %w", err)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", options.Listen)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w", options.Listen, err)
	}
	defer func() { _ = listener.Close() }()

	store, err := openStore(ctx, options, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()

	heads := publishHeads(options.Data, log)
	defer heads.stop()
	metrics := newMetrics()
	ops := operations.New(operations.Options{
		Store: store, Analyses: procedures.NewCache(parseCache), Log: log,
		HeadMoved: heads.moved, HintDisagreed: metrics.hintDisagreements.Inc,
	})
	if err := bootstrapAdmin(ctx, ops, options, log); err != nil {
		return err
	}
	head, err := store.Facts(ctx, graph.FactQuery{})
	if err != nil {
		return fmt.Errorf("the head of the audit chain: %w", err)
	}
	heads.moved(head.Head)
	if options.Demo {
		if err := loadDemo(ctx, ops, log); err != nil {
			return fmt.Errorf("the demonstration graph: %w", err)
		}
	}
	return serve(ctx, listener, handler(ops, store, metrics, log), stdout, log)
}

func openStore(ctx context.Context, options Options, log *slog.Logger) (graph.Store, error) {
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	switch options.Store {
	case "neo4j":
		store, err := neo4j.Open(ctx, neo4j.Options{URI: options.Neo4jURI, User: options.Neo4jUser,
			Password: options.Neo4jPassword, Database: options.Neo4jDatabase}, log)
		if err != nil {
			return nil, fmt.Errorf("cannot use Neo4j at %s: %w", options.Neo4jURI, err)
		}
		return store, nil
	default:
		path := filepath.Join(options.Data, "procgraph.db")
		store, err := sqlite.Open(ctx, path, log)
		if err != nil {
			return nil, fmt.Errorf("cannot use %s: %w", path, err)
		}
		return store, nil
	}
}

// serve answers requests until the context ends, then lets those under way finish.
func serve(ctx context.Context, listener net.Listener, h http.Handler, stdout io.Writer, log *slog.Logger) error {
	server := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	if _, err := fmt.Fprintf(stdout, "ready http://%s\n", listener.Addr()); err != nil {
		log.Warn("the ready line could not be printed", "error", err)
	}
	select {
	case err := <-failed:
		return fmt.Errorf("serving: %w", err)
	case <-ctx.Done():
	}
	log.Info("stopping")
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
	defer cancel()
	if err := server.Shutdown(drain); err != nil {
		log.Warn("requests were cut off", "error", err)
		_ = server.Close()
	}
	log.Info("stopped")
	return nil
}
