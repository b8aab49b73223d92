package integration

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"

	"procgraph/graph"
	"procgraph/graph/neo4j"
	"procgraph/graph/sqlite"
	"procgraph/integration/neo4jtest"
	"procgraph/operations"
	"procgraph/procedures"
	"procgraph/trust"
)

// What has to be reached at 50,000 procedures (milliseconds at p50, captures per second), and what the peer reaches.
const (
	small, large = 1_000, 50_000

	captureNew   = "captureProcedure, new"
	captureKnown = "captureProcedure, known"
	registryPage = "procedureTools(first: 25)"
	findAll      = "findAllProcedures(25)"
	searchRare   = "search, with a rare word"
	searchCommon = "search, common words"
	exploreHub   = "explore(hub, depth: 2, limit: 200)"
	throughput   = "captures/s at 8 clients"
	growthLimit  = 1.3
)

var (
	measures = []string{captureNew, captureKnown, registryPage, findAll, searchRare, searchCommon, exploreHub, throughput}
	targets  = map[string]map[string]float64{
		"sqlite": {captureNew: 1.5, captureKnown: 1, registryPage: 1, findAll: 1,
			searchRare: 5, searchCommon: 5, exploreHub: 5, throughput: 800},
		"neo4j": {captureNew: 4, captureKnown: 3, registryPage: 4, findAll: 4,
			searchRare: 15, searchCommon: 15, exploreHub: 20, throughput: 500},
	}
	peer = map[string]string{captureNew: "130", captureKnown: "130", registryPage: "127", findAll: "278", throughput: "12.5"}
)

// BenchmarkService measures GraphQL over HTTP on loopback, on both stores, at 1,000 and at 50,000 procedures, of which
// the 1,000 most used are not exposable. It prints one table.
func BenchmarkService(b *testing.B) {
	results := map[string]map[int]map[string]sample{"sqlite": {}, "neo4j": {}}
	for store, bench := range map[string]func(*testing.B, int) map[string]sample{"sqlite": benchSQLite, "neo4j": benchNeo4j} {
		b.Run(store, func(b *testing.B) {
			for _, size := range []int{small, large} {
				results[store][size] = bench(b, size)
			}
		})
	}
	printTable(results)
}

// sample is what one measure gave: durations in order, or a rate.
type sample struct {
	took []time.Duration
	rate float64
}

func (s sample) at(q float64) float64 {
	if s.rate > 0 {
		return s.rate
	}
	return float64(s.took[int(q*float64(len(s.took)-1))].Microseconds()) / 1000
}

func printTable(results map[string]map[int]map[string]sample) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintln(w, "\nstore\tprocedures\tmeasure\tmin\tp50\tp95\ttarget\tpeer\tgrowth\t")
	for _, store := range []string{"sqlite", "neo4j"} {
		if results[store][large] == nil {
			continue // -bench left it out
		}
		for _, measure := range measures {
			for _, size := range []int{small, large} {
				s := results[store][size][measure]
				target, growth, of := "", "", ""
				if size == large {
					before := results[store][small][measure].at(.5)
					ratio := s.at(.5) / before
					if s.rate > 0 {
						ratio = before / s.rate
					}
					growth = fmt.Sprintf("%.2f of %.1f", ratio, growthLimit)
					target, of = fmt.Sprint(targets[store][measure]), peer[measure]
				}
				_, _ = fmt.Fprintf(w, "%s\t%d\t%s\t%.2f\t%.2f\t%.2f\t%s\t%s\t%s\t\n", store, size, measure, s.at(0), s.at(.5), s.at(.95), target, of, growth)
			}
		}
	}
	_ = w.Flush() // standard output
}

func benchSQLite(b *testing.B, size int) map[string]sample {
	data := b.TempDir()
	store, err := sqlite.Open(b.Context(), filepath.Join(data, "procgraph.db"), slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	seed(b, store, size)
	return measure(b, start(b, data))
}

func benchNeo4j(b *testing.B, size int) map[string]sample {
	database := neo4jtest.Start(b)
	if err := database.Clear(b.Context()); err != nil {
		b.Fatal(err)
	}
	store, err := neo4j.Open(b.Context(), neo4j.Options{URI: database.URI, User: database.User, Password: database.Password, Database: "neo4j"},
		slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	seed(b, store, size)
	return measure(b, start(b, "", neo4jArgs(database)...))
}

const (
	seedTools  = 300
	seedCauses = 50
	topUnused  = 1_000 // the most used procedures, which are not exposable
)

func seedTool(i int) string  { return fmt.Sprintf("tool_%03d", i%seedTools) }
func freshTool(i int) string { return fmt.Sprintf("fresh_%03d", i%seedTools) }

// seedCode is a procedure of three tools, two of them given by the number.
func seedCode(i int, tool func(int) string, last string) string {
	return fmt.Sprintf(`rows = await tools.%s(limit=%d, order="newest")
picked = [row for row in rows if row.get("status") != "ok"]
details = await asyncio.gather(*[tools.%s(id=row["id"]) for row in picked])
summary = {"count": len(picked), "first": details[0] if details else None}
await tools.%s(task=task_id, summary=json_text)
return summary`, tool(i), i%90, tool(i/seedTools+i+1), last)
}

// seed fills a store through the operations and closes it: the given number of procedures, a fifth of them approved,
// and the most used ones with a tool that changes state.
func seed(b *testing.B, store graph.Store, size int) {
	b.Helper()
	began := time.Now()
	ops := operations.New(operations.Options{Store: store, Analyses: procedures.NewCache(100)})
	ctx := trust.WithCaller(context.Background(), trust.Caller{Principal: "seed", Token: "seed", Scopes: trust.AllScopes()})
	register := func(class graph.ToolClass, names ...string) {
		var inputs []operations.ToolInput
		for _, n := range names {
			inputs = append(inputs, operations.ToolInput{Name: n, Class: &class})
		}
		for chunk := range slices.Chunk(inputs, 100) {
			if _, err := ops.RegisterTools(ctx, chunk); err != nil {
				b.Fatal(err)
			}
		}
	}
	var tools []string
	for i := range seedTools {
		tools = append(tools, seedTool(i), freshTool(i))
	}
	register(graph.ReadOnly, tools...)
	register(graph.StateChanging, "change_state")

	top := min(topUnused, size/2)
	var next atomic.Int64
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for i := int(next.Add(1) - 1); i < size; i = int(next.Add(1) - 1) {
				last, causes := seedTool(i/seedTools/seedTools+7*i+3), []string{fmt.Sprintf("cause %d", i%seedCauses)}
				if i < top {
					last = "change_state"
					causes = append(causes, "another cause")
				}
				c, err := ops.CaptureProcedure(ctx, operations.CaptureInput{Code: seedCode(i, seedTool, last), Causes: causes, Summary: "seeded"})
				if err != nil {
					b.Error(err)
					return
				}
				if i < top || i%5 == 0 {
					if _, err := ops.ApproveVariant(ctx, c.Variant.CodeHash, nil); err != nil {
						b.Error(err)
						return
					}
				}
			}
		})
	}
	group.Wait()
	if b.Failed() {
		b.FailNow()
	}
	if err := store.Close(); err != nil {
		b.Fatal(err)
	}
	// What seeding leaves to the collector and to the disk is not measured.
	runtime.GC()
	syscall.Sync()
	b.Logf("seeded %d procedures in %s", size, time.Since(began).Round(time.Second))
}

func measure(b *testing.B, s *server) map[string]sample {
	b.Helper()
	defer s.stop()
	var fresh atomic.Int64
	newCode := func() string {
		return seedCode(int(fresh.Add(1)), freshTool, seedTool(9))
	}
	results := map[string]sample{
		registryPage: timed(s, 500, func() (string, any) { return registryQuery, map[string]any{"n": 25} }),
		findAll:      timed(s, 500, func() (string, any) { return findQuery, map[string]any{"n": 25} }),
		searchRare: timed(s, 500, func() (string, any) {
			return benchSearch, map[string]any{"t": fmt.Sprintf("which of the newest rows does %03d read?", fresh.Add(1)%seedTools)}
		}),
		searchCommon: timed(s, 500, func() (string, any) { return benchSearch, map[string]any{"t": "the newest rows by status"} }),
		exploreHub: timed(s, 500, func() (string, any) {
			return benchExplore, map[string]any{"i": []string{graph.NodeID(graph.KindTool, seedTool(int(fresh.Add(1))))}}
		}),
		captureNew: timed(s, 500, func() (string, any) { return captureMutation, capture(newCode(), "cause 1") }),
		captureKnown: timed(s, 500, func() (string, any) {
			return captureMutation, capture(seedCode(topUnused/2-1-int(fresh.Add(1))%100, seedTool, "change_state"), "cause 2")
		}),
	}
	const seconds = 5
	deadline := time.Now().Add(seconds * time.Second)
	var done atomic.Int64
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for time.Now().Before(deadline) {
				a, err := s.ask(captureMutation, capture(newCode(), fmt.Sprintf("cause %d", done.Load()%seedCauses)))
				if err != nil || len(a.Errors) > 0 {
					b.Errorf("%v %v", err, a.Errors)
					return
				}
				done.Add(1)
			}
		})
	}
	group.Wait()
	results[throughput] = sample{rate: float64(done.Load()) / seconds}
	return results
}

const (
	benchSearch  = `query($t:String!){search(text:$t){nodes{score snippet node{kind label ... on Procedure{toolName}}}}}`
	benchExplore = `query($i:[ID!]!){explore(from:$i,depth:2,limit:200){nodes{id kind label} relations{type from to} hidden{node type count}}}`
)

// warmUp is how many calls of each kind go before those that are measured: the database compiles what it runs often.
const warmUp = 2_000

// timed asks a number of times after a warm-up and checks that each answer is one.
func timed(s *server, n int, question func() (string, any)) sample {
	s.Helper()
	var took []time.Duration
	for i := range n + warmUp {
		query, variables := question()
		began := time.Now()
		a, err := s.ask(query, variables)
		if i >= warmUp {
			took = append(took, time.Since(began))
		}
		if err != nil || len(a.Errors) > 0 {
			s.Fatalf("%s: %v %v", query, err, a.Errors)
		}
		if strings.Contains(query, "limit") || strings.Contains(query, "first:$n") || strings.Contains(query, "search(") {
			var rows map[string]json.RawMessage
			if json.Unmarshal(a.Data, &rows) != nil || len(a.Data) < 1000 {
				s.Fatalf("a page is not full: %s", a.Data)
			}
		}
	}
	slices.Sort(took)
	return sample{took: took}
}
