// Package model gives what operations answer the shape of the schema's types. A row knows its siblings, so that what
// is needed of one of them is loaded for all of them at once. It translates and decides nothing.
package model

import (
	"encoding/json"
	"time"

	"procgraph/graph"
	"procgraph/operations"
)

// Node is a *Procedure, *Variant, *Tool or *Cause.
type Node any

// Procedure is a row of procedures.
type Procedure struct {
	*operations.Procedure
	Siblings *Siblings[*Procedure]
}

// Procedures makes siblings of what one read answered.
func Procedures(list []*operations.Procedure) []*Procedure {
	return siblings(list, func(p *operations.Procedure, of *Siblings[*Procedure]) Procedure { return Procedure{p, of} })
}

// Key is what the store knows it by.
func (p *Procedure) Key() string { return p.stored().Key }

func (p *Procedure) stored() *graph.Procedure { return &p.Offer.Procedure }

// Kind is PROCEDURE.
func (*Procedure) Kind() graph.NodeKind { return graph.KindProcedure }

// Label is its name.
func (p *Procedure) Label() string { return p.stored().ToolName }

// ToolName is its name.
func (p *Procedure) ToolName() string { return p.stored().ToolName }

// Signature is the set of names that is its identity.
func (p *Procedure) Signature() []string { return p.stored().Signature }

// Frequency counts its uses.
func (p *Procedure) Frequency() int32 { return Int32(p.stored().Frequency) }

// NotOffered gives every reason why it would not be offered.
func (p *Procedure) NotOffered() []Reason {
	reasons := p.Procedure.NotOffered()
	rows := make([]Reason, len(reasons))
	for i, r := range reasons {
		rows[i] = Reason{r}
	}
	return rows
}

// CreatedAt is when it was first captured.
func (p *Procedure) CreatedAt() time.Time { return p.stored().CreatedAt }

// UpdatedAt is when it was last captured or decided about.
func (p *Procedure) UpdatedAt() time.Time { return p.stored().UpdatedAt }

// RetiredAt is nil when it is not retired.
func (p *Procedure) RetiredAt() *time.Time { return orNil(p.stored().RetiredAt) }

// Variant is a row of variants.
type Variant struct {
	*operations.Variant
	Siblings *Siblings[*Variant]
}

// Variants makes siblings of what one read answered.
func Variants(list []*operations.Variant) []*Variant {
	return siblings(list, func(v *operations.Variant, of *Siblings[*Variant]) Variant { return Variant{v, of} })
}

// ProcedureKey is the key of its procedure.
func (v *Variant) ProcedureKey() string { return v.stored().Procedure }

func (v *Variant) stored() *graph.Variant { return &v.Variant.Variant }

// Kind is VARIANT.
func (*Variant) Kind() graph.NodeKind { return graph.KindVariant }

// ApprovedBy is nil when nobody approved it.
func (v *Variant) ApprovedBy() *string { return orNil(v.stored().ApprovedBy) }

// ApprovedAt is nil when nobody approved it.
func (v *Variant) ApprovedAt() *time.Time { return orNil(v.stored().ApprovedAt) }

// RejectedReason is nil when it is not rejected.
func (v *Variant) RejectedReason() *string {
	if v.stored().Status != graph.Rejected {
		return nil
	}
	return &v.stored().RejectedReason
}

// Succeeded counts its runs that did.
func (v *Variant) Succeeded() int32 { return Int32(v.stored().Succeeded) }

// Failed counts its runs that did.
func (v *Variant) Failed() int32 { return Int32(v.stored().Failed) }

// LastRunAt is nil when it never ran.
func (v *Variant) LastRunAt() *time.Time { return orNil(v.stored().LastRunAt) }

// Tool is a row of tools.
type Tool struct {
	graph.Tool
	Siblings *Siblings[*Tool]
}

// Tools makes siblings of what one read answered.
func Tools(list []graph.Tool) []*Tool {
	return siblings(list, func(t graph.Tool, of *Siblings[*Tool]) Tool { return Tool{t, of} })
}

// ID is the public id.
func (t *Tool) ID() string { return graph.NodeID(graph.KindTool, t.Name) }

// Kind is TOOL.
func (*Tool) Kind() graph.NodeKind { return graph.KindTool }

// Label is its name.
func (t *Tool) Label() string { return t.Name }

// ParametersSchema is never empty.
func (t *Tool) ParametersSchema() json.RawMessage {
	if len(t.Tool.ParametersSchema) == 0 {
		return json.RawMessage("{}")
	}
	return t.Tool.ParametersSchema
}

// ReadOnly tells that its class is READ_ONLY.
func (t *Tool) ReadOnly() bool { return t.Class == graph.ReadOnly }

// Cause is a row of causes.
type Cause struct {
	graph.Cause
	Siblings *Siblings[*Cause]
}

// Causes makes siblings of what one read answered.
func Causes(list []graph.Cause) []*Cause {
	return siblings(list, func(c graph.Cause, of *Siblings[*Cause]) Cause { return Cause{c, of} })
}

// ID is the public id.
func (c *Cause) ID() string { return graph.NodeID(graph.KindCause, c.Name) }

// Kind is CAUSE.
func (*Cause) Kind() graph.NodeKind { return graph.KindCause }

// Label is its name.
func (c *Cause) Label() string { return c.Name }

// Use is a row of uses.
type Use struct {
	Stored   graph.Use
	Siblings *Siblings[*Use]
}

// Uses makes siblings of what one read answered.
func Uses(list []graph.Use) []*Use {
	return siblings(list, func(u graph.Use, of *Siblings[*Use]) Use { return Use{u, of} })
}

// Frequency counts the captures that said so.
func (u *Use) Frequency() int32 { return Int32(u.Stored.Frequency) }

// Confidence is nil when no capture gave one.
func (u *Use) Confidence() *float64 { return u.Stored.Confidence }

// TriggerSignals are what showed that the procedure was the right one.
func (u *Use) TriggerSignals() []string { return u.Stored.TriggerSignals }

// ObservedArguments are nil when no capture gave any.
func (u *Use) ObservedArguments() json.RawMessage { return u.Stored.ObservedArguments }

// ResultSummary is nil when no capture gave one.
func (u *Use) ResultSummary() *string { return orNil(u.Stored.ResultSummary) }

// LastAt is when it was last counted.
func (u *Use) LastAt() time.Time { return u.Stored.LastAt }

// ProcedureTool is a row of the registry.
type ProcedureTool struct {
	*operations.ProcedureTool
	Procedure *Procedure
}

// ProcedureTools makes siblings of the procedures behind a page of the registry.
func ProcedureTools(list []*operations.ProcedureTool) []*ProcedureTool {
	behind := make([]*operations.Procedure, len(list))
	for i, t := range list {
		behind[i] = t.Procedure
	}
	rows := make([]*ProcedureTool, len(list))
	for i, p := range Procedures(behind) {
		rows[i] = &ProcedureTool{list[i], p}
	}
	return rows
}

// Reason is a reason with null for what it is not about.
type Reason struct{ graph.Reason }

// Tool is nil when it is about no single tool.
func (r *Reason) Tool() *string { return orNil(r.Reason.Tool) }

// Line is nil when it is about no line.
func (r *Reason) Line() *int32 { return orNil(Int32(r.Reason.Line)) }

// Captured is what is stored after a capture.
type Captured struct {
	*operations.Captured
	Procedure *Procedure
	Variant   *Variant
}

// Classified is what a classification changed.
type Classified struct {
	*operations.Classified
	Tools []*Tool
}

// orNil shows the zero value as null.
func orNil[T string | int32 | time.Time](v T) *T {
	var none T
	if v == none {
		return nil
	}
	return &v
}
