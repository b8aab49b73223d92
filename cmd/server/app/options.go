// Package app wires the server: it opens the store, makes the operations and serves them.
package app

import (
	"fmt"
	"io"
	"net"
	"os"
	"strings"

	"github.com/spf13/pflag"
)

// ErrHelp says that the help was asked for and printed.
var ErrHelp = pflag.ErrHelp

// Options are the settings of a server.
type Options struct {
	Listen         string // host:port; port 0 picks one
	Store          string // sqlite or neo4j
	Data           string // the folder of the server's files
	Neo4jURI       string
	Neo4jUser      string
	Neo4jPassword  string
	Neo4jDatabase  string
	Demo           bool
	AdminTokenFile string
}

// secrets may also be given as PROCGRAPH_<FLAG>_FILE, the path of a file that holds the value.
var secrets = map[string]bool{"neo4j-password": true}

// ParseOptions reads flags; a flag that is not given is taken from PROCGRAPH_<FLAG>. The help goes to w.
func ParseOptions(args []string, lookup func(string) (string, bool), w io.Writer) (Options, error) {
	var o Options
	f := pflag.NewFlagSet("server", pflag.ContinueOnError)
	f.SetOutput(w)
	f.SortFlags = false
	f.StringVar(&o.Listen, "listen", "127.0.0.1:8080", "address to listen on; port 0 picks a free one")
	f.StringVar(&o.Store, "store", "sqlite", "where the graph is kept: sqlite or neo4j")
	f.StringVar(&o.Data, "data", "data", "folder for the SQLite database, the admin token and the audit head")
	f.StringVar(&o.Neo4jURI, "neo4j-uri", "neo4j://127.0.0.1:7687", "address of Neo4j")
	f.StringVar(&o.Neo4jUser, "neo4j-user", "neo4j", "user of Neo4j")
	f.StringVar(&o.Neo4jPassword, "neo4j-password", "", "password of Neo4j; better given as PROCGRAPH_NEO4J_PASSWORD_FILE")
	f.StringVar(&o.Neo4jDatabase, "neo4j-database", "neo4j", "database of Neo4j")
	f.BoolVar(&o.Demo, "demo", false, "load the demonstration graph")
	f.StringVar(&o.AdminTokenFile, "admin-token-file", "", "file of the admin's token (default: admin.token in the data folder)")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	if err := fromEnvironment(f, lookup); err != nil {
		return o, err
	}
	return o, o.validate()
}

func fromEnvironment(f *pflag.FlagSet, lookup func(string) (string, bool)) (err error) {
	f.VisitAll(func(flag *pflag.Flag) {
		if flag.Changed || err != nil {
			return
		}
		name := "PROCGRAPH_" + strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_"))
		value, ok := lookup(name)
		if file, given := lookup(name + "_FILE"); given && secrets[flag.Name] {
			if ok {
				err = fmt.Errorf("%s and %s_FILE are both set", name, name)
				return
			}
			b, readErr := os.ReadFile(file)
			if readErr != nil {
				err = fmt.Errorf("%s_FILE: %w", name, readErr)
				return
			}
			value, ok = strings.TrimRight(string(b), "\r\n"), true
		}
		if ok {
			if setErr := flag.Value.Set(value); setErr != nil {
				err = fmt.Errorf("%s: %w", name, setErr)
			}
		}
	})
	return err
}

func (o Options) validate() error {
	if _, _, err := net.SplitHostPort(o.Listen); err != nil {
		return fmt.Errorf("--listen %q is no host:port", o.Listen)
	}
	if o.Store != "sqlite" && o.Store != "neo4j" {
		return fmt.Errorf("--store is sqlite or neo4j, not %q", o.Store)
	}
	if o.Data == "" {
		return fmt.Errorf("--data is empty")
	}
	if o.Store == "neo4j" && o.Neo4jURI == "" {
		return fmt.Errorf("--neo4j-uri is empty")
	}
	return nil
}
