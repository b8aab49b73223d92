package graph

import (
	"cmp"
	"slices"
	"strings"
)

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
	// highest rank are, retired ones included: a quarter of Limit of them, at least one.
	From  []NodeRef
	Depth int            // steps from there, 0 to 3
	Types []RelationType // along these, distinct
	Limit int            // at most so many nodes
}

// MaxHidden is where the counting of neighbours that are not included stops.
const MaxHidden = 100

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

// Around gathers a neighbourhood node by node: backends take nodes, tell of relations and of how many neighbours nodes
// have, and it keeps what belongs to the answer.
type Around struct {
	ExploreQuery
	Nodes     []NodeRef // that were taken
	taken     map[NodeRef]bool
	relations []Relation
	totals    map[side]int // neighbours
	related   map[side]int // neighbours that were taken
}

// side is where the relations of a type meet a node.
type side struct {
	node NodeRef
	of   RelationType
}

// NewAround begins a neighbourhood.
func NewAround(query ExploreQuery) *Around {
	return &Around{ExploreQuery: query, taken: map[NodeRef]bool{}, totals: map[side]int{}, related: map[side]int{}}
}

// Full tells whether the limit is reached.
func (a *Around) Full() bool { return len(a.Nodes) >= a.Limit }

// Wants tells whether relations of a type were asked for.
func (a *Around) Wants(of RelationType) bool { return slices.Contains(a.Types, of) }

// Take adds a node, unless it is there or the limit is reached, and tells whether it did.
func (a *Around) Take(node NodeRef) bool {
	if a.Full() || a.taken[node] {
		return false
	}
	a.taken[node] = true
	a.Nodes = append(a.Nodes, node)
	return true
}

// Keys are those of the nodes of a kind, in their order.
func (a *Around) Keys(kind NodeKind) []string {
	keys := []string{}
	for _, node := range a.Nodes {
		if node.Kind == kind {
			keys = append(keys, node.Key)
		}
	}
	return keys
}

// Has sets how many neighbours a node has by a type. Counting may stop at MaxHidden more than are related.
func (a *Around) Has(node NodeRef, of RelationType, total int) { a.totals[side{node, of}] = total }

// Total is what Has was told.
func (a *Around) Total(node NodeRef, of RelationType) int { return a.totals[side{node, of}] }

// Related is how many neighbours of a node by a type were related.
func (a *Around) Related(node NodeRef, of RelationType) int { return a.related[side{node, of}] }

// Relate tells of a relation, after all nodes were taken.
func (a *Around) Relate(r Relation) {
	if a.Wants(r.Type) && a.taken[r.From] && a.taken[r.To] {
		a.relations = append(a.relations, r)
		a.related[side{r.From, r.Type}]++
		a.related[side{r.To, r.Type}]++
	}
}

// RelateTools tells of all tools in a signature.
func (a *Around) RelateTools(from NodeRef, of RelationType, signature []string) {
	total := 0
	for _, name := range signature {
		if !strings.HasPrefix(name, procedurePrefix) {
			total++
			a.Relate(Relation{Type: of, From: from, To: NodeRef{KindTool, name}})
		}
	}
	a.Has(from, of, total)
}

// RelateVariant tells of a variant, its procedure and the tools that it calls.
func (a *Around) RelateVariant(v Variant, signature []string) {
	variant := NodeRef{KindVariant, v.CodeHash}
	a.Has(variant, RelationHasVariant, 1)
	a.Relate(Relation{Type: RelationHasVariant, From: NodeRef{KindProcedure, v.Procedure}, To: variant})
	a.RelateTools(variant, RelationCalls, signature)
}

// RelateUse tells of a use.
func (a *Around) RelateUse(u Use) {
	a.Relate(Relation{Type: RelationInvestigatedBy, From: NodeRef{KindCause, u.Cause}, To: NodeRef{KindProcedure, u.Procedure}, Use: &u})
}

// Close sets the nodes, the relations and what is hidden.
func (a *Around) Close(n *Neighbourhood) {
	place := func(of RelationType) int { return slices.Index(RelationTypes, of) }
	slices.SortFunc(a.relations, func(a, b Relation) int {
		return cmp.Or(cmp.Compare(place(a.Type), place(b.Type)), cmp.Compare(a.From.Key, b.From.Key), cmp.Compare(a.To.Key, b.To.Key))
	})
	n.Nodes, n.Relations = a.Nodes, a.relations
	for _, node := range a.Nodes {
		for _, of := range RelationTypes {
			at := side{node, of}
			if hidden := a.totals[at] - a.related[at]; hidden > 0 && a.Wants(of) {
				n.Hidden = append(n.Hidden, Hidden{Node: node, Type: of, Count: min(hidden, MaxHidden)})
			}
		}
	}
}

// procedurePrefix begins the names of procedures, and of no tool.
const procedurePrefix = "proc__"
