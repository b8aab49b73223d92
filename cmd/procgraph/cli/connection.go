package cli

import (
	"context"
	"encoding/json"
	"maps"
)

// maxFirst is the longest page that a server gives.
const maxFirst = 500

// list is a page of a list, its rows as they came.
type list struct {
	Nodes    []json.RawMessage `json:"nodes"`
	PageInfo struct {
		HasNextPage bool    `json:"hasNextPage"`
		EndCursor   *string `json:"endCursor"`
	} `json:"pageInfo"`
}

// pages reads a list. Query has to name it `list`, and to take $first and $after. With all it goes on to the end.
func (c *client) pages(ctx context.Context, query string, variables map[string]any, first int, after string, all bool) (list, error) {
	var whole list
	if all {
		first = maxFirst
	}
	variables = maps.Clone(variables)
	if variables == nil {
		variables = map[string]any{}
	}
	variables["first"] = first
	for {
		if after != "" {
			variables["after"] = after
		}
		var data struct{ List list }
		if err := c.ask(ctx, query, variables, &data); err != nil {
			return whole, err
		}
		data.List.Nodes = append(whole.Nodes, data.List.Nodes...)
		whole = data.List
		if whole.Nodes == nil {
			whole.Nodes = []json.RawMessage{}
		}
		if !all || !whole.PageInfo.HasNextPage || whole.PageInfo.EndCursor == nil || *whole.PageInfo.EndCursor == after {
			return whole, nil
		}
		after = *whole.PageInfo.EndCursor
	}
}

// rows decodes the nodes of a list.
func rows[T any](l list) ([]T, error) {
	decoded := make([]T, len(l.Nodes))
	for i, raw := range l.Nodes {
		if err := json.Unmarshal(raw, &decoded[i]); err != nil {
			return nil, err
		}
	}
	return decoded, nil
}

// more says how to get the next page.
func (a *app) more(l list) error {
	if !l.PageInfo.HasNextPage || l.PageInfo.EndCursor == nil {
		return nil
	}
	return a.say("more: --after %s, or --all", shellWord(*l.PageInfo.EndCursor))
}
