package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

const proceduresQuery = `query($first:Int,$after:String,$filter:ProcedureFilter,$order:ProcedureOrder){
	list:procedures(first:$first,after:$after,filter:$filter,orderBy:$order){
		nodes{toolName signature effect exposable notOffered{code message tool line} frequency summary updatedAt retiredAt}
		pageInfo{hasNextPage endCursor}}}`

var orders = map[string]string{"frequency": "FREQUENCY_DESC", "updated": "UPDATED_DESC", "name": "NAME_ASC"}

func (a *app) proceduresCommand() *cobra.Command {
	var tools, causes []string
	var order, after string
	var first int
	var all bool
	c := &cobra.Command{
		Use:   "procedures",
		Short: "List procedures, the most used first",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			by, ok := orders[order]
			if !ok {
				return failed(codeUsage, "--order is frequency, updated or name, not %q", order)
			}
			if err := checkFirst("first", first); err != nil {
				return err
			}
			filter := map[string]any{}
			if len(tools) > 0 {
				filter["tools"] = tools
			}
			if len(causes) > 0 {
				filter["causes"] = causes
			}
			client, err := a.client()
			if err != nil {
				return err
			}
			found, err := client.pages(c.Context(), proceduresQuery, map[string]any{"filter": filter, "order": by}, first, after, all)
			if err != nil {
				return err
			}
			return a.show(found, func() error { return a.printProcedures(found) })
		},
	}
	c.Flags().StringArrayVar(&tools, "tool", nil, "only procedures that name this tool; more of them: each")
	c.Flags().StringArrayVar(&causes, "cause", nil, "only procedures that served this cause; more of them: one of these")
	c.Flags().StringVar(&order, "order", "frequency", "frequency, updated or name")
	c.Flags().IntVar(&first, "first", 50, "how many, 0 to 500")
	c.Flags().StringVar(&after, "after", "", "go on after this endCursor of the same list")
	c.Flags().BoolVar(&all, "all", false, "every page")
	completeWords(c, "order", []string{"frequency", "updated", "name"})
	_ = c.RegisterFlagCompletionFunc("tool", a.completeTools)   // the error is for a flag
	_ = c.RegisterFlagCompletionFunc("cause", a.completeCauses) // that does not exist
	return c
}

func checkFirst(flag string, first int) error {
	if first < 0 || first > maxFirst {
		return failed(codeUsage, "--%s goes from 0 to %d", flag, maxFirst)
	}
	return nil
}

func (a *app) printProcedures(found list) error {
	type row struct {
		ToolName, Effect, Summary string
		Exposable                 bool
		NotOffered                []reason
		Frequency                 int
	}
	procedures, err := rows[row](found)
	if err != nil {
		return err
	}
	table := make([][]string, len(procedures))
	for i, p := range procedures {
		offered := a.word("offered")
		if !p.Exposable {
			offered = codes(p.NotOffered)
		}
		table[i] = []string{line(p.ToolName), fmt.Sprint(p.Frequency), a.word(p.Effect), offered, line(p.Summary)}
	}
	if err := a.printTable(4, []string{"NAME", "USES", "EFFECT", "REGISTRY", "SUMMARY"}, table); err != nil {
		return err
	}
	return a.more(found)
}

type reason struct{ Code, Message, Tool string }

func codes(reasons []reason) string {
	var distinct []string
	seen := map[string]bool{}
	for _, r := range reasons {
		if !seen[r.Code] {
			seen[r.Code] = true
			distinct = append(distinct, r.Code)
		}
	}
	return line(strings.Join(distinct, ", "))
}
