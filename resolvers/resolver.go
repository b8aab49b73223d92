// Package resolvers answers GraphQL: it translates between the schema and operations, and bounds what a request may
// cost. It decides nothing.
package resolvers

//go:generate go tool gqlgen generate
//go:generate sh -c "sed -i.bak s/graphql.MarshalSliceConcurrently/model.MarshalSlice/ $(grep -l resolvers/model generated/*.generated.go | tr '\n' ' ') && rm generated/*.bak"

import "procgraph/operations"

// Resolver answers the fields of the schema.
type Resolver struct {
	ops *operations.Operations
}

// one shows a single row, which is its own only sibling.
func one[Of, Row any](rows func([]Of) []Row, of Of) Row { return rows([]Of{of})[0] }

// shown shows what an operation answered; nothing stays nothing.
func shown[Of, Row any](rows func([]*Of) []*Row) func(*Of, error) (*Row, error) {
	return func(of *Of, err error) (*Row, error) {
		if err != nil || of == nil {
			return nil, err
		}
		return one(rows, of), nil
	}
}

// shownValue is shown for rows that are made of values.
func shownValue[Of, Row any](rows func([]Of) []*Row) func(*Of, error) (*Row, error) {
	return func(of *Of, err error) (*Row, error) {
		if err != nil || of == nil {
			return nil, err
		}
		return one(rows, *of), nil
	}
}

// deref takes an argument that was left out for its zero value.
func deref[T any](p *T) T {
	if p == nil {
		var none T
		return none
	}
	return *p
}

func values[T any](pointers []*T) []T {
	list := make([]T, 0, len(pointers))
	for _, p := range pointers {
		list = append(list, *p)
	}
	return list
}
