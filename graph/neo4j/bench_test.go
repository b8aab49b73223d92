package neo4j

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"procgraph/graph"
)

// Benchmarks seed their graph once for each size and report medians: `go test -bench . -run xxx ./graph/neo4j/`.

var sizes = []int{1_000, 50_000}

// seeded is how many procedures the database holds at least: the benchmarks of one size run one after the other.
var seeded int

func benchStore(b *testing.B, n int) *Store {
	b.Helper()
	if seeded == n {
		return open(b)
	}
	s := openEmpty(b)
	seed(b, s, n, common)
	seeded = n
	return s
}

var run atomic.Int64

// median runs work b.N times and reports the median and the 95th percentile in milliseconds.
func median(b *testing.B, work func(i int) error) {
	b.Helper()
	for i := range 200 { // plans and the database's compiler
		if err := work(-1 - i); err != nil {
			b.Fatal(err)
		}
	}
	took := make([]time.Duration, 0, b.N)
	for i := 0; b.Loop(); i++ {
		start := time.Now()
		if err := work(i); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
	b.ReportMetric(float64(took[0].Microseconds())/1000, "min-ms")
}

func captureNew(s *Store, name string) error {
	i := int(run.Add(1))
	tools, causes := common(i)
	c := testCapture(fmt.Sprintf("%s%d", name, time.Now().UnixNano()+int64(i)), tools, causes)
	c.Key = c.ToolName
	_, err := s.Capture(context.Background(), c)
	return err
}

func BenchmarkRoundTrip(b *testing.B) {
	s := open(b)
	median(b, func(int) error {
		_, err := s.run(context.Background(), "RETURN 1", nil)
		return err
	})
}

func BenchmarkStore(b *testing.B) {
	ctx := context.Background()
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := benchStore(b, n)
			b.Run("CaptureNew", func(b *testing.B) {
				median(b, func(int) error { return captureNew(s, "new") })
			})
			b.Run("CaptureKnown", func(b *testing.B) {
				median(b, func(int) error {
					i := int(run.Add(1))
					tools, causes := common(i % 1000)
					c := testCapture(fmt.Sprintf("seed%06d", i%1000), tools, causes)
					c.Key = fmt.Sprint("known", i, time.Now().UnixNano())
					_, err := s.Capture(ctx, c)
					return err
				})
			})
			b.Run("Registry", func(b *testing.B) {
				median(b, func(int) error {
					page, err := s.Registry(ctx, graph.RegistryFilter{}, graph.Page{First: 25})
					if err == nil && len(page.Items) != 25 {
						err = fmt.Errorf("%d rows", len(page.Items))
					}
					return err
				})
			})
			b.Run("Procedures", func(b *testing.B) {
				median(b, func(int) error {
					_, err := s.Procedures(ctx, graph.ProcedureFilter{}, graph.ByFrequency, graph.Page{First: 25})
					return err
				})
			})
			b.Run("ProceduresOfCause", func(b *testing.B) {
				median(b, func(i int) error {
					_, err := s.Procedures(ctx, graph.ProcedureFilter{Causes: []string{"cause 007"}}, graph.ByFrequency, graph.Page{First: 25})
					return err
				})
			})
			b.Run("FactsOfName", func(b *testing.B) {
				median(b, func(int) error {
					_, err := s.Facts(ctx, graph.FactQuery{Names: []string{"proc__seed000007"}})
					return err
				})
			})
			for name, text := range map[string]string{"Search": "newest lines of seed000%03d", "SearchOfCommonWords": "newest lines", "SearchOfTool": "lines of tool 07"} {
				b.Run(name, func(b *testing.B) {
					median(b, func(i int) error {
						words := graph.Words(strings.ReplaceAll(text, "%03d", fmt.Sprintf("%03d", 1000-i%900)))
						matches, err := s.Search(ctx, graph.SearchQuery{Words: words, Limit: 500, Documents: []graph.Document{
							graph.DocumentVariant, graph.DocumentUse, graph.DocumentCause, graph.DocumentTool,
						}})
						if err == nil && len(matches.Items) == 0 {
							err = fmt.Errorf("nothing found of %q", words)
						}
						return err
					})
				})
			}
			for name, from := range map[string][]graph.NodeRef{
				"ExploreHub":       {{Kind: graph.KindTool, Key: "tool07"}},
				"ExploreProcedure": {{Kind: graph.KindProcedure, Key: testSeed(7).ProcedureKey}},
				"ExploreOverview":  nil,
			} {
				b.Run(name, func(b *testing.B) {
					median(b, func(int) error {
						query := graph.ExploreQuery{From: from, Depth: 2, Types: graph.RelationTypes, Limit: 200}
						got, err := s.Explore(ctx, query)
						if err == nil && len(got.Nodes) < 100 {
							err = fmt.Errorf("%d nodes", len(got.Nodes))
						}
						return err
					})
				})
			}
			b.Run("CommitAlone", func(b *testing.B) {
				median(b, func(int) error { return classifyOne(s, "tool07") })
			})
			parallel(b, "CaptureNew8", func() error { return captureNew(s, "many") })
			parallel(b, "Commit8", func() error { return classifyOne(s, "tool08") })
		})
	}
}

// parallel runs work from 8 goroutines and reports how often it passes in a second.
func parallel(b *testing.B, name string, work func() error) {
	b.Helper()
	b.Run(name, func(b *testing.B) {
		const workers = 8
		for b.Loop() {
			var wg sync.WaitGroup
			var count atomic.Int64
			start := time.Now()
			for range workers {
				wg.Go(func() {
					for time.Since(start) < 4*time.Second {
						if err := work(); err != nil {
							b.Error(err)
							return
						}
						count.Add(1)
					}
				})
			}
			wg.Wait()
			b.ReportMetric(float64(count.Load())/time.Since(start).Seconds(), "per-s")
		}
	})
}

func testEvent(head graph.Head, subject string) graph.Event {
	return graph.Event{
		Sequence: head.Sequence + 1, At: epoch, Actor: "user:zoe", Action: "TOOL_CLASSIFIED", Subject: subject,
		Details: []byte(`{"class":"READ_ONLY"}`), PreviousHash: head.Hash, Hash: sum(fmt.Sprint(head.Sequence+1, head.Hash, subject)),
	}
}

func classifyOne(s *Store, name string) error {
	_, err := s.Commit(context.Background(), graph.FactQuery{Names: []string{name}}, func(f graph.Facts) (graph.Change, error) {
		tool := f.Tools[name]
		tool.Class = graph.ReadOnly
		return graph.ToolsWritten{Event: testEvent(f.Head, name), Tools: []graph.Tool{tool}}, nil
	})
	return err
}
