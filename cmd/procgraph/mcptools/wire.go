package mcptools

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"sync"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxMessage is the longest message of a server that is read.
const maxMessage = 16 << 20

// wire reads along with the SDK. It hands on whole lines, so a page was seen before the SDK answers it.
type wire struct {
	mu      sync.Mutex
	last    json.RawMessage // the result of the last answer that lists tools
	garbage string
}

type page struct {
	Tools      []Tool `json:"tools"`
	NextCursor string `json:"nextCursor"`
}

// asUTF8 replaces what is no UTF-8, as the SDK does: Check tells it with the name of the tool.
var asUTF8 = jsontext.AllowInvalidUTF8(true)

// page is the page of tools that was read last. "Name" is another member than "name", and none may be there twice.
func (w *wire) page() (page, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var p page
	if w.last == nil {
		return p, failed("the MCP server's list of tools could not be read: tell its maker")
	}
	err := jsonv2.Unmarshal(w.last, &p, asUTF8)
	w.last = nil
	if err != nil {
		return p, failed("the MCP server's list of tools is not what MCP says (%v): tell its maker", err)
	}
	return p, nil
}

func (w *wire) problem() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.garbage
}

// saw looks at a message. What is there twice is for page to refuse.
func (w *wire) saw(message []byte) {
	var m struct {
		Result json.RawMessage `json:"result"`
	}
	var result struct {
		Tools json.RawMessage `json:"tools"`
	}
	twice := jsontext.AllowDuplicateNames(true)
	if jsonv2.Unmarshal(message, &m, asUTF8, twice) != nil || jsonv2.Unmarshal(m.Result, &result, asUTF8, twice) != nil || result.Tools == nil {
		return
	}
	w.mu.Lock()
	w.last = m.Result
	w.mu.Unlock()
}

var errGarbage = errors.New("no message of MCP")

// sawLine looks at a line of standard output.
func (w *wire) sawLine(line []byte) error {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return nil
	}
	if !json.Valid(line) || line[0] != '{' && line[0] != '[' {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.garbage = fmt.Sprintf("it writes %.60q to standard output, where only messages belong; its log has to go to standard error", line)
		return errGarbage
	}
	w.saw(line)
	return nil
}

func (w *wire) tooLong() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.garbage = fmt.Sprintf("it sends a message of more than %d MiB", maxMessage>>20)
	return errGarbage
}

// lines reads along with standard output.
func (w *wire) lines(r io.ReadCloser) io.ReadCloser {
	return &lineReader{Closer: r, r: bufio.NewReaderSize(r, 64<<10), see: w.sawLine, tooLong: w.tooLong}
}

// roundTripper reads along with answers over HTTP, which are a message or a stream of events.
func (w *wire) roundTripper(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(request *http.Request) (*http.Response, error) {
		response, err := next.RoundTrip(request)
		if err != nil {
			return nil, err
		}
		kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
		switch kind {
		case "text/event-stream":
			var event []byte
			see := func(line []byte) error {
				line = bytes.TrimRight(line, "\r\n")
				if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
					event = append(append(event, data...), '\n')
				} else if len(line) == 0 {
					w.saw(event)
					event = nil
				}
				if len(event) > maxMessage {
					return w.tooLong()
				}
				return nil
			}
			response.Body = &lineReader{Closer: response.Body, r: bufio.NewReaderSize(response.Body, 64<<10), see: see, tooLong: w.tooLong}
		case "application/json":
			// It is read here, so that it was seen whole; the limit is that of a message.
			body, err := io.ReadAll(io.LimitReader(response.Body, maxMessage+1))
			_ = response.Body.Close()
			if err != nil {
				return nil, err
			}
			if len(body) > maxMessage {
				return nil, w.tooLong()
			}
			w.saw(body)
			response.Body = io.NopCloser(bytes.NewReader(body))
		}
		return response, nil
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// lineReader hands on whole lines, after they were seen.
type lineReader struct {
	io.Closer
	r       *bufio.Reader
	see     func(line []byte) error
	tooLong func() error
	rest    []byte // of the present line
	err     error
}

func (l *lineReader) Read(p []byte) (int, error) {
	if len(l.rest) == 0 {
		if l.err != nil {
			return 0, l.err
		}
		l.next()
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	if n == 0 && l.err != nil {
		return 0, l.err
	}
	return n, nil
}

func (l *lineReader) next() {
	var line []byte
	for {
		part, err := l.r.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > maxMessage:
			l.err = l.tooLong()
			return
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		}
		l.rest, l.err = line, err
		if len(line) > 0 {
			if err := l.see(line); err != nil {
				l.rest, l.err = nil, err
			}
		}
		return
	}
}
