package resolvers

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"procgraph/graph"
	"procgraph/graph/sqlite"
	"procgraph/operations"
	"procgraph/procedures"
	"procgraph/trust"
)

// api is the endpoint on a database of its own.
type api struct {
	t       testing.TB
	handler http.Handler
	ops     *operations.Operations
	store   *countingStore
	log     *bytes.Buffer
}

func newAPI(tb testing.TB) *api {
	tb.Helper()
	store, err := sqlite.Open(context.Background(), filepath.Join(tb.TempDir(), "graph.db"), nil)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := store.Close(); err != nil {
			tb.Error(err)
		}
	})
	a := &api{t: tb, store: &countingStore{Store: store}, log: &bytes.Buffer{}}
	a.ops = operations.New(operations.Options{Store: a.store, Analyses: procedures.NewCache(1000)})
	a.handler = NewHandler(a.ops, slog.New(slog.NewTextHandler(a.log, nil)))
	return a
}

// answer is a response.
type answer struct {
	Status int
	Header http.Header
	Data   json.RawMessage
	Errors []struct {
		Message    string
		Path       []any
		Extensions struct {
			Code         string
			Line, Column int
		}
	}
	Extensions struct {
		RequestID string
		Revision  string
	}
}

// code is the code of the first error; empty without one.
func (r answer) code() string {
	if len(r.Errors) == 0 {
		return ""
	}
	return r.Errors[0].Extensions.Code
}

// send sends any request. The answer is always JSON.
func (a *api) send(r *http.Request, scopes ...string) answer {
	a.t.Helper()
	ctx := operations.WithRequestID(r.Context(), "request-1")
	if len(scopes) > 0 {
		ctx = trust.WithCaller(ctx, trust.Caller{Principal: "admin", Token: "token-1", Scopes: scopes})
	}
	w := httptest.NewRecorder()
	a.handler.ServeHTTP(w, r.WithContext(ctx))
	got := answer{Status: w.Code, Header: w.Header()}
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		a.t.Fatalf("the answer is not JSON: %v: %.300s", err, w.Body)
	}
	for _, e := range got.Errors {
		if e.Extensions.Code == "" || e.Message == "" {
			a.t.Errorf("an error without a code or message: %s", w.Body)
		}
	}
	return got
}

func post(body io.Reader) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/graphql", body)
	r.Header.Set("Content-Type", "application/json")
	return r
}

func request(query string, variables map[string]any) *http.Request {
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		panic(err)
	}
	return post(bytes.NewReader(body))
}

// ask asks as the admin.
func (a *api) ask(query string, variables map[string]any) answer {
	a.t.Helper()
	return a.send(request(query, variables), trust.AllScopes()...)
}

// ok asks as the admin and answers the data, which has to come without errors.
func (a *api) ok(query string, variables map[string]any) map[string]any {
	a.t.Helper()
	got := a.ask(query, variables)
	if len(got.Errors) > 0 {
		a.t.Fatalf("%.200s: %+v", query, got.Errors)
	}
	var data map[string]any
	if err := json.Unmarshal(got.Data, &data); err != nil {
		a.t.Fatal(err)
	}
	return data
}

// want asks as the admin and compares the data, whatever the white space.
func (a *api) want(query string, variables map[string]any, want string) {
	a.t.Helper()
	got := a.ask(query, variables)
	if len(got.Errors) > 0 {
		a.t.Errorf("%.200s: %+v", query, got.Errors)
		return
	}
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(want)); err != nil {
		a.t.Fatal(err)
	}
	if string(got.Data) != b.String() {
		a.t.Errorf("%s\n got %s\nwant %s", query, got.Data, b.String())
	}
}

// refused asks as the admin and expects an error.
func (a *api) refused(code operations.Code, query string, variables map[string]any) answer {
	a.t.Helper()
	got := a.ask(query, variables)
	if got.code() != string(code) {
		a.t.Errorf("%.200s: code %q instead of %s: %+v", query, got.code(), code, got.Errors)
	}
	return got
}

// field follows a path of names and indices into data.
func field(data any, path ...any) any {
	for _, step := range path {
		switch s := step.(type) {
		case string:
			object, _ := data.(map[string]any)
			data = object[s]
		case int:
			list, _ := data.([]any)
			if s >= len(list) {
				return nil
			}
			data = list[s]
		}
	}
	return data
}

const captureQuery = `mutation($i:CaptureProcedureInput!){captureProcedure(input:$i){createdProcedure createdVariant
 procedure{id toolName signature effect exposable frequency current{codeHash}} variant{id codeHash status effect offered}
 analysis{signature effect proven}}}`

// capture stores code and answers its hash.
func (a *api) capture(code string, causes ...string) string {
	a.t.Helper()
	data := a.ok(captureQuery, map[string]any{"i": map[string]any{"code": code, "causes": causes}})
	return fmt.Sprint(field(data, "captureProcedure", "variant", "codeHash"))
}

func (a *api) approve(hash string) {
	a.t.Helper()
	a.ok(`mutation($h:String!){approveVariant(codeHash:$h){status}}`, map[string]any{"h": hash})
}

// register stores tools as NAME:CLASS.
func (a *api) register(tools ...string) {
	a.t.Helper()
	var list []map[string]any
	for _, tool := range tools {
		name, class, _ := strings.Cut(tool, ":")
		list = append(list, map[string]any{"name": name, "class": class})
	}
	a.ok(`mutation($t:[ToolInput!]!){registerTools(tools:$t){name}}`, map[string]any{"t": list})
}

// countingStore counts the reads of a store.
type countingStore struct {
	graph.Store
	mu        sync.Mutex
	reads     int
	failWith  error // what reads answer after failAfter of them
	failAfter int
	panicWith any
}

func (s *countingStore) read() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads++
	if s.panicWith != nil {
		panic(s.panicWith)
	}
	if s.reads > s.failAfter {
		return s.failWith
	}
	return nil
}

func counted[T any](s *countingStore, call func() (T, error)) (T, error) {
	if err := s.read(); err != nil {
		var none T
		return none, err
	}
	return call()
}

func (s *countingStore) Registry(ctx context.Context, f graph.RegistryFilter, p graph.Page) (graph.ProcedurePage, error) {
	return counted(s, func() (graph.ProcedurePage, error) { return s.Store.Registry(ctx, f, p) })
}

func (s *countingStore) Procedures(ctx context.Context, f graph.ProcedureFilter, o graph.ProcedureOrder, p graph.Page) (graph.ProcedurePage, error) {
	return counted(s, func() (graph.ProcedurePage, error) { return s.Store.Procedures(ctx, f, o, p) })
}

func (s *countingStore) CountProcedures(ctx context.Context, f graph.ProcedureFilter, limit int) (int, error) {
	return counted(s, func() (int, error) { return s.Store.CountProcedures(ctx, f, limit) })
}

func (s *countingStore) ProceduresBy(ctx context.Context, refs graph.ProcedureRefs) (graph.ProcedurePage, error) {
	return counted(s, func() (graph.ProcedurePage, error) { return s.Store.ProceduresBy(ctx, refs) })
}

func (s *countingStore) ProceduresUsing(ctx context.Context, tools []string, p graph.Page) (graph.ProceduresByTool, error) {
	return counted(s, func() (graph.ProceduresByTool, error) { return s.Store.ProceduresUsing(ctx, tools, p) })
}

func (s *countingStore) VariantsBy(ctx context.Context, hashes []string) (graph.VariantPage, error) {
	return counted(s, func() (graph.VariantPage, error) { return s.Store.VariantsBy(ctx, hashes) })
}

func (s *countingStore) VariantsOf(ctx context.Context, keys []string, p graph.Page) (graph.VariantsByProcedure, error) {
	return counted(s, func() (graph.VariantsByProcedure, error) { return s.Store.VariantsOf(ctx, keys, p) })
}

func (s *countingStore) UsesOf(ctx context.Context, of graph.UseOwners, p graph.Page) (graph.Batch[graph.Use], error) {
	return counted(s, func() (graph.Batch[graph.Use], error) { return s.Store.UsesOf(ctx, of, p) })
}

func (s *countingStore) Tools(ctx context.Context, f graph.ToolFilter, p graph.Page) (graph.Slice[graph.Tool], error) {
	return counted(s, func() (graph.Slice[graph.Tool], error) { return s.Store.Tools(ctx, f, p) })
}

func (s *countingStore) ToolsBy(ctx context.Context, names []string) (graph.Slice[graph.Tool], error) {
	return counted(s, func() (graph.Slice[graph.Tool], error) { return s.Store.ToolsBy(ctx, names) })
}

func (s *countingStore) ToolsOf(ctx context.Context, keys []string, p graph.Page) (graph.Batch[graph.Tool], error) {
	return counted(s, func() (graph.Batch[graph.Tool], error) { return s.Store.ToolsOf(ctx, keys, p) })
}

func (s *countingStore) Causes(ctx context.Context, p graph.Page) (graph.Slice[graph.Cause], error) {
	return counted(s, func() (graph.Slice[graph.Cause], error) { return s.Store.Causes(ctx, p) })
}

func (s *countingStore) CausesBy(ctx context.Context, names []string) (graph.Slice[graph.Cause], error) {
	return counted(s, func() (graph.Slice[graph.Cause], error) { return s.Store.CausesBy(ctx, names) })
}

func (s *countingStore) Facts(ctx context.Context, q graph.FactQuery) (graph.Facts, error) {
	return counted(s, func() (graph.Facts, error) { return s.Store.Facts(ctx, q) })
}
