package operations

import (
	"context"

	"procgraph/graph"
	"procgraph/trust"
)

// ConfirmTool lifts the suspension of a tool whose definition changed. The caller names the definition that he has
// seen; when it is another one by now the answer is STALE.
func (o *Operations) ConfirmTool(ctx context.Context, name, definitionHash string) (*graph.Tool, error) {
	caller, err := require(ctx, trust.ScopeToolAdmin)
	if err != nil {
		return nil, err
	}
	if name, err = toolName(name); err != nil {
		return nil, err
	}
	var answer graph.Tool
	err = o.commit(ctx, graph.FactQuery{Names: []string{name}, Dependents: true}, func(f graph.Facts) (graph.Change, error) {
		tool, ok := f.Tools[name]
		if !ok || !tool.Known {
			return nil, notFound("tool " + name)
		}
		if tool.DefinitionHash != definitionHash {
			return nil, &Error{Code: Stale, Message: "the definition of " + name + " is another one by now"}
		}
		answer = tool
		if !tool.Suspended {
			return nil, nil
		}
		answer.Suspended = false
		return o.toolsWritten(f, caller, "tool.confirmed", []graph.Tool{answer})
	})
	if err != nil {
		return nil, err
	}
	return &answer, nil
}
