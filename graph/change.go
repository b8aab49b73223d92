package graph

import "time"

// Change is what a trust write stores, with the event that says so. The types of this file are all there are.
type Change interface {
	Sealed() Event
	change()
}

// Sealed is the audit event of the change, linked to the head that the facts carried.
func (e Event) Sealed() Event { return e }
func (Event) change()         {}

// Hint is the maintained hint of one procedure as it has to be after the change.
type Hint struct {
	Procedure string // the key
	Offered   bool
}

// ToolsWritten stores tools whole, making those that are new.
type ToolsWritten struct {
	Event
	Tools []Tool
	Hints []Hint
}

// ProcedureState is the part of a procedure that trust writes decide.
type ProcedureState struct {
	Key      string
	Current  string // code hash of the offered variant; empty without one
	Approved bool
	Offered  bool
	// ApprovedVariants is stored as given, like the rest.
	ApprovedVariants int
	RetiredAt        time.Time // zero when it is not retired
	UpdatedAt        time.Time
}

// VariantJudged stores what was decided about a variant, and what its procedure and the hints become by it.
type VariantJudged struct {
	Event
	CodeHash       string
	Status         VariantStatus
	Summary        string
	WhenToUse      string
	ApprovedBy     string
	ApprovedAt     time.Time
	RejectedReason string
	Procedure      ProcedureState
	Hints          []Hint // of other procedures
}

// ProcedureChanged stores another offered variant, a retirement or its end.
type ProcedureChanged struct {
	Event
	Procedure ProcedureState
	Hints     []Hint // of other procedures
}

// ProcedureDeleted forgets a procedure with all its variants and uses; tombstones of the code hashes stay. Tools and
// causes stay.
type ProcedureDeleted struct {
	Event
	Key   string
	At    time.Time
	Hints []Hint // of other procedures
}

// AdminMade stores the credential of the bootstrap admin. There is one: a second is ErrConflict.
type AdminMade struct {
	Event
	Credential Credential
}
