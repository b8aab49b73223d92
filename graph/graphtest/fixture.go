package graphtest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"procgraph/graph"
)

// fixture is an empty database behind one store or two, with short ways to fill it and to ask it.
type fixture struct {
	*testing.T
	stores []graph.Store
}

// store is the store that tests of one store use.
func (f *fixture) store() graph.Store { return f.stores[0] }

// at spreads the workers of a test over the stores.
func (f *fixture) at(worker int) graph.Store { return f.stores[worker%len(f.stores)] }

// epoch is the time of the first capture of a test. Its milliseconds are not zero, so that losing them shows.
var epoch = time.Date(2026, 3, 4, 5, 6, 7, 89_000_000, time.UTC)

// minutes is a time after the epoch.
func minutes(n int) time.Time { return epoch.Add(time.Duration(n) * time.Minute) }

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// keyOf is a key of a signature: the length of each name comes before it, so that no two signatures share a key.
func keyOf(signature ...string) string {
	var b strings.Builder
	for _, name := range sorted(signature...) {
		fmt.Fprintf(&b, "%d:%s", len(name), name)
	}
	return hash(b.String())
}

// nameOf is a name of the procedure with a signature.
func nameOf(signature ...string) string { return "proc__" + keyOf(signature...)[:16] }

// sorted is a sorted copy without repeats.
func sorted(names ...string) []string {
	names = slices.Clone(names)
	slices.Sort(names)
	return slices.Compact(names)
}

// keys makes the key of each capture another one.
var keys atomic.Int64

// capture is the use of a proven code for one cause at the epoch, with a key of its own.
func capture(code string, signature ...string) graph.Capture {
	return graph.Capture{
		ProcedureKey: keyOf(signature...),
		ToolName:     nameOf(signature...),
		Signature:    sorted(signature...),
		Variant: graph.Variant{
			CodeHash:     hash(code),
			Code:         code,
			Procedure:    keyOf(signature...),
			Strategy:     "strategy of " + code,
			Summary:      "summary of " + code,
			WhenToUse:    "when to use " + code,
			Status:       graph.Proposed,
			Proven:       true,
			Analyser:     3,
			CapturedBy:   "user:ann",
			CapturedWith: "token-1",
			CapturedAt:   epoch,
		},
		Causes: []string{"a cause"},
		At:     epoch,
		Input:  hash("input " + code),
	}
}

// keyed gives a capture a key of its own.
func keyed(c graph.Capture) graph.Capture {
	c.Key = fmt.Sprintf("key-%d", keys.Add(1))
	return c
}

// capturedAt moves a capture to another time.
func capturedAt(c graph.Capture, at time.Time) graph.Capture {
	c.At, c.Variant.CapturedAt = at, at
	return c
}

// serving replaces the causes of a capture.
func serving(c graph.Capture, causes ...string) graph.Capture {
	c.Causes = causes
	return c
}

// capture stores captures one after the other and answers the last one.
func (f *fixture) capture(captures ...graph.Capture) (last graph.Captured) {
	f.Helper()
	for _, c := range captures {
		got, err := f.store().Capture(f.Context(), c)
		if err != nil {
			f.Fatalf("capture of %q: %v", c.Variant.Code, err)
		}
		f.checkTimes(got)
		last = got
	}
	return last
}

// together runs n workers that start at one moment, and fails the test when one of them fails.
func (f *fixture) together(n int, work func(worker int, store graph.Store) error) {
	f.Helper()
	var ready, done sync.WaitGroup
	start := make(chan struct{})
	errs := make([]error, n)
	for i := range n {
		ready.Add(1)
		done.Go(func() {
			ready.Done()
			<-start
			errs[i] = work(i, f.at(i))
		})
	}
	ready.Wait()
	close(start)
	done.Wait()
	if err := errors.Join(errs...); err != nil {
		f.Fatalf("workers failed: %v", err)
	}
}

// seal makes the event of a change. Its hashes link to the head, but are not those of the real chain.
func seal(head graph.Head, action, subject string) graph.Event {
	e := graph.Event{
		Sequence: head.Sequence + 1, At: minutes(1000 + int(head.Sequence)), Actor: "user:zoe", Action: action,
		Subject: subject, Details: []byte(`{"z":1,"a":"é"}`), PreviousHash: head.Hash,
	}
	e.Hash = hash(fmt.Sprint(e.Sequence, e.Actor, e.Action, e.Subject, e.PreviousHash))
	return e
}

// commit writes a change, and fails the test when that fails.
func (f *fixture) commit(query graph.FactQuery, decide func(graph.Facts) (graph.Change, error)) graph.Head {
	f.Helper()
	head, err := f.store().Commit(f.Context(), query, decide)
	if err != nil {
		f.Fatalf("commit: %v", err)
	}
	return head
}

// tool is a known read-only tool.
func tool(name string) graph.Tool {
	return graph.Tool{
		Name: name, Description: "what " + name + " does", ParametersSchema: []byte(`{"type": "object"}`),
		Class: graph.ReadOnly, Known: true, DefinitionHash: hash("definition of " + name),
	}
}

// stub is a tool that was only seen in code.
func stub(name string) graph.Tool {
	return graph.Tool{Name: name, ParametersSchema: []byte(`{}`), Class: graph.Unclassified}
}

// register stores tools whole.
func (f *fixture) register(tools ...graph.Tool) {
	f.Helper()
	f.commit(graph.FactQuery{}, func(facts graph.Facts) (graph.Change, error) {
		return graph.ToolsWritten{Event: seal(facts.Head, "TOOLS_REGISTERED", "tools"), Tools: tools}, nil
	})
}

// registerNames stores known read-only tools.
func (f *fixture) registerNames(names ...string) {
	f.Helper()
	tools := make([]graph.Tool, len(names))
	for i, name := range names {
		tools[i] = tool(name)
	}
	f.register(tools...)
}

// everything is a page that holds all rows of a test.
var everything = graph.Page{First: 500, Count: true}

// answer is what a read answered.
type answer[T any] struct {
	value T
	err   error
}

func read[T any](value T, err error) answer[T] { return answer[T]{value, err} }

// or gives the answer, or fails the test when the read failed. It checks that times are as stored times have to be.
func (a answer[T]) or(f *fixture) T {
	f.Helper()
	if a.err != nil {
		f.Fatalf("read: %v", a.err)
	}
	f.checkTimes(a.value)
	return a.value
}

// procedure answers the stored procedure with a key, and fails the test without one.
func (f *fixture) procedure(key string) graph.Offer {
	f.Helper()
	page := read(f.store().ProceduresBy(f.Context(), graph.ProcedureRefs{Keys: []string{key}})).or(f)
	if len(page.Items) != 1 {
		f.Fatalf("%d procedures with the key %s, want 1", len(page.Items), key)
	}
	return page.Items[0]
}

// procedures answers all procedures by name, the retired ones too.
func (f *fixture) procedures() []graph.Offer {
	f.Helper()
	page := read(f.store().Procedures(f.Context(), graph.ProcedureFilter{IncludeRetired: true}, graph.ByName, everything)).or(f)
	return page.Items
}

// variants answers the variants of a procedure by the time of their capture.
func (f *fixture) variants(key string) []graph.Variant {
	f.Helper()
	batch := read(f.store().VariantsOf(f.Context(), []string{key}, everything)).or(f)
	return batch.By[key].Items
}

// uses answers the uses of a procedure.
func (f *fixture) uses(key string) []graph.Use {
	f.Helper()
	batch := read(f.store().UsesOf(f.Context(), graph.UseOwners{Procedures: []string{key}}, everything)).or(f)
	return batch.By[key].Items
}

// tools answers all tools by name.
func (f *fixture) tools() []graph.Tool {
	f.Helper()
	return read(f.store().Tools(f.Context(), graph.ToolFilter{}, everything)).or(f).Items
}

// causes answers the names of all causes, in order.
func (f *fixture) causes() []string {
	f.Helper()
	var names []string
	for _, c := range read(f.store().Causes(f.Context(), everything)).or(f).Items {
		names = append(names, c.Name)
	}
	return names
}

// head answers the head as a read carries it.
func (f *fixture) head() graph.Head {
	f.Helper()
	return read(f.store().Facts(f.Context(), graph.FactQuery{})).or(f).Head
}

// content is all that a store holds, as reads tell it. Two equal contents mean that nothing was written between them.
type content struct {
	Head       graph.Head
	Procedures []graph.Offer
	Variants   map[string][]graph.Variant
	Uses       map[string][]graph.Use
	Tools      []graph.Tool
	Causes     []string
	Events     []graph.Event
}

func (f *fixture) content() content {
	f.Helper()
	c := content{
		Head: f.head(), Procedures: f.procedures(), Tools: f.tools(), Causes: f.causes(),
		Variants: map[string][]graph.Variant{}, Uses: map[string][]graph.Use{},
		Events: read(f.store().Events(f.Context(), 0, 500)).or(f),
	}
	var procedures []string
	for _, o := range c.Procedures {
		procedures = append(procedures, o.Procedure.Key)
	}
	if len(procedures) == 0 {
		return c
	}
	for key, slice := range read(f.store().VariantsOf(f.Context(), procedures, everything)).or(f).By {
		c.Variants[key] = slice.Items
	}
	for key, slice := range read(f.store().UsesOf(f.Context(), graph.UseOwners{Procedures: procedures}, everything)).or(f).By {
		c.Uses[key] = slice.Items
	}
	return c
}

// same fails the test when an answer is not the wanted one. Nil and empty are alike.
func same[T any](f *fixture, what string, got, want T) {
	f.Helper()
	if diff := cmp.Diff(want, got, alikeOptions); diff != "" {
		f.Errorf("%s (- wanted, + got):\n%s", what, diff)
	}
}

// alikeOptions make nil and empty alike, and print JSON as text.
var alikeOptions = cmp.Options{
	cmpopts.EquateEmpty(),
	cmp.FilterValues(func(a, b json.RawMessage) bool { return len(a)+len(b) > 0 },
		cmp.Transformer("text", func(raw json.RawMessage) string { return string(raw) })),
}

// sameSet compares without order.
func sameSet[T any](f *fixture, what string, got, want []T, less func(a, b T) int) {
	f.Helper()
	got, want = slices.Clone(got), slices.Clone(want)
	slices.SortFunc(got, less)
	slices.SortFunc(want, less)
	same(f, what, got, want)
}

// wantError fails the test when an error is not of a kind.
func (f *fixture) wantError(what string, err, kind error) {
	f.Helper()
	if !errors.Is(err, kind) {
		f.Errorf("%s: error %v, want %v", what, err, kind)
	}
}

// refuseError fails the test when an error is of a kind.
func (f *fixture) refuseError(what string, err, kind error) {
	f.Helper()
	if errors.Is(err, kind) {
		f.Errorf("%s: error %v, want one of another kind", what, err)
	}
}

// checkTimes fails the test when a time of an answer is not in UTC or finer than a millisecond.
func (f *fixture) checkTimes(answer any) {
	f.Helper()
	walkTimes(reflect.ValueOf(answer), func(at time.Time) {
		if at.Location() != time.UTC || at.Nanosecond()%int(time.Millisecond) != 0 {
			f.Errorf("time %v is not in UTC with milliseconds", at)
		}
	})
}

func walkTimes(v reflect.Value, visit func(time.Time)) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			walkTimes(v.Elem(), visit)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		for i := range v.Len() {
			walkTimes(v.Index(i), visit)
		}
	case reflect.Map:
		for each := v.MapRange(); each.Next(); {
			walkTimes(each.Value(), visit)
		}
	case reflect.Struct:
		if at, ok := v.Interface().(time.Time); ok {
			visit(at)
			return
		}
		for i := range v.NumField() {
			walkTimes(v.Field(i), visit)
		}
	}
}
