package model

import (
	"slices"

	"github.com/99designs/gqlgen/graphql"

	"procgraph/graph"
)

// Phase is what an agent is doing.
type Phase string

// The phases.
const (
	PhaseInteractive        Phase = "INTERACTIVE"
	PhaseAnalyze            Phase = "ANALYZE"
	PhaseInvestigateStartup Phase = "INVESTIGATE_STARTUP"
	PhasePopulate           Phase = "POPULATE"
)

// The words of the schema's enums are the stored ones. A word that is none of them is refused here: the validation of
// variables does not mind case.

// MarshalEffect writes the word.
func MarshalEffect(v graph.Effect) graphql.Marshaler { return graphql.MarshalString(string(v)) }

// UnmarshalEffect reads the word.
func UnmarshalEffect(v any) (graph.Effect, error) {
	return word(v, "Effect", graph.EffectReadOnly, graph.EffectMutating, graph.EffectUnproven)
}

// MarshalToolClass writes the word.
func MarshalToolClass(v graph.ToolClass) graphql.Marshaler { return graphql.MarshalString(string(v)) }

// UnmarshalToolClass reads the word.
func UnmarshalToolClass(v any) (graph.ToolClass, error) {
	return word(v, "ToolClass", graph.ReadOnly, graph.StateChanging, graph.Unclassified)
}

// MarshalVariantStatus writes the word.
func MarshalVariantStatus(v graph.VariantStatus) graphql.Marshaler {
	return graphql.MarshalString(string(v))
}

// UnmarshalVariantStatus reads the word.
func UnmarshalVariantStatus(v any) (graph.VariantStatus, error) {
	return word(v, "VariantStatus", graph.Proposed, graph.Approved, graph.Rejected)
}

// MarshalReferenceKind writes the word.
func MarshalReferenceKind(v graph.ReferenceKind) graphql.Marshaler {
	return graphql.MarshalString(string(v))
}

// UnmarshalReferenceKind reads the word.
func UnmarshalReferenceKind(v any) (graph.ReferenceKind, error) {
	return word(v, "ReferenceKind", graph.ReferenceCall, graph.ReferenceValue)
}

// MarshalNodeKind writes the word.
func MarshalNodeKind(v graph.NodeKind) graphql.Marshaler { return graphql.MarshalString(string(v)) }

// UnmarshalNodeKind reads the word.
func UnmarshalNodeKind(v any) (graph.NodeKind, error) {
	return word(v, "NodeKind", graph.KindProcedure, graph.KindVariant, graph.KindCause, graph.KindTool)
}

// MarshalProcedureOrder writes the word.
func MarshalProcedureOrder(v graph.ProcedureOrder) graphql.Marshaler {
	return graphql.MarshalString(string(v))
}

// UnmarshalProcedureOrder reads the word.
func UnmarshalProcedureOrder(v any) (graph.ProcedureOrder, error) {
	return word(v, "ProcedureOrder", graph.ByFrequency, graph.ByUpdated, graph.ByName)
}

// MarshalRelationType writes the word.
func MarshalRelationType(v graph.RelationType) graphql.Marshaler {
	return graphql.MarshalString(string(v))
}

// UnmarshalRelationType reads the word.
func UnmarshalRelationType(v any) (graph.RelationType, error) {
	return word(v, "RelationType", graph.RelationTypes...)
}

// MarshalPhase writes the word.
func MarshalPhase(v Phase) graphql.Marshaler { return graphql.MarshalString(string(v)) }

// UnmarshalPhase reads the word.
func UnmarshalPhase(v any) (Phase, error) {
	return word(v, "Phase", PhaseInteractive, PhaseAnalyze, PhaseInvestigateStartup, PhasePopulate)
}

func word[T ~string](v any, enum string, words ...T) (T, error) {
	s, _ := v.(string)
	if !slices.Contains(words, T(s)) {
		return "", badInput("%.100q is not a value of %s", s, enum)
	}
	return T(s), nil
}
