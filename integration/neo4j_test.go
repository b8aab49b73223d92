package integration

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"procgraph/integration/neo4jtest"
)

// two starts two servers on one empty Neo4j.
func two(t *testing.T) (a, b *server) {
	t.Helper()
	args := neo4jEmpty(t, neo4jtest.Start(t))
	a = start(t, "", args...)
	b = start(t, "", append(args, "--admin-token-file", filepath.Join(a.data, "admin.token"))...)
	return a, b
}

func TestTwoServersMakeOneProcedure(t *testing.T) {
	a, b := two(t)
	const captures = 64
	ids := make(chan string, captures)
	var group sync.WaitGroup
	for i := range captures {
		s := []*server{a, b}[i%2]
		group.Go(func() {
			reply, err := s.ask(`mutation($i:CaptureProcedureInput!){captureProcedure(input:$i){procedure{id}}}`,
				capture("await tools.x()\nawait tools.y()", "race"))
			var got struct {
				CaptureProcedure struct{ Procedure struct{ ID string } }
			}
			if err != nil || len(reply.Errors) > 0 || json.Unmarshal(reply.Data, &got) != nil {
				t.Errorf("%v %v", err, reply.Errors)
				return
			}
			ids <- got.CaptureProcedure.Procedure.ID
		})
	}
	group.Wait()
	close(ids)
	distinct := map[string]bool{}
	for id := range ids {
		distinct[id] = true
	}
	var got struct {
		Procedures struct {
			TotalCount int
			Nodes      []struct {
				Frequency int
				Variants  struct{ TotalCount int }
			}
		}
	}
	b.get(&got, `{procedures{totalCount nodes{frequency variants{totalCount}}}}`, nil)
	p := got.Procedures
	if len(distinct) != 1 || p.TotalCount != 1 || p.Nodes[0].Frequency != captures || p.Nodes[0].Variants.TotalCount != 1 {
		t.Errorf("%d ids; %+v", len(distinct), p)
	}
}

// Approvals and classifications in parallel, through two servers, never leave a row offered that should not be, nor a
// hint that is wrong.
func TestApprovalsAgainstClassifications(t *testing.T) {
	a, b := two(t)
	a.register("READ_ONLY", "r")
	const rounds, writers = 150, 8
	for round := range rounds {
		tool := fmt.Sprintf("tool_%d", round)
		a.register("READ_ONLY", tool)
		hashes := make([]string, writers)
		for i := range hashes {
			var c captured
			a.get(&c, captureMutation, capture(fmt.Sprintf("x = %d\nawait tools.r()\nawait tools.%s()", i, tool), "race"))
			hashes[i] = c.CaptureProcedure.Variant.CodeHash
		}
		var group sync.WaitGroup
		for i, hash := range hashes {
			s := []*server{a, b}[i%2]
			group.Go(func() {
				if reply, err := s.ask(approveMutation, map[string]any{"h": hash}); err != nil || len(reply.Errors) > 0 {
					t.Errorf("%v %v", err, reply.Errors)
				}
			})
		}
		group.Go(func() {
			if reply, err := b.ask(`mutation($n:String!){classifyTools(items:[{name:$n,class:STATE_CHANGING}]){applied}}`, map[string]any{"n": tool}); err != nil || len(reply.Errors) > 0 {
				t.Errorf("%v %v", err, reply.Errors)
			}
		})
		group.Wait()
		if round%2 == 0 { // every other tool becomes read-only again, so that hints have to come back too
			a.get(nil, `mutation($n:String!){classifyTools(items:[{name:$n,class:READ_ONLY}]){applied}}`, map[string]any{"n": tool})
		}
	}
	var got struct {
		ProcedureTools struct{ Nodes []struct{ Name string } }
		Procedures     struct {
			Nodes []struct {
				ToolName  string
				Exposable bool
			}
		}
	}
	b.get(&got, `{procedureTools(first:500){nodes{name}} procedures(first:500){nodes{toolName exposable}}}`, nil)
	offered := map[string]bool{}
	for _, n := range got.ProcedureTools.Nodes {
		offered[n.Name] = true
	}
	exposable := 0
	for _, p := range got.Procedures.Nodes {
		if p.Exposable != offered[p.ToolName] {
			t.Errorf("%s: exposable %t, offered %t", p.ToolName, p.Exposable, offered[p.ToolName])
		}
		if p.Exposable {
			exposable++
		}
	}
	if len(got.Procedures.Nodes) != rounds || exposable != rounds/2 {
		t.Errorf("%d of %d procedures are exposable, want half", exposable, len(got.Procedures.Nodes))
	}
	for _, s := range []*server{a, b} {
		if _, body := s.fetch("/metrics", s.token); !strings.Contains(body, "\nprocgraph_registry_hint_disagreements_total 0\n") {
			t.Error("a stale hint was met")
		}
	}
}

// Neo4j stops and starts under load: clients are told UNAVAILABLE meanwhile, and the service recovers by itself.
func TestNeo4jOutage(t *testing.T) {
	database := neo4jtest.Start(t)
	s := start(t, "", neo4jEmpty(t, database)...)
	var stop atomic.Bool
	var served, unavailable atomic.Int64
	counted := map[string]*atomic.Int64{"x": {}, "y": {}}
	var group sync.WaitGroup
	for worker := range 4 {
		group.Go(func() {
			for i := 0; !stop.Load(); i++ {
				tool := []string{"x", "y"}[worker%2]
				reply, err := s.ask(captureMutation, map[string]any{"i": map[string]any{"code": "await tools." + tool + "()", "causes": []string{"outage"},
					"idempotencyKey": fmt.Sprintf("%d/%d", worker, i)}})
				switch {
				case err != nil:
					t.Error(err)
					return
				case reply.code() == "UNAVAILABLE":
					unavailable.Add(1)
				case reply.code() != "":
					t.Errorf("%s: %s", reply.code(), reply.Errors[0].Message)
				default:
					served.Add(1)
					counted[tool].Add(1)
				}
			}
		})
	}
	eventually(t, "captures before the outage", func() bool { return served.Load() > 20 })
	if err := database.StopContainer(t.Context()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "UNAVAILABLE", func() bool { return unavailable.Load() > 0 })
	if status, _ := s.fetch("/readyz", ""); status != 503 {
		t.Errorf("/readyz answers %d in an outage", status)
	}
	if status, _ := s.fetch("/healthz", ""); status != 200 {
		t.Errorf("/healthz answers %d in an outage", status)
	}
	if err := database.StartContainer(t.Context()); err != nil {
		t.Fatal(err)
	}
	before := served.Load()
	eventually(t, "captures after the outage", func() bool { return served.Load() > before+20 })
	stop.Store(true)
	group.Wait()
	for tool, n := range counted {
		var got struct{ Procedure struct{ Frequency int64 } }
		s.get(&got, `query($n:String!){procedure(toolName:$n){frequency}}`, map[string]any{"n": "proc__" + tool})
		// What was answered UNAVAILABLE may have been stored; nothing that was acknowledged is lost.
		if f := got.Procedure.Frequency; f < n.Load() || f > n.Load()+unavailable.Load() {
			t.Errorf("%s: %d uses, %d acknowledged", tool, f, n.Load())
		}
	}
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(90 * time.Second)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("no %s within 90 seconds", what)
		}
		time.Sleep(20 * time.Millisecond)
	}
}
