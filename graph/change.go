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

// Imported stores what came from an export. What others have stored since the facts were read is kept as the comments of
// the fields say. The procedures of Variants and Uses are among Procedures, their causes are stored or among Causes, and
// the tools that new procedures reach are stored or among Tools.
type Imported struct {
	Event
	Tools  []Tool  // whole, making those that are new
	Causes []Cause // made when missing; a description fills an empty one
	// Procedures are made when missing. Current, Approved, Offered, ApprovedVariants and RetiredAt are stored as given, and
	// LastUsedAt and UpdatedAt where they are later. Frequency and Unproven follow the uses and variants: they are ignored.
	Procedures []Procedure
	// Variants are made when missing. A stored one that is PROPOSED takes the decision of one that is not, with its
	// texts; any other stays as it is.
	Variants   []Variant
	Uses       []ImportedUse
	Tombstones []Tombstone // the later time is kept
	Hints      []Hint      // of other procedures
}

// ImportedUse is made when missing. A stored one takes the greater frequency and the later time, and details that it
// does not have.
type ImportedUse struct {
	Use
	Untold bool // no variant tells of it, so that search has to find it by itself when it is new
}
