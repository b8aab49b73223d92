package sqlite

import (
	"context"

	"procgraph/graph"
)

// Export answers whole procedures, by key.
func (s *Store) Export(ctx context.Context, query graph.ExportQuery) (graph.ExportPage, error) {
	var answer graph.ExportPage
	err := s.read(ctx, func(t tx) error {
		statement, args := `SELECT `+procedureColumns+` FROM procedures p WHERE p.key > ? ORDER BY p.key LIMIT +?`,
			[]any{query.After, query.First + 1}
		if query.Keys != nil {
			statement, args = `SELECT `+procedureColumns+` FROM procedures p WHERE p.key IN (SELECT value FROM json_each(?))
				ORDER BY p.key`, []any{query.Keys}
		}
		var ids []int64
		err := t.query(statement, func(r row) error {
			procedure, err := scanProcedure(r)
			ids = append(ids, r.int(0))
			answer.Items = append(answer.Items, graph.Exported{Procedure: procedure})
			return err
		}, args...)
		if err != nil {
			return err
		}
		if query.Keys == nil && len(ids) > query.First {
			ids, answer.Items, answer.More = ids[:query.First], answer.Items[:query.First], true
		}
		bytes := 0
		for i, id := range ids {
			if query.Keys == nil && query.Bytes > 0 && i > 0 && bytes >= query.Bytes {
				answer.Items, answer.More = answer.Items[:i], true
				break
			}
			if err := t.export(id, query.Each, &answer.Items[i]); err != nil {
				return err
			}
			if variants := answer.Items[i].Variants; !variants.More {
				for _, v := range variants.Items {
					bytes += len(v.Code)
				}
			}
		}
		return nil
	})
	return answer, err
}

// export adds the first variants and uses of a procedure.
func (t tx) export(id int64, each int, e *graph.Exported) error {
	var variants []graph.Variant
	err := t.query(`SELECT `+variantColumns+codeColumn+` FROM procedures p CROSS JOIN variants v ON v.procedure = p.id
		WHERE p.id = ? ORDER BY v.position LIMIT +?`,
		func(r row) error { variants = append(variants, scanVariant(r, 0)); return nil }, id, each+1)
	if err != nil {
		return err
	}
	var uses []graph.Use
	err = t.query(`SELECT `+useColumns+` FROM procedures p CROSS JOIN uses u ON u.procedure = p.id
		WHERE p.id = ? ORDER BY u.of_procedure LIMIT +?`, addUse(&uses), id, each+1)
	e.Variants, e.Uses = cut(variants, each), cut(uses, each)
	return err
}

// Tombstones answers the hashes of deleted code, by hash.
func (s *Store) Tombstones(ctx context.Context, page graph.Page) (graph.Slice[graph.Tombstone], error) {
	var slice graph.Slice[graph.Tombstone]
	err := s.read(ctx, func(t tx) error {
		var tombstones []graph.Tombstone
		err := t.query(`SELECT d.code_hash, d.deleted_at FROM tombstones d WHERE d.code_hash > ? ORDER BY d.code_hash LIMIT +?`,
			func(r row) error {
				tombstones = append(tombstones, graph.Tombstone{CodeHash: r.text(0), DeletedAt: r.time(1)})
				return nil
			}, page.After, page.First+1)
		if err != nil {
			return err
		}
		slice = cut(tombstones, page.First)
		if page.Count {
			slice.Total, err = t.one(`SELECT count(*) FROM (SELECT 1 FROM tombstones d WHERE d.code_hash > '' LIMIT +?)`,
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
