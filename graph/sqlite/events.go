package sqlite

import (
	"context"
	"fmt"

	"procgraph/graph"
)

// Events answers at most limit events after a sequence.
func (s *Store) Events(ctx context.Context, after int64, limit int) ([]graph.Event, error) {
	var events []graph.Event
	err := s.read(ctx, func(t tx) error {
		return t.query(`SELECT `+eventColumns+` FROM events e WHERE e.sequence > ? ORDER BY e.sequence LIMIT +?`,
			func(r row) error {
				events = append(events, scanEvent(r))
				return nil
			}, after, limit)
	})
	return events, err
}

// head answers the last event; it is the same for the whole transaction.
func (t tx) head() (graph.Head, error) {
	var head graph.Head
	err := t.query(`SELECT sequence, hash FROM events WHERE sequence > 0 ORDER BY sequence DESC LIMIT 1`, func(r row) error {
		head = graph.Head{Sequence: r.int(0), Hash: r.text(1)}
		return nil
	})
	return head, err
}

// append stores the next event of the chain.
func (t tx) append(head graph.Head, event graph.Event) error {
	if event.Sequence != head.Sequence+1 || event.PreviousHash != head.Hash {
		return fmt.Errorf("event %d does not follow the head at %d", event.Sequence, head.Sequence)
	}
	return t.exec(`INSERT INTO events (sequence, at, actor, action, subject, details, hash, previous_hash)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
		event.Sequence, event.At, event.Actor, event.Action, event.Subject, event.Details, event.Hash,
		event.PreviousHash)
}
