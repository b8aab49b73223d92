package operations

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"strings"

	"procgraph/graph"
	"procgraph/trust"
)

const (
	maxSteps  = 3
	maxStarts = 100
)

// ExploreInput asks what lies around nodes.
type ExploreInput struct {
	From     []string // public ids
	Overview bool     // without From: begin at the most used procedures
	Depth    int
	Types    []graph.RelationType // empty is all
	Limit    int
}

// Subgraph is a closed part of the graph: both ends of each relation are among its nodes.
type Subgraph struct {
	Nodes     []any // *Procedure, *Variant, *graph.Cause or *graph.Tool, in the order in which they were reached
	Relations []Relation
	Hidden    []HiddenNeighbours
}

// Relation is a relation between two nodes of a subgraph.
type Relation struct{ graph.Relation }

// HiddenNeighbours counts neighbours of a node that are not in the subgraph.
type HiddenNeighbours struct{ graph.Hidden }

// Explore answers what lies around nodes. An id that names nothing, or does not decode, is left out.
func (o *Operations) Explore(ctx context.Context, in ExploreInput) (*Subgraph, error) {
	if _, err := require(ctx, trust.ScopeGraphRead); err != nil {
		return nil, err
	}
	switch {
	case in.Depth < 0 || in.Depth > maxSteps:
		return nil, badInput("depth goes from 0 to %d", maxSteps)
	case in.Limit < 0 || in.Limit > maxPage:
		return nil, badInput("first and limit go from 0 to %d", maxPage)
	case len(in.From) > maxStarts:
		return nil, badInput("from names at most %d nodes", maxStarts)
	}
	query := graph.ExploreQuery{Depth: in.Depth, Limit: in.Limit, Types: distinct(in.Types)}
	switch {
	case len(query.Types) > 0:
	case in.Overview:
		query.Types = []graph.RelationType{graph.RelationInvestigatedBy, graph.RelationUses}
	default:
		query.Types = graph.RelationTypes
	}
	for _, id := range distinct(in.From) {
		if kind, key, ok := graph.ParseNodeID(id); ok {
			query.From = append(query.From, graph.NodeRef{Kind: kind, Key: key})
		}
	}
	if len(query.From) == 0 && !in.Overview || in.Limit == 0 {
		return &Subgraph{}, nil
	}
	got, err := o.Store.Explore(ctx, query)
	if err != nil {
		return nil, translate(err)
	}
	observe(ctx, got.Head)
	return o.subgraph(got), nil
}

func (o *Operations) subgraph(got graph.Neighbourhood) *Subgraph {
	rows := map[graph.NodeRef]any{}
	for _, offer := range got.Procedures {
		rows[graph.NodeRef{Kind: graph.KindProcedure, Key: offer.Procedure.Key}] = o.procedure(offer, got.Known)
	}
	for _, v := range got.Variants {
		rows[graph.NodeRef{Kind: graph.KindVariant, Key: v.CodeHash}] = o.variant(v, got.Known)
	}
	for _, c := range got.Causes {
		rows[graph.NodeRef{Kind: graph.KindCause, Key: c.Name}] = &c
	}
	for _, t := range got.Tools {
		rows[graph.NodeRef{Kind: graph.KindTool, Key: t.Name}] = &t
	}
	s := &Subgraph{}
	for _, ref := range got.Nodes {
		s.Nodes = append(s.Nodes, rows[ref])
	}
	for _, r := range got.Relations {
		s.Relations = append(s.Relations, Relation{r})
	}
	for _, h := range got.Hidden {
		s.Hidden = append(s.Hidden, HiddenNeighbours{h})
	}
	return s
}

// ID is the public id.
func (r *Relation) ID() string {
	return base64.RawURLEncoding.EncodeToString([]byte(strings.ToLower(string(r.Type)) + ":" + r.From() + ":" + r.To()))
}

// From is the public id of the node that it leads from.
func (r *Relation) From() string { return publicID(r.Relation.From) }

// To is the public id of the node that it leads to.
func (r *Relation) To() string { return publicID(r.Relation.To) }

// Properties are what is stored of it.
func (r *Relation) Properties() (json.RawMessage, error) {
	u := r.Use
	if u == nil {
		return json.RawMessage("{}"), nil
	}
	return json.Marshal(struct {
		Frequency         int64           `json:"frequency"`
		Confidence        *float64        `json:"confidence"`
		TriggerSignals    []string        `json:"triggerSignals"`
		ObservedArguments json.RawMessage `json:"observedArguments"`
		ResultSummary     *string         `json:"resultSummary"`
		LastAt            string          `json:"lastAt"`
	}{u.Frequency, u.Confidence, append([]string{}, u.TriggerSignals...), orNull(u.ObservedArguments), orNil(u.ResultSummary),
		u.LastAt.UTC().Format("2006-01-02T15:04:05.000Z")})
}

// Node is the public id of the node.
func (h *HiddenNeighbours) Node() string { return publicID(h.Hidden.Node) }

func publicID(ref graph.NodeRef) string { return graph.NodeID(ref.Kind, ref.Key) }

func orNull(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("null")
	}
	return raw
}

func orNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
