package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

const (
	askTimeout = 40 * time.Second // longer than the server gives itself
	maxAnswer  = 256 << 20
)

// client asks one server.
type client struct {
	base  string
	token string
	http  *http.Client
}

// client makes the client from the flags and the environment.
func (a *app) client() (*client, error) {
	base, err := url.Parse(strings.TrimRight(a.server, "/"))
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" || base.User != nil {
		return nil, failed(codeUsage, "--server (PROCGRAPH_URL) is not an address such as http://127.0.0.1:8080")
	}
	token, err := tokenOf(os.Getenv)
	if err != nil {
		return nil, err
	}
	transport := &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           patientDial(&net.Dialer{Timeout: 10 * time.Second}),
		TLSHandshakeTimeout:   10 * time.Second,
		ExpectContinueTimeout: 2 * time.Second,
		ForceAttemptHTTP2:     true,
	}
	// A redirect is not followed: the token is for the server that was named.
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &client{base: base.String(), token: token, http: &http.Client{Transport: transport, CheckRedirect: stay}}, nil
}

// tokenOf finds the token in the environment; it is empty when none is set.
func tokenOf(getenv func(string) string) (string, error) {
	token, file := getenv("PROCGRAPH_TOKEN"), getenv("PROCGRAPH_TOKEN_FILE")
	if token != "" && file != "" {
		return "", failed(codeUsage, "PROCGRAPH_TOKEN and PROCGRAPH_TOKEN_FILE are both set: unset one")
	}
	if file != "" {
		b, err := os.ReadFile(file)
		if err != nil {
			return "", failed(codeFailed, "PROCGRAPH_TOKEN_FILE: %v", err)
		}
		token = string(b)
	}
	token = strings.TrimSpace(token)
	if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", failed(codeFailed, "%s does not hold a token", tokenVariable())
	}
	return token, nil
}

// ask sends a GraphQL request and decodes its data into a value.
func (c *client) ask(ctx context.Context, query string, variables map[string]any, into any) error {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false) // a server counts bytes
	if err := encoder.Encode(map[string]any{"query": query, "variables": variables}); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	request, err := c.request(ctx, http.MethodPost, "/graphql", &body)
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := c.do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	a, err := c.answer(response)
	if err != nil {
		return err
	}
	if len(a.Errors) > 0 {
		return c.failure(a.Errors[0])
	}
	if err := json.Unmarshal(a.Data, into); err != nil {
		return failed(codeFailed, "the server answers what this version does not understand: %v", err)
	}
	return nil
}

func (c *client) request(ctx context.Context, method, path string, body io.Reader) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return nil, err
	}
	request.Header.Set("User-Agent", "procgraph/"+version())
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	return request, nil
}

// do sends a request; what keeps it from being answered is told with what to do.
func (c *client) do(request *http.Request) (*http.Response, error) {
	response, err := c.http.Do(request)
	if err == nil {
		return response, nil
	}
	var of *url.Error // its text would repeat the address
	if errors.As(err, &of) {
		err = of.Err
	}
	switch {
	case errors.Is(err, context.Canceled):
		return nil, err
	case errors.Is(err, context.DeadlineExceeded):
		return nil, failed(codeUnavailable, "the server at %s did not answer in time", c.base)
	}
	return nil, failed(codeUnavailable, "no server answers at %s: is it running, and is --server (PROCGRAPH_URL) right? (%v)", c.base, err)
}

// answer is what the server answers to GraphQL and to imports.
type answer struct {
	Data   json.RawMessage
	Errors []answeredError
}

type answeredError struct {
	Message    string
	Extensions struct {
		Code string
		Line int
	}
}

// answer reads a JSON answer of any status.
func (c *client) answer(response *http.Response) (a answer, err error) {
	raw, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		if errors.Is(err, context.Canceled) {
			return a, err
		}
		return a, failed(codeUnavailable, "the answer of %s was cut off: %v", c.base, err)
	}
	if json.Unmarshal(raw, &a) != nil || len(a.Errors) == 0 && (len(a.Data) == 0 || response.StatusCode != http.StatusOK) {
		return a, failed(codeFailed, "%s answers %s and nothing that a procgraph server would: is --server (PROCGRAPH_URL) right?",
			c.base, line(response.Status))
	}
	return a, nil
}

// failure is an error that the server told, with what to do about it.
func (c *client) failure(e answeredError) error {
	f := &failure{Code: e.Extensions.Code, Message: e.Message, Line: e.Extensions.Line}
	switch {
	case f.Code == "":
		f.Code = codeFailed
	case f.Code == "UNAUTHENTICATED" && c.token == "":
		f.Message = "the server wants a token: set PROCGRAPH_TOKEN_FILE, for example to admin.token in the server's data folder, or PROCGRAPH_TOKEN"
	case f.Code == "UNAUTHENTICATED":
		f.Message = "the server does not know the token in " + tokenVariable() + ": is it the token of this server?"
	case f.Code == "FORBIDDEN":
		f.Message += ": use a token that has it, in " + tokenVariable()
	}
	return f
}

func tokenVariable() string {
	if os.Getenv("PROCGRAPH_TOKEN_FILE") != "" {
		return "PROCGRAPH_TOKEN_FILE"
	}
	return "PROCGRAPH_TOKEN"
}

// idle ends a request that makes no progress. Each step that is told starts the time anew.
func idle(parent context.Context, limit time.Duration) (ctx context.Context, step func(), end func()) {
	ctx, cancel := context.WithCancelCause(parent)
	timer := time.AfterFunc(limit, func() {
		cancel(failed(codeUnavailable, "nothing was sent or received for %s", limit))
	})
	return ctx, func() { timer.Reset(limit) }, func() { timer.Stop(); cancel(nil) }
}

// because prefers the reason why a context was ended to the error that came of it.
func because(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return cause
	}
	return err
}
