package integration

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"procgraph/graph"
	"procgraph/graph/neo4j"
	"procgraph/graph/sqlite"
	"procgraph/integration/neo4jtest"
	"procgraph/operations"
	"procgraph/procedures"
	"procgraph/trust"
)

// BenchmarkExport imports small procedures of one or two variants and two uses each, and exports them again:
// `go test -run xxx -bench Export -benchtime 1x ./integration`.
func BenchmarkExport(b *testing.B) {
	const size = 10_000
	text := exportOf(b, size)
	ctx := trust.WithCaller(context.Background(), trust.Caller{Principal: "bench", Token: "bench", Scopes: trust.AllScopes()})
	log := slog.New(slog.DiscardHandler)
	for name, open := range map[string]func(b *testing.B) (graph.Store, error){
		"sqlite": func(b *testing.B) (graph.Store, error) {
			return sqlite.Open(ctx, filepath.Join(b.TempDir(), "graph.db"), log)
		},
		"neo4j": func(b *testing.B) (graph.Store, error) {
			server := neo4jtest.Start(b)
			if err := server.Clear(ctx); err != nil {
				return nil, err
			}
			return neo4j.Open(ctx, neo4j.Options{URI: server.URI, User: server.User, Password: server.Password}, log)
		},
	} {
		b.Run(name, func(b *testing.B) {
			store, err := open(b)
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = store.Close() }()
			ops := operations.New(operations.Options{Store: store, Analyses: procedures.NewCache(4096)})
			measure := func(what string, run func() error) {
				start := time.Now()
				if err := run(); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(size/time.Since(start).Seconds(), what+"/s")
			}
			for b.Loop() {
				measure("imported", func() error { _, err := ops.Import(ctx, strings.NewReader(text)); return err })
				measure("imported-again", func() error { _, err := ops.Import(ctx, strings.NewReader(text)); return err })
				measure("exported", func() error {
					var out counter
					if err := ops.Export(ctx, &out); err != nil {
						return err
					}
					if int(out) < len(text)/2 {
						return fmt.Errorf("%d bytes", out)
					}
					return nil
				})
				var after runtime.MemStats
				runtime.ReadMemStats(&after)
				b.ReportMetric(float64(after.Sys>>20), "MiB")
			}
		})
	}
}

type counter int

func (c *counter) Write(b []byte) (int, error) { *c += counter(len(b)); return len(b), nil }

// exportOf is the text of an export of n procedures.
func exportOf(b *testing.B, n int) string {
	b.Helper()
	var text bytes.Buffer
	lines := 0
	line := func(v map[string]any) {
		raw, err := json.Marshal(v)
		if err != nil {
			b.Fatal(err)
		}
		lines++
		text.Write(append(raw, '\n'))
	}
	at := "2026-01-01T00:00:00.000Z"
	line(map[string]any{"kind": "header", "format": "procgraph", "version": 1, "exportedAt": at})
	for i := range n {
		signature := []string{fmt.Sprintf("a%03d", i%200), fmt.Sprintf("b%03d", i/200%200), "c" + fmt.Sprint(i/40000)}
		name := procedures.ToolName(signature)
		line(map[string]any{"kind": "procedure", "toolName": name, "signature": signature, "reach": signature, "createdAt": at, "updatedAt": at, "lastUsedAt": at})
		causes := []string{fmt.Sprintf("cause %03d", i*31%200), fmt.Sprintf("cause %03d", (i*31+1)%200)}
		for v := range 1 + i%2 {
			code := fmt.Sprintf("# %d %d\n", i, v)
			for _, tool := range signature {
				code += "rows = await tools." + tool + "(job=job, lines=200)\nif not rows:\n    return None\n"
			}
			code = strings.TrimSuffix(code, "\n")
			sum := sha256.Sum256([]byte(code))
			line(map[string]any{"kind": "variant", "procedure": name, "codeHash": hex.EncodeToString(sum[:]), "code": code, "strategy": "look at it in order",
				"summary": "reads the newest rows and compares them", "whenToUse": causes[0] + "; " + causes[1], "status": "APPROVED", "offered": v == 0,
				"capturedBy": "ann", "capturedAt": at, "approvedBy": "bob", "approvedAt": at, "succeeded": 0, "failed": 0})
		}
		for _, cause := range causes {
			line(map[string]any{"kind": "use", "procedure": name, "cause": cause, "frequency": 1 + i%7, "resultSummary": "", "lastAt": at})
		}
	}
	sum := sha256.Sum256(text.Bytes())
	line(map[string]any{"kind": "end", "lines": lines, "sha256": hex.EncodeToString(sum[:])})
	return text.String()
}
