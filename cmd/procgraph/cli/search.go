package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

const searchQuery = `query($text:String!,$first:Int,$after:String){list:search(text:$text,first:$first,after:$after){
	nodes{score snippet node{id kind label}} pageInfo{hasNextPage endCursor}}}`

func (a *app) searchCommand() *cobra.Command {
	var first int
	var after string
	c := &cobra.Command{
		Use:   "search WORDS…",
		Short: "Find procedures, causes, tools and code by what names or describes them",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, words []string) error {
			if err := checkFirst("first", first); err != nil {
				return err
			}
			client, err := a.client()
			if err != nil {
				return err
			}
			found, err := client.pages(c.Context(), searchQuery, map[string]any{"text": strings.Join(words, " ")}, first, after, false)
			if err != nil {
				return err
			}
			return a.show(found, func() error { return a.printHits(found) })
		},
	}
	c.Flags().IntVar(&first, "first", 20, "how many, 0 to 500")
	c.Flags().StringVar(&after, "after", "", "go on after this endCursor of the same search")
	c.ValidArgsFunction = cobra.NoFileCompletions
	return c
}

func (a *app) printHits(found list) error {
	type hit struct {
		Score   float64
		Snippet string
		Node    struct{ Kind, Label string }
	}
	hits, err := rows[hit](found)
	if err != nil {
		return err
	}
	table := make([][]string, len(hits))
	for i, h := range hits {
		table[i] = []string{line(h.Node.Label), strings.ToLower(line(h.Node.Kind)), fmt.Sprintf("%.2f", h.Score), line(h.Snippet)}
	}
	if err := a.printTable(3, []string{"NAME", "KIND", "SCORE", "WHERE"}, table); err != nil {
		return err
	}
	if found.PageInfo.HasNextPage && found.PageInfo.EndCursor != nil {
		return a.say("more: --after %s", shellWord(*found.PageInfo.EndCursor))
	}
	return nil
}
