package model

import (
	"errors"
	"sync"
)

// Siblings are the rows that one read answered, across all owners that it was about. The first of them that needs
// something loads it for all: the number of reads of a query does not depend on its rows. They live as long as the
// response that they are rows of.
type Siblings[Row any] struct {
	Rows  []Row
	mu    sync.Mutex
	loads map[any]*load
}

type load struct {
	once  sync.Once
	value any
	err   error
}

// errUnfinished is what the others see when the first to ask panicked.
var errUnfinished = errors.New("loading rows did not finish")

func siblings[Of, Row any](list []Of, row func(Of, *Siblings[*Row]) Row) []*Row {
	s := &Siblings[*Row]{Rows: make([]*Row, len(list))}
	rows := make([]Row, len(list))
	for i, of := range list {
		rows[i] = row(of, s)
		s.Rows[i] = &rows[i]
	}
	return s.Rows
}

// Load answers what was loaded for all siblings under a key, and loads it when it is the first to ask. The key holds
// the field and every argument, in a type of its own for each field. What it answers is shared.
func Load[Row, Value any](s *Siblings[Row], key any, read func(rows []Row) (Value, error)) (Value, error) {
	s.mu.Lock()
	l := s.loads[key]
	if l == nil {
		if s.loads == nil {
			s.loads = map[any]*load{}
		}
		l = &load{}
		s.loads[key] = l
	}
	s.mu.Unlock()
	l.once.Do(func() {
		l.err = errUnfinished
		l.value, l.err = read(s.Rows)
	})
	value, _ := l.value.(Value)
	return value, l.err
}
