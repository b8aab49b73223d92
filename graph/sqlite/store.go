// Package sqlite keeps the graph in one SQLite file that one server process uses.
package sqlite

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"zombiezen.com/go/sqlite"

	"procgraph/graph"
)

const (
	// readers is how many reads run at the same time.
	readers = 4
	// patience is how long a write waits for its turn and for the lock before the database counts as unavailable.
	patience = 15 * time.Second
	// busyTimeout is how long a connection waits on the locks of another process.
	busyTimeout = 10 * time.Second
	// lockTry is how long one try of the writer waits; it tries again as long as someone waits for it.
	lockTry = time.Second
)

// Store is the SQLite backend of graph.Store.
type Store struct {
	log     *slog.Logger
	files   *files
	queue   chan *write
	readers chan *sqlite.Conn
	writer  *sqlite.Conn
	pages   *pages
	trace   func(statement string) // set by tests only

	closing chan struct{}
	stopped chan struct{}
	close   sync.Once
}

var _ graph.Store = (*Store)(nil)

// Open opens the database at path, making it and its directory when there is none, and migrates it. A file that is
// damaged, of another program or of a newer version, and a database that another server uses, are errors that leave
// everything as it is.
func Open(ctx context.Context, path string, log *slog.Logger) (*Store, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	files, err := openFiles(path)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	s := &Store{
		log:     log,
		files:   files,
		queue:   make(chan *write, 256),
		readers: make(chan *sqlite.Conn, readers),
		closing: make(chan struct{}),
		stopped: make(chan struct{}),
	}
	if s.pages, err = newPages(); err == nil {
		err = s.connect(ctx)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), s.disconnect())
	}
	go s.writeQueued()
	return s, nil
}

// connect opens the connections. The writer comes first: it makes the database what the readers expect.
func (s *Store) connect(ctx context.Context) error {
	if !s.files.fresh {
		if err := s.files.check(ctx); err != nil {
			return err
		}
	}
	writer, err := openConn(s.files.path, writerCache)
	if err != nil {
		return err
	}
	s.writer = writer
	writer.SetInterrupt(ctx.Done())
	if err := migrate(tx{conn: writer}, s.log); err != nil {
		return err
	}
	if err := (tx{conn: writer}).documentAll(s.log); err != nil {
		return err
	}
	writer.SetInterrupt(nil)
	writer.SetBusyTimeout(lockTry)
	for range readers {
		conn, err := openConn(s.files.path, readerCache)
		if err != nil {
			return err
		}
		s.readers <- conn
		if err := (tx{conn: conn}).exec("PRAGMA query_only = ON"); err != nil {
			return err
		}
	}
	return nil
}

// The caches of connections, in KiB. A commit that split a page makes SQLite look at all that the writer has cached.
const (
	writerCache = 8 << 10
	readerCache = 32 << 10
)

// openConn opens a connection to a file that exists. The settings hold for the connection, so each one sets them.
func openConn(path string, cache int) (*sqlite.Conn, error) {
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		return nil, classify(err)
	}
	conn.SetBusyTimeout(busyTimeout)
	t := tx{conn: conn}
	for _, setting := range []string{
		"PRAGMA foreign_keys = ON",
		"PRAGMA synchronous = FULL",
		"PRAGMA temp_store = MEMORY",
		fmt.Sprintf("PRAGMA cache_size = -%d", cache),
		"PRAGMA wal_autocheckpoint = 4000", // pages
	} {
		if err := t.exec(setting); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
	}
	return conn, nil
}

// usable answers an error when the store is closed or the caller has gone.
func (s *Store) usable(ctx context.Context) error {
	select {
	case <-s.closing:
		return unavailable(errClosed)
	default:
	}
	if err := ctx.Err(); err != nil {
		return unavailable(err)
	}
	return nil
}

// read runs one snapshot on a connection of the pool.
func (s *Store) read(ctx context.Context, run func(tx) error) error {
	var conn *sqlite.Conn
	select {
	case <-s.closing:
		return unavailable(errClosed)
	case <-ctx.Done():
		return unavailable(ctx.Err())
	case conn = <-s.readers:
	}
	defer func() { s.readers <- conn }()

	conn.SetInterrupt(ctx.Done())
	t := tx{conn: conn, trace: s.trace}
	err := t.exec("BEGIN")
	if err == nil {
		err = run(t)
	}
	conn.SetInterrupt(nil)
	if !conn.AutocommitEnabled() {
		err = errors.Join(err, t.exec("ROLLBACK"))
	}
	if err != nil && ctx.Err() != nil {
		return unavailable(ctx.Err())
	}
	return err
}

// Ping answers whether the database can be read and has the schema of this program.
func (s *Store) Ping(ctx context.Context) error {
	return s.read(ctx, func(t tx) error {
		version, err := t.version()
		if err == nil && version != len(migrations) {
			err = fmt.Errorf("the database has schema version %d instead of %d", version, len(migrations))
		}
		return err
	})
}

// Close waits for what runs, and releases the connections and the lock. What is still queued answers
// graph.ErrUnavailable.
func (s *Store) Close() error {
	var err error
	s.close.Do(func() {
		close(s.closing)
		<-s.stopped
		for range readers {
			err = errors.Join(err, (<-s.readers).Close())
		}
		err = errors.Join(err, s.disconnect())
	})
	return err
}

// disconnect closes what connect opened and nobody uses.
func (s *Store) disconnect() error {
	var err error
	for {
		select {
		case conn := <-s.readers:
			err = errors.Join(err, conn.Close())
			continue
		default:
		}
		break
	}
	if s.writer != nil {
		err = errors.Join(err, s.writer.Close())
	}
	return errors.Join(err, s.files.close())
}
