package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

const maxBatch = 100 // tools that a server takes at once

const classifyMutation = `mutation($items:[ClassifyToolInput!]!,$dry:Boolean,$first:Int,$after:String){
	classifyTools(items:$items,dryRun:$dry){applied tools{` + toolFields + `}
		changed(first:$first,after:$after){nodes{toolName effect exposable} pageInfo{hasNextPage endCursor}}}}`

// classItem changes a tool; a field that is nil stays as it is.
type classItem struct {
	Name           string  `json:"name"`
	Class          *string `json:"class,omitempty"`
	ExternalAccess *bool   `json:"externalAccess,omitempty"`
}

// classified is what classifications change, or would change, in the names of the API.
type classified struct {
	Applied bool              `json:"applied"`
	Tools   []json.RawMessage `json:"tools"`
	Changed struct {
		Nodes []changedProcedure `json:"nodes"`
	} `json:"changed"`
}

type changedProcedure struct {
	ToolName  string `json:"toolName"`
	Effect    string `json:"effect"`
	Exposable bool   `json:"exposable"`
	// Before are the same things as they are stored before; a dry run knows them.
	Before *effectNow `json:"before,omitempty"`
}

type effectNow struct {
	Effect    string `json:"effect"`
	Exposable bool   `json:"exposable"`
}

// classify changes the classes of tools, or tells what that would change. Each hundred is all or nothing; what was done
// before a failure is in the answer.
func (c *client) classify(ctx context.Context, items []classItem, dry bool) (classified, error) {
	whole := classified{Applied: !dry, Tools: []json.RawMessage{}}
	whole.Changed.Nodes = []changedProcedure{}
	for batch := range slices.Chunk(items, maxBatch) {
		var data struct {
			ClassifyTools struct {
				Tools   []json.RawMessage
				Changed struct {
					Nodes    []changedProcedure
					PageInfo struct {
						HasNextPage bool
						EndCursor   *string
					}
				}
			}
		}
		variables := map[string]any{"items": batch, "dry": dry, "first": maxFirst}
		for {
			// Only a dry run can be asked for its next page.
			if err := c.ask(ctx, classifyMutation, variables, &data); err != nil {
				return whole, err
			}
			changed := data.ClassifyTools.Changed
			whole.Changed.Nodes = append(whole.Changed.Nodes, changed.Nodes...)
			if !dry || !changed.PageInfo.HasNextPage || changed.PageInfo.EndCursor == nil {
				break
			}
			variables["after"] = *changed.PageInfo.EndCursor
		}
		whole.Tools = append(whole.Tools, data.ClassifyTools.Tools...)
	}
	return whole, nil
}

// dryRun tells what a classification would change, with what is so now.
func (c *client) dryRun(ctx context.Context, items []classItem) (classified, error) {
	would, err := c.classify(ctx, items, true)
	if err != nil {
		return would, err
	}
	for batch := range slices.Chunk(would.Changed.Nodes, 50) {
		var query strings.Builder
		variables := map[string]any{}
		query.WriteString("query(")
		for i, p := range batch {
			fmt.Fprintf(&query, "$n%d:String ", i)
			variables[fmt.Sprintf("n%d", i)] = p.ToolName
		}
		query.WriteString("){")
		for i := range batch {
			fmt.Fprintf(&query, "p%d:procedure(toolName:$n%d){effect exposable} ", i, i)
		}
		query.WriteString("}")
		now := map[string]*effectNow{}
		if err := c.ask(ctx, query.String(), variables, &now); err != nil {
			return would, err
		}
		for i := range batch {
			batch[i].Before = now[fmt.Sprintf("p%d", i)]
		}
	}
	return would, nil
}

// consequences is a table of what changed or would change, in words for people.
func (a *app) consequences(would classified) [][]string {
	var table [][]string
	for _, p := range would.Changed.Nodes {
		before, offer := "", "not offered"
		if p.Before != nil {
			before = a.word(p.Before.Effect) + " to "
		}
		switch was := p.Before != nil && p.Before.Exposable; {
		case p.Exposable && was:
			offer = "stays offered"
		case p.Exposable && would.Applied:
			offer = "is offered"
		case p.Exposable:
			offer = "would be offered"
		case was && would.Applied:
			offer = "is no longer offered"
		case was:
			offer = "would no longer be offered"
		}
		table = append(table, []string{line(p.ToolName), before + a.word(p.Effect), offer})
	}
	return table
}
