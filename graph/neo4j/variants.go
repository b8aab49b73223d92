package neo4j

import (
	"context"
	"slices"

	"procgraph/graph"
)

var variantsBy = readStart + `
CALL () {
  UNWIND $in.codeHashes AS hash
  WITH DISTINCT hash
  MATCH (v:Variant {codeHash: hash})
  RETURN collect(` + variantRow + `) AS variants, collect(DISTINCT v.procedure) AS keys
}
CALL (keys) {
  UNWIND keys AS key
  MATCH (p:Procedure {key: key})
  RETURN collect(p) AS page
}` + reached("page") + knownTools("reached") + knownProcedures("reached") + readEnd + `, variants, tools, known, [p IN page | p.current]`

// VariantsBy answers the variants with these code hashes, in no order.
func (s *Store) VariantsBy(ctx context.Context, codeHashes []string) (graph.VariantPage, error) {
	record, head, err := s.read(ctx, variantsBy, params{"codeHashes": codeHashes})
	if err != nil {
		return graph.VariantPage{}, err
	}
	answer := graph.VariantPage{Known: toKnown(record.Values[3], record.Values[4])}
	answer.Items, answer.Head = toVariants(record.Values[2]), head
	offered := texts(record.Values[5])
	for i := range answer.Items {
		answer.Items[i].Offered = slices.Contains(offered, answer.Items[i].CodeHash)
	}
	return answer, nil
}

var variantsOf = readStart + `
CALL () {
  UNWIND $in.keys AS key
  MATCH (p:Procedure {key: key})
  CALL (key) {
    MATCH (v:Variant) USING INDEX v:Variant(procedure, position)
    WHERE v.procedure = key AND v.position > $in.after
    WITH v ORDER BY v.procedure, v.position LIMIT $in.limit
    RETURN collect(` + variantRow + `) AS found
  }
  RETURN collect([key, COUNT { (p)-[:HAS_VARIANT]->() }, size(found) > $in.first, [v IN found[..$in.first] | [v, v[0] = p.current]]]) AS owners, collect(p) AS page
}` + reached("page") + knownTools("reached") + knownProcedures("reached") + readEnd + `, owners, tools, known`

// VariantsOf answers, for each procedure key, its variants by Position.
func (s *Store) VariantsOf(ctx context.Context, procedures []string, page graph.Page) (graph.VariantsByProcedure, error) {
	record, head, err := s.read(ctx, variantsOf, pageParams(page, params{"keys": procedures}))
	if err != nil {
		return graph.VariantsByProcedure{}, err
	}
	answer := graph.VariantsByProcedure{Known: toKnown(record.Values[3], record.Values[4])}
	answer.Batch = batch(record.Values[2], head, page, toJudged)
	return answer, nil
}

// toJudged reads pairs of a variant and whether its procedure offers it.
func toJudged(v any) []graph.Variant {
	pairs := rows(v)
	variants := make([]graph.Variant, len(pairs))
	for i, pair := range pairs {
		variant, _ := pair[0].([]any)
		variants[i] = toVariant(variant)
		variants[i].Offered = truth(pair[1])
	}
	return variants
}
