package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

var classes = []string{"READ_ONLY", "STATE_CHANGING", "UNCLASSIFIED"}

const toolFields = `name description class externalAccess known suspended definitionHash hints`

// tool is what a person is shown of a tool.
type tool struct {
	Name           string
	Description    string
	Class          string
	ExternalAccess bool
	Known          bool
	Suspended      bool
	DefinitionHash string
}

func (a *app) toolsCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "tools",
		Short: "List, import and classify the tools that procedures call",
		// cobra would print the help for a command that does not exist, and call that success.
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("unknown command %q for \"procgraph tools\"", args[0])
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(a.toolsListCommand(), a.toolsImportCommand(), a.toolsClassifyCommand(), a.toolsConfirmCommand())
	return c
}

func (a *app) printTools(tools []tool) error {
	table := make([][]string, len(tools))
	for i, t := range tools {
		state := ""
		switch {
		case t.Suspended:
			state = a.word("suspended")
		case !t.Known:
			state = "only seen in code"
		}
		table[i] = []string{line(t.Name), a.word(t.Class), yesNo(t.ExternalAccess), state, firstSentence(t.Description)}
	}
	return a.printTable(4, []string{"NAME", "CLASS", "EXTERNAL", "STATE", "DESCRIPTION"}, table)
}
