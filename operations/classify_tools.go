package operations

import (
	"context"
	"slices"
	"strings"

	"procgraph/graph"
	"procgraph/procedures"
	"procgraph/trust"
)

// ClassifyInput changes the axes of a known tool; nil fields stay as they are.
type ClassifyInput struct {
	Name           string
	Class          *graph.ToolClass
	ExternalAccess *bool
}

// Classified is what a classification changed, or would change.
type Classified struct {
	Tools   []graph.Tool
	Applied bool
	changed []*Procedure // by name
}

// Changed are the procedures whose effect changes, by name.
func (c *Classified) Changed(in PageInput) (*Connection[*Procedure], error) {
	const list = "classified"
	page, err := in.page(list)
	if err != nil {
		return nil, err
	}
	byName := func(p *Procedure) string { return p.Procedure.ToolName }
	from, found := slices.BinarySearchFunc(c.changed, page.After, func(p *Procedure, after string) int {
		return strings.Compare(byName(p), after)
	})
	if found {
		from++
	}
	to := min(from+page.First, len(c.changed))
	slice := graph.Slice[*Procedure]{Items: c.changed[from:to], More: to < len(c.changed), Total: min(len(c.changed), graph.MaxTotal)}
	return connection(slice, page, list, byName), nil
}

// ClassifyTools changes the axes of known tools and tells which procedures' effects change by it. A dry run only tells.
func (o *Operations) ClassifyTools(ctx context.Context, inputs []ClassifyInput, dryRun bool) (*Classified, error) {
	caller, err := require(ctx, trust.ScopeToolAdmin)
	if err != nil {
		return nil, err
	}
	if len(inputs) > maxBatch {
		return nil, limitExceeded("at most %d tools can be classified at once", maxBatch)
	}
	names := make([]string, len(inputs))
	for i := range inputs {
		if names[i], err = toolName(inputs[i].Name); err != nil {
			return nil, err
		}
	}
	if len(distinct(names)) != len(names) {
		return nil, badInput("a tool is named twice")
	}
	answer := &Classified{Applied: !dryRun}
	if len(inputs) == 0 {
		return answer, nil
	}
	query := graph.FactQuery{Names: names, Dependents: true}
	decide := func(f graph.Facts) (graph.Change, error) {
		answer.Tools, answer.changed = nil, nil
		var changed []graph.Tool
		for i, in := range inputs {
			tool, ok := f.Tools[names[i]]
			if !ok {
				return nil, notFound("tool " + names[i])
			}
			if !tool.Known {
				return nil, conflict("%s was only seen in code: register it first", names[i])
			}
			before := tool.Fact()
			if in.Class != nil {
				tool.Class = *in.Class
			}
			if in.ExternalAccess != nil {
				tool.ExternalAccess = *in.ExternalAccess
			}
			answer.Tools = append(answer.Tools, tool)
			if tool.Fact() != before {
				changed = append(changed, tool)
			}
		}
		answer.changed = o.effectsChanged(f, after(f.Known, changed))
		if dryRun {
			return nil, nil
		}
		if len(changed) == 0 {
			return nil, nil
		}
		return o.toolsWritten(f, caller, "tools.classified", changed)
	}
	if dryRun {
		facts, err := o.Store.Facts(ctx, query)
		if err != nil {
			return nil, translate(err)
		}
		observe(ctx, facts.Head)
		_, err = decide(facts)
		return answer, translate(err)
	}
	return answer, o.commit(ctx, query, decide)
}

// effectsChanged are the dependent procedures whose effect is another one under what will be known, as they will be.
func (o *Operations) effectsChanged(f graph.Facts, known graph.Known) []*Procedure {
	var changed []*Procedure
	for _, offer := range f.Dependents {
		will := storedReach(offer, known)
		if will.Effect == storedReach(offer, f.Known).Effect {
			continue
		}
		p := o.procedure(offer, known)
		p.reach = func() procedures.Reach { return will }
		changed = append(changed, p)
	}
	slices.SortFunc(changed, func(a, b *Procedure) int {
		return strings.Compare(a.Procedure.ToolName, b.Procedure.ToolName)
	})
	return changed
}
