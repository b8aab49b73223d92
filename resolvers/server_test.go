package resolvers

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"procgraph/operations"
	"procgraph/resolvers/generated"
	"procgraph/trust"
)

func repeat(n int, part string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(part, "#", fmt.Sprint(i)))
	}
	return b.String()
}

func TestOnlyOneOperationAsJSONByPost(t *testing.T) {
	a := newAPI(t)
	const body = `{"query":"mutation{deleteProcedure(toolName:\"x\")}"}`
	multipart := "--b\r\nContent-Disposition: form-data; name=\"operations\"\r\n\r\n" + body + "\r\n--b--\r\n"
	for name, c := range map[string]struct {
		method, target, contentType, body string
		status                            int
	}{
		"multipart":           {"POST", "/", "multipart/form-data; boundary=b", multipart, 415},
		"text/plain":          {"POST", "/", "text/plain", body, 415},
		"form":                {"POST", "/", "application/x-www-form-urlencoded", "query={viewer{scopes}}", 415},
		"application/graphql": {"POST", "/", "application/graphql", "{viewer{scopes}}", 415},
		"no content type":     {"POST", "/", "", body, 415},
		"broken content type": {"POST", "/", "application/json; =", body, 415},
		"another charset":     {"POST", "/", "application/json; charset=utf-16", body, 415},
		"GET":                 {"GET", "/?query=%7Bviewer%7Bscopes%7D%7D", "", "", 405},
		"GET mutation":        {"GET", "/?query=mutation%7BdeleteProcedure(toolName:%22x%22)%7D", "application/json", "", 405},
		"PUT":                 {"PUT", "/", "application/json", body, 405},
		"upgrade":             {"GET", "/", "", "", 405},
		"batch":               {"POST", "/", "application/json", "[" + body + "]", 400},
		"batch with space":    {"POST", "/", "application/json", " \n[" + body + "]", 400},
		"two objects":         {"POST", "/", "application/json", body + body, 400},
		"empty":               {"POST", "/", "application/json", "", 400},
		"null":                {"POST", "/", "application/json", "null", 400},
		"string":              {"POST", "/", "application/json", `"{viewer{scopes}}"`, 400},
		"no query":            {"POST", "/", "application/json", "{}", 400},
		"broken":              {"POST", "/", "application/json", `{"query":`, 400},
		"query is a number":   {"POST", "/", "application/json", `{"query":1}`, 400},
		"variables are a list": {"POST", "/", "application/json",
			`{"query":"{viewer{scopes}}","variables":[1]}`, 400},
		"not UTF-8":         {"POST", "/", "application/json", "{\"query\":\"{viewer{scopes}}#\xff\"}", 400},
		"too long":          {"POST", "/", "application/json", `{"query":"{viewer{scopes}}","x":"` + strings.Repeat("x", maxBody) + `"}`, 413},
		"deep JSON":         {"POST", "/", "application/json", `{"query":"{viewer{scopes}}","variables":{"a":` + strings.Repeat("[", 100_000), 400},
		"unknown operation": {"POST", "/", "application/json", `{"query":"query a{viewer{scopes}}","operationName":"b"}`, 400},
		"which operation":   {"POST", "/", "application/json", `{"query":"query a{viewer{scopes}} query b{viewer{scopes}}"}`, 400},
		"subscription":      {"POST", "/", "application/json", `{"query":"subscription{viewer{scopes}}"}`, 400},
	} {
		t.Run(name, func(t *testing.T) {
			a.t = t
			r := httptest.NewRequest(c.method, c.target, strings.NewReader(c.body))
			if c.contentType != "" {
				r.Header.Set("Content-Type", c.contentType)
			}
			if name == "upgrade" {
				r.Header.Set("Upgrade", "websocket")
			}
			got := a.send(r, trust.AllScopes()...)
			if got.Status != c.status || got.code() != "BAD_USER_INPUT" || len(got.Data) > 0 && string(got.Data) != "null" {
				t.Errorf("status %d, code %s, data %s", got.Status, got.code(), got.Data)
			}
			if got.Extensions.RequestID != "request-1" || got.Extensions.Revision == "" {
				t.Errorf("extensions %+v", got.Extensions)
			}
		})
	}
}

func TestWhatIsServed(t *testing.T) {
	a := newAPI(t)
	w := httptest.NewRecorder()
	a.handler.ServeHTTP(w, httptest.NewRequest(http.MethodOptions, "/graphql", nil))
	if w.Code != http.StatusNoContent || w.Header().Get("Allow") != "OPTIONS, POST" {
		t.Errorf("OPTIONS: %d %v", w.Code, w.Header())
	}
	for name, body := range map[string]string{
		"plain":          `{"query":"{viewer{scopes}}"}`,
		"duplicate keys": `{"query":"{nothing}","query":"{viewer{scopes}}","variables":{"a":1,"a":2}}`,
		"unknown keys":   `{"query":"{viewer{scopes}}","extensions":{"x":1},"y":2}`,
		"named":          `{"query":"query a{viewer{scopes}} query b{nothing:viewer{scopes}}","operationName":"a"}`,
		"space around":   " \t\n" + `{"query":"{viewer{scopes}}"}` + "\r\n ",
	} {
		got := a.send(post(strings.NewReader(body)), "admin")
		if got.Status != http.StatusOK || string(got.Data) != `{"viewer":{"scopes":["admin"]}}` {
			t.Errorf("%s: %d %s %+v", name, got.Status, got.Data, got.Errors)
		}
		if got.Extensions.RequestID != "request-1" || got.Extensions.Revision != "0" {
			t.Errorf("%s: extensions %+v", name, got.Extensions)
		}
	}
	r := request(`{viewer{scopes}}`, nil)
	r.Header.Set("Content-Type", "application/json; charset=UTF-8")
	r.Header.Set("Accept", "application/graphql-response+json, application/json;q=0.9")
	if got := a.send(r, "admin"); !strings.HasPrefix(got.Header.Get("Content-Type"), graphqlResponse) {
		t.Errorf("content type %s", got.Header.Get("Content-Type"))
	}
}

func TestLimits(t *testing.T) {
	a := newAPI(t)
	for name, query := range map[string]string{
		"nested beyond the limit":  "{procedures{nodes" + strings.Repeat("{current{procedure", 12) + "{id" + strings.Repeat("}", 27),
		"deep by fragments":        "{procedures{nodes{...f0}}}" + repeat(12, " fragment f# on Procedure{current{procedure{...g#}}} fragment g# on Procedure{...f_#}") + repeat(12, ""),
		"10,000 aliases":           "{" + repeat(10_000, "a#:viewer{scopes} ") + "}",
		"many root fields":         "{" + repeat(501, "a#:__typename ") + "}",
		"recursive fragment":       "{procedures{nodes{...f}}} fragment f on Procedure{current{procedure{...f}}}",
		"mutual fragments":         "{procedures{nodes{...f}}} fragment f on Procedure{...g} fragment g on Procedure{...f}",
		"fragments that double":    "{...f0}" + chain(30, "{...f%[1]d ...f%[1]d}", "{viewer{scopes}}"),
		"cost behind fragments":    "{procedures(first:500){nodes{...f}}} fragment f on Procedure{variants(first:500){nodes{...g}}} fragment g on Variant{id codeHash label status}",
		"cost behind an alias":     "{a:procedures(first:500){b:nodes{c:variants(first:500){d:nodes{e:id f:codeHash g:label h:status}}}}}",
		"cost by inline fragments": "{procedures(first:500){...{nodes{...on Procedure{variants(first:500){...{nodes{...on Node{id label kind}codeHash}}}}}}}}",
		"cost of edges":            "{procedures(first:500){edges{node{variants(first:500){nodes{id codeHash label status}}}}}}",
		"cost under an interface":  `{node(id:"x"){...on Tool{procedures(first:500){nodes{tools(first:500){nodes{id name label kind}}}}}}}`,
		"cost that overflows":      "{procedures(first:500){nodes" + strings.Repeat("{tools(first:500){nodes{procedures(first:500){nodes", 5) + "{id" + strings.Repeat("}", 23),
		"computed filters":         "{" + repeat(11, "a#:procedures(filter:{effect:UNPROVEN},first:0){totalCount} ") + "}",
		"tokens":                   "{viewer{" + strings.Repeat("scopes ", 400_000/7*2) + "}}",
		"comments do not count":    "",
		"introspection twice over": "{" + repeat(3, "a#:__schema{types{fields{type{fields{type{fields{name}}}}}}} ") + "}",
		"parentheses":              "{viewer" + strings.Repeat("(", 10_000) + "}",
		"lists":                    "mutation{registerTools(tools:" + strings.Repeat("[", 5_000) + strings.Repeat("]", 5_000) + "){id}}",
	} {
		if query == "" {
			continue
		}
		started := time.Now()
		got := a.ask(query, nil)
		if got.code() != "BAD_USER_INPUT" || got.Status != http.StatusBadRequest && got.Status != http.StatusRequestEntityTooLarge {
			t.Errorf("%s: %d %s %+v", name, got.Status, got.code(), got.Errors)
		}
		if took := time.Since(started); took > 5*time.Second {
			t.Errorf("%s: took %s", name, took)
		}
	}
}
