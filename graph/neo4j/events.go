package neo4j

import (
	"context"

	"procgraph/graph"
)

var eventsAfter = readStart + `
CALL () {
  MATCH (e:Event) USING INDEX e:Event(sequence)
  WHERE e.sequence > $in.after
  WITH e ORDER BY e.sequence LIMIT $in.limit
  RETURN collect(properties(e)) AS found
}` + readEnd + `, found`

// Events answers at most limit events of the audit chain after a sequence, in order.
func (s *Store) Events(ctx context.Context, after int64, limit int) ([]graph.Event, error) {
	record, _, err := s.read(ctx, eventsAfter, params{"after": after, "limit": max(limit, 0)})
	if err != nil {
		return nil, err
	}
	return each(record.Values[2], toEvent), nil
}
