package cli

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// completionTimeout is how long a person waits for a list of names. Failures are silent: there is nothing to complete.
const completionTimeout = time.Second

const noFiles = cobra.ShellCompDirectiveNoFileComp

func completeWords(c *cobra.Command, flag string, words []string) {
	// The error is for a flag that does not exist.
	_ = c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, noFiles))
}

func (a *app) completeTools(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	return a.complete(c.Context(), `tools(first:500,after:$after)`, `name about:description`, args, typed)
}

// completeProcedure completes one name; those that are used most come first.
func (a *app) completeProcedure(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, noFiles
	}
	return a.complete(c.Context(), `procedures(first:500,after:$after,filter:{includeRetired:true})`, `name:toolName about:summary`, args, typed)
}

func (a *app) completeCauses(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	return a.complete(c.Context(), `causes(first:500,after:$after)`, `name about:description`, args, typed)
}

// complete reads a list page by page; what was found when the time is over is offered.
func (a *app) complete(ctx context.Context, list, fields string, given []string, typed string) ([]string, cobra.ShellCompDirective) {
	ctx, cancel := context.WithTimeout(ctx, completionTimeout)
	defer cancel()
	client, err := a.client()
	if err != nil {
		return nil, noFiles
	}
	query := `query($after:String){list:` + list + `{nodes{` + fields + `} pageInfo{hasNextPage endCursor}}}`
	variables := map[string]any{}
	var found []string
	for {
		var data struct {
			List struct {
				Nodes    []struct{ Name, About string }
				PageInfo struct {
					HasNextPage bool
					EndCursor   *string
				}
			}
		}
		if client.ask(ctx, query, variables, &data) != nil {
			return found, noFiles
		}
		for _, n := range data.List.Nodes {
			// A name that does not survive unchanged is none to put into a command line.
			if strings.HasPrefix(n.Name, typed) && !slices.Contains(given, n.Name) && line(n.Name) == n.Name {
				found = append(found, cobra.CompletionWithDesc(n.Name, line(firstLine(n.About))))
			}
		}
		page := data.List.PageInfo
		if !page.HasNextPage || page.EndCursor == nil {
			return found, noFiles
		}
		variables["after"] = *page.EndCursor
	}
}
