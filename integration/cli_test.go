package integration

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// cliBinary builds cmd/procgraph once for all tests of the package.
var cliBinary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "procgraph-cli-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "procgraph")
	if out, err := exec.Command("go", "build", "-o", path, "procgraph/cmd/procgraph").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w: %s", err, out)
	}
	return path, nil
})

// cli is the command line with the token of a server.
type cli struct {
	testing.TB
	url, token string
	stdin      string
	env        []string
}

func (s *server) cli() *cli { return &cli{TB: s.TB, url: s.url, token: s.token} }

// command is a command line that was not started yet.
func (c *cli) command(args ...string) *exec.Cmd {
	c.Helper()
	path, err := cliBinary()
	if err != nil {
		c.Fatal(err)
	}
	command := exec.Command(path, args...)
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "PROCGRAPH_") {
			command.Env = append(command.Env, v)
		}
	}
	command.Env = append(append(command.Env, "PROCGRAPH_URL="+c.url, "PROCGRAPH_TOKEN="+c.token), c.env...)
	command.Stdin = strings.NewReader(c.stdin)
	return command
}

// run answers what a command line prints, and its exit code.
func (c *cli) run(args ...string) (stdout, stderr string, code int) {
	c.Helper()
	var out, errOut bytes.Buffer
	command := c.command(args...)
	command.Stdout, command.Stderr = &out, &errOut
	_ = command.Run() // the exit code tells
	for _, text := range []string{out.String(), errOut.String()} {
		if c.token != "" && strings.Contains(text, c.token) {
			c.Errorf("%q prints the token", args)
		}
	}
	if strings.Contains(errOut.String(), "goroutine ") {
		c.Errorf("%q: %s", args, &errOut)
	}
	return out.String(), errOut.String(), command.ProcessState.ExitCode()
}

// json runs a command that has to succeed, and decodes the one document that it prints.
func (c *cli) json(into any, args ...string) {
	c.Helper()
	out, errOut, code := c.run(args...)
	if code != 0 || errOut != "" {
		c.Fatalf("%q: exit code %d, %s", args, code, errOut)
	}
	decoder := json.NewDecoder(strings.NewReader(out))
	if err := decoder.Decode(into); err != nil {
		c.Fatalf("%q: %v in %s", args, err, out)
	}
	if decoder.More() {
		c.Fatalf("%q prints more than one document: %s", args, out)
	}
}

// fails runs a command that has to end with an exit code and one line that matches.
func (c *cli) fails(code int, want string, args ...string) string {
	c.Helper()
	out, errOut, got := c.run(args...)
	first, _, _ := strings.Cut(errOut, "\n")
	if got != code || out != "" || !strings.HasPrefix(first, "procgraph: ") || !regexp.MustCompile(want).MatchString(first) {
		c.Errorf("%q: exit code %d, %q and %q; want %d and %q", args, got, out, errOut, code, want)
	}
	return errOut
}

func TestCommandLine(t *testing.T) {
	c := start(t, "", "--demo").cli()

	type node struct{ ToolName, Name, Class, Effect, Status, CodeHash, Code, Label, Kind, ID string }
	type nodes struct {
		Nodes    []node
		PageInfo struct {
			HasNextPage bool
			EndCursor   string
		}
	}
	t.Run("procedures", func(t *testing.T) {
		var all, page, next, named nodes
		c.json(&all, "procedures", "--all", "--order", "name")
		c.json(&page, "procedures", "--first", "2", "--order", "name")
		c.json(&next, "procedures", "--first", "2", "--order", "name", "--after", page.PageInfo.EndCursor)
		if len(all.Nodes) < 15 || all.PageInfo.HasNextPage || !page.PageInfo.HasNextPage || page.Nodes[1] != all.Nodes[1] || next.Nodes[0] != all.Nodes[2] {
			t.Errorf("all %+v, a page %+v, the next %+v", all, page, next)
		}
		c.json(&named, "procedures", "--tool", "open_nodes", "--tool", "search_nodes", "--cause", "service reports errors")
		if len(named.Nodes) == 0 || named.Nodes[0].ToolName != knownAbout {
			t.Errorf("by tools and cause: %+v", named)
		}
	})
	t.Run("show", func(t *testing.T) {
		var byName, byHash struct {
			ToolName, Effect string
			Exposable        bool
			Variants         struct{ Nodes []node }
			Variant          *node
		}
		c.json(&byName, "show", knownAbout)
		if byName.ToolName != knownAbout || !byName.Exposable || len(byName.Variants.Nodes) != 2 || !strings.Contains(byName.Variants.Nodes[0].Code, "tools.search_nodes") {
			t.Errorf("%+v", byName)
		}
		c.json(&byHash, "show", byName.Variants.Nodes[1].CodeHash)
		if want := byName.Variants.Nodes[1]; byName.Variant != nil || byHash.ToolName != knownAbout || byHash.Variant == nil || *byHash.Variant != want {
			t.Errorf("by hash %+v", byHash)
		}
		c.fails(1, "no procedure nope.*search", "show", "nope")
	})
	t.Run("search", func(t *testing.T) {
		var found struct{ Nodes []struct{ Node node } }
		c.json(&found, "search", "newest", "log", "--first", "3")
		if len(found.Nodes) != 3 || found.Nodes[0].Node.Label != newestByName {
			t.Errorf("%+v", found)
		}
	})
	t.Run("analyze", func(t *testing.T) {
		var found struct{ Effect, ToolName string }
		piped := *c
		piped.stdin = "await tools.move_file(source=a, destination=b)\r\nawait tools.open_nodes(names=c)\r\n"
		piped.json(&found, "analyze", "-")
		if found.Effect != "MUTATING" || found.ToolName != "proc__move_file__open_nodes" {
			t.Errorf("%+v", found)
		}
		c.json(&found, "analyze", "../cmd/server/app/demo/procedures/known_about.py")
		if found.Effect != "READ_ONLY" || found.ToolName != knownAbout {
			t.Errorf("%+v", found)
		}
		c.fails(1, "no such file", "analyze", "nowhere.py")
	})
	t.Run("graph", func(t *testing.T) {
		var g struct {
			Nodes     []node
			Relations []struct{ From, To string }
		}
		c.json(&g, "graph", knownAbout, "--format", "json", "--depth", "2")
		ids := map[string]bool{}
		for _, n := range g.Nodes {
			ids[n.ID] = true
		}
		for _, r := range g.Relations {
			if !ids[r.From] || !ids[r.To] {
				t.Errorf("%+v leaves the graph", r)
			}
		}
		if len(g.Nodes) < 6 || len(g.Relations) < 6 {
			t.Errorf("%+v", g)
		}
		for _, name := range []string{knownAbout, "open_nodes", "service reports errors"} {
			dot, errOut, code := c.run("graph", name)
			mermaid, _, _ := c.run("graph", name, "--format", "mermaid", "--limit", "3")
			if code != 0 || !strings.HasPrefix(dot, "digraph procgraph {") || !strings.Contains(dot, name) || !strings.HasPrefix(mermaid, "graph LR\n") {
				t.Errorf("%s: %s %s %s", name, errOut, dot, mermaid)
			}
		}
		c.fails(1, "nothing has the name nope", "graph", "nope")
		if _, errOut, code := c.run("graph", "--json", "--format", "dot"); code != 2 || !strings.Contains(errOut, "exclude each other") {
			t.Errorf("--json and dot: exit code %d, %s", code, errOut)
		}
	})
	t.Run("tools", func(t *testing.T) {
		var tools nodes
		c.json(&tools, "tools", "list", "--class", "STATE_CHANGING")
		if len(tools.Nodes) < 5 || tools.Nodes[0].Class != "STATE_CHANGING" {
			t.Errorf("%+v", tools)
		}
		type changes struct {
			Applied bool
			Tools   []node
			Changed struct {
				Nodes []struct {
					ToolName, Effect string
					Exposable        bool
					Before           *struct{ Exposable bool }
				}
			}
		}
		var would, did changes
		classify := []string{"tools", "classify", "search_nodes", "--class", "STATE_CHANGING"}
		c.fails(2, "nobody can be asked here: run `procgraph tools classify --class STATE_CHANGING --yes search_nodes`", classify...)
		c.json(&would, append(classify, "--dry-run")...)
		if would.Applied || len(would.Changed.Nodes) < 2 {
			t.Fatalf("a dry run: %+v", would)
		}
		for _, p := range would.Changed.Nodes {
			if p.Before == nil || p.Exposable || p.Effect == "READ_ONLY" {
				t.Errorf("a dry run: %+v", p)
			}
		}
		c.json(&tools, "tools", "list", "--class", "STATE_CHANGING")
		before := len(tools.Nodes)
		c.json(&did, append(classify, "--yes")...)
		c.json(&tools, "tools", "list", "--class", "STATE_CHANGING")
		if !did.Applied || did.Tools[0].Class != "STATE_CHANGING" || len(tools.Nodes) != before+1 {
			t.Errorf("%+v; %d tools after %d", did, len(tools.Nodes), before)
		}
		c.fails(1, "not found", "tools", "classify", "nope", "--class", "READ_ONLY", "--yes")
		c.fails(2, "needs --class or --external-access", "tools", "classify", "search_nodes", "--yes")
		c.json(&did, "tools", "classify", "search_nodes", "--external-access=true", "--yes")
	})
	t.Run("completion", func(t *testing.T) {
		for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
			if out, _, code := c.run("completion", shell); code != 0 || !strings.Contains(out, "procgraph") {
				t.Errorf("%s: exit code %d", shell, code)
			}
		}
		if out, _, _ := c.run("__complete", "show", "proc__open"); !strings.Contains(out, knownAbout+"\t") {
			t.Errorf("procedures: %s", out)
		}
		if out, _, _ := c.run("__complete", "tools", "classify", "open_nodes", "o"); strings.Contains(out, "open_nodes") {
			t.Errorf("a name is offered twice: %s", out)
		}
		nobody := *c
		nobody.url = "http://127.0.0.1:1"
		if out, _, code := nobody.run("__complete", "show", "proc__"); code != 0 || out != ":4\n" {
			t.Errorf("without a server: %d %q", code, out)
		}
	})
	t.Run("version", func(t *testing.T) {
		var v struct{ Version, Go string }
		c.json(&v, "version")
		if v.Version == "" || !strings.HasPrefix(v.Go, "go1.") {
			t.Errorf("%+v", v)
		}
	})
}

// Names behind the first page are completed too.
func TestCompletionOfManyNames(t *testing.T) {
	s := start(t, "")
	for batch := range 6 {
		names := make([]string, 100)
		for i := range names {
			names[i] = fmt.Sprintf("tool_%03d", 100*batch+i)
		}
		s.register("READ_ONLY", names...)
	}
	c := s.cli()
	if out, _, _ := c.run("__complete", "tools", "confirm", "tool_599"); !strings.HasPrefix(out, "tool_599") {
		t.Errorf("the last of 600 is not completed: %s", out)
	}
	if out, _, _ := c.run("__complete", "tools", "confirm", "tool_"); strings.Count(out, "tool_") != 600 {
		t.Errorf("%d of 600 are completed", strings.Count(out, "tool_"))
	}
}

func TestCommandLineErrors(t *testing.T) {
	answers := func(status int, body string) *cli {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}))
		t.Cleanup(s.Close)
		return &cli{TB: t, url: s.URL, token: "0123456789abcdef0123456789abcdef"}
	}
	s := start(t, "")
	good := s.cli()
	with := func(change func(*cli)) *cli {
		c := *good
		change(&c)
		return &c
	}
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(good.token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}

	with(func(c *cli) { c.url = "http://127.0.0.1:1" }).fails(1, "no server answers at http://127.0.0.1:1: is it running, and is --server", "tools", "list")
	with(func(c *cli) { c.url = "nowhere" }).fails(2, "--server .* is not an address", "tools", "list")
	with(func(c *cli) { c.token = "" }).fails(1, "set PROCGRAPH_TOKEN_FILE", "tools", "list")
	with(func(c *cli) { c.token = strings.Repeat("wrong", 9) }).fails(1, "does not know the token in PROCGRAPH_TOKEN:", "tools", "list")
	with(func(c *cli) { c.env = []string{"PROCGRAPH_TOKEN_FILE=" + file} }).fails(2, "both set", "tools", "list")
	with(func(c *cli) { c.token, c.env = "", []string{"PROCGRAPH_TOKEN_FILE=/nowhere"} }).fails(1, "PROCGRAPH_TOKEN_FILE: .*no such file", "tools", "list")
	var tools struct{ Nodes []any }
	with(func(c *cli) { c.token, c.env = "", []string{"PROCGRAPH_TOKEN_FILE=" + file} }).json(&tools, "tools", "list")

	forbidden := `{"data":null,"errors":[{"message":"the token does not have the scope tool:admin","extensions":{"code":"FORBIDDEN"}}]}`
	answers(200, forbidden).fails(1, "scope tool:admin: use a token that has it, in PROCGRAPH_TOKEN$", "tools", "list")
	answers(200, `{"data":null,"errors":[{"message":"a\u001b[31mb\u202e","extensions":{"code":"INTERNAL"}}]}`).fails(1, `a\\x1b\[31mb\\u202e$`, "tools", "list")
	answers(200, "<html>").fails(1, "nothing that a procgraph server would", "tools", "list")
	answers(302, "").fails(1, "302", "tools", "list")

	for _, args := range [][]string{{"nope"}, {"tools", "nope"}, {"show"}, {"show", "a", "b"}, {"procedures", "--nope"}, {"procedures", "--first", "501"},
		{"procedures", "--order", "size"}, {"graph", "--depth", "4"}, {"graph", "--format", "png"}, {"tools", "list", "--class", "SAFE"},
		{"tools", "import"}, {"tools", "import", "--url", "ftp://x"}, {"tools", "import", "--url", "http://x", "--", "y"}} {
		good.fails(2, ".", args...)
	}
	_, errOut, code := good.run("--json", "show", "nope")
	var told struct {
		Error struct{ Code, Message string }
	}
	if err := json.Unmarshal([]byte(errOut), &told); err != nil || code != 1 || told.Error.Code != "NOT_FOUND" || told.Error.Message == "" {
		t.Errorf("--json: %d %v %s", code, err, errOut)
	}
}

func TestCommandLineIsInterrupted(t *testing.T) {
	hanging := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // a server notices that the client is gone once the body is read
		<-r.Context().Done()
	}))
	defer hanging.Close()
	c := &cli{TB: t, url: hanging.URL, token: "0123456789abcdef0123456789abcdef"}
	command := c.command("tools", "list")
	var errOut bytes.Buffer
	command.Stderr = &errOut
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(500 * time.Millisecond)
	if err := command.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = command.Wait() // the exit code tells
	if command.ProcessState.ExitCode() != 130 || errOut.String() != "procgraph: interrupted\n" {
		t.Errorf("exit code %d, %s", command.ProcessState.ExitCode(), &errOut)
	}
}
