package neo4j

import (
	"context"

	"procgraph/graph"
)

// usesBy finds uses by the index of an owner, which the relation itself carries with the position among its uses.
func usesBy(owner, position string) string {
	return `MATCH ()-[u:INVESTIGATED_BY]->() USING INDEX u:INVESTIGATED_BY(` + owner + `, ` + position + `)
    WHERE u.` + owner + ` = owner AND u.` + position + ` > $after
    WITH u ORDER BY u.` + owner + `, u.` + position + ` LIMIT $limit
    RETURN collect(` + list("u", useColumns) + `) AS found`
}

var usesOf = readStart + `
CALL () {
  UNWIND $procedures AS owner
  MATCH (p:Procedure {key: owner})
  CALL (owner) {
    ` + usesBy("procedure", "ofProcedure") + `
  }
  RETURN collect([owner, COUNT { (p)<-[:INVESTIGATED_BY]-() }, size(found) > $first, found[..$first]]) AS ofProcedures
}
CALL () {
  UNWIND $causes AS owner
  MATCH (c:Cause {name: owner})
  CALL (owner) {
    ` + usesBy("cause", "ofCause") + `
  }
  RETURN collect([owner, COUNT { (c)-[:INVESTIGATED_BY]->() }, size(found) > $first, found[..$first]]) AS ofCauses
}` + readEnd + `, [o IN ofProcedures + ofCauses WHERE o[1] > 0]`

// UsesOf answers, for each procedure key or each cause name, its uses by OfProcedure or OfCause.
func (s *Store) UsesOf(ctx context.Context, of graph.UseOwners, page graph.Page) (graph.Batch[graph.Use], error) {
	record, head, err := s.read(ctx, usesOf, pageParams(page, params{"procedures": of.Procedures, "causes": of.Causes}))
	if err != nil {
		return graph.Batch[graph.Use]{}, err
	}
	return batch(record.Values[2], head, page, func(v any) []graph.Use { return each(v, toUse) }), nil
}
