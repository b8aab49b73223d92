package neo4j

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"procgraph/graph"
)

// An import locks in the order of captures: its procedures, variants, tools, names of procedures, causes, and within each
// of them by key. What a procedure and its relations are is read after their procedure is locked.
var (
	importProcedures = noReplan + `UNWIND $in.procedures AS row
MERGE (p:Procedure {key: row.key})
  ON CREATE SET p += row.made
SET p.lock = true, p += row.state,
  p.lastUsedAt = CASE WHEN p.lastUsedAt >= row.lastUsedAt OR row.lastUsedAt IS NULL THEN p.lastUsedAt ELSE row.lastUsedAt END,
  p.updatedAt = CASE WHEN p.updatedAt >= row.updatedAt OR row.updatedAt IS NULL THEN p.updatedAt ELSE row.updatedAt END
FOREACH (_ IN CASE WHEN row.approved THEN [1] ELSE [] END | SET p:Approved)
FOREACH (_ IN CASE WHEN row.approved THEN [] ELSE [1] END | REMOVE p:Approved)
FOREACH (_ IN CASE WHEN row.offered THEN [1] ELSE [] END | SET p:Offered)
FOREACH (_ IN CASE WHEN row.offered THEN [] ELSE [1] END | REMOVE p:Offered)
FOREACH (_ IN CASE WHEN row.retired THEN [1] ELSE [] END | SET p:Retired)
FOREACH (_ IN CASE WHEN row.retired THEN [] ELSE [1] END | REMOVE p:Retired)`

	importVariants = noReplan + `UNWIND $in.variants AS row
MERGE (v:Variant {codeHash: row.codeHash})
  ON CREATE SET v += row.made
WITH v, row, v.made = $in.try AS new
CALL (v, row, new) {
  WITH v, row WHERE new
  MATCH (p:Procedure {key: v.procedure})
  CREATE (p)-[:HAS_VARIANT]->(v)
  SET p.unproven = p.unproven OR NOT v.proven
}
CALL (v, row, new) {
  WITH v, row WHERE NOT new AND row.judged IS NOT NULL
  SET v.made = v.made
  WITH v, row WHERE v.status = '` + string(graph.Proposed) + `'
  SET v += row.judged
}`

	importTools = noReplan + `CALL () {
  UNWIND $in.tools AS tool
  MERGE (t:Tool {name: tool.name})
  SET t += tool.rest
}
CALL () {
  UNWIND $in.calls AS row
  MATCH (v:Variant {codeHash: row.codeHash}) WHERE v.made = $in.try
  MATCH (t:Tool {name: row.tool})
  CREATE (v)-[:CALLS]->(t)
}
CALL () {
  UNWIND $in.uses AS row
  MATCH (p:Procedure {key: row.key}) WHERE p.made = $in.try
  MATCH (t:Tool {name: row.name})
  CREATE (p)-[:USES {tool: row.name, procedure: p.toolName}]->(t)
}
CALL () {
  UNWIND $in.named AS row
  MATCH (p:Procedure {key: row.key}) WHERE p.made = $in.try
  MERGE (n:ProcedureName {name: row.name})
  FOREACH (_ IN CASE WHEN row.direct THEN [1] ELSE [] END | CREATE (p)-[:USES {tool: row.name, procedure: p.toolName}]->(n))
  FOREACH (_ IN CASE WHEN row.direct THEN [] ELSE [1] END | CREATE (p)-[:REACHES]->(n))
}
CALL () {
  UNWIND $in.reached AS row
  MATCH (p:Procedure {key: row.key}) WHERE p.made = $in.try
  MATCH (t:Tool {name: row.name})
  CREATE (p)-[:REACHES]->(t)
}`

	importCauses = noReplan + `UNWIND $in.causes AS cause
MERGE (c:Cause {name: cause.name})
  ON CREATE SET c.description = cause.description, c.words = cause.words
WITH c, cause WHERE c.description = '' AND cause.description <> ''
SET c.description = cause.description, c.words = cause.words`

	importUses = noReplan + `UNWIND $in.uses AS row
MATCH (p:Procedure {key: row.key})
OPTIONAL MATCH ()-[old:INVESTIGATED_BY {id: row.id}]->()
CALL (p, row, old) {
  WITH p, row, old WHERE old IS NULL
  MATCH (c:Cause {name: row.cause})
  CREATE (c)-[u:INVESTIGATED_BY {id: row.id}]->(p)
  SET u += row.made, u += row.details, u.words = row.untold
  RETURN row.made.frequency AS added
  UNION ALL
  WITH row, old WHERE old IS NOT NULL
  WITH row, old, old.frequency AS was, CASE WHEN row.made.frequency > old.frequency THEN row.made.frequency ELSE old.frequency END AS frequency,
    CASE WHEN old.triggerSignals IS NULL AND row.details.triggerSignals IS NOT NULL THEN row.words ELSE old.words END AS words
  SET old.confidence = coalesce(old.confidence, row.details.confidence),
    old.triggerSignals = coalesce(old.triggerSignals, row.details.triggerSignals),
    old.observedArguments = coalesce(old.observedArguments, row.details.observedArguments),
    old.resultSummary = coalesce(old.resultSummary, row.details.resultSummary),
    old.frequency = frequency, old.words = words,
    old.lastAt = CASE WHEN old.lastAt >= row.made.lastAt THEN old.lastAt ELSE row.made.lastAt END,
    old.ofProcedure = ` + invertedCount("frequency") + ` + ':' + row.cause, old.ofCause = ` + invertedCount("frequency") + ` + ':' + old.toolName
  RETURN frequency - was AS added
}
WITH p, sum(added) AS added
SET p.frequency = p.frequency + added`

	importPlaces = noReplan + `UNWIND $in.procedures AS row
MATCH (p:Procedure {key: row.key})
SET p.rank = ` + invertedCount("p.frequency") + ` + ':' + ` + invertedMillis("coalesce(p.lastUsedAt, 0)") + ` + ':' + p.toolName,
  p.recent = ` + invertedMillis("coalesce(p.updatedAt, 0)") + ` + ':' + p.toolName`

	importEnd = noReplan + `CALL () {
  UNWIND $in.tombstones AS row
  MERGE (d:Tombstone {codeHash: row.codeHash})
  SET d.at = CASE WHEN d.at >= row.at THEN d.at ELSE row.at END
}` + hintsWritten + eventWritten
)

// writeImported writes an import but for its end, which importEndParams gives the values of.
func (s *Store) writeImported(ctx context.Context, tx neo4j.ExplicitTransaction, c graph.Imported) error {
	try := randomNumber()
	procedures := importedProcedures(c.Procedures, try)
	for _, step := range []struct {
		statement string
		rows      int
		values    func() params
	}{
		{importProcedures, len(procedures), func() params { return params{"procedures": procedures} }},
		{importVariants, len(c.Variants), func() params { return params{"variants": importedVariants(c.Variants, try), "try": try} }},
		{importTools, len(c.Tools) + len(procedures), func() params { return importedTools(c, try) }},
		{importCauses, len(c.Causes), func() params { return params{"causes": importedCauses(c.Causes)} }},
		{importUses, len(c.Uses), func() params { return params{"uses": importedUses(c)} }},
		{importPlaces, len(procedures), func() params { return params{"procedures": procedures} }},
	} {
		if step.rows == 0 {
			continue
		}
		if _, err := s.runIn(ctx, tx, step.statement, step.values()); err != nil {
			return err
		}
	}
	return nil
}

func importEndParams(c graph.Imported, p params) {
	deleted := slices.SortedFunc(slices.Values(c.Tombstones), func(a, b graph.Tombstone) int { return cmp.Compare(a.CodeHash, b.CodeHash) })
	list := make([]params, len(deleted))
	for i, d := range deleted {
		list[i] = params{"codeHash": d.CodeHash, "at": momentParam(d.DeletedAt)}
	}
	p["tombstones"] = list
	addHints(p, c.Hints)
}

func importedProcedures(procedures []graph.Procedure, try int64) []params {
	sorted := slices.SortedFunc(slices.Values(procedures), func(a, b graph.Procedure) int { return cmp.Compare(a.Key, b.Key) })
	list := make([]params, len(sorted))
	for i, p := range sorted {
		list[i] = params{
			"key": p.Key, "approved": p.Approved, "offered": p.Offered, "retired": !p.RetiredAt.IsZero(),
			"lastUsedAt": momentParam(p.LastUsedAt), "updatedAt": momentParam(p.UpdatedAt),
			"state": params{"current": textParam(p.Current), "approvedVariants": p.ApprovedVariants, "retiredAt": momentParam(p.RetiredAt)},
			"made": params{
				"toolName": p.ToolName, "signature": p.Signature, "reach": p.Reach, "frequency": 0, "unproven": false,
				"createdAt": momentParam(p.CreatedAt), "made": try,
			},
		}
	}
	return list
}

func importedVariants(variants []graph.Variant, try int64) []params {
	sorted := slices.SortedFunc(slices.Values(variants), func(a, b graph.Variant) int { return cmp.Compare(a.CodeHash, b.CodeHash) })
	list := make([]params, len(sorted))
	for i, v := range sorted {
		judged := params{
			"status": string(v.Status), "strategy": v.Strategy, "summary": v.Summary, "whenToUse": v.WhenToUse,
			"approvedBy": textParam(v.ApprovedBy), "approvedAt": momentParam(v.ApprovedAt), "rejectedReason": textParam(v.RejectedReason),
			"words": variantWords(v),
		}
		made := params{
			"procedure": v.Procedure, "code": v.Code, "proven": v.Proven, "analyser": v.Analyser, "capturedBy": v.CapturedBy,
			"capturedWith": v.CapturedWith, "capturedAt": momentParam(v.CapturedAt), "position": v.Position(), "made": try,
			"succeeded": countParam(v.Succeeded), "failed": countParam(v.Failed), "lastRunAt": momentParam(v.LastRunAt),
		}
		for name, value := range judged {
			made[name] = value
		}
		list[i] = params{"codeHash": v.CodeHash, "made": made}
		if v.Status != graph.Proposed {
			list[i]["judged"] = judged
		}
	}
	return list
}

// countParam keeps zeros out of the store.
func countParam(n int64) any {
	if n == 0 {
		return nil
	}
	return n
}

// importedTools are the tools, and the relations of new procedures and variants to them, by name.
func importedTools(c graph.Imported, try int64) params {
	tools := []params{}
	for _, t := range slices.SortedFunc(slices.Values(c.Tools), func(a, b graph.Tool) int { return cmp.Compare(a.Name, b.Name) }) {
		rest := toolParam(t)
		rest["words"] = toolWords(t)
		tools = append(tools, params{"name": t.Name, "rest": rest})
	}
	calls, uses, named, reached := []params{}, []params{}, []params{}, []params{}
	signatures := make(map[string][]string, len(c.Procedures))
	for _, p := range c.Procedures {
		signatures[p.Key] = p.Signature
		for _, name := range p.Reach {
			_, direct := slices.BinarySearch(p.Signature, name)
			row := params{"key": p.Key, "name": name, "direct": direct}
			switch {
			case strings.HasPrefix(name, procedurePrefix):
				named = append(named, row)
			case direct:
				uses = append(uses, row)
			default:
				reached = append(reached, row)
			}
		}
	}
	for _, v := range c.Variants {
		for _, name := range signatures[v.Procedure] {
			if !strings.HasPrefix(name, procedurePrefix) {
				calls = append(calls, params{"codeHash": v.CodeHash, "tool": name})
			}
		}
	}
	byText(calls, "tool")
	byText(uses, "name")
	byText(named, "name")
	byText(reached, "name")
	return params{"tools": tools, "calls": calls, "uses": uses, "named": named, "reached": reached, "try": try}
}

func byText(rows []params, property string) {
	slices.SortStableFunc(rows, func(a, b params) int { return cmp.Compare(text(a[property]), text(b[property])) })
}

func importedCauses(causes []graph.Cause) []params {
	list := make([]params, len(causes))
	for i, c := range causes {
		list[i] = params{"name": c.Name, "description": c.Description, "words": causeWords(c)}
	}
	byText(list, "name")
	return list
}

func importedUses(c graph.Imported) []params {
	toolNames := make(map[string]string, len(c.Procedures))
	for _, p := range c.Procedures {
		toolNames[p.Key] = p.ToolName
	}
	list := make([]params, len(c.Uses))
	for i, given := range c.Uses {
		u := given.Use
		u.ToolName = toolNames[u.Procedure]
		words := useWords(u.Cause, u.TriggerSignals)
		list[i] = params{
			"id": useID(u.Procedure, u.Cause), "key": u.Procedure, "cause": u.Cause, "words": words,
			"made": params{
				"cause": u.Cause, "procedure": u.Procedure, "toolName": u.ToolName, "frequency": u.Frequency,
				"lastAt": momentParam(u.LastAt), "ofProcedure": u.OfProcedure(), "ofCause": u.OfCause(),
			},
			"details": useParams(graph.UseDetails{Confidence: u.Confidence, TriggerSignals: u.TriggerSignals,
				ObservedArguments: u.ObservedArguments, ResultSummary: u.ResultSummary}),
		}
		if given.Untold {
			list[i]["untold"] = words
		}
	}
	byText(list, "cause")
	return list
}
