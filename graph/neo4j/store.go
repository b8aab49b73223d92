// Package neo4j is the backend of graph.Store on Neo4j 5.
//
// The graph is made of (:Procedure)-[:HAS_VARIANT]->(:Variant)-[:CALLS]->(:Tool), (:Procedure)-[:USES]->(:Tool) and
// (:Cause)-[:INVESTIGATED_BY]->(:Procedure). The labels Approved, Offered and Retired on a procedure are the hints
// that lists walk. REACHES and ProcedureName lead from a name to the procedures that reach it. Head, Event, CaptureKey,
// CaptureSlot, Tombstone, Credential and Schema are bookkeeping.
//
// Statements are constants, or put together from a small closed set of constants; every value is a parameter.
package neo4j

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"github.com/neo4j/neo4j-go-driver/v5/neo4j/config"

	"procgraph/graph"
)

const (
	// callTimeout bounds a call whose context has no earlier deadline.
	callTimeout = 10 * time.Second
	// commitTimeout bounds a trust write, which may have to look at tens of thousands of procedures.
	commitTimeout = 20 * time.Second
	// connectTimeout bounds the wait for a connection.
	connectTimeout = 5 * time.Second
	// openTimeout bounds the wait for an answer of the database at the start.
	openTimeout = 30 * time.Second
	// idleTimeout is how long a connection may rest before it is tested again: it may not have outlived the database.
	idleTimeout = 5 * time.Second
)

// Options say which database to use.
type Options struct {
	URI      string // neo4j://host:7687, bolt://…, or one of them with +s
	User     string // empty: without authentication
	Password string
	Database string // empty: the one that the server has as its default
}

// Store is the graph in a Neo4j database. It is safe for concurrent use.
type Store struct {
	driver   neo4j.DriverWithContext
	database string
	log      *slog.Logger

	// turn is held by the one commit of this process that is running; the others queue for it in order.
	turn chan struct{}

	plans plans
	slots slots

	stopSweep context.CancelFunc
	sweeping  sync.WaitGroup

	// prefix and observe let tests profile each statement; both are unset otherwise.
	prefix  string
	observe func(statement string, summary neo4j.ResultSummary)
}

var _ graph.Store = (*Store)(nil)

// Open connects to a database, brings it to the schema of this program, and makes sure that every constraint and index
// is there. It answers ErrUnavailable if the database does not answer, and a plain error if it refuses the password, is
// too old, was migrated by a newer program, or holds duplicates that a constraint forbids.
func Open(ctx context.Context, options Options, log *slog.Logger) (*Store, error) {
	auth := neo4j.NoAuth()
	if options.User != "" {
		auth = neo4j.BasicAuth(options.User, options.Password, "")
	}
	driver, err := neo4j.NewDriverWithContext(options.URI, auth, func(c *config.Config) {
		c.ConnectionAcquisitionTimeout = connectTimeout
		c.SocketConnectTimeout = connectTimeout
		c.ConnectionLivenessCheckTimeout = idleTimeout
		c.TelemetryDisabled = true
	})
	if err != nil {
		return nil, fmt.Errorf("neo4j %s: %w", options.URI, err)
	}
	s := &Store{driver: driver, database: options.Database, log: log, turn: make(chan struct{}, 1)}
	if err := s.open(ctx); err != nil {
		_ = driver.Close(context.WithoutCancel(ctx))
		return nil, fmt.Errorf("neo4j %s: %w", options.URI, err)
	}
	sweepContext, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s.stopSweep = cancel
	s.sweeping.Go(func() { s.sweep(sweepContext) })
	return s, nil
}

func (s *Store) open(ctx context.Context) error {
	connect, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	if err := s.driver.VerifyConnectivity(connect); err != nil {
		return classify(err)
	}
	if err := s.checkVersion(connect); err != nil {
		return err
	}
	return s.migrate(ctx)
}

// oldest is the first version with subqueries that name what they import.
var oldest = [2]int{5, 23}

func (s *Store) checkVersion(ctx context.Context) error {
	record, err := s.run(ctx, `CALL dbms.components() YIELD name, versions WHERE name = 'Neo4j Kernel' RETURN versions[0]`, nil)
	if err != nil {
		return classify(err)
	}
	if record == nil {
		return errors.New("the database does not tell its version")
	}
	return supported(text(record.Values[0]))
}

func supported(version string) error {
	major, rest, _ := strings.Cut(version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	m, errMajor := strconv.Atoi(major)
	n, errMinor := strconv.Atoi(minor)
	if errMajor != nil || errMinor != nil {
		return fmt.Errorf("version %q is not understood", version)
	}
	if m < oldest[0] || m == oldest[0] && n < oldest[1] {
		return fmt.Errorf("version %s is too old: %d.%d or later is needed", version, oldest[0], oldest[1])
	}
	return nil
}

// Ping answers whether the database can be reached and is migrated.
func (s *Store) Ping(ctx context.Context) error {
	ctx, cancel := bounded(ctx)
	defer cancel()
	record, err := s.run(ctx, `MATCH (s:Schema {id: 'schema'}) RETURN s.version`, nil)
	if err != nil {
		return classify(err)
	}
	if record == nil || number(record.Values[0]) != newest() {
		return errors.New("the database is not migrated to the schema of this program")
	}
	return nil
}

// Close ends the sweeper and all connections.
func (s *Store) Close() error {
	s.stopSweep()
	s.sweeping.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), connectTimeout)
	defer cancel()
	return s.driver.Close(ctx)
}

// params are the values of a statement, which finds them in $in. Were each a parameter of its own, the database would plan
// a statement again for each combination of their types and, roughly, of the lengths of lists.
type params = map[string]any

func (s *Store) session(ctx context.Context) neo4j.SessionWithContext {
	return s.driver.NewSession(ctx, neo4j.SessionConfig{
		// Reads go to the leader too: an answer must not be older than what was acknowledged.
		AccessMode:   neo4j.AccessModeWrite,
		DatabaseName: s.database,
		FetchSize:    neo4j.FetchAll,
	})
}

// run runs one statement in a transaction of its own and answers its row, or nil without one. An automatic transaction
// is one round trip; a managed one would be three.
func (s *Store) run(ctx context.Context, statement string, p params) (*neo4j.Record, error) {
	return s.planned(ctx, statement, func() (*neo4j.Record, error) {
		session := s.session(ctx)
		defer func() { _ = session.Close(ctx) }()
		result, err := session.Run(ctx, s.prefix+statement, params{"in": p})
		if err != nil {
			return nil, err
		}
		return s.row(ctx, statement, result)
	})
}

// runIn runs one statement in a transaction and answers its row, or nil without one.
func (s *Store) runIn(ctx context.Context, tx neo4j.ExplicitTransaction, statement string, p params) (*neo4j.Record, error) {
	return s.planned(ctx, statement, func() (*neo4j.Record, error) {
		result, err := tx.Run(ctx, s.prefix+statement, params{"in": p})
		if err != nil {
			return nil, err
		}
		return s.row(ctx, statement, result)
	})
}

// planned runs a statement when it has a plan or is the first.
func (s *Store) planned(ctx context.Context, statement string, run func() (*neo4j.Record, error)) (*neo4j.Record, error) {
	leave, err := s.plans.enter(ctx, statement)
	if err != nil {
		return nil, err
	}
	record, err := run()
	leave(err == nil)
	if lost(err) {
		s.plans.forget()
	}
	return record, err
}

func (s *Store) row(ctx context.Context, statement string, result neo4j.ResultWithContext) (*neo4j.Record, error) {
	records, err := result.Collect(ctx)
	if err != nil {
		return nil, err
	}
	if s.observe != nil {
		summary, err := result.Consume(ctx)
		if err != nil {
			return nil, err
		}
		s.observe(statement, summary)
	}
	if len(records) == 0 {
		return nil, nil
	}
	return records[0], nil
}

// Neo4j shows a statement what others commit while it runs, and even one commit half done. A read therefore takes the
// head first, from the index, which a commit writes last, and again at the end, from the node, which a commit writes
// before anything that existed (its property record is the first of the store, and records are written in that order).
// If both are equal, no trust write fell into the read.
const (
	readStart = noReplan + `MATCH (settled:Head) USING INDEX settled:Head(state) WHERE settled.state >= ''
WITH settled.state AS settled
`
	readEnd = `
MATCH (head:Head {id: 'head'})
RETURN settled, head.state AS head`
	lockHead = `MATCH (head:Head {id: 'head'}) SET head.lock = true
`
	// lockedStart takes the place of readStart where the head is locked for the rest of the transaction.
	lockedStart = noReplan + lockHead + `WITH head.state AS settled
`
)

// looks is how often a read is tried between writes before it keeps them out.
const looks = 5

// read answers the row of a statement that has readStart and readEnd around it, and the head of that moment.
func (s *Store) read(ctx context.Context, statement string, p params) (*neo4j.Record, graph.Head, error) {
	return s.readSound(ctx, statement, p, func(*neo4j.Record) bool { return true })
}

// lockedForm is a read that locks the head.
func lockedForm(statement string) string {
	return lockedStart + strings.TrimPrefix(statement, readStart)
}

// readSound reads until the row is of one moment and sound. If writes keep falling into it, it locks the head,
// so that the next ones wait for it.
func (s *Store) readSound(ctx context.Context, statement string, p params, sound func(*neo4j.Record) bool) (*neo4j.Record, graph.Head, error) {
	ctx, cancel := bounded(ctx)
	defer cancel()
	var record *neo4j.Record
	err := s.retry(ctx, func() (err error) {
		for range looks {
			if record, err = s.run(ctx, statement, p); err != nil {
				return err
			}
			if record == nil {
				return errNoHead
			}
			if record.Values[0] == record.Values[1] && sound(record) {
				return nil
			}
		}
		if record, err = s.run(ctx, lockedForm(statement), p); err == nil && record == nil {
			err = errNoHead
		}
		return err
	})
	if err != nil {
		return nil, graph.Head{}, err
	}
	head, err := parseHead(text(record.Values[1]))
	return record, head, err
}

var errNoHead = errors.New("the database has no head of the audit chain")

// transaction runs work in a transaction and rolls back what work did not commit.
func (s *Store) transaction(ctx context.Context, work func(tx neo4j.ExplicitTransaction) error) error {
	session := s.session(ctx)
	defer func() { _ = session.Close(ctx) }()
	tx, err := session.BeginTransaction(ctx, neo4j.WithTxTimeout(commitTimeout))
	if err != nil {
		return err
	}
	defer func() { _ = tx.Close(ctx) }()
	return work(tx)
}

// formatHead is the stored form of a head: one property, so that it is never half written.
func formatHead(h graph.Head) string {
	return strconv.FormatInt(h.Sequence, 10) + ":" + h.Hash
}

func parseHead(state string) (graph.Head, error) {
	sequence, hash, ok := strings.Cut(state, ":")
	n, err := strconv.ParseInt(sequence, 10, 64)
	if err != nil || !ok {
		return graph.Head{}, fmt.Errorf("the stored head %q is not understood", state)
	}
	return graph.Head{Sequence: n, Hash: hash}, nil
}
