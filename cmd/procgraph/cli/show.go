package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"
)

const showQuery = `query($name:String,$hash:String){procedure(toolName:$name,codeHash:$hash){
	toolName signature effect exposable notOffered{code message tool line} frequency strategy summary createdAt updatedAt retiredAt
	current{codeHash}
	uses(first:50){nodes{cause{name} frequency confidence triggerSignals resultSummary lastAt} pageInfo{hasNextPage endCursor}}
	variants(first:50){nodes{` + variantFields + `} pageInfo{hasNextPage endCursor}}}}`

const variantFields = `codeHash code strategy summary whenToUse status offered effect capturedBy capturedAt approvedBy approvedAt
	rejectedReason succeeded failed lastRunAt analysis{` + analysisFields + `}`

// one is a variant that is asked for by its hash, which need not be among the first.
const variantQuery = `query($hash:String!){variant(codeHash:$hash){` + variantFields + `}}`

var isHash = regexp.MustCompile(`^[0-9a-f]{64}$`)

type shownVariant struct {
	CodeHash, Code, Strategy, Summary, Status, Effect, RejectedReason string
	Offered                                                           bool
	Succeeded, Failed                                                 int
	Analysis                                                          analysis
}

type shownProcedure struct {
	ToolName, Effect, Strategy, Summary, RetiredAt string
	Signature                                      []string
	Exposable                                      bool
	NotOffered                                     []reason
	Frequency                                      int
	Current                                        *struct{ CodeHash string }
	Uses                                           struct {
		Nodes []struct {
			Cause                 struct{ Name string }
			Frequency             int
			ResultSummary, LastAt string
		}
		PageInfo struct{ HasNextPage bool }
	}
	Variants struct {
		Nodes    []shownVariant
		PageInfo struct{ HasNextPage bool }
	}
}

func (a *app) showCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "show NAME|CODEHASH",
		Short: "Show a procedure, or one code of it, with what each call may do",
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			client, err := a.client()
			if err != nil {
				return err
			}
			variables := map[string]any{"name": args[0]}
			if isHash.MatchString(args[0]) {
				variables = map[string]any{"hash": args[0]}
			}
			var data struct{ Procedure json.RawMessage }
			if err := client.ask(c.Context(), showQuery, variables, &data); err != nil {
				return err
			}
			if string(data.Procedure) == "null" {
				return failed(codeNotFound, "there is no procedure %s: `procgraph search` finds by words", args[0])
			}
			if a.asJSON() {
				document, err := client.showDocument(c.Context(), data.Procedure, variables["hash"])
				if err != nil {
					return err
				}
				return a.printJSON(document)
			}
			var p shownProcedure
			if err := json.Unmarshal(data.Procedure, &p); err != nil {
				return err
			}
			hash := args[0]
			if variables["hash"] == nil {
				hash = p.codeToShow()
			}
			var one struct{ Variant *shownVariant }
			if err := client.ask(c.Context(), variantQuery, map[string]any{"hash": hash}, &one); err != nil {
				return err
			}
			return a.printProcedure(p, one.Variant)
		},
	}
	c.ValidArgsFunction = a.completeProcedure
	return c
}

// showDocument is the procedure, and for a hash the variant with it, which need not be among the first.
func (c *client) showDocument(ctx context.Context, procedure json.RawMessage, hash any) (json.RawMessage, error) {
	if hash == nil {
		return procedure, nil
	}
	var one struct{ Variant json.RawMessage }
	if err := c.ask(ctx, variantQuery, map[string]any{"hash": hash}, &one); err != nil {
		return nil, err
	}
	return jsonv2.Marshal(struct {
		Variant   jsontext.Value `json:"variant"`
		Procedure jsontext.Value `json:",embed"` // its members
	}{jsontext.Value(one.Variant), jsontext.Value(procedure)})
}

// codeToShow is the hash of the offered code; without one, of the first.
func (p shownProcedure) codeToShow() string {
	if p.Current != nil {
		return p.Current.CodeHash
	}
	if len(p.Variants.Nodes) > 0 {
		return p.Variants.Nodes[0].CodeHash
	}
	return ""
}

func (a *app) printProcedure(p shownProcedure, code *shownVariant) error {
	if err := a.say("%s\n", line(p.ToolName)); err != nil {
		return err
	}
	facts := [][2]string{{"Summary", line(p.Summary)}, {"Strategy", line(p.Strategy)}, {"Tools", joined(p.Signature)},
		{"Uses", fmt.Sprint(p.Frequency)}, {"Effect", a.word(p.Effect)}, {"Retired", line(p.RetiredAt)}}
	if p.Exposable {
		facts = append(facts, [2]string{"Registry", a.word("offered")})
	}
	for _, r := range p.NotOffered {
		facts = append(facts, [2]string{"Not offered", line(r.Message) + " (" + line(r.Code) + ")"})
	}
	for _, f := range facts {
		if f[1] != "" {
			if err := a.say("%-12s %s", f[0], f[1]); err != nil {
				return err
			}
		}
	}
	if err := a.printUses(p); err != nil {
		return err
	}
	if err := a.printVariants(p, code); err != nil || code == nil {
		return err
	}
	if err := a.say("\nCode %s", line(code.CodeHash)); err != nil {
		return err
	}
	if err := a.printCode(code.Code, code.Analysis.References); err != nil {
		return err
	}
	return a.printFindings(code.Analysis)
}

func (a *app) printUses(p shownProcedure) error {
	table := make([][]string, len(p.Uses.Nodes))
	for i, u := range p.Uses.Nodes {
		table[i] = []string{line(u.Cause.Name), fmt.Sprint(u.Frequency), line(u.LastAt), line(u.ResultSummary)}
	}
	if err := a.say("\nCauses%s", firstOf(p.Uses.PageInfo.HasNextPage, len(table))); err != nil {
		return err
	}
	return a.printTable(3, []string{"CAUSE", "USES", "LAST", "RESULT"}, table)
}

func (a *app) printVariants(p shownProcedure, shown *shownVariant) error {
	table := make([][]string, len(p.Variants.Nodes))
	others := false
	for i, v := range p.Variants.Nodes {
		state := a.word(v.Status)
		if v.Offered {
			state += ", " + a.word("offered")
		}
		summary := line(v.Summary)
		if v.RejectedReason != "" {
			summary += " (rejected: " + line(v.RejectedReason) + ")"
		}
		others = others || shown == nil || v.CodeHash != shown.CodeHash
		table[i] = []string{short(v.CodeHash), state, a.word(v.Effect), fmt.Sprintf("%d / %d", v.Succeeded, v.Failed), summary}
	}
	if err := a.say("\nVariants%s", firstOf(p.Variants.PageInfo.HasNextPage, len(table))); err != nil {
		return err
	}
	if err := a.printTable(4, []string{"CODE", "STATUS", "EFFECT", "RUNS OK / FAILED", "SUMMARY"}, table); err != nil || !others {
		return err
	}
	return a.say("The whole hash of each is in --json; `procgraph show HASH` shows its code.")
}

func firstOf(more bool, n int) string {
	if more {
		return fmt.Sprintf(" (the first %d)", n)
	}
	return ""
}
