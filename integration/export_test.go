package integration

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"procgraph/integration/neo4jtest"
)

// call sends a request with the server's token.
func (s *server) call(method, path string, body io.Reader) (int, string) {
	s.Helper()
	request, err := http.NewRequest(method, s.url+path, body)
	if err != nil {
		s.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+s.token)
	response, err := client.Do(request)
	if err != nil {
		s.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		s.Fatal(err)
	}
	return response.StatusCode, string(text)
}

func (s *server) export() string {
	s.Helper()
	status, text := s.call(http.MethodGet, "/export", nil)
	if status != http.StatusOK {
		s.Fatalf("export: %d %s", status, text)
	}
	return text
}

// imported is the answer to an import.
type imported struct {
	Data struct {
		Lines                   int
		Written, Known, Skipped map[string]int
	}
	Errors []struct {
		Message    string
		Extensions struct {
			Code string
			Line int
		}
	}
}

func (s *server) importing(text string) (int, imported) {
	s.Helper()
	status, answer := s.call(http.MethodPost, "/import", strings.NewReader(text))
	var got imported
	if err := json.Unmarshal([]byte(answer), &got); err != nil {
		s.Fatalf("import: %d %s", status, answer)
	}
	return status, got
}

// content is an export without its first and last line, which hold times and a checksum.
func content(text string) string {
	lines := strings.SplitAfter(text, "\n")
	return strings.Join(lines[1:len(lines)-2], "")
}

// TestExportGoesThroughBothStores takes the demonstration graph, with decisions and a deletion, from SQLite to Neo4j and
// back: what each of them exports is the same.
func TestExportGoesThroughBothStores(t *testing.T) {
	first := start(t, "", "--demo")
	var all struct {
		Procedures struct{ Nodes []struct{ ToolName string } }
	}
	first.get(&all, `{procedures(first:100,orderBy:NAME_ASC){nodes{toolName}}}`, nil)
	names := all.Procedures.Nodes
	first.get(nil, `mutation($n:String!){deleteProcedure(toolName:$n)}`, map[string]any{"n": names[0].ToolName})
	first.get(nil, `mutation($n:String!){retireProcedure(toolName:$n){toolName}}`, map[string]any{"n": names[1].ToolName})
	first.get(nil, captureMutation, capture("await tools."+names[2].ToolName+"()\nawait tools.brand_new()", "cause & <é>"))
	want := first.export()
	if !strings.Contains(want, `"kind":"tombstone"`) || !strings.Contains(want, `"retiredAt"`) {
		t.Fatalf("nothing was deleted or retired in\n%s", want)
	}

	second := start(t, "", neo4jEmpty(t, neo4jtest.Start(t))...)
	third := start(t, "")
	for _, s := range []*server{second, third} {
		status, got := s.importing(want)
		if status != http.StatusOK || got.Data.Lines != strings.Count(want, "\n") || got.Data.Written["procedures"] != len(names) {
			t.Fatalf("import: %d %+v", status, got)
		}
		text := s.export()
		if content(text) != content(want) {
			t.Fatalf("exported\n%s\nwant\n%s", text, want)
		}
		if status, again := s.importing(text); status != http.StatusOK || again.Data.Written["variants"]+again.Data.Written["uses"] != 0 {
			t.Errorf("the second import: %d %+v", status, again)
		}
		want = text
	}
	var offered [3]struct {
		ProcedureTools struct {
			Nodes []struct{ Name, Description, CodeHash string }
		}
	}
	for i, s := range []*server{first, second, third} {
		s.get(&offered[i], registryQuery, map[string]any{"n": 100})
	}
	if fmt.Sprint(offered[1]) != fmt.Sprint(offered[0]) || fmt.Sprint(offered[2]) != fmt.Sprint(offered[0]) || len(offered[0].ProcedureTools.Nodes) == 0 {
		t.Errorf("the registries are not alike:\n%+v", offered)
	}
}

func TestImportAnswersOverHTTP(t *testing.T) {
	s := start(t, "")
	header := `{"kind":"header","format":"procgraph","version":1,"exportedAt":"2026-01-02T03:04:05.000Z"}` + "\n"
	cause := `{"kind":"cause","name":"c","description":""}` + "\n"
	status, got := s.importing(header + cause + "{}\n")
	if status != http.StatusBadRequest || got.Data.Lines != 2 || got.Data.Written["causes"] != 1 || len(got.Errors) != 1 ||
		got.Errors[0].Extensions.Line != 3 || got.Errors[0].Extensions.Code != "BAD_USER_INPUT" || !strings.HasPrefix(got.Errors[0].Message, "line 3: ") {
		t.Errorf("%d %+v", status, got)
	}
	token := s.token
	s.token = "none"
	for path, method := range map[string]string{"/export": http.MethodGet, "/import": http.MethodPost} {
		if status, text := s.call(method, path, nil); status != http.StatusUnauthorized {
			t.Errorf("%s with another token: %d %s", path, status, text)
		}
	}
	s.token = token

	// One line without an end: it is refused as soon as it is too long, whatever is still to come.
	endless := io.MultiReader(strings.NewReader(header), io.LimitReader(forever{}, 1<<30))
	request, err := http.NewRequest(http.MethodPost, s.url+"/import", endless)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+s.token)
	began := time.Now()
	if response, err := client.Do(request); err == nil {
		text, _ := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if response.StatusCode != http.StatusBadRequest || !bytes.Contains(text, []byte("line 2")) {
			t.Errorf("%d %s", response.StatusCode, text)
		}
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}

	// A client that goes away in the middle of a line leaves nothing running.
	address, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	connection, err := net.Dial("tcp", address.Host)
	if err != nil {
		t.Fatal(err)
	}
	_, err = fmt.Fprintf(connection, "POST /import HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nX-Request-ID: gone\r\nContent-Length: 100000\r\n\r\n%s", s.token, header)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond)
	if err := connection.Close(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); !strings.Contains(s.log.String(), `"msg":"request","requestId":"gone"`); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the request goes on without its client")
		}
	}
}

// forever is text without an end.
type forever struct{}

func (forever) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	return len(b), nil
}
