package neo4j

import (
	"context"
	"strings"

	"procgraph/graph"
)

// facts reads all that a decision needs. Its start either looks at the head or locks it.
func facts(start string) string {
	return start + `
CALL () {
  UNWIND $tools AS name
  MATCH (t:Tool {name: name})
  RETURN collect(` + list("t", toolColumns) + `) AS whole
}
CALL () {
  UNWIND $codeHashes AS hash
  MATCH (v:Variant {codeHash: hash})
  RETURN collect(` + list("v", variantColumns) + `) AS variants, collect(DISTINCT v.procedure) AS keys
}
CALL (keys) {
  UNWIND keys AS key
  MATCH (p:Procedure {key: key})
  RETURN collect(p) AS judged
}
CALL (judged) {
  CALL (judged) {
    UNWIND judged AS p RETURN p
    UNION
    UNWIND $procedures AS name
    MATCH (p:Procedure {toolName: name}) RETURN p
  }
  RETURN collect(p) AS owners
}
CALL (keys) {
  UNWIND keys AS owner
  CALL (owner) {
    ` + usesBy("procedure", "ofProcedure") + `
  }
  RETURN collect([owner, found]) AS uses
}
CALL (judged, owners) {
  WITH judged, owners WHERE $dependents
  CALL (judged, owners) {
    UNWIND owners AS p RETURN p
    UNION
    UNWIND $tools AS name
    MATCH (:Tool {name: name})<-[:USES|REACHES]-(p:Procedure) RETURN p
    UNION
    UNWIND $procedures + [j IN judged | j.toolName] AS name
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
WITH *, $names + [name IN reached WHERE NOT name IN $names] AS mentioned` + offersOf("owners") + `
CALL (dependents) {
  UNWIND dependents AS p
  OPTIONAL MATCH (v:Variant {codeHash: p.current})
  RETURN collect([` + procedureList("p") + `, ` + briefList("v") + `]) AS brief
}
CALL () {
  WITH 1 AS one WHERE $admin
  MATCH (c:Credential {bootstrap: 'admin'})
  RETURN collect([c.id, c.hash, c.principal, c.createdAt]) AS admins
}` + known("mentioned") + readEnd + `, whole, variants, offers, uses, brief, admins, tools, known`
}

var (
	readFacts   = facts(readStart)
	lockedFacts = facts(lockedStart)
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
	return params{
		"tools": tools, "procedures": procedures, "names": append(tools[:len(tools):len(tools)], procedures...),
		"codeHashes": query.CodeHashes, "dependents": query.Dependents, "admin": query.Admin,
		"after": "", "limit": graph.FactUses,
	}
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
		Head: head, Known: toKnown(v[8], v[9]),
		Tools: map[string]graph.Tool{}, Variants: map[string]graph.Variant{}, Owners: map[string]graph.Offer{},
		Uses: map[string][]graph.Use{}, Dependents: toOffers(v[6]),
	}
	for _, tool := range each(v[2], toTool) {
		f.Tools[tool.Name] = tool
	}
	for _, offer := range toOffers(v[4]) {
		f.Owners[offer.Procedure.Key] = offer
	}
	for _, variant := range each(v[3], toVariant) {
		variant.Offered = variant.CodeHash == f.Owners[variant.Procedure].Procedure.Current
		f.Variants[variant.CodeHash] = variant
	}
	for _, owner := range rows(v[5]) {
		f.Uses[text(owner[0])] = each(owner[1], toUse)
	}
	for _, admin := range rows(v[7]) {
		f.Admin = &graph.Credential{ID: text(admin[0]), Hash: text(admin[1]), Principal: text(admin[2]), CreatedAt: moment(admin[3])}
	}
	return f
}
