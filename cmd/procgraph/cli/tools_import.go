package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/progress"
	"github.com/spf13/cobra"

	"procgraph/cmd/procgraph/mcptools"
)

const registerMutation = `mutation($tools:[ToolInput!]!){registerTools(tools:$tools){` + toolFields + `}}`

// maxRequest leaves room in a server's limit of 1 MiB for a request.
const maxRequest = 900 << 10

func (a *app) toolsImportCommand() *cobra.Command {
	var address, prefix string
	var timeout time.Duration
	var yes bool
	c := &cobra.Command{
		Use:   "import -- COMMAND… | import --url URL",
		Short: "Register the tools of an MCP server, and classify them",
		Long: `Register the tools of an MCP server, which is started with COMMAND or reached at a URL, and classify them.
Registering can only tighten. What the server claims about its own tools is a claim: on a terminal you are asked which
of them only read; --yes takes the claims for true.`,
		Example: `  procgraph tools import -- npx -y @modelcontextprotocol/server-memory
  procgraph tools import --yes -- npx -y @modelcontextprotocol/server-filesystem /tmp
  procgraph tools import --url http://127.0.0.1:3001/mcp --prefix everything_`,
		Args: func(_ *cobra.Command, args []string) error {
			if (len(args) == 0) == (address == "") {
				return errors.New("tools import takes either -- COMMAND… or --url URL")
			}
			if u, err := url.Parse(address); address != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
				return errors.New("--url is not an address such as http://127.0.0.1:3001/mcp")
			}
			return nil
		},
		RunE: func(c *cobra.Command, command []string) error {
			client, err := a.client()
			if err != nil {
				return err
			}
			tools, err := a.readTools(c.Context(), command, address, timeout)
			if err != nil {
				return err
			}
			if err := mcptools.Check(tools, prefix); err != nil {
				return err
			}
			return a.importTools(c.Context(), client, tools, yes)
		},
	}
	c.Flags().StringVar(&address, "url", "", "address of an MCP server over Streamable HTTP")
	c.Flags().StringVar(&prefix, "prefix", "", "put this before each name")
	c.Flags().DurationVar(&timeout, "timeout", 30*time.Second, "how long the MCP server may take to list its tools")
	c.Flags().BoolVar(&yes, "yes", false, "do not ask: classify as the MCP server claims")
	return c
}

func (a *app) readTools(ctx context.Context, command []string, address string, timeout time.Duration) (tools []mcptools.Tool, err error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	bar := a.newBar("reading tools", 0, progress.UnitsDefault)
	defer func() { bar.end(err) }()
	if address != "" {
		tools, err = mcptools.FromURL(ctx, address)
	} else {
		tools, err = mcptools.FromCommand(ctx, command, strangersEnvironment())
	}
	bar.add(len(tools))
	return tools, err
}

// strangersEnvironment is ours without the token: the MCP server has no business with it.
func strangersEnvironment() []string {
	var env []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "PROCGRAPH_TOKEN=") && !strings.HasPrefix(v, "PROCGRAPH_TOKEN_FILE=") {
			env = append(env, v)
		}
	}
	return env
}

// importedTools is what an import did.
type importedTools struct {
	Tools []json.RawMessage `json:"tools"` // as they are now
	// Changed are the procedures whose effect the classification changed.
	Changed []changedProcedure `json:"changed"`
	// Suggested are the classes that the MCP server's claims suggest and that were not taken.
	Suggested []classItem `json:"suggested"`
	Next      string      `json:"next,omitempty"`
}

func (a *app) importTools(ctx context.Context, client *client, tools []mcptools.Tool, yes bool) error {
	stored, err := client.register(ctx, tools)
	if err != nil {
		return a.partly(err, len(stored), len(tools), "registered")
	}
	registered, err := rows[tool](list{Nodes: stored})
	if err != nil {
		return err
	}
	done := importedTools{Tools: stored, Changed: []changedProcedure{}, Suggested: suggested(tools, registered)}
	items := done.Suggested
	switch {
	case yes:
	case a.canAsk():
		items, err = a.askClasses(ctx, client, tools, registered)
	case len(items) > 0:
		items = nil
		done.Next = "nothing was classified: procgraph tools classify NAME… --class READ_ONLY, or this import again with --yes to take what the MCP server claims"
	}
	if err != nil {
		return a.partly(err, len(tools), len(tools), "registered, and classified by nobody")
	}
	if len(items) > 0 {
		if err := a.classifyImported(ctx, client, items, &done); err != nil {
			return err
		}
	}
	if done.Next == "" {
		done.Suggested = []classItem{}
	}
	return a.show(done, func() error { return a.printImported(done) })
}

func (a *app) classifyImported(ctx context.Context, client *client, items []classItem, done *importedTools) error {
	would, err := client.dryRun(ctx, items)
	if err != nil {
		return a.partly(err, len(done.Tools), len(done.Tools), "registered, and classified by nobody")
	}
	after, err := client.classify(ctx, items, false)
	if err != nil {
		return a.partly(err, len(after.Tools), len(items), "classified; all are registered")
	}
	done.Changed = would.Changed.Nodes
	now := make(map[string]json.RawMessage, len(items))
	for i, item := range items {
		now[item.Name] = after.Tools[i]
	}
	registered, err := rows[tool](list{Nodes: done.Tools})
	for i, t := range registered {
		if raw, ok := now[t.Name]; ok {
			done.Tools[i] = raw
		}
	}
	return err
}

// partly adds to an error what was done before it.
func (a *app) partly(err error, done, of int, what string) error {
	var f *failure
	if errors.As(err, &f) {
		f.Message += fmt.Sprintf("; %d of %d tools are %s", done, of, what)
	} else if !a.json {
		_ = a.tellPerson("%d of %d tools are %s", done, of, what) // beside the error that is told in any case
	}
	return err
}

// register stores the tools in requests that a server takes; each is all or nothing.
func (c *client) register(ctx context.Context, tools []mcptools.Tool) ([]json.RawMessage, error) {
	registered := []json.RawMessage{}
	var batch []map[string]any
	size := 0
	send := func() error {
		var data struct{ RegisterTools []json.RawMessage }
		if err := c.ask(ctx, registerMutation, map[string]any{"tools": batch}, &data); err != nil {
			return err
		}
		registered = append(registered, data.RegisterTools...)
		batch, size = nil, 0
		return nil
	}
	for _, t := range tools {
		input := map[string]any{"name": t.Name, "parametersSchema": t.InputSchema}
		if t.Description != nil {
			input["description"] = *t.Description
		}
		if hints := t.Hints(); hints != nil {
			input["hints"] = hints
		}
		encoded, err := json.Marshal(input)
		if err != nil {
			return registered, failed(codeFailed, "the MCP server's tool %s cannot be sent: %v", t.Name, err)
		}
		if len(batch) == maxBatch || len(batch) > 0 && size+len(encoded) > maxRequest {
			if err := send(); err != nil {
				return registered, err
			}
		}
		batch = append(batch, input)
		size += len(encoded)
	}
	return registered, send()
}

// suggested are the claims that say more than is known. A class that somebody gave is never loosened by a claim.
func suggested(tools []mcptools.Tool, registered []tool) []classItem {
	items := []classItem{}
	for i, t := range tools {
		suggestion := t.Suggestion()
		if registered[i].Class == "UNCLASSIFIED" && suggestion != "UNCLASSIFIED" {
			items = append(items, classItem{Name: registered[i].Name, Class: &suggestion})
		}
	}
	return items
}

func (a *app) printImported(done importedTools) error {
	tools, err := rows[tool](list{Nodes: done.Tools})
	if err != nil {
		return err
	}
	if err := a.printTools(tools); err != nil {
		return err
	}
	if len(done.Changed) > 0 {
		var changed classified
		changed.Applied, changed.Changed.Nodes = true, done.Changed
		if err := a.say("\nProcedures whose effect changed"); err != nil {
			return err
		}
		if err := a.printConsequences(changed); err != nil {
			return err
		}
	}
	if i := slices.IndexFunc(tools, func(t tool) bool { return t.Suspended }); i >= 0 {
		if err := a.say("\nA suspended tool has another definition than the one that was confirmed: %s", commandLine("procgraph tools confirm", tools[i].Name)); err != nil {
			return err
		}
	}
	if done.Next != "" {
		return a.say("\n%s", done.Next)
	}
	return nil
}
