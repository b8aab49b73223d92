// Package graph holds the stored types, the facts and changes, and the contract of the store.
// It is a leaf: it imports nothing of the project, and every backend imports it.
package graph

import (
	"encoding/json"
	"time"
)

// ToolClass is the security axis of a tool. Unclassified counts as state-changing everywhere.
type ToolClass string

// The classes of a tool.
const (
	ReadOnly      ToolClass = "READ_ONLY"
	StateChanging ToolClass = "STATE_CHANGING"
	Unclassified  ToolClass = "UNCLASSIFIED"
)

// Effect is what running a piece of code can do, derived from the code and the tools' present classes.
type Effect string

// The effects, from the best to the worst.
const (
	EffectReadOnly Effect = "READ_ONLY"
	EffectMutating Effect = "MUTATING"
	EffectUnproven Effect = "UNPROVEN"
)

// VariantStatus is what people decided about one code.
type VariantStatus string

// The statuses of a variant.
const (
	Proposed VariantStatus = "PROPOSED"
	Approved VariantStatus = "APPROVED"
	Rejected VariantStatus = "REJECTED"
)

// ReferenceKind tells a call of a tool from a mention of it.
type ReferenceKind string

// The kinds of references.
const (
	ReferenceCall  ReferenceKind = "CALL"
	ReferenceValue ReferenceKind = "VALUE"
)

// NodeKind is the kind part of a node id.
type NodeKind string

// The kinds of nodes.
const (
	KindProcedure NodeKind = "PROCEDURE"
	KindVariant   NodeKind = "VARIANT"
	KindCause     NodeKind = "CAUSE"
	KindTool      NodeKind = "TOOL"
)

// Reason is a stable code in SCREAMING_SNAKE_CASE with a sentence for people.
type Reason struct {
	Code    string
	Message string
	Tool    string // empty when it is about no single tool
	Line    int    // from 1; 0 when it is about no line
}

// Tool is a callable of a catalogue, or a stub that was only seen in code (Known is false).
type Tool struct {
	Name             string
	Description      string
	ParametersSchema json.RawMessage // a JSON object; "{}" when none was given
	Class            ToolClass
	ExternalAccess   bool
	Known            bool
	Hints            json.RawMessage // what the upstream server claims; nil when it claims nothing
	Suspended        bool
	DefinitionHash   string // hex SHA-256 over name, description and schema
}

// ToolFact is the part of a tool that decides trust.
type ToolFact struct {
	Name           string
	Class          ToolClass
	ExternalAccess bool
	Known          bool
	Suspended      bool
	DefinitionHash string
}

// Fact is the part of the tool that decides trust.
func (t Tool) Fact() ToolFact {
	return ToolFact{t.Name, t.Class, t.ExternalAccess, t.Known, t.Suspended, t.DefinitionHash}
}

// Procedure is a set of names that code calls: one node per signature, whatever the wording or the cause.
type Procedure struct {
	Key        string   // hex SHA-256 of the length-prefixed signature
	ToolName   string   // proc__…, unique
	Signature  []string // sorted, distinct
	Reach      []string // sorted names of the tools and procedures that it reaches, its signature included; never changes
	Frequency  int64    // uses over all causes
	LastUsedAt time.Time
	CreatedAt  time.Time
	UpdatedAt  time.Time
	RetiredAt  time.Time // zero when it is not retired
	Current    string    // code hash of the offered variant; empty without one
	Approved   bool      // a variant is approved and the procedure is not retired
	Offered    bool      // the maintained hint: it would be offered as a proc__ tool by default
	Unproven   bool      // some variant of it is not proven
	// ApprovedVariants counts its approved variants, offered or not. Trust writes give it whole, as they give Current.
	ApprovedVariants int
}

// Variant is one distinct code of a procedure.
type Variant struct {
	CodeHash       string // hex SHA-256 of Code
	Code           string // the canonical text: what is hashed, shown, analysed and run
	Procedure      string // the key of its procedure
	Strategy       string
	Summary        string
	WhenToUse      string // the causes and signals of its first capture
	Status         VariantStatus
	Offered        bool // it is the variant that its procedure offers; derived, never written
	Proven         bool // by the analyser of Analyser
	Analyser       int  // the version of the analyser that judged it
	CapturedBy     string
	CapturedWith   string // the id of the token that captured it
	CapturedAt     time.Time
	ApprovedBy     string
	ApprovedAt     time.Time // zero when nobody approved it
	RejectedReason string
	Succeeded      int64
	Failed         int64
	LastRunAt      time.Time
}

// Cause is a situation that procedures serve.
type Cause struct {
	Name        string
	Description string
}

// Use is the INVESTIGATED_BY relation between a cause and a procedure.
type Use struct {
	Cause             string
	Procedure         string // the key
	ToolName          string // the procedure's name
	Frequency         int64
	Confidence        *float64
	TriggerSignals    []string
	ObservedArguments json.RawMessage
	ResultSummary     string
	LastAt            time.Time
}

// Event is one link of the audit chain. The revision of the graph is the sequence of the last event.
type Event struct {
	Sequence     int64
	At           time.Time
	Actor        string
	Action       string
	Subject      string
	Details      json.RawMessage // canonical JSON; names and hashes, never code, arguments or results
	Hash         string
	PreviousHash string
}

// Head is the end of the audit chain. The zero Head is the one of an empty chain.
type Head struct {
	Sequence int64
	Hash     string
}

// Credential is a stored token: its hash, never the token.
type Credential struct {
	ID        string
	Hash      string // hex SHA-256 of the token
	Principal string
	CreatedAt time.Time
}
