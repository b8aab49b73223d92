package graph

import "errors"

// The kinds of failures of a store. A backend wraps one of them; its own words go to the log, never to a client.
var (
	// ErrNotFound says that what a change is about is not stored.
	ErrNotFound = errors.New("not found")
	// ErrConflict says that the stored state does not allow it: a name is taken, or a key was used for other input.
	ErrConflict = errors.New("conflict")
	// ErrUnavailable says that the database did not answer in time; nothing is known to be stored.
	ErrUnavailable = errors.New("the database is unavailable")
	// ErrUnknownProcedure says that captured code names a procedure that is not stored.
	ErrUnknownProcedure = errors.New("names a procedure that is not stored")
)
