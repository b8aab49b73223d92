package graphtest

import (
	"cmp"
	"errors"
	"maps"
	"slices"

	"procgraph/graph"
)

// twin is a store with the model beside it: what is written to one is written to both, and reads are compared.
type twin struct {
	*fixture
	model *model
}

func newTwin(f *fixture) *twin { return &twin{f, newModel()} }

// kinds are the errors that both have to agree about.
var kinds = []error{graph.ErrNotFound, graph.ErrConflict, graph.ErrUnavailable, graph.ErrUnknownProcedure}

// sameError says whether two errors are of one kind.
func sameError(a, b error) bool {
	for _, kind := range kinds {
		if errors.Is(a, kind) != errors.Is(b, kind) {
			return false
		}
	}
	return (a == nil) == (b == nil)
}

// asked compares the answers of both to one question. normal removes what the contract leaves open.
func asked[T any](t *twin, what string, question func(graph.Store) (T, error), normal func(*T)) {
	t.Helper()
	got, err := question(t.store())
	want, wantErr := question(t.model)
	if !sameError(err, wantErr) {
		t.Errorf("%s: error %v, want %v", what, err, wantErr)
		return
	}
	t.checkTimes(got)
	if normal != nil {
		normal(&got)
		normal(&want)
	}
	same(t.fixture, what, got, want)
}

// capture stores captures in both and compares what they answer.
func (t *twin) capture(captures ...graph.Capture) {
	t.Helper()
	for _, c := range captures {
		asked(t, "capture of "+c.Variant.Code, func(s graph.Store) (graph.Captured, error) { return s.Capture(t.Context(), c) }, nil)
	}
}

// commit writes a change to both and compares what they answer.
func (t *twin) commit(query graph.FactQuery, decide func(graph.Facts) (graph.Change, error)) {
	t.Helper()
	asked(t, "commit", func(s graph.Store) (graph.Head, error) {
		head, err := s.Commit(t.Context(), query, decide)
		if err != nil {
			head = graph.Head{}
		}
		return head, err
	}, nil)
}

// ordered puts rows that come in no order in one.
func ordered[T any](rows []T, key func(T) string) {
	slices.SortFunc(rows, func(a, b T) int { return cmp.Compare(key(a), key(b)) })
}

// normalSlice removes from a slice what the contract leaves open: More of an empty page and a total that nobody asked for.
func normalSlice[T any](s *graph.Slice[T], p graph.Page) {
	if p.First == 0 {
		s.More = false
	}
	if !p.Count {
		s.Total = 0
	}
}

// normalBatch does so for a batch, whose owners without rows may be absent.
func normalBatch[T any](b *graph.Batch[T], p graph.Page) {
	b.By = maps.Clone(b.By)
	for owner, s := range b.By {
		normalSlice(&s, p)
		b.By[owner] = s
		if len(s.Items) == 0 && s.Total == 0 && !s.More {
			delete(b.By, owner)
		}
	}
}

// one is the page of reads that have none.
var one = graph.Page{First: 1}

func (t *twin) sameProcedures(filter graph.ProcedureFilter, order graph.ProcedureOrder, p graph.Page) {
	t.Helper()
	asked(t, "procedures "+string(order), func(s graph.Store) (graph.ProcedurePage, error) {
		return s.Procedures(t.Context(), filter, order, p)
	}, func(a *graph.ProcedurePage) { normalSlice(&a.Slice, p) })
}

func (t *twin) sameRegistry(filter graph.RegistryFilter, p graph.Page) {
	t.Helper()
	asked(t, "registry", func(s graph.Store) (graph.ProcedurePage, error) {
		return s.Registry(t.Context(), filter, p)
	}, func(a *graph.ProcedurePage) { normalSlice(&a.Slice, p) })
}

func (t *twin) sameCount(filter graph.ProcedureFilter, limit int) {
	t.Helper()
	asked(t, "count of procedures", func(s graph.Store) (int, error) { return s.CountProcedures(t.Context(), filter, limit) }, nil)
}

func (t *twin) sameProceduresBy(refs graph.ProcedureRefs) {
	t.Helper()
	asked(t, "procedures by", func(s graph.Store) (graph.ProcedurePage, error) {
		return s.ProceduresBy(t.Context(), refs)
	}, func(a *graph.ProcedurePage) {
		normalSlice(&a.Slice, one)
		ordered(a.Items, func(o graph.Offer) string { return o.Procedure.Key })
	})
}

func (t *twin) sameProceduresUsing(tools []string, p graph.Page) {
	t.Helper()
	asked(t, "procedures using", func(s graph.Store) (graph.ProceduresByTool, error) {
		return s.ProceduresUsing(t.Context(), tools, p)
	}, func(a *graph.ProceduresByTool) { normalBatch(&a.Batch, p) })
}

func (t *twin) sameVariantsBy(codeHashes []string) {
	t.Helper()
	asked(t, "variants by", func(s graph.Store) (graph.VariantPage, error) {
		return s.VariantsBy(t.Context(), codeHashes)
	}, func(a *graph.VariantPage) {
		normalSlice(&a.Slice, one)
		ordered(a.Items, func(v graph.Variant) string { return v.CodeHash })
	})
}

func (t *twin) sameVariantsOf(procedures []string, p graph.Page) {
	t.Helper()
	asked(t, "variants of", func(s graph.Store) (graph.VariantsByProcedure, error) {
		return s.VariantsOf(t.Context(), procedures, p)
	}, func(a *graph.VariantsByProcedure) {
		normalBatch(&a.Batch, p)
		if p.First == 0 || p.After != "" {
			a.Known = graph.Known{} // without rows on the page it is open whether their reach is told
		}
	})
}

func (t *twin) sameUsesOf(of graph.UseOwners, p graph.Page) {
	t.Helper()
	asked(t, "uses of", func(s graph.Store) (graph.Batch[graph.Use], error) {
		return s.UsesOf(t.Context(), of, p)
	}, func(a *graph.Batch[graph.Use]) { normalBatch(a, p) })
}

func (t *twin) sameTools(filter graph.ToolFilter, p graph.Page) {
	t.Helper()
	asked(t, "tools", func(s graph.Store) (graph.Slice[graph.Tool], error) {
		return s.Tools(t.Context(), filter, p)
	}, func(a *graph.Slice[graph.Tool]) { normalSlice(a, p) })
}

func (t *twin) sameToolsBy(names []string) {
	t.Helper()
	asked(t, "tools by", func(s graph.Store) (graph.Slice[graph.Tool], error) {
		return s.ToolsBy(t.Context(), names)
	}, func(a *graph.Slice[graph.Tool]) {
		normalSlice(a, one)
		ordered(a.Items, func(tool graph.Tool) string { return tool.Name })
	})
}

func (t *twin) sameToolsOf(procedures []string, p graph.Page) {
	t.Helper()
	asked(t, "tools of", func(s graph.Store) (graph.Batch[graph.Tool], error) {
		return s.ToolsOf(t.Context(), procedures, p)
	}, func(a *graph.Batch[graph.Tool]) { normalBatch(a, p) })
}

func (t *twin) sameCauses(p graph.Page) {
	t.Helper()
	asked(t, "causes", func(s graph.Store) (graph.Slice[graph.Cause], error) {
		return s.Causes(t.Context(), p)
	}, func(a *graph.Slice[graph.Cause]) { normalSlice(a, p) })
}

func (t *twin) sameCausesBy(names []string) {
	t.Helper()
	asked(t, "causes by", func(s graph.Store) (graph.Slice[graph.Cause], error) {
		return s.CausesBy(t.Context(), names)
	}, func(a *graph.Slice[graph.Cause]) {
		normalSlice(a, one)
		ordered(a.Items, func(c graph.Cause) string { return c.Name })
	})
}

func (t *twin) sameFacts(query graph.FactQuery) {
	t.Helper()
	want, err := t.model.Facts(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	sameFacts(t.fixture, "facts", t.facts(query), want)
}

// sameSearch compares what is found; how well it matches is not modelled.
func (t *twin) sameSearch(query graph.SearchQuery) {
	t.Helper()
	asked(t, "search", func(s graph.Store) (graph.Matches, error) { return s.Search(t.Context(), query) }, func(m *graph.Matches) {
		for i := range m.Items {
			m.Items[i].Score = 0
		}
		slices.SortFunc(m.Items, byPlace)
	})
}

func (t *twin) sameEvents(after int64, limit int) {
	t.Helper()
	asked(t, "events", func(s graph.Store) ([]graph.Event, error) { return s.Events(t.Context(), after, limit) }, nil)
}

// sameEverything compares all that both hold.
func (t *twin) sameEverything() {
	t.Helper()
	for _, order := range orders {
		t.sameProcedures(graph.ProcedureFilter{IncludeRetired: true}, order, everything)
	}
	t.sameRegistry(graph.RegistryFilter{}, everything)
	t.sameRegistry(graph.RegistryFilter{Mutating: true}, everything)
	keys := slices.Sorted(maps.Keys(t.model.procedures))
	hashes := slices.Sorted(maps.Keys(t.model.variants))
	causes := slices.Sorted(maps.Keys(t.model.causes))
	tools := slices.Sorted(maps.Keys(t.model.tools))
	t.sameTools(graph.ToolFilter{}, everything)
	t.sameCauses(everything)
	t.sameVariantsOf(keys, everything)
	t.sameVariantsBy(hashes)
	t.sameToolsOf(keys, everything)
	t.sameUsesOf(graph.UseOwners{Procedures: keys}, everything)
	t.sameUsesOf(graph.UseOwners{Causes: causes}, everything)
	t.sameProceduresUsing(tools, everything)
	t.sameFacts(graph.FactQuery{CodeHashes: hashes, Names: tools, Dependents: true, Admin: true})
	t.sameEvents(0, 500)
	t.sameSearch(searchFor("summary strategy signal 1 2 cause a b c what"))
}

// orders are all orders of procedures.
var orders = []graph.ProcedureOrder{graph.ByFrequency, graph.ByUpdated, graph.ByName}
