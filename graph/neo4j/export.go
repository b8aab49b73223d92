package neo4j

import (
	"context"
	"strings"

	"procgraph/graph"
)

// exportedUses finds uses as everybody does, and answers them as rows.
var exportedUses = strings.Replace(usesBy("p", "p.key", "procedure", "ofProcedure", "(p)<-[u:INVESTIGATED_BY]-()"), useMap, useRow, 1)

// exported answers what belongs to the procedures of a list.
var exported = `
CALL (page) {
  UNWIND page AS p
  CALL (p) {
    MATCH (v:Variant) USING INDEX v:Variant(procedure, position)
    WHERE v.procedure = p.key AND v.position > ''
    WITH v ORDER BY v.procedure, v.position LIMIT $in.each
    RETURN collect(` + variantRow + `) AS variants
  }
  WITH p, variants` + exportedUses + `
  RETURN collect([[p:Approved, p:Offered, ` + row("p", procedureColumns) + `, [null]], variants, found]) AS items
}`

var (
	exportAfter = readStart + `
CALL () {
  MATCH (p:Procedure) USING INDEX p:Procedure(key)
  WHERE p.key > $in.from
  WITH p ORDER BY p.key LIMIT $in.first + 1
  WITH collect(p) AS found
  RETURN found[..$in.first] AS page, size(found) > $in.first AS more
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
	// A further row tells whether more follow. Paging by usesBy is from the start.
	p := params{"first": max(query.First, 0), "each": query.Each + 1, "limit": query.Each + 1, "from": query.After, "after": ""}
	if query.Keys != nil {
		statement, p["keys"] = exportKeys, query.Keys
	}
	record, head, err := s.read(ctx, statement, p)
	if err != nil {
		return graph.ExportPage{}, err
	}
	page := graph.Page{First: query.Each}
	items := rows(record.Values[2])
	answer := graph.ExportPage{Items: make([]graph.Exported, len(items)), More: truth(record.Values[3])}
	for i, item := range items {
		e := &answer.Items[i]
		offer, _ := item[0].([]any)
		e.Procedure = toOffer(offer).Procedure
		e.Variants = slice(toVariants(item[1]), page, nil, head)
		for j := range e.Variants.Items {
			e.Variants.Items[j].Offered = e.Variants.Items[j].CodeHash == e.Procedure.Current
		}
		e.Uses = slice(inOrder(each(item[2], toUseOf), "", graph.Use.OfProcedure), page, nil, head)
		e.Variants.Head, e.Uses.Head = graph.Head{}, graph.Head{}
	}
	return answer, nil
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
