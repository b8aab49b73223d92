package sqlite

import (
	"cmp"
	"context"
	"slices"

	"procgraph/graph"
)

// Tools answers the tools of a filter by name.
func (s *Store) Tools(ctx context.Context, filter graph.ToolFilter, page graph.Page) (graph.Slice[graph.Tool], error) {
	var slice graph.Slice[graph.Tool]
	err := s.read(ctx, func(t tx) error {
		tools, total, err := t.tools(filter, page)
		if err != nil {
			return err
		}
		slice = cut(tools, page.First)
		slice.Total = total
		slice.Head, err = t.head()
		return err
	})
	return slice, err
}

// tools reads at most First+1 tools of a filter. Each combination of classes and flags is a range of one index in the
// order of names, so the cost does not depend on what the filter leaves out.
func (t tx) tools(filter graph.ToolFilter, page graph.Page) (tools []graph.Tool, total int, err error) {
	add := func(r row) error { tools = append(tools, scanTool(r)); return nil }
	if filter == (graph.ToolFilter{}) {
		err = t.query(`SELECT `+toolColumns+` FROM tools t WHERE t.name > ? ORDER BY t.name LIMIT +?`,
			add, page.After, page.First+1)
		if err == nil && page.Count {
			total, err = t.one(`SELECT count(*) FROM (SELECT 1 FROM tools t WHERE t.name > '' LIMIT +?)`, graph.MaxTotal)
		}
		return tools, total, err
	}
	for _, class := range either(filter.Class, graph.ReadOnly, graph.StateChanging, graph.Unclassified) {
		for _, known := range either(filter.Known, false, true) {
			for _, suspended := range either(filter.Suspended, false, true) {
				err = t.query(`SELECT `+toolColumns+` FROM tools t
					WHERE t.class = ? AND t.known = ? AND t.suspended = ? AND t.name > ? ORDER BY t.name LIMIT +?`,
					add, string(class), known, suspended, page.After, page.First+1)
				if err == nil && page.Count && total < graph.MaxTotal {
					var n int
					n, err = t.one(`SELECT count(*) FROM (SELECT 1 FROM tools t
						WHERE t.class = ? AND t.known = ? AND t.suspended = ? LIMIT +?)`,
						string(class), known, suspended, graph.MaxTotal-total)
					total += n
				}
				if err != nil {
					return nil, 0, err
				}
			}
		}
	}
	slices.SortFunc(tools, func(a, b graph.Tool) int { return cmp.Compare(a.Name, b.Name) })
	return tools[:min(len(tools), page.First+1)], total, nil
}

// either is the value that a filter asks for, or all there are.
func either[T any](value *T, all ...T) []T {
	if value != nil {
		return []T{*value}
	}
	return all
}

// ToolsBy answers the tools with these names.
func (s *Store) ToolsBy(ctx context.Context, names []string) (graph.Slice[graph.Tool], error) {
	var slice graph.Slice[graph.Tool]
	err := s.read(ctx, func(t tx) (err error) {
		if slice.Items, err = t.toolsBy(names); err != nil {
			return err
		}
		slice.Head, err = t.head()
		return err
	})
	return slice, err
}

func (t tx) toolsBy(names []string) ([]graph.Tool, error) {
	var tools []graph.Tool
	err := t.query(`SELECT `+toolColumns+` FROM tools t WHERE t.name IN (SELECT value FROM json_each(?))`,
		func(r row) error { tools = append(tools, scanTool(r)); return nil }, names)
	return tools, err
}

// ToolsOf answers, for each procedure key, the tools that it names. A signature is short, so it is looked through.
func (s *Store) ToolsOf(ctx context.Context, procedures []string, page graph.Page) (graph.Batch[graph.Tool], error) {
	return batch(ctx, s, procedures, page.First, func(t tx, key string) (tools []graph.Tool, total int, err error) {
		err = t.query(`SELECT `+toolColumns+`
			FROM procedures p CROSS JOIN json_each(p.signature) j CROSS JOIN tools t ON t.name = j.value
			WHERE p.key = ? AND t.name > ? ORDER BY t.name LIMIT +?`,
			func(r row) error { tools = append(tools, scanTool(r)); return nil }, key, page.After, page.First+1)
		if err == nil && page.Count {
			total, err = t.one(`SELECT count(*)
				FROM procedures p CROSS JOIN json_each(p.signature) j CROSS JOIN tools t ON t.name = j.value
				WHERE p.key = ?`, key)
		}
		return tools, total, err
	})
}

// Causes answers the causes by name.
func (s *Store) Causes(ctx context.Context, page graph.Page) (graph.Slice[graph.Cause], error) {
	var slice graph.Slice[graph.Cause]
	err := s.read(ctx, func(t tx) error {
		var causes []graph.Cause
		err := t.query(`SELECT `+causeColumns+` FROM causes c WHERE c.name > ? ORDER BY c.name LIMIT +?`,
			func(r row) error { causes = append(causes, scanCause(r)); return nil }, page.After, page.First+1)
		if err != nil {
			return err
		}
		slice = cut(causes, page.First)
		if page.Count {
			slice.Total, err = t.one(`SELECT count(*) FROM (SELECT 1 FROM causes c WHERE c.name > '' LIMIT +?)`,
				graph.MaxTotal)
			if err != nil {
				return err
			}
		}
		slice.Head, err = t.head()
		return err
	})
	return slice, err
}

// CausesBy answers the causes with these names.
func (s *Store) CausesBy(ctx context.Context, names []string) (graph.Slice[graph.Cause], error) {
	var slice graph.Slice[graph.Cause]
	err := s.read(ctx, func(t tx) error {
		err := t.query(`SELECT `+causeColumns+` FROM causes c WHERE c.name IN (SELECT value FROM json_each(?))`,
			func(r row) error { slice.Items = append(slice.Items, scanCause(r)); return nil }, names)
		if err != nil {
			return err
		}
		slice.Head, err = t.head()
		return err
	})
	return slice, err
}

// batch answers a page for each owner in one snapshot; owners without any row are absent.
func batch[T any](ctx context.Context, s *Store, owners []string, first int,
	of func(t tx, owner string) (rows []T, total int, err error)) (graph.Batch[T], error) {
	b := graph.Batch[T]{By: make(map[string]graph.Slice[T], len(owners))}
	err := s.read(ctx, func(t tx) (err error) {
		if err = fill(t, b.By, owners, first, of); err != nil {
			return err
		}
		b.Head, err = t.head()
		return err
	})
	return b, err
}

// fill reads the page of each owner into by.
func fill[T any](t tx, by map[string]graph.Slice[T], owners []string, first int,
	of func(t tx, owner string) (rows []T, total int, err error)) error {
	for _, owner := range owners {
		if _, ok := by[owner]; ok {
			continue
		}
		rows, total, err := of(t, owner)
		if err != nil {
			return err
		}
		if len(rows) > 0 || total > 0 {
			slice := cut(rows, first)
			slice.Total = total
			by[owner] = slice
		}
	}
	return nil
}
