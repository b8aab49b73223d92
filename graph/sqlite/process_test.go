package sqlite

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"procgraph/graph"
)

// Tests that need another process run this binary again, with what it has to do in the environment.
const (
	childRole = "PROCGRAPH_TEST_CHILD"
	childPath = "PROCGRAPH_TEST_PATH"
)

func TestMain(m *testing.M) {
	switch role := os.Getenv(childRole); role {
	case "":
		os.Exit(m.Run())
	case "hold":
		exitWith(holdLock(os.Getenv(childPath)))
	case "write":
		exitWith(writeUntilKilled(os.Getenv(childPath)))
	default:
		exitWith(fmt.Errorf("no role %q", role))
	}
}

func exitWith(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// child starts this binary in a role and answers its output line by line.
func child(t *testing.T, role, path string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childRole+"="+role, childPath+"="+path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out)
}

const held = 2 * time.Second

// holdLock holds the write lock of the database, as a backup or a shell does.
func holdLock(path string) error {
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		return err
	}
	if err := sqlitex.ExecuteTransient(conn, "BEGIN IMMEDIATE", nil); err != nil {
		return err
	}
	fmt.Println("held")
	time.Sleep(held)
	return errors.Join(sqlitex.ExecuteTransient(conn, "ROLLBACK", nil), conn.Close())
}

func TestBusyWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "graph.db")
	store := openAt(t, path)
	cmd, lines := child(t, "hold", path)
	if !lines.Scan() {
		t.Fatal("the lock is not held")
	}
	start := time.Now()
	short, cancel := context.WithTimeout(t.Context(), held/10)
	defer cancel()
	var writes sync.WaitGroup
	writes.Go(func() {
		if _, err := store.Capture(t.Context(), sample(1)); err != nil {
			t.Errorf("a capture beside the lock: %v", err)
		}
	})
	writes.Go(func() {
		_, err := store.Capture(short, sample(2))
		if !errors.Is(err, graph.ErrUnavailable) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a capture with a short deadline: %v", err)
		}
		if took := time.Since(start); took > held/2 {
			t.Errorf("it waited %v", took)
		}
	})
	if _, err := store.Tools(t.Context(), graph.ToolFilter{}, graph.Page{First: 1}); err != nil || time.Since(start) > held/2 {
		t.Errorf("a read beside the lock: %v after %v", err, time.Since(start))
	}
	writes.Wait()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	got, err := store.ProceduresBy(t.Context(), graph.ProcedureRefs{
		Keys: []string{sample(1).ProcedureKey, sample(2).ProcedureKey},
	})
	if err != nil || len(got.Items) != 1 || got.Items[0].Procedure.Key != sample(1).ProcedureKey {
		t.Errorf("stored are %+v, %v; want the first capture alone", got.Items, err)
	}
}

// writeUntilKilled captures and commits from several goroutines and prints each answer after it got it.
func writeUntilKilled(path string) error {
	ctx := context.Background()
	store, err := Open(ctx, path, nil)
	if err != nil {
		return err
	}
	failed := make(chan error)
	for worker := range 4 {
		go func() {
			for {
				n := rand.IntN(30_000)
				c := sample(n)
				c.Causes = append(c.Causes, "every capture")
				if c.Key = ""; worker%2 == 0 {
					c.Key = fmt.Sprint(rand.Int64())
				}
				got, err := store.Capture(ctx, c)
				if err != nil {
					failed <- err
					return
				}
				fmt.Printf("captured %d %d\n", n, got.Offer.Procedure.Frequency)
			}
		}()
	}
	go func() {
		for {
			head, err := store.Commit(ctx, graph.FactQuery{}, func(f graph.Facts) (graph.Change, error) {
				return toolWritten(f.Head, fmt.Sprintf("committed_%d", f.Head.Sequence+1)), nil
			})
			if err != nil {
				failed <- err
				return
			}
			fmt.Printf("committed %d %s\n", head.Sequence, head.Hash)
		}
	}()
	return <-failed
}

// TestKilled kills a writing process again and again, and looks for everything that it said was stored.
func TestKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "graph.db")
	captured := map[int]int64{} // frequencies
	committed := map[int64]string{}
	for round := range 5 {
		cmd, lines := child(t, "write", path)
		time.AfterFunc(time.Duration(150+rand.IntN(300))*time.Millisecond, func() { _ = cmd.Process.Kill() })
		acknowledged := 0
		for lines.Scan() {
			var n int
			var frequency, sequence int64
			var hash string
			if k, _ := fmt.Sscanf(lines.Text(), "captured %d %d", &n, &frequency); k == 2 {
				captured[n] = max(captured[n], frequency)
			} else if k, _ := fmt.Sscanf(lines.Text(), "committed %d %s", &sequence, &hash); k == 2 && len(hash) == 64 {
				committed[sequence] = hash
			}
			acknowledged++
		}
		if err := cmd.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
			t.Fatalf("the child ended with %v", err)
		}
		store, err := Open(t.Context(), path, nil)
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		t.Logf("round %d: %d lines", round, acknowledged)
		checkAcknowledged(t, store, captured, committed)
		checkWhole(t, store)
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if len(captured) == 0 || len(committed) == 0 {
		t.Errorf("%d captures and %d commits were acknowledged", len(captured), len(committed))
	}
}

func checkAcknowledged(t *testing.T, store *Store, captured map[int]int64, committed map[int64]string) {
	t.Helper()
	for n, frequency := range captured {
		got, err := store.ProceduresBy(t.Context(), graph.ProcedureRefs{CodeHashes: []string{sample(n).Variant.CodeHash}})
		if err != nil || len(got.Items) != 1 || got.Items[0].Procedure.Frequency < frequency {
			t.Errorf("capture %d counted %d and is %+v, %v", n, frequency, got.Items, err)
		}
	}
	events, err := store.Events(t.Context(), 0, 1_000_000)
	if err != nil {
		t.Fatal(err)
	}
	var head graph.Head
	for _, event := range events {
		if event.Sequence != head.Sequence+1 || event.PreviousHash != head.Hash {
			t.Fatalf("event %d does not follow %+v", event.Sequence, head)
		}
		head = graph.Head{Sequence: event.Sequence, Hash: event.Hash}
		if hash, ok := committed[event.Sequence]; ok && hash != event.Hash {
			t.Errorf("event %d is another", event.Sequence)
		}
		if tools, err := store.ToolsBy(t.Context(), []string{event.Subject}); err != nil || len(tools.Items) != 1 {
			t.Errorf("event %d has no tool: %v", event.Sequence, err)
		}
	}
	for sequence := range committed {
		if sequence > head.Sequence {
			t.Errorf("commit %d is lost; the head is %d", sequence, head.Sequence)
		}
	}
}

// checkWhole looks for rows without those that are written with them.
func checkWhole(t *testing.T, store *Store) {
	t.Helper()
	for what, statement := range map[string]string{
		"procedures without variant": `SELECT count(*) FROM procedures p
			WHERE NOT EXISTS (SELECT 1 FROM variants v WHERE v.procedure = p.id)`,
		"procedures with a miscounted use": `SELECT count(*) FROM procedures p
			WHERE p.frequency <> (SELECT sum(u.frequency) FROM uses u WHERE u.procedure = p.id)`,
		"procedures with an incomplete reach": `SELECT count(*) FROM procedures p
			WHERE json_array_length(p.reach) <> (SELECT count(*) FROM reaches r WHERE r.procedure = p.id)`,
		"procedures without their tools": `SELECT count(*) FROM reaches r
			WHERE NOT EXISTS (SELECT 1 FROM tools t WHERE t.name = r.name)`,
		"uses without cause": `SELECT count(*) FROM uses u
			WHERE NOT EXISTS (SELECT 1 FROM causes c WHERE c.name = u.cause)`,
		"tools without event": `SELECT count(*) FROM tools t
			WHERE t.known = 1 AND NOT EXISTS (SELECT 1 FROM events e WHERE e.subject = t.name)`,
	} {
		err := store.read(t.Context(), func(tx tx) error {
			n, err := tx.one(statement)
			if n > 0 {
				t.Errorf("%d %s", n, what)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}
