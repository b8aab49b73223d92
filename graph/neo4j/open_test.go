package neo4j

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"procgraph/graph"
	"procgraph/integration/neo4jtest"
)

func openAgain(t *testing.T) (*Store, error) {
	t.Helper()
	server := neo4jtest.Start(t)
	s, err := Open(t.Context(), Options{URI: server.URI, User: server.User, Password: server.Password}, quiet())
	if err == nil {
		t.Cleanup(func() { _ = s.Close() })
	}
	return s, err
}

func TestOpenMakesWhatWasDropped(t *testing.T) {
	s := openEmpty(t)
	for _, drop := range []string{
		"DROP CONSTRAINT tool_name IF EXISTS", "DROP CONSTRAINT investigatedBy_id IF EXISTS", "DROP INDEX offered_rank IF EXISTS",
		"DROP INDEX uses_position IF EXISTS", "DROP INDEX head_state IF EXISTS", "DROP INDEX node_words IF EXISTS",
		"DROP INDEX relation_words IF EXISTS",
	} {
		must(t, s, drop, nil)
	}
	missing, err := s.missing(t.Context(), rules)
	if err != nil || len(missing) != 7 {
		t.Fatalf("%v is missing, error %v; want seven rules", missing, err)
	}
	again, err := openAgain(t)
	if err != nil {
		t.Fatal(err)
	}
	if missing, err := again.missing(t.Context(), rules); err != nil || len(missing) > 0 {
		t.Errorf("%v is missing, error %v", missing, err)
	}
}

func TestOpenRefusesDuplicates(t *testing.T) {
	s := openEmpty(t)
	must(t, s, "DROP CONSTRAINT tool_name IF EXISTS", nil)
	must(t, s, "CREATE (:Tool {name: 'twice'}), (:Tool {name: 'twice'})", nil)
	_, err := openAgain(t)
	if err == nil {
		t.Error("a database with two tools of one name was opened")
	} else if !strings.Contains(err.Error(), "tool_name") || errors.Is(err, graph.ErrUnavailable) {
		t.Errorf("error %v does not name the constraint", err)
	}
	must(t, s, "MATCH (t:Tool {name: 'twice'}) DELETE t", nil)
	again, err := openAgain(t)
	if err != nil {
		t.Fatalf("with the duplicates removed: %v", err)
	}
	if err := again.Ping(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestOpenRefusesNewer(t *testing.T) {
	s := openEmpty(t)
	must(t, s, "MATCH (s:Schema) SET s.version = $in.version", params{"version": newest() + 1})
	t.Cleanup(func() { must(t, s, "MATCH (s:Schema) SET s.version = $in.version", params{"version": newest()}) })
	if _, err := openAgain(t); err == nil || !strings.Contains(err.Error(), "newer") {
		t.Errorf("error %v, want one that names a newer program", err)
	}
	if err := s.Ping(t.Context()); err == nil {
		t.Error("the ping does not tell that the schema is another one")
	}
}

// TestOpenTogether starts several servers on a database that nothing was made in.
func TestOpenTogether(t *testing.T) {
	s := openEmpty(t)
	must(t, s, "MATCH (s:Schema) DELETE s", nil)
	for _, r := range rules {
		kind := "INDEX "
		if r.unique {
			kind = "CONSTRAINT "
		}
		must(t, s, "DROP "+kind+r.name+" IF EXISTS", nil)
	}
	const servers = 4
	errs := make(chan error, servers)
	for range servers {
		go func() {
			_, err := openAgain(t)
			errs <- err
		}()
	}
	for range servers {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if missing, err := s.missing(t.Context(), rules); err != nil || len(missing) > 0 {
		t.Errorf("%v is missing, error %v", missing, err)
	}
	if counts := must(t, s, "MATCH (h:Head) WITH count(h) AS heads MATCH (s:Schema) RETURN heads, count(s), max(s.version)", nil); counts[0] != int64(1) ||
		counts[1] != int64(1) || counts[2] != newest() {
		t.Errorf("heads, schemas and version are %v", counts)
	}
}

func TestOpenRefusesPassword(t *testing.T) {
	server := neo4jtest.Start(t)
	_, err := Open(t.Context(), Options{URI: server.URI, User: "neo4j", Password: "not the password"}, quiet())
	if err == nil || !strings.Contains(err.Error(), "password") || errors.Is(err, graph.ErrUnavailable) {
		t.Errorf("error %v, want one that names the password", err)
	}
}

func TestOpenOfNothing(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	silent := listener.Addr().String() // takes connections and never answers
	t.Cleanup(func() { _ = listener.Close() })
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = closed.Close()
	for what, address := range map[string]string{"silent": silent, "closed": closed.Addr().String()} {
		start := time.Now()
		_, err := Open(t.Context(), Options{URI: "bolt://" + address, User: "neo4j", Password: "x"}, quiet())
		if !errors.Is(err, graph.ErrUnavailable) {
			t.Errorf("%s: error %v, want %v", what, err, graph.ErrUnavailable)
		}
		if took := time.Since(start); took > openTimeout+5*time.Second {
			t.Errorf("%s: it took %v", what, took)
		}
	}
	if _, err := Open(t.Context(), Options{URI: "http://" + silent}, quiet()); err == nil || errors.Is(err, graph.ErrUnavailable) {
		t.Errorf("error %v, want one about the address", err)
	}
}

func TestSupported(t *testing.T) {
	for version, want := range map[string]bool{
		"5.23.0": true, "5.26.12": true, "2025.10.1": true, "5.22.9": false, "5.9.0": false, "4.4.40": false, "": false, "five": false,
	} {
		if err := supported(version); (err == nil) != want {
			t.Errorf("version %q: error %v", version, err)
		}
	}
}

// TestSweep removes slots that are nobody's, and no keys.
func TestSweep(t *testing.T) {
	s := openEmpty(t)
	for _, key := range []string{"", "lasting"} {
		c := testCapture("swept", []string{"a", "b"}, []string{"cause"})
		c.Key = key
		if _, err := s.Capture(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	must(t, s, "MATCH (k:CaptureSlot) CREATE (:CaptureSlot {id: 'old', at: k.at - $in.age})", params{"age": 2*slotLife.Milliseconds() + 1000})
	if err := s.sweepOnce(context.Background()); err != nil {
		t.Fatal(err)
	}
	left := must(t, s, "MATCH (k:CaptureSlot) WITH collect(k.id) AS slots MATCH (k:CaptureKey) RETURN size(slots), 'old' IN slots, collect(k.id)", nil)
	if left[0] != int64(1) || left[1] != false || strings.Join(texts(left[2]), " ") != "lasting" {
		t.Errorf("%v are left, want the young slot and the key", left)
	}
}

// TestSlots hands out a slot to one at a time, and none that is about to be swept.
func TestSlots(t *testing.T) {
	var s slots
	one, two := s.take(), s.take()
	if one.id == two.id {
		t.Fatal("two captures hold one slot")
	}
	s.put(one)
	if again := s.take(); again != one {
		t.Errorf("a free slot was not taken: %v", again)
	}
	two.made = two.made.Add(-slotLife)
	s.put(two)
	if again := s.take(); again.id == two.id {
		t.Error("a slot was taken that is as old as it may become")
	}
}
