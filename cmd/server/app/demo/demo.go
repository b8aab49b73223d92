// Package demo holds the demonstration graph as data: the tools of two published MCP servers, and procedures that
// work on them. Loading it goes through the same operations that agents use; this package only reads the data.
package demo

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"path"

	"procgraph/graph"
)

//go:embed catalogues/*.json procedures/*.json procedures/*.py
var files embed.FS

// Data is the demonstration graph in the order in which it has to be loaded: tools before the procedures that name
// them, and procedures before those that call them.
type Data struct {
	Catalogues []Catalogue
	Procedures []Procedure
}

// Catalogue is what one MCP server offers.
type Catalogue struct {
	Source  string `json:"source"`  // the published package
	Version string `json:"version"` // of the package
	About   string `json:"about"`
	Tools   []Tool `json:"tools"`
}

// Tool is a tool as its server describes it, with the operator's classification.
type Tool struct {
	Name             string          `json:"name"`
	Description      string          `json:"description"`
	ParametersSchema json.RawMessage `json:"parametersSchema"`
	Hints            json.RawMessage `json:"hints"`
	Class            graph.ToolClass `json:"class"`
	ExternalAccess   bool            `json:"externalAccess"`
}

// Procedure is one code with what is said about it, how often it was used, and what was decided about it.
type Procedure struct {
	File              string              `json:"file"` // the name of the file that holds the code
	Code              string              `json:"-"`
	Causes            []string            `json:"causes"`
	Summary           string              `json:"summary"`
	Strategy          string              `json:"strategy"`
	TriggerSignals    []string            `json:"triggerSignals"`
	Confidence        float64             `json:"confidence"`
	ObservedArguments json.RawMessage     `json:"observedArguments"`
	ResultSummary     string              `json:"resultSummary"`
	Uses              int                 `json:"uses"` // at least 1
	Status            graph.VariantStatus `json:"status"`
	Reason            string              `json:"reason"` // why it was rejected; empty otherwise
}

// Load reads the embedded data.
func Load() (*Data, error) {
	var data Data
	for _, name := range []string{"filesystem", "memory"} {
		var catalogue Catalogue
		if err := read("catalogues/"+name+".json", &catalogue); err != nil {
			return nil, err
		}
		data.Catalogues = append(data.Catalogues, catalogue)
	}
	var index struct {
		Procedures []Procedure `json:"procedures"`
	}
	if err := read("procedures/index.json", &index); err != nil {
		return nil, err
	}
	for i := range index.Procedures {
		procedure := &index.Procedures[i]
		code, err := files.ReadFile(path.Join("procedures", procedure.File))
		if err != nil {
			return nil, fmt.Errorf("demonstration: %w", err)
		}
		procedure.Code = string(code)
	}
	data.Procedures = index.Procedures
	return &data, nil
}

// read decodes one file strictly, so that a misspelt field is found.
func read(name string, into any) error {
	raw, err := files.ReadFile(name)
	if err != nil {
		return fmt.Errorf("demonstration: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("demonstration: %s: %w", name, err)
	}
	return nil
}
