// Package cli is the command line: each command asks a server, and shows what it answers.
package cli

import (
	"context"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// app is what the commands share.
type app struct {
	server string // --server
	json   bool   // --json
	in     *os.File
	out    io.Writer
	errOut io.Writer
	// What stands at the other end.
	inTerminal, outTerminal, errTerminal bool
	width                                int // of the terminal at out
	colour                               bool
	// started is set once the arguments were understood: an error before that is one of usage.
	started  bool
	keyboard *keyboard // made for the first question
}

// Run runs a command line and answers the status to exit with: 0, 1 for a failure, 2 for a wrong usage, and 130 when
// the context ended, which stands for Ctrl-C.
func Run(ctx context.Context, args []string) int {
	a := newApp()
	root := a.root()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	if !a.started {
		// Flags may not have been read.
		a.json = a.json || slices.Contains(args, "--json")
		err = usage(err)
	}
	return a.fail(ctx, err)
}

func newApp() *app {
	a := &app{in: os.Stdin, out: os.Stdout, errOut: os.Stderr, width: 80}
	a.inTerminal = term.IsTerminal(int(os.Stdin.Fd()))
	a.outTerminal = term.IsTerminal(int(os.Stdout.Fd()))
	a.errTerminal = term.IsTerminal(int(os.Stderr.Fd()))
	if width, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil && width > 0 {
		a.width = width
	}
	a.colour = a.outTerminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	return a
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "procgraph",
		Short: "Look into a procedure graph, feed it and carry it from server to server",
		Long: `procgraph asks a procgraph server. It takes the token from PROCGRAPH_TOKEN, or from the file that
PROCGRAPH_TOKEN_FILE names. On a terminal it prints tables, elsewhere JSON.`,
		Args:              cobra.NoArgs,
		SilenceErrors:     true,
		SilenceUsage:      true,
		PersistentPreRunE: func(*cobra.Command, []string) error { a.started = true; return nil },
		RunE:              func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	server := os.Getenv("PROCGRAPH_URL")
	if server == "" {
		server = "http://127.0.0.1:8080"
	}
	root.PersistentFlags().StringVar(&a.server, "server", server, "address of the server, also PROCGRAPH_URL")
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print JSON on a terminal too, errors included")
	root.AddCommand(a.toolsCommand(), a.proceduresCommand(), a.showCommand(), a.analyzeCommand(), a.searchCommand(),
		a.graphCommand(), a.exportCommand(), a.importCommand(), versionCommand(a))
	return root
}

// asJSON tells whether a program reads the output.
func (a *app) asJSON() bool { return a.json || !a.outTerminal }
