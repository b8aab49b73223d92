package sqlite

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"procgraph/graph"
)

func TestOneServer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "graph.db")
	first, err := Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link.db")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, link} {
		if _, err := Open(t.Context(), name, nil); !errors.Is(err, errInUse) {
			t.Errorf("a second server answers %v", err)
		}
	}
	if _, err := first.Capture(t.Context(), sample(1)); err != nil {
		t.Errorf("the first server after it: %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Errorf("closed twice: %v", err)
	}
	openAt(t, path)
}

func TestFilesAreTheOwners(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "data")
	store := openAt(t, filepath.Join(dir, "graph.db"))
	if _, err := store.Capture(t.Context(), sample(1)); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the directory has mode %v, %v", info.Mode(), err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) < 3 {
		t.Errorf("only %d files", len(entries))
	}
	for _, entry := range entries {
		if info, err := entry.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v, %v", entry.Name(), info.Mode(), err)
		}
	}
}

// TestBadFile checks that what cannot be used is refused in plain words, and is left as it is.
func TestBadFile(t *testing.T) {
	good := goodFile(t)
	half := len(good) / 2 / 4096 * 4096
	noise := bytes.Repeat([]byte{0xa5}, 3*4096)
	flipped := bytes.Clone(good)
	copy(flipped[half:], noise)
	for _, c := range []struct {
		name  string
		files map[string][]byte // by suffix
		want  error
	}{
		{"text", map[string][]byte{"": []byte("# settings\nkey: value\n")}, errNoDatabase},
		{"one byte", map[string][]byte{"": {'S'}}, errNoDatabase},
		{"zeros", map[string][]byte{"": make([]byte, 8192)}, errNoDatabase},
		{"cut in half", map[string][]byte{"": good[:half]}, errDamaged},
		{"cut inside a page", map[string][]byte{"": good[:len(good)-100]}, errDamaged},
		{"cut to the header", map[string][]byte{"": good[:100]}, errDamaged},
		{"cut beside a journal", map[string][]byte{"": good[:half], "-wal": noise}, errDamaged},
		{"empty beside a journal", map[string][]byte{"": {}, "-wal": noise}, errDamaged},
		{"overwritten pages", map[string][]byte{"": flipped}, errDamaged},
		{"of another program", map[string][]byte{"": otherFile(t, "CREATE TABLE notes (text)")}, errOtherSchema},
		{"newer", map[string][]byte{"": otherFile(t, "PRAGMA application_id = 1885826657; PRAGMA user_version = 99; CREATE TABLE x (y)")}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "graph.db")
			for suffix, content := range c.files {
				if err := os.WriteFile(path+suffix, content, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			store, err := Open(t.Context(), path, nil)
			if err == nil {
				_ = store.Close()
				t.Fatal("it was opened")
			}
			if c.want != nil && !errors.Is(err, c.want) || errors.Is(err, graph.ErrUnavailable) || strings.Contains(err.Error(), "\n") {
				t.Errorf("the error is %q", err)
			}
			after := map[string][]byte{}
			for suffix := range c.files {
				if after[suffix], err = os.ReadFile(path + suffix); err != nil {
					t.Fatal(err)
				}
			}
			if !maps.EqualFunc(c.files, after, bytes.Equal) {
				t.Error("the files were changed")
			}
		})
	}
}

// goodFile is the content of a closed database with some procedures.
func goodFile(t *testing.T) []byte {
	path := filepath.Join(t.TempDir(), "graph.db")
	store, err := Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 200 {
		if _, err := store.Capture(t.Context(), sample(n)); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func otherFile(t *testing.T, script string) []byte {
	path := filepath.Join(t.TempDir(), "other.db")
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(sqlitex.ExecuteScript(conn, script, nil), conn.Close()); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func TestMigrations(t *testing.T) {
	path := filepath.Join(t.TempDir(), "graph.db")
	for _, start := range []string{"no file", "a migrated one", "a file that a start left empty"} {
		if start == "a file that a start left empty" {
			path = filepath.Join(t.TempDir(), "graph.db")
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		store, err := Open(t.Context(), path, nil)
		if err != nil {
			t.Fatalf("%s: %v", start, err)
		}
		if err := store.Ping(t.Context()); err != nil {
			t.Errorf("%s: %v", start, err)
		}
		if err := store.Close(); err != nil {
			t.Errorf("%s: %v", start, err)
		}
	}
}
