package neo4j

import (
	"context"
	"sync"
)

// noReplan keeps a plan as the graph grows. Every plan is a chain of index seeks whatever the statistics say, so another
// one would cost up to a second of planning and be the same.
const noReplan = "CYPHER replan=skip "

// plans lets one call of each statement go ahead until the database has a plan for it. The database plans a statement
// once for each call that finds no plan: 64 first captures at once took eight seconds.
type plans struct {
	gates sync.Map // by statement: *gate
}

type gate struct {
	first chan struct{} // holds one token while the first call runs
	open  chan struct{} // closed when there is a plan
}

// enter waits for the plan of a statement. The answer is called with whether the call passed.
func (p *plans) enter(ctx context.Context, statement string) (leave func(passed bool), err error) {
	entry, known := p.gates.Load(statement)
	if !known {
		entry, _ = p.gates.LoadOrStore(statement, &gate{first: make(chan struct{}, 1), open: make(chan struct{})})
	}
	g := entry.(*gate)
	select {
	case <-g.open:
		return func(bool) {}, nil
	default:
	}
	select {
	case <-g.open:
		return func(bool) {}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case g.first <- struct{}{}:
	}
	return func(passed bool) {
		select {
		case <-g.open: // a call that entered before found the plan
		default:
			if passed {
				close(g.open)
			}
		}
		<-g.first
	}, nil
}

// forget is for when the database may have been started anew.
func (p *plans) forget() { p.gates.Clear() }
