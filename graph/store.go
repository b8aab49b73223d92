package graph

import (
	"context"
	"encoding/json"
	"time"
)

// Store keeps the graph. Its methods are named after questions.
//
// What trust rests on is of one moment in every read, that of the head which it answers: reads are one transaction on
// SQLite, and on Neo4j begin anew when a trust write falls between. What a read finds nothing for is absent from its
// answer; that is no error. All names are compared byte by byte. A read that fails answers
// ErrUnavailable (the database did not answer) or an error of no kind (a fault of ours).
type Store interface {
	// Registry answers the offered procedures of a filter by rank, each with its offered variant.
	Registry(ctx context.Context, filter RegistryFilter, page Page) (ProcedurePage, error)
	// Procedures answers the procedures of a filter in an order.
	Procedures(ctx context.Context, filter ProcedureFilter, order ProcedureOrder, page Page) (ProcedurePage, error)
	// CountProcedures counts the procedures of a filter and stops at limit.
	CountProcedures(ctx context.Context, filter ProcedureFilter, limit int) (int, error)
	// ProceduresBy answers the procedures with these keys, tool names or code hashes, in no order, each once.
	ProceduresBy(ctx context.Context, refs ProcedureRefs) (ProcedurePage, error)
	// ProceduresUsing answers, for each tool name, the procedures that name the tool, by procedure name.
	ProceduresUsing(ctx context.Context, tools []string, page Page) (ProceduresByTool, error)
	// VariantsBy answers the variants with these code hashes, in no order.
	VariantsBy(ctx context.Context, codeHashes []string) (VariantPage, error)
	// VariantsOf answers, for each procedure key, its variants by Position.
	VariantsOf(ctx context.Context, procedures []string, page Page) (VariantsByProcedure, error)
	// UsesOf answers, for each procedure key or each cause name, its uses by OfProcedure or OfCause.
	UsesOf(ctx context.Context, of UseOwners, page Page) (Batch[Use], error)
	// Tools answers the tools of a filter by name.
	Tools(ctx context.Context, filter ToolFilter, page Page) (Slice[Tool], error)
	// ToolsBy answers the tools with these names, in no order.
	ToolsBy(ctx context.Context, names []string) (Slice[Tool], error)
	// ToolsOf answers, for each procedure key, the tools that it names, by name.
	ToolsOf(ctx context.Context, procedures []string, page Page) (Batch[Tool], error)
	// Causes answers the causes by name.
	Causes(ctx context.Context, page Page) (Slice[Cause], error)
	// CausesBy answers the causes with these names, in no order.
	CausesBy(ctx context.Context, names []string) (Slice[Cause], error)
	// Export answers whole procedures, by key.
	Export(ctx context.Context, query ExportQuery) (ExportPage, error)
	// Tombstones answers the hashes of deleted code, by hash.
	Tombstones(ctx context.Context, page Page) (Slice[Tombstone], error)
	// Search answers the stored texts that hold some of the words, the best ones first, and what has the exact name.
	Search(ctx context.Context, query SearchQuery) (Matches, error)
	// Explore answers a bounded neighbourhood of nodes.
	Explore(ctx context.Context, query ExploreQuery) (Neighbourhood, error)
	// Facts answers all that a decision about the query needs, with the head, at one moment.
	Facts(ctx context.Context, query FactQuery) (Facts, error)
	// Events answers at most limit events of the audit chain after a sequence, in order.
	Events(ctx context.Context, after int64, limit int) ([]Event, error)

	// Capture finds or makes the procedure, the variant, stubs of unknown tools and the causes, and counts the use on
	// each cause relation, all or nothing. It never touches the head, another variant or another procedure. A repeat
	// with the same key counts nothing and answers what is stored; with another input it is ErrConflict. Code that
	// names a procedure which is not stored is ErrUnknownProcedure.
	Capture(ctx context.Context, capture Capture) (Captured, error)
	// Commit is the only way to write what trust rests on: in one transaction it locks the head, reads the facts, calls
	// decide, and writes the change with its event. decide may run again when the database asks for a retry, so it has
	// no effects of its own. A nil change writes nothing. The answer is the head after it. An error of decide is
	// returned as it is.
	Commit(ctx context.Context, query FactQuery, decide func(Facts) (Change, error)) (Head, error)

	// Ping answers whether the database can be reached and is migrated.
	Ping(ctx context.Context) error
	// Close releases what the store holds.
	Close() error
}

// Page asks for at most First rows after a position; an empty position is the start. Count asks for the total too.
type Page struct {
	First int
	After string
	Count bool
}

// Slice is a page of rows. More says that rows follow. Total is set when it was asked for and stops at MaxTotal.
type Slice[T any] struct {
	Items []T
	More  bool
	Total int
	Head  Head
}

// MaxTotal is where counting stops.
const MaxTotal = 10_000

// Batch holds a slice for each owner that was asked about; the heads of its slices are unset.
type Batch[T any] struct {
	By   map[string]Slice[T]
	Head Head
}

// Offer is a procedure with its offered variant; Current is nil without one.
type Offer struct {
	Procedure Procedure
	Current   *Variant
}

// Known holds what names stand for at one moment, by name. A name that stands for nothing is absent.
type Known struct {
	Tools      map[string]ToolFact
	Procedures map[string]Offer
}

// ProcedurePage is a page of procedures with all that their reaches name, read at the same moment.
type ProcedurePage struct {
	Slice[Offer]
	Known Known
}

// ProceduresByTool holds a slice for each tool name, with all that their reaches name.
type ProceduresByTool struct {
	Batch[Offer]
	Known Known
}

// VariantPage is a set of variants with all that the reaches of their procedures name.
type VariantPage struct {
	Slice[Variant]
	Known Known
}

// VariantsByProcedure holds a slice for each procedure key, with all that the reaches of the procedures name.
type VariantsByProcedure struct {
	Batch[Variant]
	Known Known
}

// ProcedureOrder is an order of procedures.
type ProcedureOrder string

// The orders: by Rank, by Recent, by tool name.
const (
	ByFrequency ProcedureOrder = "FREQUENCY_DESC"
	ByUpdated   ProcedureOrder = "UPDATED_DESC"
	ByName      ProcedureOrder = "NAME_ASC"
)

// ProcedureFilter narrows a list of procedures; the zero filter is every procedure that is not retired.
type ProcedureFilter struct {
	Keys           []string // it is one of these; nil is all
	Tools          []string // it names each of these
	Causes         []string // it serves one of these
	Approved       bool     // it is Approved
	Offered        bool     // the hint says that it is offered
	IncludeRetired bool
}

// RegistryFilter narrows the registry.
type RegistryFilter struct {
	Keys     []string // it is one of these; nil is all
	Mutating bool     // by the Approved hint instead of the Offered one
	Causes   []string // it serves one of these; empty is all
}

// ProcedureRefs names procedures in any of three ways.
type ProcedureRefs struct {
	Keys       []string
	ToolNames  []string
	CodeHashes []string
}

// UseOwners is either procedure keys or cause names.
type UseOwners struct {
	Procedures []string
	Causes     []string
}

// ToolFilter narrows a list of tools; nil fields do not narrow.
type ToolFilter struct {
	Class     *ToolClass
	Suspended *bool
	Known     *bool
}

// FactQuery names what a decision is about.
type FactQuery struct {
	// Names are tools and procedures by name; what the procedures reach comes with them.
	Names []string
	// CodeHashes are variants; they come with their procedures and what those reach.
	CodeHashes []string
	// Dependents asks for every procedure that reaches one of Names or a procedure of CodeHashes, itself included,
	// with what it reaches. Their offered variants come without code.
	Dependents bool
	// DependentsOf asks for the dependents of these names alone.
	DependentsOf []string
	// Uses, Causes and Tombstones ask for these relations, for causes by name, and for which hashes are of deleted code.
	Uses       []UseRef
	Causes     []string
	Tombstones []string
	// Admin asks for the credential of the bootstrap admin.
	Admin bool
}

// Facts are all that a decision needs, read at one moment.
type Facts struct {
	Head       Head
	Known      Known
	Tools      map[string]Tool    // the tools among Names, whole
	Variants   map[string]Variant // by code hash
	Owners     map[string]Offer   // by procedure key: the procedures of CodeHashes and those among Names
	Dependents []Offer
	Uses       map[UseRef]Use
	Causes     map[string]Cause
	Tombstones map[string]time.Time // when the code was deleted, by code hash
	Admin      *Credential
}

// Capture is one use of one code, analysed.
type Capture struct {
	ProcedureKey string
	ToolName     string
	Signature    []string // sorted, distinct
	Variant      Variant  // CodeHash to CapturedAt; its other fields are ignored
	Causes       []string // 1 to 16, distinct
	Use          UseDetails
	At           time.Time
	// Key makes a repeat count once, for good; empty without one. Input is the hash of what was sent with the key.
	Key   string
	Input string
}

// UseDetails are written on the cause relation; a zero field leaves what is stored as it is.
type UseDetails struct {
	Confidence        *float64
	TriggerSignals    []string
	ObservedArguments json.RawMessage
	ResultSummary     string
}

// Captured is what is stored after a capture.
type Captured struct {
	Offer            Offer // the procedure as it is now
	Variant          Variant
	Known            Known
	CreatedProcedure bool
	CreatedVariant   bool
	Head             Head
}
