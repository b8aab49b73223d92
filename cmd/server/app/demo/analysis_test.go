package demo

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"procgraph/procedures"
)

func TestEveryProcedureIsProvenAndItsInputsAreObserved(t *testing.T) {
	for _, p := range load(t).Procedures {
		analysis, err := procedures.Analyze(p.Code)
		if err != nil {
			t.Errorf("%s: %v", p.File, err)
			continue
		}
		if !analysis.Proven {
			t.Errorf("%s is not proven: %v", p.File, analysis.Findings)
		}
		if names := signature(p.Code); !slices.Equal(analysis.Signature, names) {
			t.Errorf("%s: signature %v, want %v", p.File, analysis.Signature, names)
		}
		var observed map[string]json.RawMessage
		if err := json.Unmarshal(p.ObservedArguments, &observed); err != nil {
			t.Errorf("%s: %v", p.File, err)
		}
		inputs := slices.Sorted(slices.Values(analysis.Inputs))
		if want := slices.Sorted(maps.Keys(observed)); !slices.Equal(inputs, want) {
			t.Errorf("%s: inputs %v, observed arguments %v", p.File, inputs, want)
		}
	}
}
