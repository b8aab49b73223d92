// Package trust decides who may do what, and chains what was decided. It is pure: no I/O and no clock of its own.
package trust

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/gowebpki/jcs"

	"procgraph/graph"
)

// chainVersion starts every hashed event, so that another encoding can never give an equal hash.
const chainVersion = "procgraph audit event 1"

// Seal makes the event that follows the head. Details hold names and hashes, never code, arguments or results.
func Seal(head graph.Head, at time.Time, actor, action, subject string, details any) (graph.Event, error) {
	raw, err := json.Marshal(details)
	if err != nil {
		return graph.Event{}, fmt.Errorf("audit details: %w", err)
	}
	if raw, err = jcs.Transform(raw); err != nil {
		return graph.Event{}, fmt.Errorf("audit details: %w", err)
	}
	e := graph.Event{
		Sequence: head.Sequence + 1, At: at.UTC().Truncate(time.Millisecond),
		Actor: actor, Action: action, Subject: subject, Details: raw, PreviousHash: head.Hash,
	}
	e.Hash = eventHash(e)
	return e, nil
}

// eventHash is the hex SHA-256 over the event's fields in their order, each with its length before it.
func eventHash(e graph.Event) string {
	var b []byte
	field := func(s string) {
		b = binary.BigEndian.AppendUint64(b, uint64(len(s)))
		b = append(b, s...)
	}
	field(chainVersion)
	b = binary.BigEndian.AppendUint64(b, uint64(e.Sequence))
	b = binary.BigEndian.AppendUint64(b, uint64(e.At.UnixMilli()))
	field(e.Actor)
	field(e.Action)
	field(e.Subject)
	field(string(e.Details))
	field(e.PreviousHash)
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// VerifyChain checks that the events follow the head without a gap or a change. It answers the head after them, or
// an error that names the first sequence that is wrong.
func VerifyChain(head graph.Head, events []graph.Event) (graph.Head, error) {
	for _, e := range events {
		switch {
		case e.Sequence != head.Sequence+1:
			return head, fmt.Errorf("audit chain: event %d follows event %d", e.Sequence, head.Sequence)
		case e.PreviousHash != head.Hash:
			return head, fmt.Errorf("audit chain: event %d does not link to the one before it", e.Sequence)
		case e.Hash != eventHash(e):
			return head, fmt.Errorf("audit chain: event %d was changed", e.Sequence)
		}
		head = graph.Head{Sequence: e.Sequence, Hash: e.Hash}
	}
	return head, nil
}
