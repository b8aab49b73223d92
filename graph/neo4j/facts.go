package neo4j

import (
	"context"
	"strings"

	"procgraph/graph"
)

// facts reads all that a decision needs. Its start either looks at the head or locks it, and so does lock with the
// procedures of the variants, which captures change without the head.
func facts(start, lock string) string {
	return start + `
CALL () {
  UNWIND $in.tools AS name
  MATCH (t:Tool {name: name})
  RETURN collect(` + toolMap + `) AS whole
}
CALL () {
  UNWIND $in.codeHashes AS hash
  MATCH (v:Variant {codeHash: hash})
  RETURN collect(` + variantRow + `) AS variants, collect(DISTINCT v.procedure) AS keys
}
CALL (keys) {
  UNWIND keys AS key
  MATCH (p:Procedure {key: key})` + lock + `
  RETURN collect(p) AS judged
}
CALL (judged) {
  CALL (judged) {
    UNWIND judged AS p RETURN p
    UNION
    UNWIND $in.procedures AS name
    MATCH (p:Procedure {toolName: name}) RETURN p
  }
  RETURN collect(p) AS owners
}
CALL (judged, owners) {
  CALL (judged, owners) {
    UNWIND CASE WHEN $in.dependents THEN owners ELSE [] END AS p RETURN p
    UNION
    UNWIND CASE WHEN $in.dependents THEN $in.tools ELSE [] END AS name
    MATCH (:Tool {name: name})<-[:USES|REACHES]-(p:Procedure) RETURN p
    UNION
    UNWIND CASE WHEN $in.dependents THEN $in.procedures + [j IN judged | j.toolName] ELSE [] END AS name
    MATCH (:ProcedureName {name: name})<-[:USES|REACHES]-(p:Procedure) RETURN p
  }
  RETURN collect(p) AS dependents
}
CALL (owners, dependents) {
  UNWIND owners + dependents AS p
  WITH DISTINCT p
  UNWIND p.reach AS name
  RETURN collect(DISTINCT name) AS reached
}
WITH *, $in.names + [name IN reached WHERE NOT name IN $in.names] AS mentioned` + offersOf("owners") + `
CALL (dependents) {
  UNWIND dependents AS p
  OPTIONAL MATCH (v:Variant {codeHash: p.current})
  RETURN collect(` + briefRow("p", "v") + `) AS brief
}
CALL () {
  MATCH (c:Credential {bootstrap: $in.admin})
  RETURN collect(properties(c)) AS admins
}` + knownTools("mentioned") + knownProcedures("mentioned") + readEnd + `, whole, variants, offers, brief, admins, tools, known`
}

var (
	readFacts   = facts(readStart, "")
	lockedFacts = facts(lockedStart, " SET p.lock = true")
)

func factParams(query graph.FactQuery) params {
	tools, procedures := []string{}, []string{}
	seen := map[string]bool{}
	for _, name := range query.Names {
		switch {
		case seen[name]:
		case strings.HasPrefix(name, procedurePrefix):
			procedures = append(procedures, name)
		default:
			tools = append(tools, name)
		}
		seen[name] = true
	}
	p := params{
		"tools": tools, "procedures": procedures, "names": append(tools[:len(tools):len(tools)], procedures...),
		"codeHashes": query.CodeHashes, "dependents": query.Dependents, "admin": nil,
	}
	if query.Admin {
		p["admin"] = bootstrap
	}
	return p
}

// Facts answers all that a decision about the query needs, with the head, at one moment.
func (s *Store) Facts(ctx context.Context, query graph.FactQuery) (graph.Facts, error) {
	record, head, err := s.read(ctx, readFacts, factParams(query))
	if err != nil {
		return graph.Facts{}, err
	}
	return toFacts(record.Values, head), nil
}

func toFacts(v []any, head graph.Head) graph.Facts {
	f := graph.Facts{
		Head: head, Known: toKnown(v[7], v[8]),
		Tools: map[string]graph.Tool{}, Variants: map[string]graph.Variant{}, Owners: map[string]graph.Offer{},
		Dependents: toOffers(v[5]),
	}
	for _, tool := range each(v[2], toTool) {
		f.Tools[tool.Name] = tool
	}
	for _, offer := range toOffers(v[4]) {
		f.Owners[offer.Procedure.Key] = offer
	}
	for _, variant := range toVariants(v[3]) {
		variant.Offered = variant.CodeHash == f.Owners[variant.Procedure].Procedure.Current
		f.Variants[variant.CodeHash] = variant
	}
	for _, admin := range each(v[6], toCredential) {
		f.Admin = &admin
	}
	return f
}

func toCredential(p properties) graph.Credential {
	return graph.Credential{ID: text(p["id"]), Hash: text(p["hash"]), Principal: text(p["principal"]), CreatedAt: moment(p["createdAt"])}
}
