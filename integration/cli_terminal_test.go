package integration

import (
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
)

// screen is a terminal on which a command line runs.
type screen struct {
	testing.TB
	f    *os.File
	cmd  *exec.Cmd
	text *logBuffer
	end  chan struct{}
}

func (c *cli) onTerminal(args ...string) *screen {
	c.Helper()
	s := &screen{TB: c.TB, cmd: c.command(args...), text: &logBuffer{}, end: make(chan struct{})}
	s.cmd.Stdin = nil
	s.cmd.Env = append(s.cmd.Env, "TERM=xterm-256color")
	f, err := pty.StartWithSize(s.cmd, &pty.Winsize{Rows: 40, Cols: 120})
	if err != nil {
		c.Fatal(err)
	}
	s.f = f
	go func() {
		_, _ = io.Copy(s.text, f) // ends with the process
		_ = s.cmd.Wait()
		close(s.end)
	}()
	c.Cleanup(func() {
		_ = s.cmd.Process.Kill() // it may have ended
		<-s.end
		_ = f.Close()
	})
	return s
}

// await waits for a text on the screen, then types keys.
func (s *screen) await(text, keys string) {
	s.Helper()
	for began := time.Now(); !strings.Contains(s.text.String(), text); time.Sleep(20 * time.Millisecond) {
		if time.Since(began) > 20*time.Second {
			s.Fatalf("no %q on %q", text, s.text)
		}
	}
	time.Sleep(200 * time.Millisecond) // the question is shown before keys are read
	if _, err := s.f.WriteString(keys); err != nil {
		s.Fatal(err)
	}
}

// ended answers the exit code.
func (s *screen) ended() int {
	s.Helper()
	select {
	case <-s.end:
	case <-time.After(20 * time.Second):
		s.Fatalf("it does not end: %q", s.text)
	}
	return s.cmd.ProcessState.ExitCode()
}

func TestCommandLineOnATerminal(t *testing.T) {
	s := start(t, "", "--demo")
	c := s.cli()

	table := c.onTerminal("procedures", "--first", "3")
	if code := table.ended(); code != 0 || !strings.Contains(table.text.String(), "SUMMARY") || strings.Contains(table.text.String(), `"nodes"`) ||
		!strings.Contains(table.text.String(), "\x1b[32mREAD_ONLY") {
		t.Errorf("exit code %d, %q", code, table.text)
	}
	for line := range strings.SplitSeq(table.text.String(), "\r\n") {
		if n := len([]rune(strings.NewReplacer("\x1b[32m", "", "\x1b[0m", "").Replace(line))); n > 120 && !strings.HasPrefix(line, "more:") {
			t.Errorf("%d columns: %q", n, line)
		}
	}
	plain := *c
	plain.env = []string{"NO_COLOR=1"}
	shown := plain.onTerminal("show", knownAbout)
	if code := shown.ended(); code != 0 || strings.Contains(shown.text.String(), "\x1b") ||
		!strings.Contains(shown.text.String(), "<- search_nodes: READ_ONLY") {
		t.Errorf("exit code %d, %q", code, shown.text)
	}

	// A person: takes the first list as it is marked, unmarks the first of the second, and agrees.
	asked := c.onTerminal("tools", "import", "--prefix", "asked_", "--", mcpServer(t, "memory"))
	asked.await("Which of these only read?", "\r")
	asked.await("Which of these change something?", " \r")
	asked.await("Classify 4 tools?", "y")
	if code := asked.ended(); code != 0 {
		t.Errorf("exit code %d, %q", code, asked.text)
	}
	var tools struct {
		Nodes []struct{ Name, Class string }
	}
	c.json(&tools, "tools", "list", "--class", "UNCLASSIFIED")
	if !slices.ContainsFunc(tools.Nodes, func(n struct{ Name, Class string }) bool { return n.Name == "asked_create_entities" }) || len(tools.Nodes) != 1 {
		t.Errorf("unclassified are %+v", tools.Nodes)
	}

	stopped := c.onTerminal("tools", "import", "--prefix", "stopped_", "--", mcpServer(t, "memory"))
	stopped.await("Which of these only read?", "\x03")
	if code := stopped.ended(); code != 130 || !strings.Contains(stopped.text.String(), "9 of 9 tools are registered, and classified by nobody") {
		t.Errorf("exit code %d, %q", code, stopped.text)
	}

	refused := c.onTerminal("tools", "classify", "open_nodes", "--class", "STATE_CHANGING")
	refused.await("Classify 1 tool?", "n")
	if code := refused.ended(); code != 0 || !strings.Contains(refused.text.String(), "would no longer be offered") {
		t.Errorf("exit code %d, %q", code, refused.text)
	}
	var open struct{ Tool struct{ Class string } }
	s.get(&open, `{tool(name:"open_nodes"){class}}`, nil)
	if open.Tool.Class != "READ_ONLY" {
		t.Errorf("it was classified as %s after a no", open.Tool.Class)
	}
}

// A changed definition suspends a tool, and the person who confirms it sees the definition.
func TestToolsConfirm(t *testing.T) {
	s := start(t, "")
	s.register("READ_ONLY", "read_log", "z; touch pwned #", "--yes")
	s.get(nil, `mutation{registerTools(tools:[{name:"read_log",description:"another\u001b[2J one"}]){name}}`, nil)
	c := s.cli()
	var tools struct{ Nodes []struct{ Name string } }
	c.json(&tools, "tools", "list", "--suspended")
	if len(tools.Nodes) != 1 || tools.Nodes[0].Name != "read_log" {
		t.Fatalf("suspended are %+v", tools)
	}
	c.fails(2, "run `procgraph tools confirm --yes read_log`", "tools", "confirm", "read_log")
	c.fails(1, "no tool nope", "tools", "confirm", "nope")
	c.fails(2, "procgraph tools classify --class READ_ONLY --yes -- 'z; touch pwned #' --yes`", "tools", "classify", "--class", "READ_ONLY", "--", "z; touch pwned #", "--yes")
	asked := c.onTerminal("tools", "confirm", "read_log")
	asked.await("Is this definition right?", "y")
	if code := asked.ended(); code != 0 || !strings.Contains(asked.text.String(), `another\x1b[2J one`) {
		t.Errorf("exit code %d, %q", code, asked.text)
	}
	c.json(&tools, "tools", "list", "--suspended")
	if len(tools.Nodes) != 0 {
		t.Errorf("suspended are %+v", tools)
	}
}
