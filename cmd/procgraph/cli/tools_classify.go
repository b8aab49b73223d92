package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

func (a *app) toolsClassifyCommand() *cobra.Command {
	var class string
	var external, dry, yes bool
	c := &cobra.Command{
		Use:   "classify NAME… --class CLASS",
		Short: "Say what calling tools does; shows first which procedures that would change",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, names []string) error {
			var item classItem
			if class != "" {
				if err := checkClass(class); err != nil {
					return err
				}
				item.Class = &class
			}
			if c.Flags().Changed("external-access") {
				item.ExternalAccess = &external
			}
			if item.Class == nil && item.ExternalAccess == nil {
				return failed(codeUsage, "tools classify needs --class or --external-access")
			}
			items := make([]classItem, len(names))
			for i, name := range names {
				items[i] = item
				items[i].Name = name
			}
			return a.classifyTools(c.Context(), items, dry, yes, commandLine("procgraph tools classify"+flagsOf(item)+" --yes", names...))
		},
	}
	c.Flags().StringVar(&class, "class", "", strings.Join(classes, ", "))
	c.Flags().BoolVar(&external, "external-access", false, "whether they reach an outside system")
	c.Flags().BoolVar(&dry, "dry-run", false, "only show what would change")
	c.Flags().BoolVar(&yes, "yes", false, "do not ask")
	c.ValidArgsFunction = a.completeTools
	completeWords(c, "class", classes)
	return c
}

func flagsOf(item classItem) (flags string) {
	if item.Class != nil {
		flags += " --class " + *item.Class
	}
	if item.ExternalAccess != nil {
		flags += fmt.Sprintf(" --external-access=%t", *item.ExternalAccess)
	}
	return flags
}

func (a *app) classifyTools(ctx context.Context, items []classItem, dry, yes bool, instead string) error {
	client, err := a.client()
	if err != nil {
		return err
	}
	would, err := client.dryRun(ctx, items)
	if err != nil {
		return err
	}
	if dry {
		return a.show(would, func() error { return a.printConsequences(would) })
	}
	if !yes {
		if !a.canAsk() {
			return nobody(instead)
		}
		if err := a.tellConsequences(would); err != nil {
			return err
		}
		ok, err := a.confirm(ctx, "Classify "+plural(len(items), "tool")+"?")
		if err != nil || !ok {
			return err
		}
	}
	done, err := client.classify(ctx, items, false)
	if err != nil {
		return err
	}
	return a.show(done, func() error {
		tools, err := rows[tool](list{Nodes: done.Tools})
		if err != nil {
			return err
		}
		return a.printTools(tools)
	})
}

func (a *app) printConsequences(would classified) error {
	if len(would.Changed.Nodes) == 0 {
		return a.say("no procedure changes its effect")
	}
	return a.printTable(2, []string{"PROCEDURE", "EFFECT", "REGISTRY"}, a.consequences(would))
}

// tellConsequences shows the same to a person who is about to be asked.
func (a *app) tellConsequences(would classified) error {
	person := *a
	person.out = a.errOut
	return person.printConsequences(would)
}
