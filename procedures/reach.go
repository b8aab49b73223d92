package procedures

import (
	"fmt"
	"slices"
	"strings"

	"procgraph/graph"
)

const (
	maxReached    = 64 // procedures that one code may reach
	maxReachDepth = 8
)

// The codes of the reasons why code is not read-only. Clients rely on them.
const (
	ReasonNotProven            = "NOT_PROVEN"
	ReasonToolUnknown          = "TOOL_UNKNOWN"
	ReasonToolUnclassified     = "TOOL_UNCLASSIFIED"
	ReasonToolSuspended        = "TOOL_SUSPENDED"
	ReasonToolStateChanging    = "TOOL_STATE_CHANGING"
	ReasonProcedureUnknown     = "PROCEDURE_UNKNOWN"
	ReasonProcedureRetired     = "PROCEDURE_RETIRED"
	ReasonProcedureNotApproved = "PROCEDURE_NOT_APPROVED"
	ReasonReachCycle           = "REACH_CYCLE"
	ReasonReachTooDeep         = "REACH_TOO_DEEP"
	ReasonReachTooWide         = "REACH_TOO_WIDE"
)

// Named is what the judgement of one code says: the names that it uses, and whether it can use no others.
type Named struct {
	Names  []string
	Proven bool
}

// Judge answers what the offered variant of a stored procedure names. The offer has a current variant.
type Judge func(graph.Offer) Named

// StoredJudge takes the word of the analysis that is stored with the variant. It is good enough for hints, which are
// rechecked; an answer is judged from the code.
func StoredJudge(offer graph.Offer) Named {
	return Named{offer.Procedure.Signature, offer.Current.Proven}
}

// Reach is what a code names together with what the offered variants of the procedures that it names reach, and the
// effect that this has under the tools' present classes.
type Reach struct {
	Tools      []graph.ToolFact // sorted by name; unknown ones have Known false
	Procedures []Reached        // sorted by name, each once
	Effect     graph.Effect
	Reasons    []graph.Reason // every reason why the effect is not READ_ONLY
}

// Reached is a stored procedure with the code that stands for it.
type Reached struct {
	Name     string
	CodeHash string
}

// ReachOf follows the names of a code through what is known at one moment. A fact that is missing makes the effect
// UNPROVEN, never better.
func ReachOf(code Named, known graph.Known, judge Judge) Reach {
	w := walk{known: known, judge: judge, tools: map[string]bool{}, state: map[string]int{}}
	if !code.Proven {
		w.unproven(graph.Reason{Code: ReasonNotProven, Message: "the code may reach tools that it does not name"})
	}
	w.follow(code.Names, 0)
	return w.reach()
}

const (
	onPath = iota + 1
	visited
)

type walk struct {
	known    graph.Known
	judge    Judge
	tools    map[string]bool
	state    map[string]int
	reached  []Reached
	mutating []graph.Reason
	doubts   []graph.Reason
}

func (w *walk) unproven(r graph.Reason) {
	if !slices.Contains(w.doubts, r) {
		w.doubts = append(w.doubts, r)
	}
}

// follow descends at most maxReachDepth levels, so it is safe on any graph.
func (w *walk) follow(names []string, depth int) {
	for _, name := range names {
		if IsProcedureName(name) {
			w.procedure(name, depth+1)
		} else {
			w.tools[name] = true
		}
	}
}

func (w *walk) procedure(name string, depth int) {
	switch {
	case w.state[name] == onPath:
		w.unproven(graph.Reason{Code: ReasonReachCycle, Tool: name, Message: name + " reaches itself"})
		return
	case w.state[name] == visited:
		return
	case depth > maxReachDepth:
		w.unproven(graph.Reason{Code: ReasonReachTooDeep, Tool: name,
			Message: fmt.Sprintf("%s is nested deeper than %d procedures", name, maxReachDepth)})
		return
	case len(w.reached) >= maxReached:
		w.unproven(graph.Reason{Code: ReasonReachTooWide,
			Message: fmt.Sprintf("more than %d procedures are reached", maxReached)})
		return
	}
	offer, ok := w.known.Procedures[name]
	switch {
	case !ok:
		w.unproven(graph.Reason{Code: ReasonProcedureUnknown, Tool: name, Message: name + " is not stored"})
		return
	case !offer.Procedure.RetiredAt.IsZero():
		w.unproven(graph.Reason{Code: ReasonProcedureRetired, Tool: name, Message: name + " is retired"})
	case offer.Current == nil || offer.Current.Status != graph.Approved:
		w.unproven(graph.Reason{Code: ReasonProcedureNotApproved, Tool: name,
			Message: name + " has no approved variant that is offered"})
	}
	if offer.Current == nil {
		return
	}
	w.reached = append(w.reached, Reached{name, offer.Current.CodeHash})
	named := w.judge(offer)
	if !named.Proven {
		w.unproven(graph.Reason{Code: ReasonNotProven, Tool: name,
			Message: name + " may reach tools that it does not name"})
	}
	w.state[name] = onPath
	w.follow(named.Names, depth)
	w.state[name] = visited
}

func (w *walk) reach() Reach {
	var r Reach
	for name := range w.tools {
		fact, ok := w.known.Tools[name]
		if !ok {
			fact = graph.ToolFact{Name: name, Class: graph.Unclassified}
		}
		r.Tools = append(r.Tools, fact)
	}
	slices.SortFunc(r.Tools, func(a, b graph.ToolFact) int { return strings.Compare(a.Name, b.Name) })
	for _, t := range r.Tools {
		w.judgeTool(t)
	}
	slices.SortFunc(w.reached, func(a, b Reached) int { return strings.Compare(a.Name, b.Name) })
	r.Procedures = w.reached
	r.Reasons = append(w.doubts, w.mutating...)
	switch {
	case len(w.doubts) > 0:
		r.Effect = graph.EffectUnproven
	case len(w.mutating) > 0:
		r.Effect = graph.EffectMutating
	default:
		r.Effect = graph.EffectReadOnly
	}
	return r
}

func (w *walk) judgeTool(t graph.ToolFact) {
	switch {
	case !t.Known:
		w.unproven(graph.Reason{Code: ReasonToolUnknown, Tool: t.Name, Message: t.Name + " is in no catalogue"})
	case t.Suspended:
		w.unproven(graph.Reason{Code: ReasonToolSuspended, Tool: t.Name,
			Message: t.Name + " is suspended: its definition changed since it was confirmed"})
	case t.Class == graph.StateChanging:
		w.mutating = append(w.mutating, graph.Reason{Code: ReasonToolStateChanging, Tool: t.Name,
			Message: t.Name + " is classified as state-changing"})
	case t.Class != graph.ReadOnly:
		w.unproven(graph.Reason{Code: ReasonToolUnclassified, Tool: t.Name, Message: t.Name + " is not classified"})
	}
}
