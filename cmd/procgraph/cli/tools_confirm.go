package cli

import (
	"encoding/json"

	"github.com/spf13/cobra"
)

const (
	toolQuery       = `query($name:String!){tool(name:$name){` + toolFields + ` parametersSchema}}`
	confirmMutation = `mutation($name:String!,$hash:String!){confirmTool(name:$name,definitionHash:$hash){` + toolFields + `}}`
)

func (a *app) toolsConfirmCommand() *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use:   "confirm NAME",
		Short: "Accept the changed definition of a suspended tool",
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			client, err := a.client()
			if err != nil {
				return err
			}
			var stored struct {
				Tool *struct {
					tool
					ParametersSchema json.RawMessage
				}
			}
			if err := client.ask(c.Context(), toolQuery, map[string]any{"name": args[0]}, &stored); err != nil {
				return err
			}
			t := stored.Tool
			if t == nil {
				return failed(codeNotFound, "there is no tool %s: procgraph tools list shows all", args[0])
			}
			if t.Suspended && !yes {
				// What is confirmed is what is shown here, and no other: its hash goes along.
				if !a.canAsk() {
					return nobody(commandLine("procgraph tools confirm --yes", t.Name))
				}
				if err := a.tellPerson("%s\n\n%s\n\n%s", line(t.Name), block(t.Description), block(string(t.ParametersSchema))); err != nil {
					return err
				}
				ok, err := a.confirm(c.Context(), "Is this definition right?")
				if err != nil || !ok {
					return err
				}
			}
			var done struct{ ConfirmTool json.RawMessage }
			if err := client.ask(c.Context(), confirmMutation, map[string]any{"name": t.Name, "hash": t.DefinitionHash}, &done); err != nil {
				return err
			}
			return a.show(done.ConfirmTool, func() error {
				var now tool
				if err := json.Unmarshal(done.ConfirmTool, &now); err != nil {
					return err
				}
				return a.printTools([]tool{now})
			})
		},
	}
	c.Flags().BoolVar(&yes, "yes", false, "do not ask")
	c.ValidArgsFunction = a.completeTools
	return c
}
