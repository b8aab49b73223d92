package graph

// Document is a kind of text that search finds.
type Document string

// The documents. A variant's holds its summary, strategy, when to use it and its code; a use's the cause and the trigger
// signals; a cause's its name and description; a tool's its name and description.
const (
	DocumentVariant Document = "VARIANT"
	DocumentUse     Document = "USE"
	DocumentCause   Document = "CAUSE"
	DocumentTool    Document = "TOOL"
)

// SearchQuery asks for the documents that hold some of the words.
type SearchQuery struct {
	// Words are as package-level Words makes them, distinct; the more of them a document holds, and the rarer they are, the
	// better it is (BM25). Without words nothing matches.
	Words     []string
	All       bool       // only documents that hold all the words
	Documents []Document // of these kinds
	Limit     int        // at most so many matches
	// Name is looked for as the whole name of a procedure, a cause or a tool, and as a code hash.
	Name string
}

// Match is a document that was found.
type Match struct {
	Document  Document
	Key       string // a code hash, or the name of a cause or a tool; of a use, the name of the cause
	Procedure string // the key of the procedure of a variant or a use
	Score     float64
}

// Matches are the documents that were found, the best first, equal ones by document, key and procedure, and the nodes
// that have the exact name. Which of equal ones are left out at the limit is not said.
type Matches struct {
	Items []Match
	Exact []NodeRef // by kind
	Head  Head
}

// NodeRef names a node: a procedure by its key, a variant by its code hash, a cause or a tool by its name.
type NodeRef struct {
	Kind NodeKind
	Key  string
}
