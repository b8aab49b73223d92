package sqlite

import (
	"cmp"
	"context"
	"errors"
	"sync/atomic"
	"time"
)

// groupLimit is how many queued writes share one transaction, and so one sync of the disk.
const groupLimit = 32

var (
	errClosed     = errors.New("the store is closed")
	errTimeout    = errors.New("the write lock was not free in time")
	errRolledBack = errors.New("the database rolled the transaction back")
)

// write is one queued write. Whoever takes it out of the waiting state, the queue or the caller who gives up, decides
// whether it runs.
type write struct {
	run      func(tx) error
	taken    atomic.Bool
	err      error
	panicked any
	done     chan struct{}
}

// write queues run and waits until it is stored. Writes run in the order of their arrival; a caller whose context ends
// leaves the queue, and one whose write has begun waits for its end, so that no outcome is ever unknown.
func (s *Store) write(ctx context.Context, run func(tx) error) error {
	if err := ctx.Err(); err != nil {
		return unavailable(err)
	}
	w := &write{run: run, done: make(chan struct{})}
	timer := time.NewTimer(patience)
	defer timer.Stop()

	queue, reason := s.queue, error(nil)
	for reason == nil {
		select {
		case queue <- w:
			queue = nil
		case <-w.done:
			return w.outcome()
		case <-ctx.Done():
			reason = ctx.Err()
		case <-timer.C:
			reason = errTimeout
		case <-s.closing:
			reason = errClosed
		}
	}
	if w.taken.CompareAndSwap(false, true) {
		return unavailable(reason)
	}
	<-w.done
	return w.outcome()
}

// outcome answers in the goroutine of the caller, where a panic of its function belongs too.
func (w *write) outcome() error {
	if w.panicked != nil {
		panic(w.panicked)
	}
	return w.err
}

// writeQueued is the only user of the writer connection.
func (s *Store) writeQueued() {
	defer close(s.stopped)
	for {
		select {
		case <-s.closing:
			return
		case w := <-s.queue:
			s.writeGroup(w)
		}
	}
}

// writeGroup stores the write and those that wait behind it in one transaction, and answers all of them after the one
// commit. Each but the first has a savepoint: when the first fails, there is nothing else to keep.
func (s *Store) writeGroup(first *write) {
	t := tx{conn: s.writer, trace: s.trace}
	if !s.begin(t, first) {
		return
	}
	var group []*write
	for w := first; w != nil; w = s.next(len(group)) {
		if !w.taken.CompareAndSwap(false, true) {
			continue
		}
		group = append(group, w)
		if len(group) > 1 {
			w.savepoint(t)
		} else if w.protect(t); w.failed() {
			w.rollback(t, "ROLLBACK")
			close(w.done)
			return
		}
		if s.writer.AutocommitEnabled() {
			// The database gave up the whole transaction, as it may when the disk is full.
			answer(group, unavailable(cmp.Or(w.err, errRolledBack)))
			return
		}
	}
	if err := s.pages.commit(func() error { return t.exec("COMMIT") }); err != nil {
		if !s.writer.AutocommitEnabled() {
			err = errors.Join(err, t.exec("ROLLBACK"))
		}
		answer(group, err)
		return
	}
	answer(group, nil)
}

// begin waits for the write lock as long as the first of the group does.
func (s *Store) begin(t tx, first *write) bool {
	for !first.taken.Load() {
		err := t.exec("BEGIN IMMEDIATE")
		if err == nil {
			return true
		}
		if !isBusy(err) && first.taken.CompareAndSwap(false, true) {
			answer([]*write{first}, err)
		}
	}
	return false
}

// next takes a write that is already waiting, as long as the group is small.
func (s *Store) next(size int) *write {
	if size >= groupLimit {
		return nil
	}
	select {
	case w := <-s.queue:
		return w
	default:
		return nil
	}
}

// savepoint runs the write so that its failure undoes nothing but itself.
func (w *write) savepoint(t tx) {
	if w.err = t.exec("SAVEPOINT one"); w.err != nil {
		return
	}
	w.protect(t)
	if w.failed() && !w.rollback(t, "ROLLBACK TO one") {
		return
	}
	if err := t.exec("RELEASE one"); err != nil {
		w.err = errors.Join(w.err, err)
	}
}

func (w *write) failed() bool { return w.err != nil || w.panicked != nil }

// rollback undoes the write; it answers false if the database did that by itself, to the whole transaction.
func (w *write) rollback(t tx, statement string) bool {
	if t.conn.AutocommitEnabled() {
		return false
	}
	if err := t.exec(statement); err != nil {
		w.err = errors.Join(w.err, err)
	}
	return true
}

func (w *write) protect(t tx) {
	defer func() { w.panicked = recover() }()
	w.err = w.run(t)
}

// answer tells everyone how it ended; err is the failure of the whole group.
func answer(group []*write, err error) {
	for _, w := range group {
		if err != nil {
			w.err = err
		}
		close(w.done)
	}
}
