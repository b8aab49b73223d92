// Package neo4jtest gives tests a real Neo4j: one container for each test binary, started when a test first
// asks for it and removed when the binary ends.
//
// A binary that uses it has
//
//	func TestMain(m *testing.M) { os.Exit(neo4jtest.Main(m)) }
//
// and its tests call [Start]. Community edition has one database, so tests of one binary that share it do not
// run in parallel unless they keep to names of their own; [Server.Clear] empties it between them.
//
// For work at the desk, PROCGRAPH_TEST_NEO4J_URI (with PROCGRAPH_TEST_NEO4J_USER and _PASSWORD) names a running
// database to use instead. The tests empty it.
package neo4jtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
)

// startTimeout bounds a start of the database, on a machine that is busy with other tests.
const startTimeout = 5 * time.Minute

var shared struct {
	sync.Mutex
	managed bool // Main runs, so that a container that is started will be removed.
	server  *Server
	err     error // Why the first start failed: later tests fail at once with the same words.
}

// Main runs the tests of a binary, removes the container if one was started, and answers the exit code.
func Main(m *testing.M) int {
	shared.Lock()
	shared.managed = true
	shared.Unlock()

	// An interrupted run must leave no database behind.
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-interrupted
		_ = closeShared()
		os.Exit(130)
	}()

	code := m.Run()
	if err := closeShared(); err != nil {
		fmt.Fprintln(os.Stderr, "neo4jtest:", err)
		if code == 0 {
			code = 1
		}
	}
	return code
}

func closeShared() error {
	shared.Lock()
	defer shared.Unlock()
	if shared.server == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	err := shared.server.Close(ctx)
	shared.server = nil
	return err
}

// Start answers the database of this test binary and starts it when it is the first to ask. The database may
// hold what earlier tests left. Where none can be started the test fails: it never skips.
func Start(tb testing.TB) *Server {
	tb.Helper()
	shared.Lock()
	defer shared.Unlock()
	if !shared.managed {
		tb.Fatal("neo4jtest: this test binary needs `func TestMain(m *testing.M) { os.Exit(neo4jtest.Main(m)) }`")
	}
	if shared.server == nil && shared.err == nil {
		_, measured := tb.(*testing.B)
		shared.server, shared.err = open(context.Background(), measured)
	}
	if shared.err != nil {
		tb.Fatalf("neo4jtest: %v", shared.err)
	}
	return shared.server
}

// Server is a running Neo4j. It is for use by several goroutines, except that stopping and starting are not.
type Server struct {
	URI      string // URI is neo4j://…, the same after a stop and a start.
	User     string
	Password string

	admin     neo4j.DriverWithContext
	container *database // Nil for a database that this process did not start.
}

// open starts a database, or connects to the one that PROCGRAPH_TEST_NEO4J_URI names. The caller closes it.
func open(ctx context.Context, measured bool) (*Server, error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	s := &Server{
		URI:      os.Getenv("PROCGRAPH_TEST_NEO4J_URI"),
		User:     os.Getenv("PROCGRAPH_TEST_NEO4J_USER"),
		Password: os.Getenv("PROCGRAPH_TEST_NEO4J_PASSWORD"),
	}
	if s.URI == "" {
		container, err := startDatabase(ctx, measured)
		if err != nil {
			return nil, err
		}
		s.container = container
		s.URI, s.User, s.Password = container.uri(), "neo4j", container.password
	}
	admin, err := s.newDriver()
	if err == nil {
		s.admin = admin
		err = s.awaitReady(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close(context.WithoutCancel(ctx)))
	}
	return s, nil
}

func (s *Server) newDriver() (neo4j.DriverWithContext, error) {
	auth := neo4j.NoAuth()
	if s.User != "" {
		auth = neo4j.BasicAuth(s.User, s.Password, "")
	}
	driver, err := neo4j.NewDriverWithContext(s.URI, auth)
	if err != nil {
		return nil, fmt.Errorf("open a driver for %s: %w", s.URI, err)
	}
	return driver, nil
}

// awaitReady returns when a statement has been answered: the log says that the database has started a little
// before it answers, and after a restart it still says so from before.
func (s *Server) awaitReady(ctx context.Context) error {
	for {
		attempt, cancel := context.WithTimeout(ctx, 5*time.Second)
		_, err := neo4j.ExecuteQuery(attempt, s.admin, "RETURN 1", nil, neo4j.EagerResultTransformer)
		cancel()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("neo4j at %s does not answer: %w", s.URI, err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// Driver opens a driver that is closed when the test ends.
func (s *Server) Driver(tb testing.TB) neo4j.DriverWithContext {
	tb.Helper()
	driver, err := s.newDriver()
	if err != nil {
		tb.Fatalf("neo4jtest: %v", err)
	}
	tb.Cleanup(func() { _ = driver.Close(context.Background()) })
	return driver
}

// Clear removes all nodes and relationships. Constraints and indexes stay.
func (s *Server) Clear(ctx context.Context) error {
	session := s.admin.NewSession(ctx, neo4j.SessionConfig{})
	// In batches: a benchmark's graph does not fit the memory of one transaction.
	result, err := session.Run(ctx, "MATCH (n) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 10000 ROWS", nil)
	if err == nil {
		_, err = result.Consume(ctx)
	}
	if err = errors.Join(err, session.Close(ctx)); err != nil {
		return fmt.Errorf("clear neo4j: %w", err)
	}
	return nil
}

// StopContainer shuts the database down in order and keeps its data. Connections to [Server.URI] are refused
// until [Server.StartContainer].
func (s *Server) StopContainer(ctx context.Context) error {
	if s.container == nil {
		return errNotOurs
	}
	return s.container.stop(ctx, 30*time.Second)
}

// KillContainer ends the database like a crash, keeping what it had written.
func (s *Server) KillContainer(ctx context.Context) error {
	if s.container == nil {
		return errNotOurs
	}
	return s.container.stop(ctx, 0)
}

// StartContainer starts the stopped database at the same address and returns when it answers statements.
func (s *Server) StartContainer(ctx context.Context) error {
	if s.container == nil {
		return errNotOurs
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if err := s.container.start(ctx); err != nil {
		return err
	}
	return s.awaitReady(ctx)
}

var errNotOurs = errors.New("the database of PROCGRAPH_TEST_NEO4J_URI cannot be stopped and started by tests")

// Close disconnects and removes the container with its data. The tests' shared server is closed by [Main].
func (s *Server) Close(ctx context.Context) error {
	var errs []error
	if s.admin != nil {
		errs = append(errs, s.admin.Close(ctx))
	}
	if s.container != nil {
		errs = append(errs, s.container.remove(ctx))
	}
	return errors.Join(errs...)
}
