package neo4j

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"procgraph/graph"
)

// Codes of the database that are handled by name.
const (
	codeUnauthorized   = "Neo.ClientError.Security.Unauthorized"
	codeRateLimit      = "Neo.ClientError.Security.AuthenticationRateLimit"
	codeConstraint     = "Neo.ClientError.Schema.ConstraintValidationFailed"
	codeEntityNotFound = "Neo.ClientError.Statement.EntityNotFound"
	codeTimedOut       = "Neo.ClientError.Transaction.TransactionTimedOut"
	codeTimedOutClient = "Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration"
	codeTerminated     = "Neo.ClientError.Transaction.Terminated"
	codeLockStopped    = "Neo.ClientError.Transaction.LockClientStopped"
	codeNoDatabase     = "Neo.ClientError.Database.DatabaseNotFound"
	codeNotStarted     = "Neo.DatabaseError.Transaction.TransactionStartFailed"
	codeDatabaseDown   = "Neo.TransientError.General.DatabaseUnavailable"
	codeDatabaseDown2  = "Neo.TransientError.Database.DatabaseUnavailable"
)

func code(err error) string {
	var e *neo4j.Neo4jError
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// lost says that the database was not reached, or went away: whether it did what was asked is not known.
func lost(err error) bool {
	var connectivity *neo4j.ConnectivityError
	if errors.As(err, &connectivity) {
		return true
	}
	switch code(err) {
	case codeTerminated, codeLockStopped, codeNotStarted, codeDatabaseDown, codeDatabaseDown2:
		return true
	}
	return false
}

// contended says that others were in the way: nothing was written, and another try may pass.
func contended(err error) bool {
	return code(err) == codeEntityNotFound || neo4j.IsRetryable(err)
}

// classify wraps an error of the driver in the kind that the contract names.
func classify(err error) error {
	if err == nil || errors.Is(err, graph.ErrUnavailable) || errors.Is(err, graph.ErrConflict) || errors.Is(err, graph.ErrNotFound) ||
		errors.Is(err, graph.ErrUnknownProcedure) {
		return err
	}
	switch code(err) {
	case codeUnauthorized, codeRateLimit:
		return fmt.Errorf("the database refuses the user name or the password: %w", err)
	case codeNoDatabase:
		return fmt.Errorf("there is no such database: %w", err)
	case codeConstraint:
		return fmt.Errorf("%w: %w", graph.ErrConflict, err)
	case codeTimedOut, codeTimedOutClient:
		return fmt.Errorf("%w: %w", graph.ErrUnavailable, err)
	}
	if lost(err) || contended(err) || ended(err) {
		return fmt.Errorf("%w: %w", graph.ErrUnavailable, err)
	}
	return err
}

// ended says that the caller did not wait any longer.
func ended(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}

// bounded gives a call a deadline.
func bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, callTimeout)
}

const (
	// lostTries is how often a call is tried when connections are lost. It is more than one because idle connections
	// do not outlive a restart of the database, and few because a database that is down should be told at once.
	lostTries = 4
	firstWait = 4 * time.Millisecond
	maxWait   = 250 * time.Millisecond
)

// retry calls try until it passes, fails for good, or the context ends, and classifies the error. Whoever writes in try
// makes sure that a try which was stored without our knowing is found by the next one.
func (s *Store) retry(ctx context.Context, try func() error) error {
	wait, losses := firstWait, 0
	for {
		err := try()
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%w: %w: %w", graph.ErrUnavailable, ctx.Err(), err)
		}
		switch {
		case lost(err):
			if losses++; losses == lostTries {
				return classify(err)
			}
		case !contended(err):
			return classify(err)
		}
		s.log.DebugContext(ctx, "the database asks for another try", "error", err)
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %w: %w", graph.ErrUnavailable, ctx.Err(), err)
		case <-time.After(wait/2 + rand.N(wait)): //nolint:gosec // Jitter is no secret.
		}
		wait = min(2*wait, maxWait)
	}
}
