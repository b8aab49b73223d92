package resolvers

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/vektah/gqlparser/v2/ast"

	"procgraph/resolvers/generated"
	"procgraph/trust"
)

func schemaOf(t *testing.T) *ast.Schema {
	t.Helper()
	return generated.NewExecutableSchema(generated.Config{}).Schema()
}

func TestEverythingIsDescribed(t *testing.T) {
	builtIn := []string{"Int", "Float", "String", "Boolean", "ID"}
	for name, d := range schemaOf(t).Types {
		if strings.HasPrefix(name, "__") || slices.Contains(builtIn, name) {
			continue
		}
		check := func(what, description string) {
			if strings.TrimSpace(description) == "" {
				t.Errorf("%s has no description", what)
			}
		}
		check(name, d.Description)
		for _, v := range d.EnumValues {
			check(name+"."+v.Name, v.Description)
		}
		for _, f := range d.Fields {
			if strings.HasPrefix(f.Name, "__") {
				continue
			}
			check(name+"."+f.Name, f.Description)
			for _, a := range f.Arguments {
				check(name+"."+f.Name+"("+a.Name+")", a.Description)
			}
		}
	}
}

// rootFields are the fields of Query and Mutation as whole operations, by name.
func rootFields(t *testing.T) map[string]string {
	t.Helper()
	schema := schemaOf(t)
	fields := map[string]string{}
	for _, root := range []*ast.Definition{schema.Query, schema.Mutation} {
		for _, f := range root.Fields {
			if strings.HasPrefix(f.Name, "__") {
				continue
			}
			query := f.Name
			arguments := literals(schema, f.Arguments)
			if f.Name == "procedure" { // none of its arguments is needed, but exactly one is
				arguments = `toolName:"x"`
			}
			if arguments != "" {
				query += "(" + arguments + ")"
			}
			if schema.Types[f.Type.Name()].IsCompositeType() {
				query += "{__typename}"
			}
			fields[f.Name] = strings.ToLower(root.Name) + "{" + query + "}"
		}
	}
	return fields
}

// literals gives every argument that is needed a value.
func literals(schema *ast.Schema, arguments ast.ArgumentDefinitionList) string {
	var list []string
	for _, a := range arguments {
		if a.Type.NonNull {
			list = append(list, a.Name+":"+literal(schema, a.Type))
		}
	}
	return strings.Join(list, " ")
}

func literal(schema *ast.Schema, of *ast.Type) string {
	if of.Elem != nil {
		return "[" + literal(schema, of.Elem) + "]"
	}
	if d := schema.Types[of.NamedType]; d.Kind == ast.InputObject {
		var fields []string
		for _, f := range d.Fields {
			if f.Type.NonNull {
				fields = append(fields, f.Name+":"+literal(schema, f.Type))
			}
		}
		return "{" + strings.Join(fields, " ") + "}"
	}
	return `"x"`
}

func TestEveryRootFieldAsksForItsScope(t *testing.T) {
	a := newAPI(t)
	fields := rootFields(t)
	if len(fields) < 20 {
		t.Fatalf("only %d root fields", len(fields))
	}
	for name, query := range fields {
		if got := a.send(request(query, nil)); got.Status != 401 || got.code() != "UNAUTHENTICATED" || string(got.Data) != "null" {
			t.Errorf("%s for nobody: %d %s %s", name, got.Status, got.code(), got.Data)
		}
		want := "FORBIDDEN"
		if name == "viewer" {
			want = ""
		}
		if got := a.send(request(query, nil), "nothing:useful"); got.code() != want {
			t.Errorf("%s without its scope: %q", name, got.code())
		}
		// Writes ask for more than the scope of reads.
		if strings.HasPrefix(query, "mutation") {
			if got := a.send(request(query, nil), trust.ScopeGraphRead); got.code() != want {
				t.Errorf("%s with graph:read: %q", name, got.code())
			}
		}
	}
}

// The operations themselves refuse as well, should the endpoint ever let somebody through.
func TestEveryRootFieldAsksWhoAsks(t *testing.T) {
	a := newAPI(t)
	h := &handler{ops: a.ops, log: slog.New(slog.DiscardHandler),
		exec: executor.New(generated.NewExecutableSchema(generated.Config{Resolvers: &Resolver{a.ops}}))}
	h.exec.SetErrorPresenter(h.present)
	for name, query := range rootFields(t) {
		ctx := graphql.StartOperationTrace(context.Background())
		operation, refusals := h.exec.CreateOperationContext(ctx, &graphql.RawParams{Query: query})
		if len(refusals) > 0 {
			t.Fatalf("%s: %v", name, refusals)
		}
		responses, ctx := h.exec.DispatchOperation(ctx, operation)
		response := responses(ctx)
		if len(response.Errors) != 1 || fmt.Sprint(response.Errors[0].Extensions["code"]) != "UNAUTHENTICATED" {
			t.Errorf("%s: %s %v", name, response.Data, response.Errors)
		}
	}
	if a.store.reads > 0 {
		t.Errorf("%d reads for nobody", a.store.reads)
	}
}
