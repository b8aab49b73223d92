package sqlite

import (
	"context"

	"procgraph/graph"
)

// variantJoin brings the procedure whose key a variant carries.
const variantJoin = ` CROSS JOIN procedures p ON p.id = v.procedure`

// VariantsBy answers the variants with these code hashes.
func (s *Store) VariantsBy(ctx context.Context, codeHashes []string) (graph.VariantPage, error) {
	page := graph.VariantPage{Known: newKnown()}
	err := s.read(ctx, func(t tx) error {
		reached := names{}
		err := t.query(`SELECT `+variantColumns+codeColumn+`, p.reach FROM variants v`+variantJoin+`
			WHERE v.code_hash IN (SELECT value FROM json_each(?))`,
			func(r row) error {
				page.Items = append(page.Items, scanVariant(r, 0))
				return reached.addList(r.text(variantWidth))
			}, codeHashes)
		if err != nil {
			return err
		}
		if err := t.lookUp(reached, true, &page.Known); err != nil {
			return err
		}
		page.Head, err = t.head()
		return err
	})
	return page, err
}

// VariantsOf answers, for each procedure key, its variants by position.
func (s *Store) VariantsOf(ctx context.Context, procedures []string, page graph.Page) (graph.VariantsByProcedure, error) {
	answer := graph.VariantsByProcedure{
		Batch: graph.Batch[graph.Variant]{By: make(map[string]graph.Slice[graph.Variant], len(procedures))},
		Known: newKnown(),
	}
	err := s.read(ctx, func(t tx) error {
		err := fill(t, answer.By, procedures, page.First, func(t tx, key string) ([]graph.Variant, int, error) {
			return t.variantsOf(key, page)
		})
		if err != nil {
			return err
		}
		reached := names{}
		err = t.query(`SELECT p.reach FROM procedures p WHERE p.key IN (SELECT value FROM json_each(?))`,
			func(r row) error { return reached.addList(r.text(0)) }, procedures)
		if err != nil {
			return err
		}
		if err := t.lookUp(reached, true, &answer.Known); err != nil {
			return err
		}
		answer.Head, err = t.head()
		return err
	})
	return answer, err
}

func (t tx) variantsOf(key string, page graph.Page) (variants []graph.Variant, total int, err error) {
	err = t.query(`SELECT `+variantColumns+codeColumn+` FROM procedures p CROSS JOIN variants v ON v.procedure = p.id
		WHERE p.key = ? AND v.position > ? ORDER BY v.position LIMIT +?`,
		func(r row) error { variants = append(variants, scanVariant(r, 0)); return nil }, key, page.After, page.First+1)
	if err == nil && page.Count {
		total, err = t.one(`SELECT count(*) FROM (SELECT 1 FROM procedures p CROSS JOIN variants v ON v.procedure = p.id
			WHERE p.key = ? LIMIT +?)`, key, graph.MaxTotal)
	}
	return variants, total, err
}

// variant answers one variant and its id; ok is false when it is not stored.
func (t tx) variant(codeHash string) (variant graph.Variant, id int64, ok bool, err error) {
	err = t.query(`SELECT `+variantColumns+codeColumn+`, v.id FROM variants v`+variantJoin+` WHERE v.code_hash = ?`,
		func(r row) error {
			variant, id, ok = scanVariant(r, 0), r.int(variantWidth), true
			return nil
		}, codeHash)
	return variant, id, ok, err
}
