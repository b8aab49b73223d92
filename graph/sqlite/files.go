package sqlite

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"zombiezen.com/go/sqlite"
)

var (
	errInUse       = errors.New("another server uses this database")
	errDamaged     = errors.New("the database is damaged; restore it from a backup")
	errNoDatabase  = errors.New("the file is no SQLite database")
	errOtherSchema = errors.New("the file is a database of another program")
)

// files are the database file and the lock beside it, which the process holds as long as the store is open.
type files struct {
	path  string
	fresh bool // there was no database before
	lock  *os.File
}

// openFiles takes the lock and looks at the file before SQLite does, because SQLite would take an empty one for new
// and may repair what it should leave alone.
func openFiles(path string) (*files, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // two names of one file share its lock
	}
	lock, err := os.OpenFile(path+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	f := &files{path: path, lock: lock}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = errInUse
		}
		return nil, errors.Join(err, f.close())
	}
	if f.fresh, err = prepareFile(path); err != nil {
		return nil, errors.Join(err, f.close())
	}
	return f, nil
}

func (f *files) close() error { return f.lock.Close() }

// prepareFile makes the file readable by its owner alone, or checks the one that is there.
func prepareFile(path string) (fresh bool, err error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		file, err = os.Open(path)
	}
	if err != nil {
		return false, err
	}
	defer func() { _ = file.Close() }()

	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return false, err
	}
	journal := int64(0)
	if info, err := os.Stat(path + "-wal"); err == nil {
		journal = info.Size()
	}
	if size == 0 {
		if journal > 0 {
			return false, fmt.Errorf("%w: it is empty", errDamaged)
		}
		return true, nil
	}
	header := make([]byte, 100)
	if _, err := file.ReadAt(header, 0); err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	if string(header[:16]) != "SQLite format 3\x00" {
		return false, errNoDatabase
	}
	// With a journal the pages that are missing may be in it; the check after opening sees both.
	if want := headerSize(header); size < want && journal == 0 {
		return false, fmt.Errorf("%w: it has %d of its %d bytes", errDamaged, size, want)
	}
	return false, nil
}

// headerSize is the size in bytes that the first page of a database states.
func headerSize(header []byte) int64 {
	page := int64(binary.BigEndian.Uint16(header[16:]))
	if page == 1 {
		page = 65536
	}
	return page * int64(binary.BigEndian.Uint32(header[28:]))
}

// check refuses a database that is not whole or not ours. It reads through a connection of its own that cannot write,
// because closing one that can would copy the journal into the file.
func (f *files) check(ctx context.Context) (err error) {
	access := sqlite.OpenReadOnly
	if _, err := os.Stat(f.path + "-journal"); err == nil {
		access = sqlite.OpenReadWrite // the first start ended early; only a writer can undo what it left
	}
	conn, err := sqlite.OpenConn(f.path, access)
	if err != nil {
		return damaged(classify(err))
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	conn.SetBusyTimeout(busyTimeout)
	conn.SetInterrupt(ctx.Done())
	t := tx{conn: conn}

	var found string
	if err := t.query("PRAGMA quick_check(1)", func(r row) error { found = r.text(0); return nil }); err != nil {
		return damaged(err)
	}
	if found != "ok" {
		return fmt.Errorf("%w: %s", errDamaged, strings.ReplaceAll(found, "\n", " "))
	}
	var id, tables int64
	if err := t.query("PRAGMA application_id", func(r row) error { id = r.int(0); return nil }); err != nil {
		return err
	}
	if err := t.query("SELECT count(*) FROM sqlite_schema", func(r row) error { tables = r.int(0); return nil }); err != nil {
		return err
	}
	if id != applicationID && tables > 0 {
		return errOtherSchema
	}
	return nil
}

// damaged says so for the errors by which SQLite reports it.
func damaged(err error) error {
	if isCorrupt(err) {
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	return err
}
