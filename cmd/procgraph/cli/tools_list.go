package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

const toolsQuery = `query($first:Int,$after:String,$filter:ToolFilter){
	list:tools(first:$first,after:$after,filter:$filter){nodes{` + toolFields + `} pageInfo{hasNextPage endCursor}}}`

func (a *app) toolsListCommand() *cobra.Command {
	var class string
	var suspended bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List all tools by name",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			filter := map[string]any{}
			if class != "" {
				if err := checkClass(class); err != nil {
					return err
				}
				filter["class"] = class
			}
			if suspended {
				filter["suspended"] = true
			}
			client, err := a.client()
			if err != nil {
				return err
			}
			found, err := client.pages(c.Context(), toolsQuery, map[string]any{"filter": filter}, maxFirst, "", true)
			if err != nil {
				return err
			}
			return a.show(found, func() error {
				tools, err := rows[tool](found)
				if err != nil {
					return err
				}
				return a.printTools(tools)
			})
		},
	}
	c.Flags().StringVar(&class, "class", "", "only tools of this class: "+strings.Join(classes, ", "))
	c.Flags().BoolVar(&suspended, "suspended", false, "only tools whose definition changed since it was confirmed")
	completeWords(c, "class", classes)
	return c
}

func checkClass(class string) error {
	if !slices.Contains(classes, class) {
		return failed(codeUsage, "--class is %s, not %q", strings.Join(classes, ", "), class)
	}
	return nil
}
