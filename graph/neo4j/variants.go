package neo4j

import (
	"context"
	"slices"

	"procgraph/graph"
)

var variantsBy = readStart + `
CALL () {
  UNWIND $codeHashes AS hash
  WITH DISTINCT hash
  MATCH (v:Variant {codeHash: hash})
  RETURN collect(` + list("v", variantColumns) + `) AS variants, collect(DISTINCT v.procedure) AS keys
}
CALL (keys) {
  UNWIND keys AS key
  MATCH (p:Procedure {key: key})
  RETURN collect(p) AS page
}` + reached("page") + known("reached") + readEnd + `, variants, tools, known, [p IN page | p.current]`

// VariantsBy answers the variants with these code hashes, in no order.
func (s *Store) VariantsBy(ctx context.Context, codeHashes []string) (graph.VariantPage, error) {
	record, head, err := s.read(ctx, variantsBy, params{"codeHashes": codeHashes})
	if err != nil {
		return graph.VariantPage{}, err
	}
	answer := graph.VariantPage{Known: toKnown(record.Values[3], record.Values[4])}
	answer.Items, answer.Head = each(record.Values[2], toVariant), head
	offered := texts(record.Values[5])
	for i := range answer.Items {
		answer.Items[i].Offered = slices.Contains(offered, answer.Items[i].CodeHash)
	}
	return answer, nil
}

var variantsOf = readStart + `
CALL () {
  UNWIND $keys AS key
  MATCH (p:Procedure {key: key})
  CALL (key) {
    MATCH (v:Variant) USING INDEX v:Variant(procedure, position)
    WHERE v.procedure = key AND v.position > $after
    WITH v ORDER BY v.procedure, v.position LIMIT $limit
    RETURN collect(` + list("v", variantColumns) + `) AS found
  }
  RETURN collect([key, COUNT { (p)-[:HAS_VARIANT]->() }, size(found) > $first, [v IN found[..$first] | [v, v[0] = p.current]]]) AS owners, collect(p) AS page
}` + reached("page") + known("reached") + readEnd + `, owners, tools, known`

// VariantsOf answers, for each procedure key, its variants by Position.
func (s *Store) VariantsOf(ctx context.Context, procedures []string, page graph.Page) (graph.VariantsByProcedure, error) {
	record, head, err := s.read(ctx, variantsOf, pageParams(page, params{"keys": procedures}))
	if err != nil {
		return graph.VariantsByProcedure{}, err
	}
	answer := graph.VariantsByProcedure{Known: toKnown(record.Values[3], record.Values[4])}
	answer.Batch = batch(record.Values[2], head, page, func(v any) []graph.Variant { return each(v, toJudged) })
	return answer, nil
}

// toJudged reads a pair of a variant and whether its procedure offers it.
func toJudged(v []any) graph.Variant {
	row, _ := v[0].([]any)
	variant := toVariant(row)
	variant.Offered = truth(v[1])
	return variant
}
