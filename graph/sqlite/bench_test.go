package sqlite

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"procgraph/graph"
)

// BenchmarkStore measures the hot paths on a small and a large graph. The metrics p50 and p95 are milliseconds of one
// operation.
func BenchmarkStore(b *testing.B) {
	for _, size := range []int{1_000, 50_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			store := open(b)
			seed(b, store, size)
			next := size
			b.Run("CaptureNew", func(b *testing.B) {
				timed(b, func() error {
					next++
					_, err := store.Capture(b.Context(), sample(next))
					return err
				})
			})
			b.Run("CaptureKnown", func(b *testing.B) {
				n := 0
				timed(b, func() error {
					n++
					_, err := store.Capture(b.Context(), sample(n*7919%size))
					return err
				})
			})
			b.Run("Registry", func(b *testing.B) {
				timed(b, func() error {
					page, err := store.Registry(b.Context(), graph.RegistryFilter{}, graph.Page{First: 25})
					if err == nil && len(page.Items) != 25 {
						err = fmt.Errorf("%d rows", len(page.Items))
					}
					return err
				})
			})
			b.Run("RegistryOfCause", func(b *testing.B) {
				n := 0
				timed(b, func() error {
					n++
					causes := []string{sample(n).Causes[0]}
					_, err := store.Registry(b.Context(), graph.RegistryFilter{Causes: causes}, graph.Page{First: 25})
					return err
				})
			})
			b.Run("ProceduresOfTool", func(b *testing.B) {
				n := 0
				timed(b, func() error {
					n++
					filter := graph.ProcedureFilter{Tools: sample(n).Signature[:1]}
					_, err := store.Procedures(b.Context(), filter, graph.ByUpdated, graph.Page{First: 25})
					return err
				})
			})
			b.Run("FindAll", func(b *testing.B) {
				timed(b, func() error {
					_, err := store.Procedures(b.Context(), graph.ProcedureFilter{}, graph.ByFrequency, graph.Page{First: 25})
					return err
				})
			})
			for name, text := range map[string]string{
				"Search": "rows %d", "SearchOfCommonWords": "read and compare", "SearchOfTool": "compare rows of tool 077",
			} {
				b.Run(name, func(b *testing.B) {
					n := 0
					timed(b, func() error {
						n++
						words := graph.Words(strings.ReplaceAll(text, "%d", fmt.Sprint(n%size)))
						matches, err := store.Search(b.Context(), graph.SearchQuery{Words: words, Documents: documentKinds, Limit: 500})
						if err == nil && len(matches.Items) == 0 {
							err = fmt.Errorf("nothing found of %q", words)
						}
						return err
					})
				})
			}
			for name, from := range map[string][]graph.NodeRef{
				"ExploreHub":       {{Kind: graph.KindTool, Key: "detail_0"}},
				"ExploreProcedure": {{Kind: graph.KindProcedure, Key: sample(7).ProcedureKey}},
				"ExploreOverview":  nil,
			} {
				b.Run(name, func(b *testing.B) {
					timed(b, func() error {
						query := graph.ExploreQuery{From: from, Depth: 2, Types: graph.RelationTypes, Limit: 200}
						got, err := store.Explore(b.Context(), query)
						if err == nil && len(got.Nodes) != query.Limit {
							err = fmt.Errorf("%d nodes", len(got.Nodes))
						}
						return err
					})
				})
			}
			b.Run("Commit", func(b *testing.B) {
				timed(b, func() error {
					_, err := store.Commit(b.Context(), graph.FactQuery{Names: []string{"bench_tool"}},
						func(f graph.Facts) (graph.Change, error) { return toolWritten(f.Head, "bench_tool"), nil })
					return err
				})
			})
			b.Run("CaptureNewBy8", func(b *testing.B) {
				counter := atomic.Int64{}
				counter.Store(int64(next))
				var group sync.WaitGroup
				for range 8 {
					group.Go(func() {
						for int(counter.Load())-next < b.N {
							if _, err := store.Capture(b.Context(), sample(int(counter.Add(1)))); err != nil {
								b.Error(err)
								return
							}
						}
					})
				}
				group.Wait()
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "captures/s")
				next = int(counter.Load())
			})
		})
	}
}

// timed runs the benchmark and reports the median and the 95th percentile.
func timed(b *testing.B, run func() error) {
	took := make([]time.Duration, 0, b.N)
	for b.Loop() {
		start := time.Now()
		if err := run(); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(took[len(took)/2].Seconds()*1000, "p50")
	b.ReportMetric(took[len(took)*95/100].Seconds()*1000, "p95")
}

// seed captures a graph of which every third procedure is offered.
func seed(b testing.TB, store *Store, size int) {
	b.Helper()
	for from := 0; from < size; from += 1000 {
		err := store.write(b.Context(), func(t tx) error {
			for n := from; n < min(from+1000, size); n++ {
				if _, err := t.capture(sample(n)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	err := store.write(b.Context(), func(t tx) error {
		return t.exec(`UPDATE procedures SET approved = 1, offered = 1,
			current = (SELECT v.code_hash FROM variants v WHERE v.procedure = procedures.id) WHERE id % 3 = 0`)
	})
	if err != nil {
		b.Fatal(err)
	}
}

var sampleTime = time.UnixMilli(1_780_000_000_000).UTC()

// sample is a procedure of three tools out of 200, for one of 100 causes.
func sample(n int) graph.Capture {
	signature := []string{fmt.Sprintf("tool_%03d", n%200), fmt.Sprintf("tool_%03d", n/200%200), "detail_" + fmt.Sprint(n/40000)}
	slices.Sort(signature)
	signature = slices.Compact(signature)
	code := fmt.Sprintf("# %d\n", n) + strings.Repeat("rows = await tools.x(job=7)\n", 18)
	sum := sha256.Sum256([]byte(code))
	key := sha256.Sum256([]byte(strings.Join(signature, "\n")))
	return graph.Capture{
		ProcedureKey: hex.EncodeToString(key[:]),
		ToolName:     "proc__" + strings.Join(signature, "__"),
		Signature:    signature,
		Variant: graph.Variant{
			CodeHash: hex.EncodeToString(sum[:]), Code: code, Strategy: "Read and compare.", Summary: "It reads and compares rows.",
			WhenToUse: "When rows differ.", Proven: true, Analyser: 1, CapturedBy: "agent", CapturedWith: "token", CapturedAt: sampleTime,
		},
		Causes: []string{fmt.Sprintf("cause %d", n*31%100)},
		At:     sampleTime.Add(time.Duration(n) * time.Second),
		Key:    fmt.Sprintf("key %d", n),
		Input:  "input",
	}
}
