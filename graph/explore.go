package graph

// RelationType is a type of relation.
type RelationType string

// The relations between what is known.
const (
	RelationUses           RelationType = "USES"            // procedure to tool
	RelationHasVariant     RelationType = "HAS_VARIANT"     // procedure to variant
	RelationCalls          RelationType = "CALLS"           // variant to tool
	RelationInvestigatedBy RelationType = "INVESTIGATED_BY" // cause to procedure
)

// RelationTypes are all types, in the order in which the neighbours of a node are taken.
var RelationTypes = []RelationType{RelationInvestigatedBy, RelationUses, RelationHasVariant, RelationCalls}

// ExploreQuery asks for a neighbourhood.
type ExploreQuery struct {
	// From are the nodes to begin at, distinct; those that are not stored are left out. Without any, the procedures of the
	// highest rank are: a quarter of Limit of them, at least one.
	From  []NodeRef
	Depth int            // steps from there, 0 to 3
	Types []RelationType // along these, distinct
	Limit int            // at most so many nodes
}

// MaxHidden is where the counting of neighbours that are not included stops.
const MaxHidden = 1_000

// Neighbourhood is what lies around nodes. It is closed: both ends of each relation are among the nodes, and all
// relations of the types between its nodes are there.
//
// Nodes are taken one step after the other until the limit is reached: the neighbours of the first node of a step, then
// those of the second, and so on. Those of one node are taken by type in the order of RelationTypes: the causes of a
// procedure by OfProcedure and the procedures of a cause by OfCause; the tools of a procedure or a variant by name and the
// procedures of a tool by tool name; the variants of a procedure by Position, and those that call a tool by the name of
// their procedure and then by Position.
type Neighbourhood struct {
	Nodes      []NodeRef // in the order in which they were taken
	Procedures []Offer   // of Nodes, in no order
	Variants   []Variant
	Causes     []Cause
	Tools      []Tool
	Known      Known      // all that the reaches of the procedures and of the variants' procedures name
	Relations  []Relation // by type in the order of RelationTypes, then by From and To
	Hidden     []Hidden   // by the order of Nodes, then of RelationTypes; only what is not 0
	Head       Head
}

// Relation leads from one node to another.
type Relation struct {
	Type     RelationType
	From, To NodeRef
	Use      *Use // of INVESTIGATED_BY
}

// Hidden counts the neighbours of a node by a type that are not among the nodes. It stops at MaxHidden.
type Hidden struct {
	Node  NodeRef
	Type  RelationType
	Count int
}
