// Package mcptools reads the tools that an MCP server lists, as the server wrote them.
package mcptools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	maxPages = 1000
	maxTools = 10_000
	// protocol is one that every server knows: some end when the first message is not initialize.
	protocol = "2025-11-25"
)

// Tool is a tool of an MCP server, its JSON as it came: numbers keep their digits, and a claim that was not made is
// not there.
type Tool struct {
	Name        string          `json:"name"`
	Description *string         `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
	Annotations json.RawMessage `json:"annotations"`
}

// Error says in one sentence why no tools could be read, and what to do.
type Error struct {
	Message string
	Output  []string // the last lines that the server's process wrote to its standard error
	lost    bool     // nothing came any more: the reason is better told by the process, when it ended
}

func (e *Error) Error() string { return e.Message }

func failed(format string, args ...any) *Error { return &Error{Message: fmt.Sprintf(format, args...)} }

func lost(format string, args ...any) *Error {
	return &Error{Message: fmt.Sprintf(format, args...), lost: true}
}

// FromCommand starts an MCP server, reads its tools over its standard input and output, and ends it with everything
// that it started.
func FromCommand(ctx context.Context, command, env []string) ([]Tool, error) {
	p, err := startProcess(command, env)
	if err != nil {
		return nil, err
	}
	w := &wire{}
	tools, session, err := read(ctx, &mcp.IOTransport{Reader: w.lines(p.stdout), Writer: p.stdin, MaxLineLength: maxMessage}, w)
	ended := p.endedItself()
	status := p.end()
	if session != nil {
		_ = session.Close() // the process is gone
	}
	if err == nil {
		return tools, nil
	}
	var e *Error
	if !errors.As(err, &e) {
		return nil, err
	}
	if e.lost && ended {
		e = failed("the MCP server ended before it had listed its tools (%s): run %s by hand to see why", status, command[0])
	}
	e.Output = p.stderr.lines()
	return nil, e
}

// FromURL reads the tools of an MCP server over Streamable HTTP.
func FromURL(ctx context.Context, url string) ([]Tool, error) {
	w := &wire{}
	transport := &mcp.StreamableClientTransport{Endpoint: url, MaxRetries: -1, DisableStandaloneSSE: true, MaxEventSize: maxMessage,
		HTTPClient: &http.Client{Transport: w.roundTripper(http.DefaultTransport)}}
	tools, session, err := read(ctx, transport, w)
	if session != nil {
		_ = session.Close() // what was read is whole
	}
	return tools, err
}

// read goes through all pages of tools/list. The SDK speaks; the wire keeps what the server said, since the SDK's own
// types do not tell a claim of false from none. The session, which is nil when none began, is to be closed.
func read(ctx context.Context, transport mcp.Transport, w *wire) ([]Tool, *mcp.ClientSession, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "procgraph", Version: "1"}, &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{}, Logger: slog.New(slog.DiscardHandler)})
	session, err := client.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: protocol})
	if err != nil {
		return nil, nil, explain(ctx, w, "did not begin a session", err)
	}
	tools, err := pages(ctx, session, w)
	return tools, session, err
}

func pages(ctx context.Context, session *mcp.ClientSession, w *wire) ([]Tool, error) {
	if session.InitializeResult().Capabilities.Tools == nil {
		return nil, failed("the MCP server offers no tools: is it the right one?")
	}
	var tools []Tool
	cursors := map[string]bool{}
	for cursor := ""; ; {
		if _, err := session.ListTools(ctx, &mcp.ListToolsParams{Cursor: cursor}); err != nil {
			return nil, explain(ctx, w, fmt.Sprintf("did not give page %d of its tools", len(cursors)+1), err)
		}
		page, err := w.page()
		if err != nil {
			return nil, err
		}
		tools = append(tools, page.Tools...)
		cursors[cursor] = true
		cursor = page.NextCursor
		switch {
		case len(tools) > maxTools:
			return nil, failed("the MCP server lists more than %d tools: that is no catalogue to import", maxTools)
		case cursor == "" && len(tools) == 0:
			return nil, failed("the MCP server lists no tools: is it the right one, and does it want arguments?")
		case cursor == "":
			return tools, nil
		case cursors[cursor]:
			return nil, failed("the MCP server's pages of tools go in a circle (page %d names a page that was read): tell its maker", len(cursors))
		case len(cursors) >= maxPages:
			return nil, failed("the MCP server's list of tools has no end (%d pages and more): tell its maker", maxPages)
		}
	}
}

// explain says why a step failed.
func explain(ctx context.Context, w *wire, what string, err error) error {
	var answered *jsonrpc.Error
	switch {
	case w.problem() != "":
		return failed("the MCP server %s: %s", what, w.problem())
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return lost("the MCP server %s in time: is it the right command or address? --timeout gives it longer", what)
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &answered):
		return failed("the MCP server %s: it answers error %d, %s", what, answered.Code, answered.Message)
	default:
		return lost("the MCP server %s: %v", what, err)
	}
}
