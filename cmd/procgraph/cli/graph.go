package cli

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
)

const (
	findQuery    = `query($name:String!){procedure(toolName:$name){id} tool(name:$name){id} cause(name:$name){id} variant(codeHash:$name){id}}`
	exploreQuery = `query($from:[ID!],$depth:Int,$limit:Int){explore(from:$from,depth:$depth,limit:$limit){
		nodes{id kind label ... on Procedure{toolName effect exposable frequency summary} ... on Tool{name class suspended externalAccess}
			... on Cause{name description} ... on Variant{codeHash status offered effect summary}}
		relations{id type from to properties} hidden{node type count}}}`
)

// subgraph is what a drawing needs.
type subgraph struct {
	Nodes []struct {
		ID, Kind, Label, Class, Effect, Status string
	}
	Relations []relation
	Hidden    []struct {
		Node, Type string
		Count      int
	}
}

type relation struct {
	Type, From, To string
	Properties     struct{ Frequency int }
}

func (r relation) caption() string {
	if r.Properties.Frequency > 0 {
		return fmt.Sprintf("%s %d", r.Type, r.Properties.Frequency)
	}
	return r.Type
}

var formats = []string{"dot", "mermaid", "json"}

func (a *app) graphCommand() *cobra.Command {
	var format string
	var depth, limit int
	c := &cobra.Command{
		Use:   "graph [NAME]",
		Short: "Draw what lies around a procedure, tool, cause or code; without a name, an overview",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case !slices.Contains(formats, format):
				return failed(codeUsage, "--format is dot, mermaid or json, not %q", format)
			case a.json && c.Flags().Changed("format") && format != "json":
				return failed(codeUsage, "--json and --format %s exclude each other", format)
			case depth < 0 || depth > 3:
				return failed(codeUsage, "--depth goes from 0 to 3")
			}
			if err := checkFirst("limit", limit); err != nil {
				return err
			}
			client, err := a.client()
			if err != nil {
				return err
			}
			variables := map[string]any{"depth": depth, "limit": limit}
			if len(args) > 0 {
				var found map[string]*struct{ ID string }
				if err := client.ask(c.Context(), findQuery, map[string]any{"name": args[0]}, &found); err != nil {
					return err
				}
				from := []string{}
				for _, kind := range []string{"procedure", "tool", "cause", "variant"} {
					if n := found[kind]; n != nil {
						from = append(from, n.ID)
					}
				}
				if len(from) == 0 {
					return failed(codeNotFound, "nothing has the name %s: `procgraph search` finds by words", args[0])
				}
				variables["from"] = from
			}
			var data struct{ Explore json.RawMessage }
			if err := client.ask(c.Context(), exploreQuery, variables, &data); err != nil {
				return err
			}
			if a.json || format == "json" {
				return a.printJSON(data.Explore)
			}
			var g subgraph
			if err := json.Unmarshal(data.Explore, &g); err != nil {
				return err
			}
			draw := g.dot
			if format == "mermaid" {
				draw = g.mermaid
			}
			return a.say("%s", draw())
		},
	}
	c.Flags().StringVar(&format, "format", "dot", "dot (Graphviz), mermaid or json")
	c.Flags().IntVar(&depth, "depth", 1, "how many steps to go, 0 to 3")
	c.Flags().IntVar(&limit, "limit", 200, "how many nodes at most, 0 to 500")
	c.ValidArgsFunction = a.completeProcedure
	completeWords(c, "format", formats)
	return c
}
