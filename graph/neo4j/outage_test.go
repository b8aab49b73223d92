package neo4j

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"procgraph/graph"
	"procgraph/integration/neo4jtest"
)

// proxy passes bytes between stores and the database, and cuts one connection at a moment of a test's choice.
type proxy struct {
	listener net.Listener
	target   string

	mu sync.Mutex
	// cutBefore cuts instead of passing on what a client sends with these bytes in it. cutAfter passes it on and cuts when
	// the database has answered that it is stored.
	cutBefore, cutAfter []byte
	cuts                int
	silent              atomic.Bool // keep what the database answers
}

// committed is in the answer to a commit, of an automatic transaction too.
var committed = []byte("bookmark")

// commitMessage is COMMIT of the Bolt protocol.
var commitMessage = []byte{0x00, 0x02, 0xb0, 0x12, 0x00, 0x00}

func newProxy(t *testing.T) *proxy {
	t.Helper()
	_, target, _ := strings.Cut(neo4jtest.Start(t).URI, "://")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	p := &proxy{listener: listener, target: target}
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go p.serve(client)
		}
	}()
	return p
}

func (p *proxy) serve(client net.Conn) {
	server, err := net.Dial("tcp", p.target)
	if err != nil {
		_ = client.Close()
		return
	}
	cut := func() {
		_ = client.Close()
		_ = server.Close()
	}
	defer cut()
	var holding atomic.Bool
	go func() {
		defer cut()
		var held bytes.Buffer
		buffer := make([]byte, 64<<10)
		for {
			n, err := server.Read(buffer)
			if err != nil {
				return
			}
			if p.silent.Load() {
				continue
			}
			if holding.Load() {
				if held.Write(buffer[:n]); bytes.Contains(held.Bytes(), committed) {
					return
				}
			} else if _, err := client.Write(buffer[:n]); err != nil {
				return
			}
		}
	}()
	buffer := make([]byte, 64<<10)
	for {
		n, err := client.Read(buffer)
		if err != nil {
			return
		}
		before, after := p.due(buffer[:n])
		if before {
			return
		}
		if after {
			holding.Store(true)
		}
		if _, err := server.Write(buffer[:n]); err != nil {
			return
		}
	}
}

func (p *proxy) due(sent []byte) (before, after bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.cutBefore != nil && bytes.Contains(sent, p.cutBefore):
		p.cutBefore, before = nil, true
	case p.cutAfter != nil && bytes.Contains(sent, p.cutAfter):
		p.cutAfter, after = nil, true
	default:
		return false, false
	}
	p.cuts++
	return before, after
}

func (p *proxy) cut(before, after []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cutBefore, p.cutAfter, p.cuts = before, after, 0
}

func (p *proxy) store(t *testing.T) *Store {
	t.Helper()
	server := neo4jtest.Start(t)
	s, err := Open(t.Context(), Options{URI: "bolt://" + p.listener.Addr().String(), User: server.User, Password: server.Password}, quiet())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func (p *proxy) checkCut(t *testing.T) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cuts != 1 {
		t.Errorf("%d connections were cut, want one: the test tests nothing", p.cuts)
	}
}

// TestCaptureCountsOnce loses the connection before a capture is stored and after it.
func TestCaptureCountsOnce(t *testing.T) {
	openEmpty(t)
	p := newProxy(t)
	s := p.store(t)
	for i, known := range []bool{false, true, false, true} {
		for _, before := range []bool{true, false} {
			name, statement := fmt.Sprintf("lost-%v-%d", before, i/2), []byte("MERGE (k:CaptureSlot")
			c := testCapture(name, []string{"a", "b"}, []string{"one", "two"})
			if i < 2 {
				c.Key, statement = fmt.Sprint(name, known), []byte("MERGE (k:CaptureKey")
			}
			if before {
				p.cut(statement, nil)
			} else {
				p.cut(nil, statement)
			}
			got, err := s.Capture(t.Context(), c)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			p.checkCut(t)
			want := int64(2)
			if known {
				want = 4
			}
			if got.Offer.Procedure.Frequency != want || got.CreatedProcedure == known || got.CreatedVariant == known {
				t.Errorf("%s: frequency %d, made procedure %v and variant %v", name, got.Offer.Procedure.Frequency, got.CreatedProcedure, got.CreatedVariant)
			}
		}
	}
}

// TestCommitWritesOnce loses the connection before a commit is stored and after it.
func TestCommitWritesOnce(t *testing.T) {
	direct := openEmpty(t)
	p := newProxy(t)
	s := p.store(t)
	for sequence, before := range []bool{true, false} {
		if before {
			p.cut(commitMessage, nil)
		} else {
			p.cut(nil, commitMessage)
		}
		decided := 0
		head, err := s.Commit(t.Context(), graph.FactQuery{}, func(f graph.Facts) (graph.Change, error) {
			decided++
			return graph.ToolsWritten{Event: testEvent(f.Head, "a"), Tools: []graph.Tool{{Name: "a", Class: graph.ReadOnly}}}, nil
		})
		if err != nil {
			t.Fatalf("before %v: %v", before, err)
		}
		p.checkCut(t)
		want := 1
		if before {
			want = 2
		}
		if decided != want || head.Sequence != int64(sequence+1) {
			t.Errorf("before %v: decided %d times, head %d; want %d times, head %d", before, decided, head.Sequence, want, sequence+1)
		}
		events, err := direct.Events(t.Context(), 0, 100)
		if err != nil || len(events) != sequence+1 || events[sequence].Hash != head.Hash {
			t.Errorf("before %v: events %v, error %v", before, events, err)
		}
	}
}

// TestOutage stops the database under load and starts it again: calls answer soon that it is unavailable, what was
// acknowledged is there, and the same store goes on.
func TestOutage(t *testing.T) {
	server := neo4jtest.Start(t)
	openEmpty(t)
	// Without routing: when a connection breaks, the driver's router changes its table while others read it, which the
	// race detector reports. The tests of the whole service stop the database behind a server that routes.
	_, address, _ := strings.Cut(server.URI, "://")
	s, err := Open(t.Context(), Options{URI: "bolt://" + address, User: server.User, Password: server.Password}, quiet())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	ctx := context.Background()
	calls := map[string]func(i int) error{
		"capture": func(i int) error {
			c := testCapture("outage", []string{"a", "b"}, []string{"one"})
			c.Key = fmt.Sprint("outage", i)
			_, err := s.Capture(ctx, c)
			return err
		},
		"commit":   func(int) error { return classifyOne(s, "a") },
		"registry": func(int) error { _, err := s.Registry(ctx, graph.RegistryFilter{}, graph.Page{First: 25}); return err },
		"ping":     func(int) error { return s.Ping(ctx) },
	}
	if err := calls["capture"](-1); err != nil {
		t.Fatal(err)
	}
	var stop atomic.Bool
	var passed, failed sync.Map // by name: *atomic.Int64
	var slowest atomic.Int64
	var work sync.WaitGroup
	var number atomic.Int64
	count := func(m *sync.Map, name string) *atomic.Int64 {
		n, _ := m.LoadOrStore(name, new(atomic.Int64))
		return n.(*atomic.Int64)
	}
	for name, call := range calls {
		for range 2 {
			work.Go(func() {
				for !stop.Load() {
					start := time.Now()
					err := call(int(number.Add(1)))
					slowest.Store(max(slowest.Load(), int64(time.Since(start))))
					switch {
					case err == nil:
						count(&passed, name).Add(1)
					case errors.Is(err, graph.ErrUnavailable):
						count(&failed, name).Add(1)
						time.Sleep(10 * time.Millisecond)
					default:
						t.Errorf("%s: %v", name, err)
						return
					}
				}
			})
		}
	}
	time.Sleep(2 * time.Second)
	if err := server.StopContainer(ctx); err != nil {
		stop.Store(true)
		work.Wait()
		t.Fatal(err)
	}
	time.Sleep(2 * time.Second)
	if err := server.StartContainer(ctx); err != nil {
		t.Fatal(err)
	}
	during := map[string]int64{}
	for name := range calls {
		if count(&failed, name).Load() == 0 {
			t.Errorf("%s never failed while the database was stopped", name)
		}
		during[name] = count(&passed, name).Load()
	}
	// The database plans each statement anew, which takes a busy machine seconds.
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		waiting := false
		for name := range calls {
			waiting = waiting || count(&passed, name).Load() == during[name]
		}
		if !waiting {
			break
		}
	}
	stop.Store(true)
	work.Wait()
	for name, call := range calls {
		if count(&passed, name).Load() == during[name] {
			t.Errorf("%s never passed after the database was started", name)
		}
		if err := call(-2); err != nil {
			t.Errorf("%s after the outage: %v", name, err)
		}
	}
	if took := time.Duration(slowest.Load()); took > commitTimeout+time.Second {
		t.Errorf("a call took %v", took)
	}
	procedure, err := s.ProceduresBy(ctx, graph.ProcedureRefs{ToolNames: []string{"proc__outage"}})
	if err != nil {
		t.Fatal(err)
	}
	keys := must(t, s, "MATCH (k:CaptureKey) RETURN count(k)", nil)[0]
	acknowledged := count(&passed, "capture").Load() + 2
	if stored := procedure.Items[0].Procedure.Frequency; stored != keys || stored < acknowledged {
		t.Errorf("%d uses are stored, %d keys, %d were acknowledged", stored, keys, acknowledged)
	}
	events, err := s.Events(ctx, 0, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	previous := ""
	for i, event := range events {
		if event.Sequence != int64(i+1) || event.PreviousHash != previous {
			t.Fatalf("event %d is not linked to the one before it", i+1)
		}
		previous = event.Hash
	}
	t.Logf("slowest call %v", time.Duration(slowest.Load()))
}

// TestDeadline gives up when the context does, with the database not answering.
func TestDeadline(t *testing.T) {
	openEmpty(t)
	p := newProxy(t)
	s := p.store(t)
	p.silent.Store(true)
	defer p.silent.Store(false)
	start := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	c := testCapture("deadline", []string{"a"}, []string{"one"})
	c.Key = "deadline"
	if _, err := s.Capture(ctx, c); !errors.Is(err, graph.ErrUnavailable) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want %v", err, graph.ErrUnavailable)
	}
	if took := time.Since(start); took > 3*time.Second {
		t.Errorf("it took %v", took)
	}
	cancelled, stop := context.WithCancel(t.Context())
	stop()
	for name, err := range map[string]error{
		"registry": ask(s.Registry(cancelled, graph.RegistryFilter{}, graph.Page{First: 1})),
		"commit": ask(s.Commit(cancelled, graph.FactQuery{}, func(graph.Facts) (graph.Change, error) {
			return nil, io.ErrUnexpectedEOF
		})),
		"ping": s.Ping(cancelled),
	} {
		if !errors.Is(err, graph.ErrUnavailable) {
			t.Errorf("%s: error %v, want %v", name, err, graph.ErrUnavailable)
		}
	}
}
