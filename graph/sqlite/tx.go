package sqlite

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"

	"procgraph/graph"
)

// tx runs statements on a connection. Statements are prepared once for each connection.
type tx struct {
	conn  *sqlite.Conn
	trace func(statement string)
}

// row is the current row of a statement; columns count from 0.
type row struct{ *sqlite.Stmt }

func (r row) text(column int) string { return r.ColumnText(column) }
func (r row) int(column int) int64   { return r.ColumnInt64(column) }
func (r row) bool(column int) bool   { return r.ColumnInt64(column) != 0 }

// time is the zero time for NULL.
func (r row) time(column int) time.Time {
	if r.ColumnIsNull(column) {
		return time.Time{}
	}
	return time.UnixMilli(r.ColumnInt64(column)).UTC()
}

// json is nil for NULL.
func (r row) json(column int) json.RawMessage {
	if r.ColumnIsNull(column) {
		return nil
	}
	return json.RawMessage(r.ColumnText(column))
}

func (r row) float(column int) *float64 {
	if r.ColumnIsNull(column) {
		return nil
	}
	value := r.ColumnFloat(column)
	return &value
}

// exec runs a statement without an answer.
func (t tx) exec(statement string, args ...any) error { return t.query(statement, nil, args...) }

// query runs a statement and calls each for its rows. Statements say LIMIT +? and not LIMIT ?, because SQLite prepares
// one anew whenever a bare limit is bound.
func (t tx) query(statement string, each func(row) error, args ...any) error {
	if t.trace != nil {
		t.trace(statement)
	}
	stmt, err := t.conn.Prepare(statement)
	if err != nil {
		return classify(err)
	}
	for i, arg := range args {
		if err := bind(stmt, i+1, arg); err != nil {
			return err
		}
	}
	for {
		more, err := stmt.Step()
		if err != nil {
			return classify(err)
		}
		if !more {
			break
		}
		if each == nil {
			continue
		}
		if err := each(row{stmt}); err != nil {
			return errors.Join(err, stmt.Reset())
		}
	}
	return classify(stmt.Reset())
}

// bind turns nil, zero times and empty JSON into NULL, times into milliseconds, and lists into JSON.
func bind(stmt *sqlite.Stmt, at int, arg any) error {
	switch arg := arg.(type) {
	case nil:
		stmt.BindNull(at)
	case string:
		stmt.BindText(at, arg)
	case bool:
		stmt.BindBool(at, arg)
	case int:
		stmt.BindInt64(at, int64(arg))
	case int64:
		stmt.BindInt64(at, arg)
	case time.Time:
		if arg.IsZero() {
			stmt.BindNull(at)
		} else {
			stmt.BindInt64(at, arg.UnixMilli())
		}
	case *float64:
		if arg == nil {
			stmt.BindNull(at)
		} else {
			stmt.BindFloat(at, *arg)
		}
	case json.RawMessage:
		if len(arg) == 0 {
			stmt.BindNull(at)
		} else {
			stmt.BindText(at, string(arg))
		}
	case []string, []int64:
		list, err := json.Marshal(arg)
		if err != nil {
			return err
		}
		stmt.BindText(at, string(list))
	default:
		return fmt.Errorf("a statement has an argument of type %T", arg)
	}
	return nil
}

// classify gives an error of SQLite its kind. What has none is a fault of ours or of the file.
func classify(err error) error {
	if err == nil {
		return nil
	}
	switch code := sqlite.ErrCode(err); code.ToPrimary() {
	case sqlite.ResultBusy, sqlite.ResultLocked, sqlite.ResultIOErr, sqlite.ResultFull, sqlite.ResultCantOpen,
		sqlite.ResultInterrupt, sqlite.ResultReadOnly, sqlite.ResultNoMem, sqlite.ResultProtocol:
		return unavailable(err)
	case sqlite.ResultConstraint:
		if code == sqlite.ResultConstraintUnique || code == sqlite.ResultConstraintPrimaryKey {
			return fmt.Errorf("%w: %w", graph.ErrConflict, err)
		}
	}
	return err
}

func unavailable(reason error) error { return fmt.Errorf("%w: %w", graph.ErrUnavailable, reason) }

func isBusy(err error) bool { return sqlite.ErrCode(err).ToPrimary() == sqlite.ResultBusy }

func isCorrupt(err error) bool {
	code := sqlite.ErrCode(err).ToPrimary()
	return code == sqlite.ResultCorrupt || code == sqlite.ResultNotADB
}
