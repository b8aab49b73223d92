package graph

import "time"

// ExportQuery asks for the First procedures after a key, or for the procedures of Keys alone. Each bounds the variants
// and the uses that come with a procedure. A page after a key ends early once the codes of its procedures have Bytes
// (characters on Neo4j; 0 is no bound), but for those of procedures that have more variants than Each.
type ExportQuery struct {
	Keys  []string
	After string
	First int
	Each  int
	Bytes int
}

// ExportPage is a page of whole procedures.
type ExportPage struct {
	Items []Exported
	More  bool
}

// Exported is a procedure with its first variants by Position and its first uses by OfProcedure; where there are more of
// them, VariantsOf and UsesOf answer the rest.
type Exported struct {
	Procedure Procedure
	Variants  Slice[Variant]
	Uses      Slice[Use]
}

// Tombstone is what stays of deleted code.
type Tombstone struct {
	CodeHash  string
	DeletedAt time.Time
}

// UseRef names the relation between a cause and a procedure.
type UseRef struct {
	Procedure string // the key
	Cause     string
}
