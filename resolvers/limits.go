package resolvers

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"procgraph/operations"
	"procgraph/trust"
)

// What a request may be. The schema's Query tells clients these numbers.
const (
	maxBody   = 1 << 20 // bytes
	maxTokens = 2_000
	maxDepth  = 25
	maxCost   = 1_000_000
	maxReads  = 500
	maxFirst  = 500
)

// What fields cost. A field that is in none of these costs 1.
const (
	analysisCost  = 20 // a field that analyses code
	plainListLen  = 10 // rows that a list without first is taken to have
	computedReads = 50 // a filter by what is computed may look at 10,000 rows
)

// analysing are the fields that analyse code or texts, or answer the whole of a code.
var analysing = map[string]bool{
	"Procedure.effect": true, "Procedure.exposable": true, "Procedure.notOffered": true,
	"Variant.effect": true, "Variant.analysis": true, "Variant.code": true,
	"ProcedureTool.readOnly": true, "ProcedureTool.externalAccess": true,
	"SearchHit.snippet": true, "Query.analyzeCode": true, "Mutation.captureProcedure": true,
}

// reading are the fields without first that read the rows that they lead to. They make one read for all their rows.
var reading = map[string]bool{"Variant.procedure": true, "CauseUse.cause": true, "CauseUse.procedure": true}

// guard lets an operation run when its caller is authenticated and it stays within the limits.
type guard struct{ schema *ast.Schema }

var _ graphql.OperationContextMutator = guard{}

// ExtensionName names the guard.
func (guard) ExtensionName() string { return "Guard" }

// Validate finds nothing to check.
func (guard) Validate(graphql.ExecutableSchema) error { return nil }

// MutateOperationContext refuses an operation that may not run.
func (g guard) MutateOperationContext(ctx context.Context, operation *graphql.OperationContext) *gqlerror.Error {
	if _, ok := trust.CallerOf(ctx); !ok {
		return gqlerror.Wrap(errUnauthenticated)
	}
	operation.DisableIntrospection = false
	m := meter{schema: g.schema, variables: operation.Variables, fragments: map[string]*extent{}}
	whole, err := m.selection(operation.Operation.SelectionSet)
	switch {
	case err != nil:
		return gqlerror.Wrap(err)
	case whole.depth > maxDepth:
		return gqlerror.Wrap(badInput("the selections nest %d deep; the limit is %d", whole.depth, maxDepth))
	case whole.reads > maxReads:
		return gqlerror.Wrap(badInput("the query makes %s reads; the limit is %d", number(whole.reads), maxReads))
	case whole.cost > maxCost:
		return gqlerror.Wrap(badInput("the query costs %s; the limit is %d: ask for fewer rows or fields at once", number(whole.cost), maxCost))
	}
	return nil
}

// ceiling is where costs stop to grow: far above the limits, and nothing that is computed with it overflows.
const ceiling = 1 << 31

func number(n int) string {
	if n >= ceiling {
		return "more than 2,000,000,000"
	}
	return strconv.Itoa(n)
}

// extent is what a selection costs for one row, how many reads it makes for all its rows together, and how deep it
// nests.
type extent struct{ cost, reads, depth int }

// meter measures an operation. A fragment is measured once, however often it is spread, so that measuring takes no
// longer than reading.
type meter struct {
	schema    *ast.Schema
	variables map[string]any
	fragments map[string]*extent
}

func (m *meter) selection(set ast.SelectionSet) (extent, error) {
	var whole extent
	for _, selected := range set {
		var part extent
		var err error
		switch s := selected.(type) {
		case *ast.Field:
			part, err = m.field(s)
		case *ast.InlineFragment:
			if part, err = m.selection(s.SelectionSet); s.Directives.ForName("defer") != nil {
				err = errDefer
			}
		case *ast.FragmentSpread:
			if part, err = m.fragment(s.Definition); s.Directives.ForName("defer") != nil {
				err = errDefer
			}
		}
		if err != nil {
			return whole, err
		}
		whole.cost = min(whole.cost+part.cost, ceiling)
		whole.reads = min(whole.reads+part.reads, ceiling)
		whole.depth = max(whole.depth, part.depth)
	}
	return whole, nil
}

func (m *meter) fragment(f *ast.FragmentDefinition) (extent, error) {
	if known, ok := m.fragments[f.Name]; ok {
		if known == nil { // validation refuses it before
			return extent{}, badInput("the fragment %.100s spreads itself", f.Name)
		}
		return *known, nil
	}
	m.fragments[f.Name] = nil
	e, err := m.selection(f.SelectionSet)
	m.fragments[f.Name] = &e
	return e, err
}

func (m *meter) field(f *ast.Field) (extent, error) {
	for _, a := range f.Arguments {
		// gqlgen panics on a literal that has no value, for example a number that is too great.
		if _, err := a.Value.Value(m.variables); err != nil {
			return extent{}, badInput("the argument %.100s cannot be read", a.Name)
		}
	}
	children, err := m.selection(f.SelectionSet)
	if err != nil {
		return extent{}, err
	}
	rows, err := m.rows(f)
	if err != nil {
		return extent{}, err
	}
	cost := 1
	if analysing[f.ObjectDefinition.Name+"."+f.Name] {
		cost = analysisCost
	}
	return extent{
		cost:  min(cost+rows*children.cost, ceiling),
		reads: min(m.reads(f)+children.reads, ceiling),
		depth: children.depth + 1,
	}, nil
}

// reads is how many reads or writes the field itself makes.
func (m *meter) reads(f *ast.Field) int {
	switch of := f.ObjectDefinition; {
	case strings.HasPrefix(f.Name, "__"):
		return 0
	case of == m.schema.Query || of == m.schema.Mutation:
		if m.filtersComputed(f) {
			return computedReads
		}
		return 1
	case f.Definition.Arguments.ForName("first") != nil, reading[of.Name+"."+f.Name]:
		return 1
	default:
		return 0
	}
}

func (m *meter) filtersComputed(f *ast.Field) bool {
	filter, _ := m.argument(f, "filter").(map[string]any)
	return filter["effect"] != nil || filter["exposable"] != nil
}

// rows is how many times what is selected below the field is taken to cost.
func (m *meter) rows(f *ast.Field) (int, error) {
	for _, name := range []string{"first", "limit"} {
		if f.Definition.Arguments.ForName(name) == nil {
			continue
		}
		v := m.argument(f, name)
		if v == nil { // null asks for the default
			if v = m.standard(f, name); v == nil {
				return maxFirst, nil
			}
		}
		n, err := graphql.UnmarshalInt64(v)
		if err != nil || n < 0 || n > maxFirst {
			return 0, badInput("first and limit go from 0 to %d", maxFirst)
		}
		return max(int(n), 1), nil
	}
	of := f.ObjectDefinition.Name
	inConnection := strings.HasSuffix(of, "Connection") || of == "Subgraph" // its first or limit was counted
	if f.Definition.Type.Elem != nil && !inConnection && len(f.SelectionSet) > 0 {
		return plainListLen, nil
	}
	return 1, nil
}

// argument is the value of an argument; nil when it was left out and has no default.
func (m *meter) argument(f *ast.Field, name string) any {
	given := f.Arguments.ForName(name)
	if given == nil {
		return m.standard(f, name)
	}
	if given.Value.Kind == ast.Variable {
		v, ok := m.variables[given.Value.Raw]
		if !ok {
			return m.standard(f, name)
		}
		return v
	}
	v, _ := given.Value.Value(m.variables) // it was read before
	return v
}

func (m *meter) standard(f *ast.Field, name string) any {
	definition := f.Definition.Arguments.ForName(name)
	if definition == nil || definition.DefaultValue == nil {
		return nil
	}
	v, _ := definition.DefaultValue.Value(nil) // the schema is right
	return v
}

// errDefer refuses what gqlgen declares: answers come in one piece here.
var errDefer = badInput("@defer is not supported")

func badInput(format string, args ...any) error {
	return &operations.Error{Code: operations.BadUserInput, Message: fmt.Sprintf(format, args...)}
}
