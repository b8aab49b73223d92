package neo4j

import (
	"cmp"
	"context"
	"math"
	"slices"

	"procgraph/graph"
)

// exported answers what belongs to the procedures of a list, in no order; null where there is more than was asked for.
var exported = `
CALL (page) {
  UNWIND page AS p
  RETURN collect([[p:Approved, p:Offered, ` + row("p", procedureColumns) + `, [null]],
    CASE WHEN COUNT { (p)-[:HAS_VARIANT]->() } <= $in.each THEN COLLECT { MATCH (p)-[:HAS_VARIANT]->(v) RETURN ` + variantRow + ` } END,
    CASE WHEN COUNT { (p)<-[:INVESTIGATED_BY]-() } <= $in.each THEN COLLECT { MATCH (p)<-[u:INVESTIGATED_BY]-() RETURN ` + useRow + ` } END
  ]) AS items
}`

var (
	exportAfter = readStart + `
CALL () {
  MATCH (p:Procedure) USING INDEX p:Procedure(key)
  WHERE p.key > $in.from
  WITH p ORDER BY p.key LIMIT $in.first + 1
  WITH p, CASE WHEN COUNT { (p)-[:HAS_VARIANT]->() } <= $in.each
    THEN reduce(all = 0, one IN COLLECT { MATCH (p)-[:HAS_VARIANT]->(v) RETURN size(v.code) } | all + one) ELSE 0 END AS bytes
  WITH collect(p) AS found, collect(bytes) AS sizes
  WITH found, reduce(fit = [0, 0], bytes IN sizes | CASE WHEN fit[0] < $in.first AND (fit[0] = 0 OR fit[1] < $in.bytes)
    THEN [fit[0] + 1, fit[1] + bytes] ELSE fit END)[0] AS fit
  RETURN found[..fit] AS page, size(found) > fit AS more
}` + exported + readEnd + `, items, more`
	exportKeys = readStart + `
CALL () {
  UNWIND $in.keys AS key
  MATCH (p:Procedure {key: key})
  WITH p ORDER BY p.key
  RETURN collect(p) AS page
}
WITH *, false AS more` + exported + readEnd + `, items, more`
	tombstones = readStart + `
CALL () {
  MATCH (d:Tombstone) USING INDEX d:Tombstone(codeHash)
  WHERE d.codeHash > $in.after
  WITH d ORDER BY d.codeHash LIMIT $in.limit
  RETURN collect([d.codeHash, d.at]) AS found
}
CALL () {
  MATCH (d:Tombstone)
  RETURN count(d) AS total
}` + readEnd + `, found, total`
)

// Export answers whole procedures, by key.
func (s *Store) Export(ctx context.Context, query graph.ExportQuery) (graph.ExportPage, error) {
	statement := exportAfter
	p := params{"first": max(query.First, 0), "each": query.Each, "bytes": query.Bytes, "from": query.After}
	if query.Bytes <= 0 {
		p["bytes"] = math.MaxInt64
	}
	if query.Keys != nil {
		statement, p["keys"] = exportKeys, query.Keys
	}
	record, _, err := s.read(ctx, statement, p)
	if err != nil {
		return graph.ExportPage{}, err
	}
	items := rows(record.Values[2])
	answer := graph.ExportPage{Items: make([]graph.Exported, len(items)), More: truth(record.Values[3])}
	var ofVariants, ofUses []string // procedures that have more of them
	for i, item := range items {
		e := &answer.Items[i]
		offer, _ := item[0].([]any)
		e.Procedure = toOffer(offer).Procedure
		if item[1] == nil {
			ofVariants = append(ofVariants, e.Procedure.Key)
		}
		if item[2] == nil {
			ofUses = append(ofUses, e.Procedure.Key)
		}
		e.Variants.Items = toVariants(item[1])
		for j := range e.Variants.Items {
			e.Variants.Items[j].Offered = e.Variants.Items[j].CodeHash == e.Procedure.Current
		}
		slices.SortFunc(e.Variants.Items, func(a, b graph.Variant) int { return cmp.Compare(a.Position(), b.Position()) })
		e.Uses.Items = inOrder(each(item[2], toUseOf), "", graph.Use.OfProcedure)
	}
	return answer, s.exportMany(ctx, answer.Items, ofVariants, ofUses, query.Each)
}

// exportMany adds the first variants and uses of the procedures that have many.
func (s *Store) exportMany(ctx context.Context, items []graph.Exported, ofVariants, ofUses []string, each int) error {
	if len(ofVariants)+len(ofUses) == 0 {
		return nil
	}
	variants, err := s.VariantsOf(ctx, ofVariants, graph.Page{First: each})
	if err != nil {
		return err
	}
	uses, err := s.UsesOf(ctx, graph.UseOwners{Procedures: ofUses}, graph.Page{First: each})
	if err != nil {
		return err
	}
	for i := range items {
		e := &items[i]
		if slice, ok := variants.By[e.Procedure.Key]; ok {
			e.Variants = slice
		}
		if slice, ok := uses.By[e.Procedure.Key]; ok {
			e.Uses = slice
		}
	}
	return nil
}

// Tombstones answers the hashes of deleted code, by hash.
func (s *Store) Tombstones(ctx context.Context, page graph.Page) (graph.Slice[graph.Tombstone], error) {
	record, head, err := s.read(ctx, tombstones, pageParams(page, params{}))
	if err != nil {
		return graph.Slice[graph.Tombstone]{}, err
	}
	return slice(each(record.Values[2], toTombstone), page, record.Values[3], head), nil
}

func toTombstone(row []any) graph.Tombstone {
	return graph.Tombstone{CodeHash: text(row[0]), DeletedAt: moment(row[1])}
}
