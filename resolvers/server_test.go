package resolvers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"procgraph/graph"
	"procgraph/trust"
)

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

func TestNobodyIsToldAnything(t *testing.T) {
	a := newAPI(t)
	for name, r := range map[string]*http.Request{
		"query":         request(`{viewer{scopes}}`, nil),
		"type name":     request(`{__typename}`, nil),
		"introspection": request(`query IntrospectionQuery{__schema{types{name}}}`, nil),
		"nonsense":      request(`{`, nil),
		"no JSON":       post(strings.NewReader(`x`)),
	} {
		got := a.send(r)
		if got.Status != http.StatusUnauthorized || got.code() != "UNAUTHENTICATED" || len(got.Errors) != 1 || string(got.Data) != "null" {
			t.Errorf("%s: %d %s %+v", name, got.Status, got.Data, got.Errors)
		}
		if got.Header.Get("WWW-Authenticate") != "Bearer" || got.Extensions.RequestID == "" || got.Extensions.Revision != "" {
			t.Errorf("%s: %v %+v", name, got.Header, got.Extensions)
		}
	}
	if a.store.reads != 0 {
		t.Errorf("%d reads for nobody", a.store.reads)
	}
}

func TestFaultsOfOursAreNotShown(t *testing.T) {
	a := newAPI(t)
	a.store.failWith = errors.New("secret driver text")
	got := a.ask(`{a:tools{nodes{id}} b:tools{nodes{id}}}`, nil)
	if got.code() != "INTERNAL" || got.Status != http.StatusOK || strings.Contains(got.Errors[0].Message, "secret") {
		t.Errorf("%d %+v", got.Status, got.Errors)
	}
	if log := a.log.String(); !strings.Contains(log, "secret driver text") || !strings.Contains(log, "requestId=request-1") {
		t.Errorf("log %s", log)
	}
	a.store.failWith = fmt.Errorf("secret address: %w", graph.ErrUnavailable)
	got = a.ask(`{tools{nodes{id}}}`, nil)
	if got.code() != "UNAVAILABLE" || strings.Contains(got.Errors[0].Message, "secret") || got.Extensions.Revision != "" {
		t.Errorf("%+v", got)
	}
	a.store.failWith, a.store.panicWith = nil, "secret panic"
	got = a.ask(`{tools{nodes{id}}}`, nil)
	if got.code() != "INTERNAL" || strings.Contains(got.Errors[0].Message, "secret") || !strings.Contains(a.log.String(), "secret panic") {
		t.Errorf("%+v", got)
	}
}

func TestARequestThatEnded(t *testing.T) {
	a := newAPI(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	got := a.send(request(`{tools{nodes{id}}}`, nil).WithContext(ctx), trust.AllScopes()...)
	if got.Status != http.StatusServiceUnavailable || got.code() != "UNAVAILABLE" {
		t.Errorf("%d %+v", got.Status, got.Errors)
	}
}
