package integration

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"procgraph/integration/neo4jtest"
)

// refused starts a server that has to end with one clear line and exit code 1.
func refused(t *testing.T, want, data string, args ...string) {
	t.Helper()
	s, line := launch(t, data, args...)
	if line != "" {
		t.Fatalf("it gets ready: %s", line)
	}
	<-s.exited
	lines := strings.Split(strings.TrimSpace(s.log.String()), "\n")
	last := lines[len(lines)-1]
	if s.cmd.ProcessState.ExitCode() != 1 || !strings.HasPrefix(last, "procgraph: ") || !strings.Contains(last, want) ||
		strings.Contains(s.log.String(), "goroutine ") {
		t.Errorf("exit code %d and %q, want %q in the last line", s.cmd.ProcessState.ExitCode(), s.log, want)
	}
}

func TestStartIsRefusedClearly(t *testing.T) {
	t.Run("an unknown flag", func(t *testing.T) { refused(t, "unknown flag", t.TempDir(), "--nope") })
	t.Run("an unknown store", func(t *testing.T) { refused(t, "--store", t.TempDir(), "--store", "mysql") })
	t.Run("no host and port", func(t *testing.T) { refused(t, "--listen", t.TempDir(), "--listen", "nowhere") })
	t.Run("a stray argument", func(t *testing.T) { refused(t, "unexpected argument", t.TempDir(), "serve") })
	t.Run("an unreachable Neo4j", func(t *testing.T) {
		refused(t, "cannot use Neo4j", t.TempDir(), "--store", "neo4j", "--neo4j-uri", "bolt://127.0.0.1:1", "--neo4j-password", "x")
	})
	t.Run("a port in use", func(t *testing.T) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = l.Close() }()
		refused(t, "cannot listen", t.TempDir(), "--listen", l.Addr().String())
	})
	t.Run("a second server on one SQLite", func(t *testing.T) {
		first := start(t, "")
		refused(t, "another server", first.data)
		first.get(nil, "{viewer{scopes}}", nil)
	})
	t.Run("a file that is no database", func(t *testing.T) {
		data := t.TempDir()
		file := filepath.Join(data, "procgraph.db")
		if err := os.WriteFile(file, []byte(strings.Repeat("not a database. ", 1000)), 0o600); err != nil {
			t.Fatal(err)
		}
		refused(t, "procgraph.db", data)
		if b, err := os.ReadFile(file); err != nil || len(b) != 16000 {
			t.Errorf("the file was written over: %d bytes, %v", len(b), err)
		}
	})
	t.Run("a database that was cut", func(t *testing.T) {
		s := start(t, "")
		for i := range 20 {
			s.get(nil, captureMutation, capture(fmt.Sprintf("await tools.a()\nawait tools.b%d()", i), "c"))
		}
		s.stop()
		file := filepath.Join(s.data, "procgraph.db")
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(file, info.Size()-4096); err != nil {
			t.Fatal(err)
		}
		refused(t, "procgraph.db", s.data)
	})
	t.Run("a token of another database", func(t *testing.T) {
		first := start(t, "")
		first.stop()
		file := filepath.Join(t.TempDir(), "token")
		if err := os.WriteFile(file, []byte("pgt_"+strings.Repeat("A", 43)), 0o600); err != nil {
			t.Fatal(err)
		}
		refused(t, "does not hold the token", first.data, "--admin-token-file", file)
	})
}

func TestSettingsComeFromTheEnvironmentToo(t *testing.T) {
	database := neo4jtest.Start(t)
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte(database.Password+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PROCGRAPH_STORE", "neo4j")
	t.Setenv("PROCGRAPH_NEO4J_URI", database.URI)
	t.Setenv("PROCGRAPH_NEO4J_PASSWORD_FILE", file)
	s := start(t, "", neo4jEmpty(t, database)...)
	s.get(nil, "{viewer{scopes}}", nil)
	if strings.Contains(s.log.String(), database.Password) || strings.Contains(s.log.String(), s.token) {
		t.Error("a secret is in the log")
	}
	s.stop()
	t.Setenv("PROCGRAPH_NEO4J_PASSWORD", "x")
	refused(t, "both set", t.TempDir())
}

// neo4jEmpty clears a database and gives the flags of a server on it, or none where the environment has them.
func neo4jEmpty(t testing.TB, database *neo4jtest.Server) []string {
	t.Helper()
	if err := database.Clear(t.Context()); err != nil {
		t.Fatal(err)
	}
	if os.Getenv("PROCGRAPH_STORE") != "" {
		return nil
	}
	return neo4jArgs(database)
}

func TestAServerThatIsReadyAnswersAndStops(t *testing.T) {
	s := start(t, "", "--demo")
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 200, "/metrics": 401, "/nope": 404, "/graphiql/": 200} {
		if got, _ := s.fetch(path, ""); got != want {
			t.Errorf("%s answers %d, want %d", path, got, want)
		}
	}
	s.get(nil, registryQuery, map[string]any{"n": 10})
	status, body := s.fetch("/metrics", s.token)
	if status != 200 || !strings.Contains(body, "procgraph_http_request_duration_seconds_count") {
		t.Errorf("/metrics with a token: %d", status)
	}
	for _, token := range []string{"nonsense", s.token + "x", s.token[:20]} {
		if got, body := s.fetch("/metrics", token); got != 401 || !strings.Contains(body, "UNAUTHENTICATED") {
			t.Errorf("a wrong token: %d %s", got, body)
		}
	}
	info, err := os.Stat(filepath.Join(s.data, "admin.token"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("admin.token: %v %v", info.Mode(), err)
	}
	a, err := s.ask("{viewer{scopes}}", nil)
	if err != nil || a.Extensions.Revision == "" || a.Extensions.RequestID == "" {
		t.Errorf("extensions: %+v %v", a.Extensions, err)
	}
	head, err := os.ReadFile(filepath.Join(s.data, "audit.head"))
	if err != nil || !strings.HasPrefix(string(head), a.Extensions.Revision+" ") {
		t.Errorf("audit.head is %q at revision %s: %v", head, a.Extensions.Revision, err)
	}
	if took := s.stop(); took > 10*time.Second || s.cmd.ProcessState.ExitCode() != 0 {
		t.Errorf("stopped after %s with %d", took, s.cmd.ProcessState.ExitCode())
	}
	if strings.Contains(s.log.String(), s.token) {
		t.Error("the token is in the log")
	}
}

// The demonstration is loaded once, however often it is asked for, and what operators decided since stays.
func TestDemonstrationIsLoadedOnce(t *testing.T) {
	const all = `{procedures(first:500,orderBy:NAME_ASC){totalCount nodes{toolName frequency effect exposable
		variants(first:50){nodes{codeHash status}} uses(first:50){nodes{frequency cause{name}}}}} tools(first:500){nodes{name class suspended}}}`
	first := start(t, "", "--demo")
	before, err := first.ask(all, nil)
	if err != nil || len(before.Errors) > 0 {
		t.Fatal(err, before.Errors)
	}
	first.get(nil, `mutation{classifyTools(items:[{name:"read_text_file",class:STATE_CHANGING}]){applied}}`, nil)
	first.get(nil, `mutation{deleteProcedure(toolName:"proc__list_directory__list_directory_with_sizes")}`, nil)
	changed, _ := first.ask(all, nil)
	first.stop()
	second := start(t, first.data, "--demo")
	again, err := second.ask(all, nil)
	if err != nil || string(again.Data) != string(changed.Data) || string(before.Data) == string(changed.Data) {
		t.Errorf("loaded again:\n%s\nbefore:\n%s", again.Data, changed.Data)
	}
}

// fetch answers status and body of a GET.
func (s *server) fetch(path, token string) (int, string) {
	s.Helper()
	request, err := http.NewRequest(http.MethodGet, s.url+path, nil)
	if err != nil {
		s.Fatal(err)
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := client.Do(request)
	if err != nil {
		s.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		s.Fatal(err)
	}
	return response.StatusCode, string(body)
}
