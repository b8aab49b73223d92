package console

import (
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

func get(t *testing.T, method, target string, header http.Header) (*http.Response, string) {
	t.Helper()
	request := httptest.NewRequest(method, target, nil)
	for name, values := range header {
		request.Header[name] = values
	}
	recorder := httptest.NewRecorder()
	GraphiQL().ServeHTTP(recorder, request)
	response := recorder.Result()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(body)
}

func TestGraphiQLServesItsPageAndAllThatItLoads(t *testing.T) {
	for _, target := range []string{"/graphiql", "/graphiql/", "/graphiql/index.html"} {
		response, body := get(t, http.MethodGet, target, nil)
		if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "text/html; charset=utf-8" {
			t.Fatalf("%s: %s, %s", target, response.Status, response.Header.Get("Content-Type"))
		}
		if response.Header.Get("Cache-Control") != "no-cache" {
			t.Errorf("%s may be cached: %s", target, response.Header.Get("Cache-Control"))
		}
		if !strings.Contains(body, `id="root"`) {
			t.Errorf("%s is not the page", target)
		}
	}

	_, page := get(t, http.MethodGet, "/graphiql", nil)
	if strings.Contains(page, "//") {
		t.Error("the page names an outside address")
	}
	for _, script := range regexp.MustCompile(`<script[^>]*>`).FindAllString(page, -1) {
		if !strings.Contains(script, " src=") {
			t.Errorf("the policy forbids the inline script %s", script)
		}
	}
	types := map[string]string{"js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8"}
	found := map[string]bool{}
	for _, match := range regexp.MustCompile(`(?:src|href)="(/[^"]+\.(\w+))"`).FindAllStringSubmatch(page, -1) {
		response, body := get(t, http.MethodGet, match[1], nil)
		if response.StatusCode != http.StatusOK || len(body) < 1000 {
			t.Errorf("%s: %s, %d bytes", match[1], response.Status, len(body))
		}
		if got := response.Header.Get("Content-Type"); got != types[match[2]] {
			t.Errorf("%s: content type %q", match[1], got)
		}
		if got := response.Header.Get("Cache-Control"); !strings.Contains(got, "immutable") {
			t.Errorf("%s: cache control %q", match[1], got)
		}
		found[match[2]] = true
	}
	if !found["js"] || !found["css"] {
		t.Errorf("the page loads %v, a script and a style sheet are wanted", found)
	}
}

func TestEveryEmbeddedFileHasAContentType(t *testing.T) {
	entries, err := graphiqlFiles.ReadDir("graphiql/dist")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		response, _ := get(t, http.MethodGet, "/graphiql/"+entry.Name(), nil)
		if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") == "" {
			t.Errorf("%s: %s, content type %q", entry.Name(), response.Status, response.Header.Get("Content-Type"))
		}
	}
}

func TestGraphiQLGuardsEveryAnswer(t *testing.T) {
	for _, target := range []string{"/graphiql", "/graphiql/LICENSES.txt", "/graphiql/missing.js"} {
		response, _ := get(t, http.MethodGet, target, nil)
		policy := response.Header.Get("Content-Security-Policy")
		for _, rule := range []string{"default-src 'none'", "script-src 'self';", "connect-src 'self'", "frame-ancestors 'none'"} {
			if !strings.Contains(policy, rule) {
				t.Errorf("%s: the policy lacks %s", target, rule)
			}
		}
		if response.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s may be sniffed", target)
		}
	}
}

func TestGraphiQLAnswersAKnownTagWithoutTheContent(t *testing.T) {
	first, _ := get(t, http.MethodGet, "/graphiql", nil)
	again, body := get(t, http.MethodGet, "/graphiql", http.Header{"If-None-Match": {first.Header.Get("ETag")}})
	if again.StatusCode != http.StatusNotModified || body != "" {
		t.Errorf("%s with %d bytes", again.Status, len(body))
	}
}

func TestGraphiQLRefusesWhatItDoesNotServe(t *testing.T) {
	cases := []struct {
		method, target string
		status         int
	}{
		{http.MethodGet, "/graphiql/missing.js", http.StatusNotFound},
		{http.MethodGet, "/graphiql/../console.go", http.StatusNotFound},
		{http.MethodGet, "/graphiql/../src/package.json", http.StatusNotFound},
		{http.MethodPost, "/graphiql", http.StatusMethodNotAllowed},
		{http.MethodHead, "/graphiql", http.StatusOK},
	}
	for _, c := range cases {
		if response, _ := get(t, c.method, c.target, nil); response.StatusCode != c.status {
			t.Errorf("%s %s: %s, want %d", c.method, c.target, response.Status, c.status)
		}
	}
}
