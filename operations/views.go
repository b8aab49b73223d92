package operations

import (
	"encoding/json"
	"strings"
	"sync"

	"procgraph/graph"
	"procgraph/procedures"
)

// Views are what operations answer: stored rows together with what their names stood for when they were read. Effects
// are computed from the code and those classes when they are asked for.

// Procedure is a stored procedure as it was at one moment.
type Procedure struct {
	graph.Offer
	ops      *Operations
	known    graph.Known
	analysis func() *procedures.Analysis // of the offered variant; nil when its code is refused
	reach    func() procedures.Reach
}

func (o *Operations) procedure(offer graph.Offer, known graph.Known) *Procedure {
	p := &Procedure{Offer: offer, ops: o, known: known}
	p.analysis = sync.OnceValue(func() *procedures.Analysis { return o.stored(*offer.Current) })
	p.reach = sync.OnceValue(func() procedures.Reach {
		if offer.Current != nil {
			return procedures.ReachOf(namedBy(p.analysis(), offer), known, o.fromCode)
		}
		named := procedures.Named{Names: offer.Procedure.Signature, Proven: !offer.Procedure.Unproven}
		return procedures.ReachOf(named, known, o.fromCode)
	})
	return p
}

// ID is the public id.
func (p *Procedure) ID() string { return graph.NodeID(graph.KindProcedure, p.Procedure.Key) }

// Effect is the one of the offered variant; without one, the worst of its variants.
func (p *Procedure) Effect() graph.Effect { return p.reach().Effect }

// NotOffered gives every reason why it would not be offered by default.
func (p *Procedure) NotOffered() []graph.Reason { return procedures.NotOffered(p.Offer, p.reach()) }

// Exposable tells whether it would be offered by default.
func (p *Procedure) Exposable() bool { return len(p.NotOffered()) == 0 }

// Strategy is the one of the offered variant as approved; empty without one.
func (p *Procedure) Strategy() string {
	if p.Current == nil {
		return ""
	}
	return p.Current.Strategy
}

// Summary is the one of the offered variant as approved; empty without one.
func (p *Procedure) Summary() string {
	if p.Current == nil {
		return ""
	}
	return p.Current.Summary
}

// Offered is the offered variant, or nil.
func (p *Procedure) Offered() *Variant {
	if p.Current == nil {
		return nil
	}
	return p.ops.variant(*p.Current, p.known)
}

// Variant is one code of a procedure as it was at one moment.
type Variant struct {
	graph.Variant
	ops   *Operations
	known graph.Known
}

func (o *Operations) variant(v graph.Variant, known graph.Known) *Variant {
	return &Variant{Variant: v, ops: o, known: known}
}

// ID is the public id.
func (v *Variant) ID() string { return graph.NodeID(graph.KindVariant, v.CodeHash) }

// Effect is computed from the code.
func (v *Variant) Effect() graph.Effect { return v.Analysis().Effect() }

// Analysis is made of the code as it is stored.
func (v *Variant) Analysis() *Analysis {
	analysis := v.ops.stored(v.Variant)
	if analysis == nil {
		// Stored code that today's rules refuse is shown as not proven; it is never trusted.
		analysis = &procedures.Analysis{CodeHash: v.CodeHash, Code: v.Code, Findings: []procedures.Finding{{
			Line: 1, Column: 1, Code: "REFUSED_SOURCE", Message: "the rules of source text refuse this code"}}}
	}
	return v.ops.analysis(analysis, v.known)
}

// Analysis is what is known of a code, with what its names stood for when they were read.
type Analysis struct {
	*procedures.Analysis
	ops   *Operations
	known graph.Known
	reach func() procedures.Reach
}

func (o *Operations) analysis(a *procedures.Analysis, known graph.Known) *Analysis {
	return &Analysis{Analysis: a, ops: o, known: known, reach: sync.OnceValue(func() procedures.Reach {
		return procedures.ReachOf(procedures.Named{Names: a.Signature, Proven: a.Proven}, known, o.fromCode)
	})}
}

// Effect is computed from the code and the present classes.
func (a *Analysis) Effect() graph.Effect { return a.reach().Effect }

// ToolName is the name of the procedure that the code is a variant of; empty when it names no tool.
func (a *Analysis) ToolName() string {
	if len(a.Signature) == 0 {
		return ""
	}
	return procedures.ToolName(a.Signature)
}

// ToolReference is a place in the code that names a tool, with the present class of that tool.
type ToolReference struct {
	procedures.Reference
	Class graph.ToolClass
}

// ToolReferences are the places that name tools, in the order of the code. A procedure that is named counts as the
// class of what it reaches.
func (a *Analysis) ToolReferences() []ToolReference {
	references := make([]ToolReference, 0, len(a.References))
	classes := map[string]graph.ToolClass{}
	for _, r := range a.References {
		class, ok := classes[r.Tool]
		if !ok {
			class = a.ops.classOf(r.Tool, a.known)
			classes[r.Tool] = class
		}
		references = append(references, ToolReference{r, class})
	}
	return references
}

func (o *Operations) classOf(name string, known graph.Known) graph.ToolClass {
	if !procedures.IsProcedureName(name) {
		if fact, ok := known.Tools[name]; ok {
			return fact.Class
		}
		return graph.Unclassified
	}
	switch procedures.ReachOf(procedures.Named{Names: []string{name}, Proven: true}, known, o.fromCode).Effect {
	case graph.EffectReadOnly:
		return graph.ReadOnly
	case graph.EffectMutating:
		return graph.StateChanging
	default:
		return graph.Unclassified
	}
}

// ProcedureTool is a registry entry: what an agent's planner is shown.
type ProcedureTool struct {
	Procedure *Procedure
}

// inputs are the names that the offered code takes. The registry has only procedures whose code was analysed.
func (t *ProcedureTool) inputs() []string { return t.Procedure.analysis().Inputs }

// Name is the name under which it is called.
func (t *ProcedureTool) Name() string { return t.Procedure.Procedure.ToolName }

// Description is made of what was approved, at most 1,024 characters.
func (t *ProcedureTool) Description() string {
	return procedures.Description(t.Procedure.Offer, t.inputs())
}

// ParametersSchema is the JSON schema of its inputs.
func (t *ProcedureTool) ParametersSchema() json.RawMessage {
	return procedures.ParametersSchema(t.inputs())
}

// ReadOnly tells that all it reaches is read-only now.
func (t *ProcedureTool) ReadOnly() bool { return t.Procedure.Effect() == graph.EffectReadOnly }

// ExternalAccess tells that a tool which it reaches talks to an outside system.
func (t *ProcedureTool) ExternalAccess() bool {
	for _, tool := range t.Procedure.reach().Tools {
		if tool.ExternalAccess {
			return true
		}
	}
	return false
}

// CodeHash is the hash of the offered code.
func (t *ProcedureTool) CodeHash() string { return t.Procedure.Procedure.Current }

// Connection is a page of a list.
type Connection[T any] struct {
	Items  []T
	More   bool
	Before bool // rows come before it
	Total  int  // when it was asked for; stops at 10,000
	// cursor makes the cursor of a row.
	cursor func(T) string
	// end overrides the last row's cursor when the page ends behind it.
	end string
}

// Cursor is the opaque place of a row in this list.
func (c *Connection[T]) Cursor(row T) string { return c.cursor(row) }

// StartCursor is the cursor of the first row; empty when there is none.
func (c *Connection[T]) StartCursor() string {
	if len(c.Items) == 0 {
		return ""
	}
	return c.cursor(c.Items[0])
}

// EndCursor is where the next page begins; empty when nothing was read.
func (c *Connection[T]) EndCursor() string {
	if c.end != "" || len(c.Items) == 0 {
		return c.end
	}
	return c.cursor(c.Items[len(c.Items)-1])
}

func connection[T any](slice graph.Slice[T], page graph.Page, list string, position func(T) string) *Connection[T] {
	return &Connection[T]{Items: slice.Items, More: slice.More, Before: page.After != "", Total: slice.Total,
		cursor: func(row T) string { return graph.Cursor(list, position(row)) }}
}

// shortHash is how people recognise a hash.
func shortHash(hash string) string { return hash[:min(len(hash), 12)] }

// Label is what a person calls the variant.
func (v *Variant) Label() string { return strings.TrimSpace(shortHash(v.CodeHash)) }
