package integration

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// wholeExport is a file as the format says.
func wholeExport(lines ...string) string {
	text := `{"kind":"header","format":"procgraph","version":1,"exportedAt":"2026-01-01T00:00:00.000Z"}` + "\n" + strings.Join(lines, "\n")
	if len(lines) > 0 {
		text += "\n"
	}
	sum := sha256.Sum256([]byte(text))
	return text + fmt.Sprintf(`{"kind":"end","lines":%d,"sha256":"%s"}`+"\n", len(lines)+1, hex.EncodeToString(sum[:]))
}

// No answer that is not whole becomes a file, and a file that is there stays as it is.
func TestExportThatIsCutOff(t *testing.T) {
	whole := wholeExport(`{"kind":"cause","name":"a","description":""}`)
	lines := strings.SplitAfter(whole, "\n")
	for name, test := range map[string]struct {
		status int
		body   string
		abort  bool
		want   string
	}{
		"whole":            {200, whole, false, ""},
		"empty":            {200, "", false, "without its end line"},
		"cut connection":   {200, strings.Join(lines[:2], ""), true, "cut off after 1 lines.*run it again"},
		"no end line":      {200, strings.Join(lines[:2], ""), false, "without its end line"},
		"half an end line": {200, whole[:len(whole)-5], false, "without its end line"},
		"another text":     {200, strings.Replace(whole, `"a"`, `"b"`, 1), false, "not what its end line says"},
		"a line is gone":   {200, lines[0] + lines[2], false, "not what its end line says"},
		"more after it":    {200, whole + lines[1], false, "without its end line"},
		"no export":        {200, "<html>\n</html>\n", false, "no export of a procedure graph"},
		"refused": {403, `{"data":null,"errors":[{"message":"the token does not have the scope admin","extensions":{"code":"FORBIDDEN"}}]}`,
			false, "scope admin: use a token that has it"},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(test.status)
				_, _ = io.WriteString(w, test.body)
				if test.abort {
					_ = http.NewResponseController(w).Flush()
					panic(http.ErrAbortHandler)
				}
			}))
			defer server.Close()
			c := &cli{TB: t, url: server.URL, token: "0123456789abcdef0123456789abcdef"}
			file := filepath.Join(t.TempDir(), "g.ndjson")
			if err := os.WriteFile(file, []byte("before"), 0o600); err != nil {
				t.Fatal(err)
			}
			want := "before"
			if test.want == "" {
				var done struct{ Lines int }
				c.json(&done, "export", file)
				if want = test.body; done.Lines != 2 {
					t.Errorf("%d lines", done.Lines)
				}
			} else {
				c.fails(1, test.want, "export", file)
				// Standard output has what came, and the exit code tells that it is not whole.
				if _, errOut, code := c.run("export", "-"); code != 1 || !regexp.MustCompile(test.want).MatchString(errOut) {
					t.Errorf("to standard output: %d %s", code, errOut)
				}
			}
			got, err := os.ReadFile(file)
			entries, _ := os.ReadDir(filepath.Dir(file))
			if err != nil || string(got) != want || len(entries) != 1 {
				t.Errorf("%v, %d files, %q", err, len(entries), got)
			}
		})
	}
	c := &cli{TB: t, url: "http://127.0.0.1:1"}
	dangling := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink("nothing", dangling); err != nil {
		t.Fatal(err)
	}
	c.fails(2, "is a link to nothing", "export", dangling)
	c.fails(2, "not a file that can be replaced", "export", "/dev/null")
	c.fails(2, "not a file that can be replaced", "export", t.TempDir())
	c.fails(1, "cannot be written", "export", "/nowhere/g.ndjson")
	c.fails(1, "no such file", "import", "/nowhere/g.ndjson")
	c.fails(2, "is not a file", "import", t.TempDir())
}

func TestExportKeepsModeAndLink(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, wholeExport())
	}))
	defer server.Close()
	c := &cli{TB: t, url: server.URL}
	dir := t.TempDir()
	old, link, fresh := filepath.Join(dir, "old"), filepath.Join(dir, "link"), filepath.Join(dir, "fresh")
	if err := errors.Join(os.WriteFile(old, nil, 0o600), os.Chmod(old, 0o644), os.Symlink("old", link)); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{link, fresh} {
		c.json(&struct{}{}, "export", file)
	}
	for file, mode := range map[string]os.FileMode{old: 0o644, fresh: 0o600} {
		if info, err := os.Lstat(file); err != nil || info.Mode() != mode || info.Size() != int64(len(wholeExport())) {
			t.Errorf("%s: %v %v", file, info, err)
		}
	}
	if to, err := os.Readlink(link); err != nil || to != "old" {
		t.Errorf("the link leads to %q: %v", to, err)
	}
}

// A server may refuse an import while the file is still being sent, and may go away during one.
func TestImportThatIsRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "big.ndjson")
	if err := os.WriteFile(file, []byte(strings.Repeat("x", 32<<20)), 0o600); err != nil {
		t.Fatal(err)
	}
	refusal := `{"data":{"lines":3,"written":{"tools":2},"known":{},"skipped":{"statuses":0}},"errors":[{"message":"line 4: it is broken","extensions":{"code":"BAD_USER_INPUT","line":4}}]}`
	early := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.CopyN(io.Discard, r.Body, 1<<20)
		w.Header().Set("Connection", "close")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, refusal)
	}))
	defer early.Close()
	c := &cli{TB: t, url: early.URL, token: "0123456789abcdef0123456789abcdef"}
	c.fails(1, `: line 4: it is broken; imported before it: 3 lines; written: 2 tools; .*goes on there`, "import", file)
	_, errOut, code := c.run("--json", "import", file)
	var told struct {
		Error struct {
			Code string
			Line int
		}
	}
	if err := json.Unmarshal([]byte(errOut), &told); err != nil || code != 1 || told.Error.Line != 4 || told.Error.Code != "BAD_USER_INPUT" {
		t.Errorf("--json: %d %v %s", code, err, errOut)
	}
	gone := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.CopyN(io.Discard, r.Body, 1<<20)
		panic(http.ErrAbortHandler)
	}))
	defer gone.Close()
	c.url = gone.URL
	c.fails(1, "running the import again goes on", "import", file)
}

// The graph goes from one server to another, twice, and comes back as the same file.
func TestCommandLineExportAndImport(t *testing.T) {
	from, to := start(t, "", "--demo").cli(), start(t, "").cli()
	dir := t.TempDir()
	there, back := filepath.Join(dir, "there.ndjson"), filepath.Join(dir, "back.ndjson")
	type imported struct {
		Lines          int
		Written, Known map[string]int
	}
	var first, again imported
	var done struct{ Lines int }
	from.json(&done, "export", there)
	to.json(&first, "import", there)
	text, err := os.ReadFile(there)
	if err != nil {
		t.Fatal(err)
	}
	piped := *to
	piped.stdin = string(text)
	piped.json(&again, "import", "-")
	if first.Written["procedures"] < 15 || again.Written["procedures"] != 0 || again.Known["procedures"] != first.Written["procedures"] {
		t.Errorf("first %+v, again %+v", first, again)
	}
	to.json(&done, "export", back)
	returned, err := os.ReadFile(back)
	if err != nil {
		t.Fatal(err)
	}
	body := func(b []byte) string { // without the header, and the checksum over it
		lines := strings.SplitAfter(string(b), "\n")
		return strings.Join(lines[1:len(lines)-2], "")
	}
	if body(text) != body(returned) {
		t.Error("the graph that comes back is another one")
	}
	lines := strings.SplitAfter(string(text), "\n")
	broken := filepath.Join(dir, "broken.ndjson")
	if err := os.WriteFile(broken, []byte(strings.Join(lines[:3], "")+"{broken\n"+strings.Join(lines[3:], "")), 0o600); err != nil {
		t.Fatal(err)
	}
	to.fails(1, "line 4: .*imported before it: 3 lines", "import", broken)
	nobody := *to
	nobody.token = ""
	nobody.fails(1, "PROCGRAPH_TOKEN", "import", there)
	nobody.fails(1, "PROCGRAPH_TOKEN", "export", back)
}
