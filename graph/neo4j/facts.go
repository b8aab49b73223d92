package neo4j

import (
	"context"
	"strings"
	"time"

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
    UNWIND $in.dependentsOfTools AS name
    MATCH (:Tool {name: name})<-[:USES|REACHES]-(p:Procedure) RETURN p
    UNION
    UNWIND $in.dependentsOfProcedures + CASE WHEN $in.dependents THEN [j IN judged | j.toolName] ELSE [] END AS name
    MATCH (:ProcedureName {name: name})<-[:USES|REACHES]-(p:Procedure) RETURN p
    UNION
    UNWIND $in.dependentsOfProcedures AS name
    MATCH (p:Procedure {toolName: name}) RETURN p
  }
  RETURN collect(p) AS dependents
}
CALL (owners, dependents) {
  UNWIND owners + dependents AS p
  WITH DISTINCT p
  UNWIND p.reach AS name
  RETURN collect(DISTINCT name) AS reached
}
CALL (reached) {
  UNWIND $in.names + reached AS name
  RETURN collect(DISTINCT name) AS mentioned
}` + offersOf("owners") + `
CALL (dependents) {
  UNWIND dependents AS p
  OPTIONAL MATCH (v:Variant {codeHash: p.current})
  RETURN collect(` + briefRow("p", "v") + `) AS brief
}
CALL () {
  UNWIND $in.uses AS id
  MATCH ()-[u:INVESTIGATED_BY {id: id}]->()
  RETURN collect(` + useRow + `) AS uses
}
CALL () {
  UNWIND $in.causes AS name
  MATCH (c:Cause {name: name})
  RETURN collect([c.name, c.description]) AS causes
}
CALL () {
  UNWIND $in.tombstones AS hash
  MATCH (d:Tombstone {codeHash: hash})
  RETURN collect([d.codeHash, d.at]) AS deleted
}
CALL () {
  MATCH (c:Credential {bootstrap: $in.admin})
  RETURN collect(properties(c)) AS admins
}` + knownTools("mentioned") + knownProcedures("mentioned") + readEnd + `, whole, variants, offers, brief, admins, tools, known, uses, causes, deleted`
}

var (
	readFacts   = facts(readStart, "")
	lockedFacts = facts(lockedStart, " SET p.lock = true")
)

func factParams(query graph.FactQuery) params {
	tools, procedures := apart(query.Names)
	of := query.DependentsOf
	if query.Dependents {
		of = append(of[:len(of):len(of)], query.Names...)
	}
	ofTools, ofProcedures := apart(of)
	uses := make([]string, len(query.Uses))
	for i, ref := range query.Uses {
		uses[i] = useID(ref.Procedure, ref.Cause)
	}
	p := params{
		"tools": tools, "procedures": procedures, "names": append(tools[:len(tools):len(tools)], procedures...),
		"codeHashes": query.CodeHashes, "dependents": query.Dependents, "admin": nil,
		"dependentsOfTools": ofTools, "dependentsOfProcedures": ofProcedures,
		"uses": uses, "causes": query.Causes, "tombstones": query.Tombstones,
	}
	if query.Admin {
		p["admin"] = bootstrap
	}
	return p
}

// apart are the names of tools and those of procedures, each once.
func apart(names []string) (tools, procedures []string) {
	tools, procedures = []string{}, []string{}
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		switch {
		case seen[name]:
		case strings.HasPrefix(name, procedurePrefix):
			procedures = append(procedures, name)
		default:
			tools = append(tools, name)
		}
		seen[name] = true
	}
	return tools, procedures
}

// useID is the key of the relation between a cause and a procedure. The procedure's key is of fixed form, so no two pairs
// share an id.
func useID(procedure, cause string) string { return procedure + " " + cause }

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
		Uses:       map[graph.UseRef]graph.Use{}, Causes: map[string]graph.Cause{}, Tombstones: map[string]time.Time{},
	}
	for _, u := range each(v[9], toUseOf) {
		f.Uses[graph.UseRef{Procedure: u.Procedure, Cause: u.Cause}] = u
	}
	for _, row := range rows(v[10]) {
		f.Causes[text(row[0])] = graph.Cause{Name: text(row[0]), Description: text(row[1])}
	}
	for _, d := range each(v[11], toTombstone) {
		f.Tombstones[d.CodeHash] = d.DeletedAt
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
