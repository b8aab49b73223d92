package resolvers

import (
	"fmt"
	"testing"

	"procgraph/graph"
	"procgraph/operations"
)

// shapes are queries whose rows grow with the graph, in every way in which rows lie below rows.
var shapes = map[string]string{
	"nodes": `{procedures(first:100){totalCount nodes{toolName effect exposable notOffered{code} current{codeHash}
		tools{nodes{name}} uses{totalCount nodes{frequency}}}}}`,
	"edges":               `{procedures(first:100){edges{cursor node{toolName tools{nodes{name class}} variants{totalCount}}}}}`,
	"two deep":            `{procedures(first:100){nodes{variants{nodes{codeHash effect analysis{proven} procedure{toolName}}}}}}`,
	"back from variants":  `{procedures(first:100){nodes{variants(first:5){nodes{procedure{uses(first:5){nodes{cause{name uses{nodes{procedure{toolName}}}}}}}}}}}}`,
	"back from tools":     `{tools(first:100){nodes{procedures{nodes{toolName tools{nodes{name}}}}}}}`,
	"causes":              `{causes(first:100){nodes{uses{nodes{procedure{toolName current{procedure{toolName}}} cause{name}}}}}}`,
	"registry":            `{procedureTools(first:100){nodes{name procedure{frequency uses{nodes{cause{name}}} tools{nodes{name}}}}}}`,
	"all":                 `{findAllProcedures(limit:100){toolName variants{nodes{codeHash}}}}`,
	"fragments, aliases":  `{procedures(first:100){nodes{...f a:variants(first:1){nodes{id}} b:variants(first:2){nodes{id}}}}} fragment f on Procedure{c:tools{nodes{id}} d:tools{nodes{name}}}`,
	"search":              `{search(text:"shared cause",first:100){nodes{score snippet node{id kind label ...on Procedure{effect tools{nodes{name}}} ...on Cause{uses{nodes{procedure{toolName}}}} ...on Variant{procedure{toolName}}}}}}`,
	"explore":             `{explore(limit:100){nodes{id label ...on Procedure{effect variants{nodes{codeHash}}} ...on Tool{procedures{nodes{toolName}}}} relations{id type from to properties} hidden{node type count}}}`,
	"several root fields": `{a:procedures(first:100){nodes{tools{nodes{name}}}} b:tools(first:100){nodes{procedures{nodes{id}}}}}`,
}

func fill(a *api, n int) {
	a.t.Helper()
	for i := range n {
		a.register(fmt.Sprintf("read_%d:READ_ONLY", i), fmt.Sprintf("list_%d:READ_ONLY", i))
		code := fmt.Sprintf("await tools.read_%d()\nawait tools.list_%d()", i, i)
		a.approve(a.capture(code, fmt.Sprintf("cause %d", i), "shared"))
		a.capture(code+"\n# another", fmt.Sprintf("cause %d", i))
	}
}

func TestReadsDoNotDependOnRows(t *testing.T) {
	few, many := newAPI(t), newAPI(t)
	fill(few, 3)
	fill(many, 60)
	for name, query := range shapes {
		t.Run(name, func(t *testing.T) {
			few.t, many.t = t, t
			reads := func(a *api) int {
				a.store.reads = 0
				a.ok(query, nil)
				return a.store.reads
			}
			if small, great := reads(few), reads(many); small != great || small == 0 {
				t.Errorf("%d reads for 3 rows, %d for 60", small, great)
			} else {
				t.Logf("%d reads", small)
			}
		})
	}
}

func TestTotalsAreCountedWhenAskedFor(t *testing.T) {
	a := newAPI(t)
	fill(a, 3)
	reads := func(query string) int {
		a.store.reads = 0
		a.ok(query, nil)
		return a.store.reads
	}
	without, with := reads(`{procedures{nodes{id}}}`), reads(`{procedures{...f again:totalCount}} fragment f on ProcedureConnection{totalCount}`)
	if without != 1 || with != 2 {
		t.Errorf("%d reads without a count, %d with it", without, with)
	}
	a.want(`query($no:Boolean!){procedures{totalCount} tools{n:totalCount} causes{...on CauseConnection{totalCount}}
		procedure(toolName:"proc__list_0__read_0"){variants(first:1){totalCount nodes{id @include(if:$no)}} uses(first:0){totalCount} tools{totalCount @skip(if:$no)}}}`,
		map[string]any{"no": false},
		`{"procedures":{"totalCount":3},"tools":{"n":6},"causes":{"totalCount":4},
		"procedure":{"variants":{"totalCount":2,"nodes":[{}]},"uses":{"totalCount":2},"tools":{"totalCount":2}}}`)
}

func TestRowsBelongToTheirOwners(t *testing.T) {
	a := newAPI(t)
	fill(a, 12)
	data := a.ok(`{procedures(first:100){nodes{toolName tools{nodes{name procedures{nodes{toolName}}}}
		variants{nodes{procedure{toolName}}} current{procedure{toolName}} uses{nodes{cause{name} procedure{toolName}}}}}}`, nil)
	nodes, _ := field(data, "procedures", "nodes").([]any)
	if len(nodes) != 12 {
		t.Fatalf("%d procedures", len(nodes))
	}
	for _, node := range nodes {
		var n int
		if _, err := fmt.Sscanf(fmt.Sprint(field(node, "toolName")), "proc__list_%d__", &n); err != nil {
			t.Fatal(err)
		}
		name := field(node, "toolName")
		for want, got := range map[any]any{
			name:                       field(node, "variants", "nodes", 1, "procedure", "toolName"),
			fmt.Sprintf("list_%d", n):  field(node, "tools", "nodes", 0, "name"),
			fmt.Sprintf("read_%d", n):  field(node, "tools", "nodes", 1, "name"),
			fmt.Sprintf("cause %d", n): field(node, "uses", "nodes", 0, "cause", "name"),
			"shared":                   field(node, "uses", "nodes", 1, "cause", "name"),
		} {
			if want != got {
				t.Errorf("procedure %d: %v instead of %v", n, got, want)
			}
		}
		for _, back := range []any{
			field(node, "tools", "nodes", 0, "procedures", "nodes", 0, "toolName"), field(node, "current", "procedure", "toolName"),
			field(node, "uses", "nodes", 1, "procedure", "toolName"),
		} {
			if back != name {
				t.Errorf("procedure %d: back at %v", n, back)
			}
		}
	}
}

func TestAFailedReadReachesEveryRow(t *testing.T) {
	a := newAPI(t)
	fill(a, 3)
	a.store.reads, a.store.failAfter, a.store.failWith = 0, 1, fmt.Errorf("secret driver text: %w", graph.ErrUnavailable)
	got := a.ask(`{procedures{nodes{toolName current{id} tools{nodes{name}}}}}`, nil)
	if len(got.Errors) != 3 || got.code() != string(operations.Unavailable) || string(got.Data) != "null" {
		t.Errorf("data %s, errors %+v", got.Data, got.Errors)
	}
}
