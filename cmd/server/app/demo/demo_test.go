package demo

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"procgraph/graph"
	"procgraph/procedures"
)

func load(t *testing.T) *Data {
	t.Helper()
	data, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestEveryToolIsClassifiedAndHasItsSchema(t *testing.T) {
	seen := map[string]bool{}
	for _, catalogue := range load(t).Catalogues {
		if catalogue.Source == "" || catalogue.Version == "" || len(catalogue.Tools) == 0 {
			t.Errorf("catalogue %q lacks its source, version or tools", catalogue.Source)
		}
		for _, tool := range catalogue.Tools {
			if seen[tool.Name] {
				t.Errorf("%s is in the catalogues twice", tool.Name)
			}
			seen[tool.Name] = true
			if tool.Class != graph.ReadOnly && tool.Class != graph.StateChanging {
				t.Errorf("%s is classified as %q", tool.Name, tool.Class)
			}
			if tool.Description == "" {
				t.Errorf("%s has no description", tool.Name)
			}
			var schema struct {
				Type       string                     `json:"type"`
				Properties map[string]json.RawMessage `json:"properties"`
			}
			if err := json.Unmarshal(tool.ParametersSchema, &schema); err != nil || schema.Type != "object" {
				t.Errorf("%s: schema of type %q, error %v", tool.Name, schema.Type, err)
			}
			var hints struct {
				ReadOnlyHint *bool `json:"readOnlyHint"`
			}
			if err := json.Unmarshal(tool.Hints, &hints); err != nil || hints.ReadOnlyHint == nil {
				t.Errorf("%s: no readOnlyHint, error %v", tool.Name, err)
			} else if !*hints.ReadOnlyHint && tool.Class == graph.ReadOnly {
				t.Errorf("%s is classified more loosely than its server does", tool.Name)
			}
		}
	}
}

func TestEveryProcedureIsDescribed(t *testing.T) {
	listed := map[string]bool{"index.json": true}
	for _, p := range load(t).Procedures {
		if listed[p.File] {
			t.Errorf("%s is listed twice", p.File)
		}
		listed[p.File] = true
		if len(p.Causes) == 0 || p.Summary == "" || p.Strategy == "" || len(p.TriggerSignals) == 0 || p.ResultSummary == "" {
			t.Errorf("%s is not described whole", p.File)
		}
		if p.Confidence <= 0 || p.Confidence > 1 || p.Uses < 1 || !json.Valid(p.ObservedArguments) {
			t.Errorf("%s: confidence %v, uses %d, arguments %s", p.File, p.Confidence, p.Uses, p.ObservedArguments)
		}
		if (p.Status == graph.Rejected) != (p.Reason != "") {
			t.Errorf("%s: %s with the reason %q", p.File, p.Status, p.Reason)
		}
	}
	entries, err := files.ReadDir("procedures")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if !listed[entry.Name()] {
			t.Errorf("%s is embedded and not in the index", entry.Name())
		}
	}
}

var named = regexp.MustCompile(`\btools\.(\w+)`)

// signature is what the code names, sorted. The demonstration names tools plainly, so a pattern finds them all.
func signature(code string) []string {
	names := map[string]bool{}
	for _, match := range named.FindAllStringSubmatch(code, -1) {
		names[match[1]] = true
	}
	return slices.Sorted(maps.Keys(names))
}

func TestCodeNamesOnlyKnownToolsAndEarlierProcedures(t *testing.T) {
	data := load(t)
	known := map[string]bool{}
	for _, catalogue := range data.Catalogues {
		for _, tool := range catalogue.Tools {
			known[tool.Name] = true
		}
	}
	for _, p := range data.Procedures {
		names := signature(p.Code)
		if len(names) == 0 {
			t.Errorf("%s names no tool", p.File)
		}
		for _, name := range names {
			if !known[name] {
				t.Errorf("%s names %s, which is neither a tool nor an approved procedure before it", p.File, name)
			}
		}
		if p.Status == graph.Approved {
			known[procedures.ToolName(names)] = true
		}
	}
}

func TestTheDemonstrationShowsEveryKind(t *testing.T) {
	data := load(t)
	class := map[string]graph.ToolClass{}
	for _, catalogue := range data.Catalogues {
		for _, tool := range catalogue.Tools {
			class[tool.Name] = tool.Class
		}
	}
	count := map[string]int{}
	causes, variants := map[string]bool{}, map[string]int{}
	for _, p := range data.Procedures {
		names := signature(p.Code)
		count[string(p.Status)]++
		variants[strings.Join(names, " ")]++
		for _, cause := range p.Causes {
			causes[cause] = true
		}
		if len(names) == 1 {
			count["single tool"]++
		}
		if string(p.ObservedArguments) != "{}" {
			count["inputs"]++
		}
		if slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, "proc__") }) {
			count["nested"]++
		}
		if slices.ContainsFunc(names, func(name string) bool { return class[name] == graph.StateChanging }) {
			count["state-changing"]++
		}
	}
	for _, n := range variants {
		if n > 1 {
			count["several variants"]++
		}
	}
	least := map[string]int{
		"APPROVED": 12, "PROPOSED": 4, "REJECTED": 1,
		"single tool": 1, "inputs": 3, "nested": 1, "state-changing": 3, "several variants": 4,
	}
	for kind, n := range least {
		if count[kind] < n {
			t.Errorf("%s: %d procedures, at least %d are wanted", kind, count[kind], n)
		}
	}
	if len(causes) < 8 {
		t.Errorf("%d causes, at least 8 are wanted", len(causes))
	}
}
