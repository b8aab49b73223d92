package resolvers

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"procgraph/operations"
	"procgraph/resolvers/model"
)

// What a row needs is read for all of its siblings at once and kept with them. Each field has a key of its own.
type (
	toolsOf          struct{ operations.PageInput }
	variantsOf       struct{ operations.PageInput }
	usesOf           struct{ operations.PageInput }
	proceduresUsing  struct{ operations.PageInput }
	offeredVariantOf struct{}
	procedureOf      struct{}
	causeOf          struct{}
)

const (
	pageSize         = 50
	registryPageSize = 20
	searchPageSize   = 20
	exploreDepth     = 1
	exploreLimit     = 200
)

// page is the input of a list; its rows are counted when the query asks for it.
func page(ctx context.Context, first *int32, after *string, standard int) operations.PageInput {
	in := operations.PageInput{First: standard, Count: graphql.FieldRequested(ctx, "totalCount")}
	if first != nil {
		in.First = int(*first)
	}
	if after != nil {
		in.After = *after
	}
	return in
}

func (r *Resolver) toolsOf(ctx context.Context, p *model.Procedure, in operations.PageInput) (*model.ToolConnection, error) {
	pages, err := model.Load(p.Siblings, toolsOf{in}, func(rows []*model.Procedure) (model.Pages[*model.ToolConnection], error) {
		by, err := r.ops.ToolsOf(ctx, keys(rows, (*model.Procedure).Key), in)
		return model.ToolsOf(by, in.After != ""), err
	})
	return pages.Of(p.Key()), err
}

func (r *Resolver) variantsOf(ctx context.Context, p *model.Procedure, in operations.PageInput) (*model.VariantConnection, error) {
	pages, err := model.Load(p.Siblings, variantsOf{in}, func(rows []*model.Procedure) (model.Pages[*model.VariantConnection], error) {
		by, err := r.ops.VariantsOf(ctx, keys(rows, (*model.Procedure).Key), in)
		return model.VariantsOf(by, in.After != ""), err
	})
	return pages.Of(p.Key()), err
}

func (r *Resolver) usesOfProcedure(ctx context.Context, p *model.Procedure, in operations.PageInput) (*model.UseConnection, error) {
	pages, err := model.Load(p.Siblings, usesOf{in}, func(rows []*model.Procedure) (model.Pages[*model.UseConnection], error) {
		by, err := r.ops.UsesOfProcedures(ctx, keys(rows, (*model.Procedure).Key), in)
		return model.UsesOf(by, in.After != ""), err
	})
	return pages.Of(p.Key()), err
}

func (r *Resolver) usesOfCause(ctx context.Context, c *model.Cause, in operations.PageInput) (*model.UseConnection, error) {
	pages, err := model.Load(c.Siblings, usesOf{in}, func(rows []*model.Cause) (model.Pages[*model.UseConnection], error) {
		by, err := r.ops.UsesOfCauses(ctx, keys(rows, causeName), in)
		return model.UsesOf(by, in.After != ""), err
	})
	return pages.Of(c.Name), err
}

func (r *Resolver) proceduresUsing(ctx context.Context, t *model.Tool, in operations.PageInput) (*model.ProcedureConnection, error) {
	pages, err := model.Load(t.Siblings, proceduresUsing{in}, func(rows []*model.Tool) (model.Pages[*model.ProcedureConnection], error) {
		by, err := r.ops.ProceduresUsing(ctx, keys(rows, toolName), in)
		return model.ProceduresOf(by, in.After != ""), err
	})
	return pages.Of(t.Name), err
}

// offeredVariantOf reads nothing: the offered variant comes with its procedure. It makes them siblings.
func (r *Resolver) offeredVariantOf(p *model.Procedure) (*model.Variant, error) {
	by, err := model.Load(p.Siblings, offeredVariantOf{}, func(rows []*model.Procedure) (map[string]*model.Variant, error) {
		by := make(map[string]*operations.Variant, len(rows))
		for _, row := range rows {
			if v := row.Offered(); v != nil {
				by[row.Key()] = v
			}
		}
		return named(by, model.Variants), nil
	})
	return by[p.Key()], err
}

// procedureOfRow answers the procedure of a row that names it by key.
func procedureOfRow[Row any](ctx context.Context, r *Resolver, row Row, of *model.Siblings[Row], key func(Row) string) (*model.Procedure, error) {
	by, err := model.Load(of, procedureOf{}, func(rows []Row) (map[string]*model.Procedure, error) {
		by, err := r.ops.ProceduresByKeys(ctx, keys(rows, key))
		return named(by, model.Procedures), err
	})
	return found(by, key(row), "procedure", err)
}

func (r *Resolver) causeOf(ctx context.Context, u *model.Use) (*model.Cause, error) {
	by, err := model.Load(u.Siblings, causeOf{}, func(rows []*model.Use) (map[string]*model.Cause, error) {
		by, err := r.ops.CausesByName(ctx, keys(rows, causeOfUse))
		return named(by, model.Causes), err
	})
	return found(by, u.Stored.Cause, "cause", err)
}

func toolName(t *model.Tool) string      { return t.Name }
func causeName(c *model.Cause) string    { return c.Name }
func causeOfUse(u *model.Use) string     { return u.Stored.Cause }
func procedureOfUse(u *model.Use) string { return u.Stored.Procedure }

// keys are the keys of rows, each once.
func keys[Row any](rows []Row, key func(Row) string) []string {
	seen := make(map[string]bool, len(rows))
	list := make([]string, 0, len(rows))
	for _, row := range rows {
		if k := key(row); !seen[k] {
			seen[k] = true
			list = append(list, k)
		}
	}
	return list
}

// named makes siblings of what was read by key.
func named[Of, Row any](by map[string]Of, siblings func([]Of) []Row) map[string]Row {
	names := make([]string, 0, len(by))
	list := make([]Of, 0, len(by))
	for name, of := range by {
		names, list = append(names, name), append(list, of)
	}
	rows := make(map[string]Row, len(by))
	for i, row := range siblings(list) {
		rows[names[i]] = row
	}
	return rows
}

// found is what was read under a key. A relation's end may have been deleted since the relation was read.
func found[Row any](by map[string]*Row, key, what string, err error) (*Row, error) {
	if err != nil {
		return nil, err
	}
	if by[key] == nil {
		return nil, &operations.Error{Code: operations.NotFound, Message: what + " not found"}
	}
	return by[key], nil
}
