package sqlite

import (
	"context"

	"procgraph/graph"
)

// UsesOf answers, for each procedure key or each cause name, its uses.
func (s *Store) UsesOf(ctx context.Context, of graph.UseOwners, page graph.Page) (graph.Batch[graph.Use], error) {
	if len(of.Causes) > 0 {
		return batch(ctx, s, of.Causes, page.First, func(t tx, cause string) (uses []graph.Use, total int, err error) {
			err = t.query(`SELECT `+useColumns+` FROM uses u CROSS JOIN procedures p ON p.id = u.procedure
				WHERE u.cause = ? AND u.of_cause > ? ORDER BY u.of_cause LIMIT +?`,
				addUse(&uses), cause, page.After, page.First+1)
			if err == nil && page.Count {
				total, err = t.one(`SELECT count(*) FROM (SELECT 1 FROM uses u WHERE u.cause = ? LIMIT +?)`,
					cause, graph.MaxTotal)
			}
			return uses, total, err
		})
	}
	return batch(ctx, s, of.Procedures, page.First, func(t tx, key string) (uses []graph.Use, total int, err error) {
		err = t.query(`SELECT `+useColumns+` FROM procedures p CROSS JOIN uses u ON u.procedure = p.id
			WHERE p.key = ? AND u.of_procedure > ? ORDER BY u.of_procedure LIMIT +?`,
			addUse(&uses), key, page.After, page.First+1)
		if err == nil && page.Count {
			total, err = t.one(`SELECT count(*) FROM (SELECT 1 FROM procedures p CROSS JOIN uses u ON u.procedure = p.id
				WHERE p.key = ? LIMIT +?)`, key, graph.MaxTotal)
		}
		return uses, total, err
	})
}

func addUse(uses *[]graph.Use) func(row) error {
	return func(r row) error {
		use, err := scanUse(r)
		*uses = append(*uses, use)
		return err
	}
}
