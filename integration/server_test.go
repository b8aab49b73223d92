package integration

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"procgraph/integration/neo4jtest"
)

// neo4jArgs are the flags of a server that works on a database.
func neo4jArgs(database *neo4jtest.Server) []string {
	return []string{"--store", "neo4j", "--neo4j-uri", database.URI, "--neo4j-user", database.User, "--neo4j-password", database.Password}
}

// binary builds cmd/server once for all tests of the package.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "procgraph-integration-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "server")
	out, err := exec.Command("go", "build", "-o", path, "procgraph/cmd/server").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build: %w: %s", err, out)
	}
	return path, nil
})

// server is a running cmd/server.
type server struct {
	testing.TB
	url, token, data string
	cmd              *exec.Cmd
	log              *logBuffer
	exited           chan struct{}
}

// logBuffer may be read while the server writes to it.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// client keeps connections, as a real client would.
var client = &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 64}}

// start runs a server on a folder until the test ends; an empty folder is a new one. Its token is read from there
// unless the arguments name another file.
func start(t testing.TB, data string, args ...string) *server {
	t.Helper()
	if data == "" {
		data = t.TempDir()
	}
	s, line := launch(t, data, args...)
	url, ok := strings.CutPrefix(line, "ready ")
	if !ok {
		t.Fatalf("the server does not get ready: %s", s.log)
	}
	s.url = url
	file := filepath.Join(data, "admin.token")
	for i, a := range args {
		if a == "--admin-token-file" {
			file = args[i+1]
		}
	}
	token, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s.token = strings.TrimSpace(string(token))
	return s
}

// launch runs a server and answers its first line, which is empty when it ends without one.
func launch(t testing.TB, data string, args ...string) (*server, string) {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	s := &server{TB: t, data: data, log: &logBuffer{}, exited: make(chan struct{})}
	s.cmd = exec.Command(path, append([]string{"--listen", "127.0.0.1:0", "--data", data}, args...)...)
	s.cmd.Stderr = s.log
	if _, measured := t.(*testing.B); measured {
		// A file, as where it runs for good: this process would be woken for each line.
		file, err := os.Create(filepath.Join(t.TempDir(), "server.log"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = file.Close() })
		s.cmd.Stderr = file
	}
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(stdout).ReadString('\n')
		lines <- strings.TrimSpace(line)
		_, _ = io.Copy(io.Discard, stdout)
		_ = s.cmd.Wait()
		close(s.exited)
	}()
	t.Cleanup(s.kill)
	select {
	case line := <-lines:
		return s, line
	case <-time.After(time.Minute):
		s.kill()
		t.Fatalf("no ready line within a minute: %s", s.log)
		return nil, ""
	}
}

func (s *server) kill() {
	_ = s.cmd.Process.Kill() // it may have ended already
	<-s.exited
}

// stop asks the server to end and answers how long that took.
func (s *server) stop() time.Duration {
	s.Helper()
	began := time.Now()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		s.Error(err)
	}
	select {
	case <-s.exited:
	case <-time.After(15 * time.Second):
		s.Error("the server does not stop")
		s.kill()
	}
	return time.Since(began)
}

// answer is a GraphQL answer.
type answer struct {
	Data   json.RawMessage
	Errors []struct {
		Message    string
		Extensions struct{ Code string }
	}
	Extensions struct{ Revision, RequestID string }
}

func (a answer) code() string {
	if len(a.Errors) == 0 {
		return ""
	}
	return a.Errors[0].Extensions.Code
}

// ask sends a GraphQL request. The error is of the connection; a server that was killed has one.
func (s *server) ask(query string, variables any) (a answer, err error) {
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		return a, err
	}
	request, err := http.NewRequest(http.MethodPost, s.url+"/graphql", bytes.NewReader(body))
	if err != nil {
		return a, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+s.token)
	response, err := client.Do(request)
	if err != nil {
		return a, err
	}
	defer func() { _ = response.Body.Close() }()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		return a, err
	}
	if err := json.Unmarshal(raw, &a); err != nil {
		return a, fmt.Errorf("%s: %s", response.Status, raw)
	}
	return a, nil
}

// get asks, fails the test on any error, and decodes the data.
func (s *server) get(into any, query string, variables any) {
	s.Helper()
	a, err := s.ask(query, variables)
	if err != nil {
		s.Fatal(err)
	}
	if len(a.Errors) > 0 {
		s.Fatalf("%s: %s %s", query, a.code(), a.Errors[0].Message)
	}
	if into != nil {
		if err := json.Unmarshal(a.Data, into); err != nil {
			s.Fatal(err)
		}
	}
}

const (
	captureMutation = `mutation($i:CaptureProcedureInput!){captureProcedure(input:$i){createdProcedure
		procedure{toolName frequency} variant{codeHash status}}}`
	approveMutation  = `mutation($h:String!){approveVariant(codeHash:$h){status}}`
	registerMutation = `mutation($t:[ToolInput!]!){registerTools(tools:$t){name}}`
	registryQuery    = `query($n:Int){procedureTools(first:$n){nodes{name description parametersSchema readOnly codeHash}}}`
	findQuery        = `query($n:Int){findAllProcedures(limit:$n){toolName signature effect frequency summary current{codeHash code}}}`
)

type captured struct {
	CaptureProcedure struct {
		CreatedProcedure bool
		Procedure        struct {
			ToolName  string
			Frequency int
		}
		Variant struct{ CodeHash, Status string }
	}
}

func capture(code string, causes ...string) map[string]any {
	return map[string]any{"i": map[string]any{"code": code, "causes": causes, "summary": "what it does"}}
}

func (s *server) register(class string, names ...string) {
	s.Helper()
	var tools []map[string]any
	for _, n := range names {
		tools = append(tools, map[string]any{"name": n, "class": class})
	}
	s.get(nil, registerMutation, map[string]any{"t": tools})
}
