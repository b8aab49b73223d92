package neo4j

import (
	"context"
	"maps"
	"strings"

	"procgraph/graph"
)

// fewUses is up to how many uses are sorted rather than found along the index. Uses move in the index as they are counted,
// so a walk can miss one that is counted just then.
const fewUses = "100"

// usesBy answers, as total and found, how many uses the node of an owner has and a page of them. The relation itself carries
// the owner's key and the position among its uses, and has an index on both.
func usesBy(node, key, property, position, path string) string {
	return `
  WITH *, COUNT { ` + path + ` } AS total
  CALL (` + node + `, total) {
    CALL (` + node + `, total) {
      UNWIND CASE WHEN total <= ` + fewUses + ` THEN [` + node + `] ELSE [] END AS few
      MATCH ` + strings.Replace(path, "("+node+")", "(few)", 1) + `
      WHERE u.` + position + ` > $in.after
      RETURN u ORDER BY u.` + position + ` LIMIT $in.limit
      UNION ALL
      WITH CASE WHEN total > ` + fewUses + ` THEN ` + key + ` END AS owner
      MATCH ()-[u:INVESTIGATED_BY]->() USING INDEX u:INVESTIGATED_BY(` + property + `, ` + position + `)
      WHERE u.` + property + ` = owner AND u.` + position + ` > $in.after
      RETURN u ORDER BY u.` + property + `, u.` + position + ` LIMIT $in.limit
    }
    RETURN collect(` + useMap + `) AS found
  }`
}

var usesOf = readStart + `
CALL () {
  UNWIND $in.procedures AS owner
  MATCH (p:Procedure {key: owner})` + usesBy("p", "p.key", "procedure", "ofProcedure", "(p)<-[u:INVESTIGATED_BY]-()") + `
  RETURN collect([owner, total, size(found) > $in.first, found[..$in.first]]) AS ofProcedures
}
CALL () {
  UNWIND $in.causes AS owner
  MATCH (c:Cause {name: owner})` + usesBy("c", "c.name", "cause", "ofCause", "(c)-[u:INVESTIGATED_BY]->()") + `
  RETURN collect([owner, total, size(found) > $in.first, found[..$in.first]]) AS ofCauses
}` + readEnd + `, [o IN ofProcedures WHERE o[1] > 0], [o IN ofCauses WHERE o[1] > 0]`

// UsesOf answers, for each procedure key or each cause name, its uses by OfProcedure or OfCause.
func (s *Store) UsesOf(ctx context.Context, of graph.UseOwners, page graph.Page) (graph.Batch[graph.Use], error) {
	record, head, err := s.read(ctx, usesOf, pageParams(page, params{"procedures": of.Procedures, "causes": of.Causes}))
	if err != nil {
		return graph.Batch[graph.Use]{}, err
	}
	b := batch(record.Values[2], head, page, func(v any) []graph.Use {
		return inOrder(each(v, toUse), page.After, graph.Use.OfProcedure)
	})
	ofCauses := batch(record.Values[3], head, page, func(v any) []graph.Use {
		return inOrder(each(v, toUse), page.After, graph.Use.OfCause)
	})
	maps.Copy(b.By, ofCauses.By)
	return b, nil
}
