package neo4j

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"procgraph/graph"
)

// TestCostDoesNotGrow profiles every statement on a graph of 1,000 procedures and on one of 5,000 that has the same hubs:
// none may touch more of the larger one, and none may scan.
func TestCostDoesNotGrow(t *testing.T) {
	s := openEmpty(t)
	small, _ := profile(t, s, 1_000)
	empty(t, s)
	large, statements := profile(t, s, 5_000)
	if got, want := slices.Sorted(maps.Keys(large)), slices.Sorted(maps.Keys(small)); !slices.Equal(got, want) {
		t.Fatalf("other statements ran on the larger graph: %q and %q", got, want)
	}
	for _, name := range slices.Sorted(maps.Keys(large)) {
		if float64(large[name]) > 1.1*float64(small[name]) {
			t.Errorf("%s: %d db hits at 1,000 procedures, %d at 5,000", name, small[name], large[name])
		}
		t.Logf("%-40s %5d %5d", name, small[name], large[name])
	}

	for _, statement := range []string{
		keyedTools, keyedProcedures, slottedTools, slottedProcedures, keyRepeat, slotRepeat, forgetKey, sweepSlots,
		readFacts, lockedFacts, eventStored, eventsAfter,
		toolsWritten, variantJudged, procedureChanged, procedureDeleted, adminMade,
		proceduresBy, proceduresUsing, variantsBy, variantsOf, usesOf, toolsBy, toolsOf, causes, causesBy, search, judgedTexts,
		exploreStart, exploreStep, exploreEnd, holdHead,
		exportAfter, exportKeys, tombstones,
		importProcedures, importVariants, importTools, importCauses, importUses, importPlaces, importEnd,
	} {
		if !statements[statement] {
			t.Errorf("not profiled:\n%s", statement)
		}
	}

	// A plan is kept as the graph grows, so the one that is made on an empty graph has to be as good.
	empty(t, s)
	must(t, s, `CALL db.clearQueryCaches() YIELD value RETURN value`, nil)
	s.prefix = "EXPLAIN "
	s.observe = func(statement string, summary neo4j.ResultSummary) {
		walk(summary.Plan(), func(operator string) { checkOperator(t, statement, operator) })
	}
	for statement := range statements {
		must(t, s, statement, nil)
	}
}

func walk(plan neo4j.Plan, visit func(operator string)) {
	visit(plan.Operator())
	for _, child := range plan.Children() {
		walk(child, visit)
	}
}

func hits(plan neo4j.ProfiledPlan) int64 {
	n := plan.DbHits()
	for _, child := range plan.Children() {
		n += hits(child)
	}
	return n
}

func operators(plan neo4j.ProfiledPlan, visit func(operator string)) {
	visit(plan.Operator())
	for _, child := range plan.Children() {
		operators(child, visit)
	}
}

func checkOperator(t *testing.T, statement, operator string) {
	t.Helper()
	name, _, _ := strings.Cut(operator, "@")
	if strings.HasSuffix(name, "Scan") {
		t.Errorf("%s in the plan of\n%s", name, statement)
	}
}

// alike is a shape whose tools and causes serve few procedures, but for a tool and a cause that the first 150 share and
// that are hubs of the same size in graphs of any size.
func alike(i int) (tools, causes []string) {
	group := i / 10
	tools = []string{fmt.Sprintf("tool%04da", group), fmt.Sprintf("tool%04db", group)}
	causes = []string{fmt.Sprintf("cause %04d", group)}
	if i < 150 {
		tools, causes = append(tools, "zhub"), append(causes, "hub")
	}
	return tools, causes
}

// profile answers the db hits of what the store does on a graph of n procedures, by a name for each statement that ran,
// and the statements.
func profile(t *testing.T, s *Store, n int) (map[string]int64, map[string]bool) {
	t.Helper()
	seed(t, s, n, alike)
	must(t, s, `CALL db.clearQueryCaches() YIELD value RETURN value`, nil)
	must(t, s, `CALL db.resampleOutdatedIndexes()`, nil)

	costs, statements := map[string]int64{}, map[string]bool{}
	var doing string
	var ran int
	s.prefix = "PROFILE "
	s.observe = func(statement string, summary neo4j.ResultSummary) {
		ran++
		costs[fmt.Sprintf("%s, statement %d", doing, ran)] += hits(summary.Profile())
		statements[statement] = true
		operators(summary.Profile(), func(operator string) { checkOperator(t, statement, operator) })
	}
	defer func() { s.prefix, s.observe = "", nil }()

	for _, q := range questions() {
		doing, ran = q.name, 0
		if err := q.ask(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", q.name, err)
		}
	}
	return costs, statements
}

type question struct {
	name string
	ask  func(ctx context.Context, s *Store) error
}

func ask[T any](value T, err error) error { return err }

// questions are what a store is asked and told, each method with each of its statements, in an order that lets the later
// ones find what the earlier ones wrote.
func questions() []question {
	first := graph.Page{First: 25, Count: true}
	third, hundredth := testSeed(3), testSeed(100)
	var all []question
	add := func(name string, ask func(ctx context.Context, s *Store) error) {
		all = append(all, question{name, ask})
	}

	for _, order := range []graph.ProcedureOrder{graph.ByFrequency, graph.ByUpdated, graph.ByName} {
		for _, filter := range []graph.ProcedureFilter{{}, {Approved: true}, {Offered: true}} {
			name := fmt.Sprintf("procedures %s %v %v", order, filter.Approved, filter.Offered)
			add(name, func(ctx context.Context, s *Store) error { return ask(s.Procedures(ctx, filter, order, first)) })
			narrow := filter
			narrow.Tools, narrow.Causes = []string{"zhub", "tool0003a"}, []string{"hub", "cause 0003"}
			add(name+" narrow", func(ctx context.Context, s *Store) error { return ask(s.Procedures(ctx, narrow, order, first)) })
		}
	}
	add("registry", func(ctx context.Context, s *Store) error { return ask(s.Registry(ctx, graph.RegistryFilter{}, first)) })
	keys := []string{third.ProcedureKey, hundredth.ProcedureKey}
	add("procedures of keys", func(ctx context.Context, s *Store) error {
		return ask(s.Procedures(ctx, graph.ProcedureFilter{Keys: keys}, graph.ByUpdated, first))
	})
	add("registry of keys and a cause", func(ctx context.Context, s *Store) error {
		return ask(s.Registry(ctx, graph.RegistryFilter{Keys: keys, Causes: []string{"hub"}}, first))
	})
	add("registry of a cause", func(ctx context.Context, s *Store) error {
		return ask(s.Registry(ctx, graph.RegistryFilter{Causes: []string{"hub"}}, first))
	})
	add("count", func(ctx context.Context, s *Store) error {
		return ask(s.CountProcedures(ctx, graph.ProcedureFilter{}, graph.MaxTotal))
	})
	add("count of a cause", func(ctx context.Context, s *Store) error {
		return ask(s.CountProcedures(ctx, graph.ProcedureFilter{Causes: []string{"hub"}}, graph.MaxTotal))
	})
	add("procedures by", func(ctx context.Context, s *Store) error {
		return ask(s.ProceduresBy(ctx, graph.ProcedureRefs{
			Keys: []string{third.ProcedureKey}, ToolNames: []string{hundredth.ToolName}, CodeHashes: []string{third.Variant.CodeHash},
		}))
	})
	add("procedures using", func(ctx context.Context, s *Store) error {
		return ask(s.ProceduresUsing(ctx, []string{"zhub", "tool0003a"}, first))
	})
	add("variants by", func(ctx context.Context, s *Store) error {
		return ask(s.VariantsBy(ctx, []string{third.Variant.CodeHash, "none"}))
	})
	add("variants of", func(ctx context.Context, s *Store) error {
		return ask(s.VariantsOf(ctx, []string{third.ProcedureKey}, first))
	})
	add("uses of", func(ctx context.Context, s *Store) error {
		return ask(s.UsesOf(ctx, graph.UseOwners{Procedures: []string{third.ProcedureKey}, Causes: []string{"hub", "cause 0003"}}, first))
	})
	class, no, yes := graph.StateChanging, false, true
	for i, filter := range []graph.ToolFilter{
		{}, {Class: &class}, {Known: &no}, {Suspended: &yes}, {Class: &class, Known: &no}, {Class: &class, Suspended: &yes},
		{Known: &no, Suspended: &yes}, {Class: &class, Known: &no, Suspended: &yes},
	} {
		add(fmt.Sprint("tools ", i), func(ctx context.Context, s *Store) error { return ask(s.Tools(ctx, filter, first)) })
	}
	add("tools by", func(ctx context.Context, s *Store) error { return ask(s.ToolsBy(ctx, []string{"zhub", "none"})) })
	add("tools of", func(ctx context.Context, s *Store) error {
		return ask(s.ToolsOf(ctx, []string{third.ProcedureKey}, first))
	})
	add("causes", func(ctx context.Context, s *Store) error { return ask(s.Causes(ctx, first)) })
	add("causes by", func(ctx context.Context, s *Store) error { return ask(s.CausesBy(ctx, []string{"hub", "none"})) })

	add("search", func(ctx context.Context, s *Store) error {
		return ask(s.Search(ctx, graph.SearchQuery{
			Words: []string{"hub", "0003a", "failed"}, Limit: 25, Name: "zhub",
			Documents: []graph.Document{graph.DocumentVariant, graph.DocumentUse, graph.DocumentCause, graph.DocumentTool},
		}))
	})

	for name, from := range map[string]graph.NodeRef{
		"tool": {Kind: graph.KindTool, Key: "zhub"}, "cause": {Kind: graph.KindCause, Key: "hub"},
		"procedure": {Kind: graph.KindProcedure, Key: third.ProcedureKey}, "variant": {Kind: graph.KindVariant, Key: third.Variant.CodeHash},
	} {
		for _, depth := range []int{1, 3} {
			add(fmt.Sprint("explore ", name, " ", depth), func(ctx context.Context, s *Store) error {
				return ask(s.Explore(ctx, graph.ExploreQuery{From: []graph.NodeRef{from}, Depth: depth, Types: graph.RelationTypes, Limit: 100}))
			})
		}
	}
	overview := graph.ExploreQuery{Depth: 1, Types: graph.RelationTypes, Limit: 100}
	add("explore", func(ctx context.Context, s *Store) error { return ask(s.Explore(ctx, overview)) })
	add("explore alone", func(ctx context.Context, s *Store) error { return ask(s.exploreAlone(ctx, overview)) })

	add("export", func(ctx context.Context, s *Store) error {
		return ask(s.Export(ctx, graph.ExportQuery{First: 25, Each: 10}))
	})
	add("export of keys", func(ctx context.Context, s *Store) error {
		return ask(s.Export(ctx, graph.ExportQuery{Keys: []string{third.ProcedureKey, hundredth.ProcedureKey}, Each: 10}))
	})

	fresh := testCapture("fresh", []string{"tool0003a", "zhub"}, []string{"cause 0003", "hub"})
	fresh.Key = "fresh"
	outer := testCapture("outer", []string{fresh.ToolName, third.ToolName, "zother"}, []string{"hub"})
	outer.Key = "outer"
	add("capture new", func(ctx context.Context, s *Store) error { return ask(s.Capture(ctx, fresh)) })
	add("capture again", func(ctx context.Context, s *Store) error { return ask(s.Capture(ctx, fresh)) })
	add("capture known", func(ctx context.Context, s *Store) error {
		return ask(s.Capture(ctx, third))
	})
	add("capture of procedures", func(ctx context.Context, s *Store) error { return ask(s.Capture(ctx, outer)) })
	add("capture of procedures without a key", func(ctx context.Context, s *Store) error {
		c := outer
		c.Key = ""
		return ask(s.Capture(ctx, c))
	})

	add("facts of names", func(ctx context.Context, s *Store) error {
		return ask(s.Facts(ctx, graph.FactQuery{Names: []string{"zhub", hundredth.ToolName, "none"}, Admin: true}))
	})
	add("facts of code", func(ctx context.Context, s *Store) error {
		return ask(s.Facts(ctx, graph.FactQuery{CodeHashes: []string{third.Variant.CodeHash}}))
	})
	add("facts with dependents", func(ctx context.Context, s *Store) error {
		return ask(s.Facts(ctx, graph.FactQuery{Names: []string{"zhub", third.ToolName}, Dependents: true}))
	})

	commit := func(name string, query graph.FactQuery, change func(e graph.Event) graph.Change) {
		add(name, func(ctx context.Context, s *Store) error {
			return ask(s.Commit(ctx, query, func(f graph.Facts) (graph.Change, error) { return change(testEvent(f.Head, name)), nil }))
		})
	}
	hints := []graph.Hint{{Procedure: third.ProcedureKey, Offered: true}, {Procedure: hundredth.ProcedureKey}}
	commit("tools written", graph.FactQuery{Names: []string{"zhub"}}, func(e graph.Event) graph.Change {
		return graph.ToolsWritten{Event: e, Hints: hints, Tools: []graph.Tool{{Name: "zhub", Class: graph.ReadOnly, Known: true}, {Name: "znew"}}}
	})
	state := graph.ProcedureState{Key: fresh.ProcedureKey, Current: fresh.Variant.CodeHash, Approved: true, Offered: true, UpdatedAt: epoch}
	commit("variant judged", graph.FactQuery{CodeHashes: []string{fresh.Variant.CodeHash}}, func(e graph.Event) graph.Change {
		return graph.VariantJudged{Event: e, CodeHash: fresh.Variant.CodeHash, Status: graph.Approved, Procedure: state, Hints: hints}
	})
	commit("procedure changed", graph.FactQuery{CodeHashes: []string{fresh.Variant.CodeHash}, Dependents: true}, func(e graph.Event) graph.Change {
		retired := state
		retired.Approved, retired.Offered, retired.RetiredAt = false, false, epoch
		return graph.ProcedureChanged{Event: e, Procedure: retired, Hints: hints}
	})
	commit("procedure deleted", graph.FactQuery{CodeHashes: []string{fresh.Variant.CodeHash}}, func(e graph.Event) graph.Change {
		return graph.ProcedureDeleted{Event: e, Key: fresh.ProcedureKey, At: epoch, Hints: hints}
	})
	add("capture after the deletion", func(ctx context.Context, s *Store) error { return ask(s.Capture(ctx, fresh)) })
	commit("imported", importQuery(), testImport)
	commit("imported again", importQuery(), testImport)
	add("tombstones", func(ctx context.Context, s *Store) error { return ask(s.Tombstones(ctx, first)) })
	commit("admin made", graph.FactQuery{Admin: true}, func(e graph.Event) graph.Change {
		return graph.AdminMade{Event: e, Credential: graph.Credential{ID: "1", Hash: sum("token"), Principal: "admin", CreatedAt: epoch}}
	})
	add("event stored", func(ctx context.Context, s *Store) error { return ask(s.stored(ctx, graph.Event{Sequence: 1})) })
	add("events", func(ctx context.Context, s *Store) error { return ask(s.Events(ctx, 0, 100)) })
	add("unknown procedure", func(ctx context.Context, s *Store) error {
		unknown := testCapture("unknown", []string{"proc__none"}, []string{"hub"})
		if _, err := s.Capture(ctx, unknown); !errors.Is(err, graph.ErrUnknownProcedure) {
			return fmt.Errorf("captured: %w", err)
		}
		return nil
	})
	add("ping", func(ctx context.Context, s *Store) error { return s.Ping(ctx) })
	add("sweep", func(ctx context.Context, s *Store) error { return s.sweepOnce(ctx) })
	return all
}

// testSeed is a capture of a seeded procedure.
func testSeed(i int) graph.Capture {
	tools, causes := alike(i)
	c := testCapture(fmt.Sprintf("seed%06d", i), tools, causes)
	c.At = epoch.Add(time.Hour)
	return c
}

// importQuery asks for what testImport is decided on.
func importQuery() graph.FactQuery {
	third := testSeed(3)
	return graph.FactQuery{
		Names: []string{"tool0003a", third.ToolName}, CodeHashes: []string{third.Variant.CodeHash}, DependentsOf: []string{third.ToolName, "tool0003a"},
		Uses:   []graph.UseRef{{Procedure: third.ProcedureKey, Cause: "hub"}, {Procedure: third.ProcedureKey, Cause: "cause 0000"}},
		Causes: []string{"hub"}, Tombstones: []string{third.Variant.CodeHash},
	}
}

// testImport imports a procedure that is stored and one that is not.
func testImport(e graph.Event) graph.Change {
	third, arriving := testSeed(3), testCapture("imported", []string{"tool0003a", "zhub"}, nil)
	change := graph.Imported{
		Event: e, Tools: []graph.Tool{{Name: "imported tool", Class: graph.ReadOnly, Known: true}}, Causes: []graph.Cause{{Name: "imported cause"}},
		Tombstones: []graph.Tombstone{{CodeHash: sum("gone"), DeletedAt: epoch}}, Hints: []graph.Hint{{Procedure: testSeed(100).ProcedureKey}},
	}
	for _, c := range []graph.Capture{third, arriving} {
		change.Procedures = append(change.Procedures, graph.Procedure{
			Key: c.ProcedureKey, ToolName: c.ToolName, Signature: c.Signature, Reach: c.Signature, CreatedAt: epoch, UpdatedAt: epoch, LastUsedAt: epoch,
		})
		c.Variant.Status = graph.Approved
		change.Variants = append(change.Variants, c.Variant)
		for _, cause := range []string{"hub", "imported cause"} {
			change.Uses = append(change.Uses, graph.ImportedUse{Use: graph.Use{Cause: cause, Procedure: c.ProcedureKey, ToolName: c.ToolName, Frequency: 7, LastAt: epoch}})
		}
	}
	return change
}
