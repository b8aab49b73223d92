// Reference writes the reference of the GraphQL schema in Markdown from the descriptions in its sources.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
)

//go:generate go run . .. ../../docs/schema.md

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: reference FOLDER TARGET.md")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "reference:", err)
		os.Exit(1)
	}
}

func write(folder, target string) error {
	files, err := filepath.Glob(filepath.Join(folder, "*.graphql"))
	if err != nil {
		return err
	}
	var sources []*ast.Source
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		sources = append(sources, &ast.Source{Name: file, Input: string(b)})
	}
	schema, err := gqlparser.LoadSchema(sources...)
	if err != nil {
		return err
	}
	return os.WriteFile(target, []byte(reference(schema)), 0o600)
}

// sections are the kinds of definitions in the order in which they are shown.
var sections = []struct {
	title string
	kind  ast.DefinitionKind
}{
	{"Objects", ast.Object}, {"Interfaces", ast.Interface}, {"Unions", ast.Union}, {"Inputs", ast.InputObject},
	{"Enumerations", ast.Enum}, {"Scalars", ast.Scalar},
}

func reference(schema *ast.Schema) string {
	var b strings.Builder
	b.WriteString("# The GraphQL schema\n\nMade from the descriptions of the schema by `make generate`. `!` says never null; " +
		"a value after `=` is what an argument is without being given.\n")
	for _, root := range []*ast.Definition{schema.Query, schema.Mutation, schema.Subscription} {
		if root != nil {
			fmt.Fprintf(&b, "\n## %s\n", root.Name)
			fields(&b, root)
		}
	}
	for _, section := range sections {
		title := false
		for _, d := range definitions(schema, section.kind) {
			if !title {
				fmt.Fprintf(&b, "\n## %s\n", section.title)
				title = true
			}
			fmt.Fprintf(&b, "\n### %s\n\n", d.Name)
			paragraph(&b, d.Description)
			if types := possible(schema, d); types != "" {
				fmt.Fprintf(&b, "\nOne of %s.\n", types)
			}
			fields(&b, d)
			values(&b, d)
		}
	}
	return b.String()
}

// definitions are those of a kind that are ours and no root, by name.
func definitions(schema *ast.Schema, kind ast.DefinitionKind) (list []*ast.Definition) {
	for _, d := range schema.Types {
		if d.Kind == kind && !d.BuiltIn && d != schema.Query && d != schema.Mutation && d != schema.Subscription {
			list = append(list, d)
		}
	}
	slices.SortFunc(list, func(a, b *ast.Definition) int { return strings.Compare(a.Name, b.Name) })
	return list
}

func possible(schema *ast.Schema, d *ast.Definition) string {
	if d.Kind != ast.Interface && d.Kind != ast.Union {
		return ""
	}
	var names []string
	for _, t := range schema.PossibleTypes[d.Name] {
		names = append(names, "`"+t.Name+"`")
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

func fields(b *strings.Builder, d *ast.Definition) {
	for _, f := range d.Fields {
		if strings.HasPrefix(f.Name, "__") {
			continue
		}
		fmt.Fprintf(b, "\n- `%s: %s%s`", f.Name, f.Type, defaultOf(f.DefaultValue))
		described(b, f.Description)
		for _, a := range f.Arguments {
			fmt.Fprintf(b, "\n  - `%s: %s%s`", a.Name, a.Type, defaultOf(a.DefaultValue))
			described(b, a.Description)
		}
	}
	if len(d.Fields) > 0 {
		b.WriteByte('\n')
	}
}

func values(b *strings.Builder, d *ast.Definition) {
	for _, v := range d.EnumValues {
		fmt.Fprintf(b, "\n- `%s`", v.Name)
		described(b, v.Description)
	}
	if len(d.EnumValues) > 0 {
		b.WriteByte('\n')
	}
}

func defaultOf(value *ast.Value) string {
	if value == nil {
		return ""
	}
	return " = " + value.String()
}

func described(b *strings.Builder, description string) {
	if description != "" {
		b.WriteString(": " + strings.Join(strings.Fields(description), " "))
	}
}

func paragraph(b *strings.Builder, description string) {
	if description != "" {
		b.WriteString(strings.Join(strings.Fields(description), " ") + "\n")
	}
}
