package operations

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"procgraph/graph"
	"procgraph/procedures"
	"procgraph/trust"
)

// ToolInput describes a tool of a catalogue. Fields that are nil stay as they are stored, or take their default.
type ToolInput struct {
	Name             string
	Description      *string
	ParametersSchema json.RawMessage // a JSON object
	Class            *graph.ToolClass
	ExternalAccess   *bool
	Hints            json.RawMessage
}

// RegisterTools stores tools. Of a known one it changes description and schema, which suspends the tool until
// somebody confirms it, and it may tighten the class; anything else is CONFLICT. One tool that is refused refuses all.
func (o *Operations) RegisterTools(ctx context.Context, inputs []ToolInput) ([]graph.Tool, error) {
	caller, err := require(ctx, trust.ScopeToolAdmin)
	if err != nil {
		return nil, err
	}
	if len(inputs) > maxBatch {
		return nil, limitExceeded("at most %d tools can be registered at once", maxBatch)
	}
	names := make([]string, len(inputs))
	for i := range inputs {
		if names[i], err = inputs[i].check(); err != nil {
			return nil, err
		}
	}
	if len(distinct(names)) != len(names) {
		return nil, badInput("a tool is named twice")
	}
	if len(inputs) == 0 {
		return nil, nil
	}
	var answer []graph.Tool
	err = o.commit(ctx, graph.FactQuery{Names: names, Dependents: true}, func(f graph.Facts) (graph.Change, error) {
		answer = make([]graph.Tool, len(inputs))
		var changed []graph.Tool
		for i, in := range inputs {
			stored, known := f.Tools[names[i]]
			tool, err := in.over(names[i], stored, known && stored.Known)
			if err != nil {
				return nil, err
			}
			answer[i] = tool
			if !known || !sameTool(tool, stored) {
				changed = append(changed, tool)
			}
		}
		if len(changed) == 0 {
			return nil, nil
		}
		return o.toolsWritten(f, caller, "tools.registered", changed)
	})
	return answer, err
}

func (in *ToolInput) check() (string, error) {
	name, err := toolName(in.Name)
	if err != nil {
		return "", err
	}
	if in.Description != nil {
		if err := text("the description of "+name, *in.Description); err != nil {
			return "", err
		}
	}
	if err := jsonObject("the schema of "+name, in.ParametersSchema); err != nil {
		return "", err
	}
	return name, jsonObject("the hints of "+name, in.Hints)
}

func jsonObject(what string, raw json.RawMessage) error {
	if len(raw) == 0 {
		return nil
	}
	if err := jsonText(what, raw); err != nil {
		return err
	}
	if !strings.HasPrefix(strings.TrimSpace(string(raw)), "{") {
		return badInput("%s is not a JSON object", what)
	}
	return nil
}

// over is the tool that the input makes of what is stored. Known tells that the stored one is in a catalogue.
func (in *ToolInput) over(name string, stored graph.Tool, known bool) (graph.Tool, error) {
	tool := stored
	if !known {
		tool = graph.Tool{Name: name, ParametersSchema: json.RawMessage(`{}`), Class: graph.Unclassified}
		if in.Class != nil {
			tool.Class = *in.Class
		}
		tool.ExternalAccess = in.ExternalAccess != nil && *in.ExternalAccess
	} else {
		if in.Class != nil {
			if strictness(*in.Class) < strictness(stored.Class) {
				return tool, conflict("%s is known as %s: registering never loosens a class, classifyTools does", name, stored.Class)
			}
			tool.Class = *in.Class
		}
		if in.ExternalAccess != nil && *in.ExternalAccess != stored.ExternalAccess {
			return tool, conflict("%s is known with externalAccess %t: classifyTools changes it", name, stored.ExternalAccess)
		}
	}
	tool.Known = true
	if in.Description != nil {
		tool.Description = *in.Description
	}
	if len(in.ParametersSchema) > 0 {
		tool.ParametersSchema = in.ParametersSchema
	}
	if len(in.Hints) > 0 && string(in.Hints) != string(tool.Hints) {
		tool.Hints = in.Hints
		tool.Class = tightened(tool.Class, in.Hints)
	}
	hash, err := procedures.DefinitionHash(name, tool.Description, tool.ParametersSchema)
	if err != nil {
		return tool, badInput("the schema of %s cannot be stored", name)
	}
	if known && hash != stored.DefinitionHash {
		tool.Suspended = true
	}
	tool.DefinitionHash = hash
	return tool, nil
}

// strictness orders classes: state-changing is the one that permits the least, and unclassified counts like it but
// may still become either.
func strictness(c graph.ToolClass) int {
	return slices.Index([]graph.ToolClass{graph.ReadOnly, graph.Unclassified, graph.StateChanging}, c)
}

// tightened is the class under what the upstream server claims: its word may tighten the class, never loosen it.
func tightened(class graph.ToolClass, hints json.RawMessage) graph.ToolClass {
	var claims struct {
		ReadOnly    *bool `json:"readOnlyHint"`
		Destructive *bool `json:"destructiveHint"`
	}
	if len(hints) == 0 || json.Unmarshal(hints, &claims) != nil {
		return class
	}
	if claims.ReadOnly != nil && !*claims.ReadOnly || claims.Destructive != nil && *claims.Destructive {
		return graph.StateChanging
	}
	return class
}

func sameTool(a, b graph.Tool) bool {
	return a.Fact() == b.Fact() && a.Description == b.Description &&
		string(a.ParametersSchema) == string(b.ParametersSchema) && string(a.Hints) == string(b.Hints)
}

// toolsWritten is the change that stores tools, with the hints of everything that reaches them.
func (o *Operations) toolsWritten(f graph.Facts, caller trust.Caller, action string, tools []graph.Tool) (graph.Change, error) {
	type state struct {
		Class          graph.ToolClass `json:"class"`
		ExternalAccess bool            `json:"externalAccess"`
		Suspended      bool            `json:"suspended"`
		Definition     string          `json:"definitionHash"`
	}
	type written struct {
		Name   string `json:"name"`
		Before *state `json:"before"`
		After  state  `json:"after"`
	}
	stateOf := func(t graph.Tool) state {
		return state{t.Class, t.ExternalAccess, t.Suspended, t.DefinitionHash}
	}
	names := make([]string, 0, len(tools))
	details := make([]written, 0, len(tools))
	for _, t := range tools {
		w := written{Name: t.Name, After: stateOf(t)}
		if before, ok := f.Tools[t.Name]; ok && before.Known {
			s := stateOf(before)
			w.Before = &s
		}
		details = append(details, w)
		names = append(names, t.Name)
	}
	event, err := trust.Seal(f.Head, o.now(), caller.Principal, action, strings.Join(names, ", "), map[string]any{"tools": details})
	if err != nil {
		return nil, err
	}
	return graph.ToolsWritten{Event: event, Tools: tools,
		Hints: hints(f.Dependents, after(f.Known, tools), "")}, nil
}
