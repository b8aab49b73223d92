package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/progress"
	"github.com/spf13/cobra"
)

func (a *app) importCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "import FILE|-",
		Short: "Take an export into the server; done again, it takes what is missing",
		Long: `Take an export into the server. What is stored there already is passed over, so an import that failed goes on
when it is run again. Statuses, counts and classes are taken with an admin's token alone; without, code that is new is
PROPOSED.`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			from, size := a.in, int64(0)
			if args[0] != "-" {
				file, err := os.Open(args[0])
				if err != nil {
					return failed(codeFailed, "%v", err)
				}
				defer func() { _ = file.Close() }()
				info, err := file.Stat()
				if err != nil || info.IsDir() {
					return failed(codeUsage, "%s is not a file", args[0])
				}
				from, size = file, info.Size()
			} else if a.inTerminal {
				return failed(codeUsage, "there is nothing to read on a terminal: name a file, or send one into the pipe")
			}
			client, err := a.client()
			if err != nil {
				return err
			}
			data, err := a.importFrom(c.Context(), client, from, size)
			if err != nil {
				return err
			}
			return a.show(data, func() error {
				told, err := imported(data)
				if err != nil {
					return err
				}
				return a.say("imported %s", told)
			})
		},
	}
}

// counts are what was imported.
type counts struct {
	Lines                   int
	Written, Known, Skipped map[string]int
}

// imported tells counts in words.
func imported(data json.RawMessage) (string, error) {
	var c counts
	if err := json.Unmarshal(data, &c); err != nil {
		return "", failed(codeFailed, "the server answers what this version does not understand: %v", err)
	}
	told := plural(c.Lines, "line")
	for _, part := range []struct {
		name string
		of   map[string]int
	}{{"written", c.Written}, {"known before", c.Known}, {"not taken, since what is stored stays or the token lacks the scope admin", c.Skipped}} {
		if what := amounts(part.of); what != "" {
			told += "; " + part.name + ": " + what
		}
	}
	return told, nil
}

func amounts(of map[string]int) string {
	var parts []string
	for name, n := range of {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, line(name)))
		}
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

func (a *app) importFrom(parent context.Context, client *client, from io.Reader, size int64) (data json.RawMessage, err error) {
	ctx, step, end := idle(parent, idleLimit)
	defer end()
	bar := a.newBar("import", size, progress.UnitsBytes)
	defer func() { bar.end(err) }()
	source := &source{from: from, read: func(n int) { step(); bar.add(n) }}
	request, err := client.request(ctx, http.MethodPost, "/import", source)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/x-ndjson")
	// So a server that refuses the token says so before anything is sent.
	request.Header.Set("Expect", "100-continue")
	response, err := client.do(request)
	if err == nil {
		defer func() { _ = response.Body.Close() }()
		var a answer
		if a, err = client.answer(response); err == nil && len(a.Errors) == 0 {
			return a.Data, nil
		} else if err == nil {
			return nil, client.importFailure(a)
		}
	}
	var unavailable *failure
	switch {
	case parent.Err() != nil:
		return nil, parent.Err()
	case source.err != nil:
		return nil, failed(codeFailed, "the file cannot be read: %v; running the import again goes on where it ended", source.err)
	case errors.As(because(ctx, err), &unavailable) && source.any:
		unavailable.Message += "; running the import again goes on where it ended"
		return nil, unavailable
	}
	return nil, err
}

// importFailure is the error of an import with what was imported before it.
func (c *client) importFailure(a answer) error {
	err := c.failure(a.Errors[0])
	var f *failure
	if !errors.As(err, &f) || f.Code == "UNAUTHENTICATED" || f.Code == "FORBIDDEN" && f.Line == 0 {
		return err
	}
	if f.Line > 0 && !strings.HasPrefix(f.Message, "line ") {
		f.Message = fmt.Sprintf("line %d: %s", f.Line, f.Message)
	}
	if told, err := imported(a.Data); err == nil && string(a.Data) != "null" {
		f.Message += "; imported before it: " + told
	}
	if f.Line > 0 {
		f.Message += "; once the file is mended, the import goes on there when it is run again"
	} else {
		f.Message += "; running the import again goes on where it ended"
	}
	return f
}

// source reads the file and remembers what went wrong with it.
type source struct {
	from io.Reader
	read func(n int)
	any  bool // something was sent
	err  error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.from.Read(p)
	if n > 0 {
		s.any = true
		s.read(n)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}
