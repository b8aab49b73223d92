package cli

import (
	"context"
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
	return a.complete(c.Context(), `{list:tools(first:500){nodes{name about:description}}}`, args, typed)
}

// completeProcedure completes one name, among those that are used most.
func (a *app) completeProcedure(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, noFiles
	}
	return a.complete(c.Context(), `{list:procedures(first:500,filter:{includeRetired:true}){nodes{name:toolName about:summary}}}`, args, typed)
}

func (a *app) completeCauses(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	return a.complete(c.Context(), `{list:causes(first:500){nodes{name about:description}}}`, args, typed)
}

func (a *app) complete(ctx context.Context, query string, given []string, typed string) ([]string, cobra.ShellCompDirective) {
	ctx, cancel := context.WithTimeout(ctx, completionTimeout)
	defer cancel()
	client, err := a.client()
	if err != nil {
		return nil, noFiles
	}
	var data struct {
		List struct {
			Nodes []struct{ Name, About string }
		}
	}
	if client.ask(ctx, query, nil, &data) != nil {
		return nil, noFiles
	}
	taken := map[string]bool{}
	for _, name := range given {
		taken[name] = true
	}
	var found []string
	for _, n := range data.List.Nodes {
		// A name that does not survive unchanged is none to put into a command line.
		if strings.HasPrefix(n.Name, typed) && !taken[n.Name] && line(n.Name) == n.Name {
			found = append(found, cobra.CompletionWithDesc(n.Name, line(firstLine(n.About))))
		}
	}
	return found, noFiles
}
