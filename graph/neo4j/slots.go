package neo4j

import (
	"context"
	"crypto/rand"
	"sync"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
)

const (
	// slotLife is how long a slot is used. One that is twice as old is nobody's: its server has ended or a call left it.
	slotLife   = 12 * time.Hour
	sweepEvery = time.Hour
	sweepBatch = 500
)

// slot is the place where a capture without a key leaves its number, so that it is found counted when its answer is lost.
type slot struct {
	id   string
	made time.Time
}

// slots are those of this process that no capture holds.
type slots struct {
	mu   sync.Mutex
	free []slot
}

// take answers a slot that is the caller's until it is put back.
func (s *slots) take() slot {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.free) > 0 {
		last := s.free[len(s.free)-1]
		s.free = s.free[:len(s.free)-1]
		if time.Since(last.made) < slotLife {
			return last
		}
	}
	return slot{id: rand.Text(), made: time.Now()}
}

func (s *slots) put(free slot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, free)
}

const sweepSlots = noReplan + `MATCH (k:CaptureSlot) USING INDEX k:CaptureSlot(at) WHERE k.at < timestamp() - $in.age
WITH k LIMIT $in.batch
DELETE k
RETURN count(*) AS swept`

// sweep removes slots that are nobody's, a few at a time, so that no capture waits for it.
func (s *Store) sweep(ctx context.Context) {
	every := time.NewTicker(sweepEvery)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
			if err := s.sweepOnce(ctx); err != nil && ctx.Err() == nil {
				s.log.WarnContext(ctx, "old capture slots were not removed", "error", err)
			}
		}
	}
}

func (s *Store) sweepOnce(ctx context.Context) error {
	for {
		var record *neo4j.Record
		err := s.retry(ctx, func() (err error) {
			record, err = s.run(ctx, sweepSlots, params{"age": 2 * slotLife.Milliseconds(), "batch": sweepBatch})
			return err
		})
		if err != nil || record == nil || number(record.Values[0]) < sweepBatch {
			return err
		}
	}
}
