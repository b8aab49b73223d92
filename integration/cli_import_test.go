package integration

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// mcpServer is the program of a real MCP server.
func mcpServer(t testing.TB, name string) string {
	t.Helper()
	path, err := filepath.Abs("mcpservers/node_modules/.bin/mcp-server-" + name)
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		t.Fatalf("run `make mcp-servers`, which needs npm: %v", err)
	}
	return path
}

type importAnswer struct {
	Tools []struct {
		Name, Class string
		Suspended   bool
		Hints       map[string]any
	}
	Suggested []struct{ Name, Class string }
	Next      string
}

func (a importAnswer) classes() map[string]int {
	n := map[string]int{}
	for _, t := range a.Tools {
		n[t.Class]++
	}
	return n
}

func TestToolsImport(t *testing.T) {
	s := start(t, "")
	c := s.cli()

	var seen importAnswer
	memory := []string{"--", mcpServer(t, "memory")}
	c.json(&seen, append([]string{"tools", "import"}, memory...)...)
	if n := seen.classes(); n["STATE_CHANGING"] != 6 || n["UNCLASSIFIED"] != 3 || len(seen.Suggested) != 3 || !strings.Contains(seen.Next, "procgraph tools classify") {
		t.Errorf("without --yes a claim loosens nothing: %+v", seen)
	}
	seen = importAnswer{}
	c.json(&seen, append([]string{"tools", "import", "--yes"}, memory...)...)
	if n := seen.classes(); n["STATE_CHANGING"] != 6 || n["READ_ONLY"] != 3 || len(seen.Suggested) != 0 || seen.Next != "" {
		t.Errorf("with --yes: %+v", seen)
	}
	again := importAnswer{}
	c.json(&again, append([]string{"tools", "import", "--yes"}, memory...)...)
	if len(again.Tools) != 9 || again.Tools[0].Name != seen.Tools[0].Name || again.classes()["READ_ONLY"] != 3 {
		t.Errorf("again: %+v", again)
	}

	filesystem := importAnswer{}
	c.json(&filesystem, "tools", "import", "--yes", "--", mcpServer(t, "filesystem"), t.TempDir())
	if n := filesystem.classes(); n["READ_ONLY"] != 10 || n["STATE_CHANGING"] != 4 {
		t.Errorf("filesystem: %v", n)
	}
	for _, tool := range filesystem.Tools {
		if _, claimed := tool.Hints["destructiveHint"]; tool.Name == "read_text_file" && (claimed || tool.Hints["readOnlyHint"] != true) {
			t.Errorf("a claim that was not made is stored: %v", tool.Hints)
		}
	}

	// The same over HTTP, with other names.
	port := freePort(t)
	command := exec.Command(mcpServer(t, "everything"), "streamableHttp")
	command.Env = append(os.Environ(), "PORT="+port)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL)
		_ = command.Wait()
	})
	url := "http://127.0.0.1:" + port + "/mcp"
	awaitHTTP(t, url)
	overHTTP, overPipe := importAnswer{}, importAnswer{}
	c.json(&overHTTP, "tools", "import", "--prefix", "http_", "--url", url)
	c.json(&overPipe, "tools", "import", "--prefix", "pipe_", "--", mcpServer(t, "everything"))
	if len(overHTTP.Tools) < 10 || len(overHTTP.Tools) != len(overPipe.Tools) {
		t.Fatalf("%d tools over HTTP, %d over a pipe", len(overHTTP.Tools), len(overPipe.Tools))
	}
	for i, tool := range overHTTP.Tools {
		if name, ok := strings.CutPrefix(tool.Name, "http_"); !ok || overPipe.Tools[i].Name != "pipe_"+name || overPipe.Tools[i].Class != tool.Class {
			t.Errorf("%+v over HTTP, %+v over a pipe", tool, overPipe.Tools[i])
		}
	}
	c.fails(1, "did not begin a session", "tools", "import", "--url", s.url+"/healthz")
}

func freePort(t testing.TB) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

func awaitHTTP(t testing.TB, url string) {
	for range 100 {
		if response, err := http.Get(url); err == nil {
			_ = response.Body.Close()
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("%s does not answer", url)
}

const (
	hostileVariable = "PROCGRAPH_TEST_HOSTILE"
	pidVariable     = "PROCGRAPH_TEST_PID"
)

// hostile is an MCP server that misbehaves in one way, and ends with its input as an ordinary one. It writes its process id where it is told to.
func hostile(kind string) {
	if path := os.Getenv(pidVariable); path != "" {
		_ = os.WriteFile(path, []byte(strconv.Itoa(os.Getpid())), 0o600)
	}
	if os.Getenv("PROCGRAPH_TOKEN")+os.Getenv("PROCGRAPH_TOKEN_FILE") != "" {
		kind = "knows the token"
	}
	fmt.Fprintln(os.Stderr, "the last words of", kind)
	tool := func(name string) map[string]any {
		return map[string]any{"name": name, "description": "d", "inputSchema": map[string]any{"type": "object"}}
	}
	switch kind {
	case "dies":
		os.Exit(3)
	case "hangs":
		time.Sleep(time.Hour)
	case "deaf": // to the end of its input, and to being asked
		signal.Ignore(syscall.SIGTERM)
		time.Sleep(time.Hour)
	case "garbage":
		fmt.Println("Listening on stdio!")
	case "long line":
		for {
			if _, err := os.Stdout.WriteString(strings.Repeat("[", 1<<20)); err != nil {
				return
			}
		}
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	pages := 0
	for in.Scan() {
		var request struct {
			ID     json.RawMessage
			Method string
			Params struct{ Cursor string }
		}
		if json.Unmarshal(in.Bytes(), &request) != nil || request.ID == nil {
			continue
		}
		var result any
		switch request.Method {
		case "initialize":
			result = map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{"tools": map[string]any{}},
				"serverInfo": map[string]any{"name": "hostile", "version": "1"}}
			switch kind {
			case "no tools":
				result.(map[string]any)["capabilities"] = map[string]any{}
			case "old":
				result.(map[string]any)["protocolVersion"] = "1999-01-01"
			case "hangs at first":
				continue
			case "refuses":
				fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-1,"message":"not today"}}`+"\n", request.ID)
				continue
			}
		case "tools/list":
			pages++
			page := map[string]any{"tools": []any{tool(fmt.Sprintf("tool_%d", pages))}}
			switch kind {
			case "empty":
				page["tools"] = []any{}
			case "circle":
				page["nextCursor"] = "same"
			case "endless":
				page["nextCursor"] = strconv.Itoa(pages)
			case "bad page":
				if pages == 1 {
					page["nextCursor"] = "2"
				} else {
					fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"out of\u001b[31m order"}}`+"\n", request.ID)
					continue
				}
			case "hangs later":
				continue
			case "dies later":
				os.Exit(4)
			case "repeats":
				page["tools"] = []any{tool("a"), tool("b"), tool("a")}
			case "procedure":
				page["tools"] = []any{tool("a"), tool("proc__a__b")}
			case "long description":
				long := tool("long")
				long["description"] = strings.Repeat("x", 1<<20)
				page["tools"] = []any{tool("a"), long}
			case "big schema":
				big := tool("big")
				big["inputSchema"] = map[string]any{"type": "object", "title": strings.Repeat("x", 1<<20)}
				page["tools"] = []any{tool("a"), big}
			case "no schema":
				page["tools"] = []any{map[string]any{"name": "a"}}
			case "no name":
				page["tools"] = []any{tool(" ")}
			case "blank pattern":
				page["tools"] = []any{tool("a"), tool("b\u2800")}
			case "no Unicode":
				page["tools"] = []any{tool("a"), tool("b\ufffd")}
			case "long name":
				page["tools"] = []any{tool("a"), tool(strings.Repeat("n", 201))}
			case "name twice":
				page["tools"] = []any{json.RawMessage(`{"name":"dc1","name":"dc2","inputSchema":{"type":"object"}}`)}
			case "cases":
				page["tools"] = []any{json.RawMessage(`{"name":"dc1","Name":"dc2","inputSchema":{"type":"object"},"INPUTSCHEMA":{"a":1},` +
					`"annotations":{"readOnlyHint":false,"READONLYHINT":true}}`)}
				page["Tools"] = []any{tool("other")}
			case "no list":
				page["tools"] = "none"
			case "250":
				tools := make([]any, 250)
				for i := range tools {
					t := tool(fmt.Sprintf("many_%03d", i))
					t["description"] = strings.Repeat("<&>", 2000)
					tools[i] = t
				}
				page["tools"] = tools
			case "no claims":
				t := tool("titled")
				t["annotations"] = map[string]any{"title": "T", "openWorldHint": false}
				writes := tool("writes")
				writes["annotations"] = map[string]any{"readOnlyHint": false}
				page["tools"] = []any{t, writes, map[string]any{"name": "exact", "inputSchema": json.RawMessage(`{"maximum":12345678901234567890.50}`)}}
			}
			result = page
		}
		answer, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": request.ID, "result": result})
		fmt.Println(string(answer))
	}
	syscall.Exit(0) // at once: with the race detector os.Exit takes a second
}

func TestToolsImportFromHostileServers(t *testing.T) {
	s := start(t, "")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for kind, want := range map[string]string{
		"dies":             `ended before it had listed its tools \(exit status 3\)`,
		"dies later":       `ended before it had listed its tools \(exit status 4\)`,
		"hangs":            `did not begin a session in time.*--timeout`,
		"deaf":             `did not begin a session in time.*--timeout`,
		"hangs at first":   `did not begin a session in time.*--timeout`,
		"refuses":          `did not begin a session: it answers error -1, not today`,
		"old":              `did not begin a session: .*1999-01-01`,
		"hangs later":      `did not give page 1 of its tools in time.*--timeout`,
		"garbage":          `writes "Listening on stdio!" to standard output`,
		"long line":        `message of more than 16 MiB`,
		"no tools":         `offers no tools`,
		"empty":            `lists no tools`,
		"circle":           `go in a circle`,
		"endless":          `has no end`,
		"bad page":         `did not give page 2 of its tools: .*out of\\x1b\[31m order`,
		"repeats":          `tool a is listed twice`,
		"procedure":        `tool proc__a__b is named like a procedure: --prefix`,
		"long description": `the description of the MCP server's tool long is longer than 65536 bytes`,
		"big schema":       `the schema of the MCP server's tool big is no JSON object of at most 65536 bytes`,
		"no schema":        `the schema of the MCP server's tool a is no JSON object`,
		"no name":          `tool 1 of the MCP server has no name`,
		"blank pattern":    `the name of the MCP server's tool 2, b.*, holds a control or invisible character`,
		"no Unicode":       `the name of the MCP server's tool 2, b.*, is not valid Unicode`,
		"long name":        `the name of the MCP server's tool 2, n{40}…, is longer than 200 characters`,
		"name twice":       `not what MCP says.*name`,
		"no list":          `tools`,
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			c := s.cli()
			c.TB = t
			pidFile := filepath.Join(t.TempDir(), "pid")
			c.env = []string{hostileVariable + "=" + kind, pidVariable + "=" + pidFile}
			told := c.fails(1, want, "tools", "import", "--yes", "--timeout", timeoutFor(kind), "--", self)
			if kind == "dies" && !strings.Contains(told, "\n  | the last words of dies\n") {
				t.Errorf("its last words are not shown: %s", told)
			}
			pid, err := os.ReadFile(pidFile)
			if err != nil {
				t.Fatal(err)
			}
			if n, err := strconv.Atoi(string(pid)); err != nil || syscall.Kill(n, 0) == nil {
				t.Errorf("process %s is left", pid)
			}
		})
	}
	t.Cleanup(func() {
		var tools struct{ Tools struct{ Nodes []any } }
		s.get(&tools, `{tools(first:9){nodes{name}}}`, nil)
		if len(tools.Tools.Nodes) != 0 {
			t.Errorf("something was registered: %v", tools)
		}
	})
}

func timeoutFor(kind string) string {
	if strings.HasPrefix(kind, "hangs") || kind == "deaf" {
		return "1s"
	}
	return "30s"
}

func TestToolsImportInBatches(t *testing.T) {
	s := start(t, "")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := s.cli()
	c.env = []string{hostileVariable + "=250"}
	var many, claims importAnswer
	c.json(&many, "tools", "import", "--", self)
	if len(many.Tools) != 250 || many.Tools[249].Name != "many_249" || many.Next != "" {
		t.Errorf("%d tools", len(many.Tools))
	}
	c.env = []string{hostileVariable + "=no claims"}
	c.json(&claims, "tools", "import", "--yes", "--", self)
	if len(claims.Tools) != 3 || claims.Tools[0].Class != "UNCLASSIFIED" || claims.Tools[1].Class != "STATE_CHANGING" || claims.Tools[2].Class != "UNCLASSIFIED" {
		t.Errorf("%+v", claims)
	}
	c.env = []string{hostileVariable + "=cases"}
	var cases importAnswer
	c.json(&cases, "tools", "import", "--yes", "--", self)
	if len(cases.Tools) != 1 || cases.Tools[0].Name != "dc1" || cases.Tools[0].Class != "STATE_CHANGING" {
		t.Errorf("names of members are compared without case: %+v", cases)
	}
	a, err := s.ask(`{tool(name:"exact"){parametersSchema}}`, nil)
	if err != nil || !strings.Contains(string(a.Data), "12345678901234567890.50") {
		t.Errorf("the schema lost digits: %s %v", a.Data, err)
	}
}
