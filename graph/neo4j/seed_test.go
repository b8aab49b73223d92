package neo4j

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"procgraph/graph"
)

var epoch = time.Date(2026, 3, 4, 5, 6, 7, 89_000_000, time.UTC)

func sum(text string) string {
	digest := sha256.Sum256([]byte(text))
	return hex.EncodeToString(digest[:])
}

// testCode is about as long as captured code is.
func testCode(name string, tools []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\nresults = []\n", name)
	for _, tool := range tools {
		fmt.Fprintf(&b, "results.append(await tools.%s(job_id=job_id, lines=200))\nif not results[-1]:\n    return None\n", tool)
	}
	return b.String() + "return {\"lines\": results, \"summary\": summarise(results)}\n"
}

// testCapture is the use of a procedure that is told apart by its name, for some causes.
func testCapture(name string, tools, causes []string) graph.Capture {
	code := testCode(name, tools)
	return graph.Capture{
		ProcedureKey: sum("procedure " + name), ToolName: "proc__" + name, Signature: tools,
		Variant: graph.Variant{
			CodeHash: sum(code), Code: code, Procedure: sum("procedure " + name), Strategy: "look at it in order",
			Summary: "reads the newest lines and tells what they say", WhenToUse: "a job has failed", Proven: true, Analyser: 1,
			CapturedBy: "user:ann", CapturedWith: "token-1", CapturedAt: epoch,
		},
		Causes: causes, At: epoch.Add(time.Minute), Input: sum(name),
	}
}

const seedTools = `UNWIND $in.rows AS row
MERGE (t:Tool {name: row.name})
SET t += $in.tool, t.words = row.words`

const seedCauses = `UNWIND $in.rows AS row
MERGE (c:Cause {name: row.name})
SET c.description = '', c.words = row.words`

const seedProcedures = `UNWIND $in.rows AS row
CREATE (p:Procedure:Approved)
SET p = row.procedure
FOREACH (_ IN CASE WHEN row.offered THEN [1] ELSE [] END | SET p:Offered)
CREATE (v:Variant)
SET v = row.variant
CREATE (p)-[:HAS_VARIANT]->(v)
WITH p, v, row
CALL (p, v, row) {
  UNWIND row.tools AS name
  MATCH (t:Tool {name: name})
  CREATE (v)-[:CALLS]->(t)
  CREATE (p)-[:USES {tool: name, procedure: p.toolName}]->(t)
}
CALL (p, row) {
  UNWIND row.uses AS use
  MATCH (c:Cause {name: use.cause})
  CREATE (c)-[u:INVESTIGATED_BY]->(p)
  SET u = use
}`

// seed makes n approved procedures as captures and approvals would have made them; shape tells what each is about.
// Every second one is offered; the first is the most used and the last used.
func seed(tb testing.TB, s *Store, n int, shape func(i int) (tools, causes []string)) {
	tb.Helper()
	var toolNames, causeNames []string
	var rows []params
	flush := func() {
		slices.Sort(toolNames)
		slices.Sort(causeNames)
		tool := toolParam(graph.Tool{
			Class: graph.ReadOnly, Known: true, Description: "what it does", ParametersSchema: []byte(`{"type": "object"}`), DefinitionHash: sum("tool"),
		})
		must(tb, s, seedTools, params{"tool": tool, "rows": worded(toolNames, func(name string) any {
			return toolWords(graph.Tool{Name: name, Description: "what it does"})
		})})
		must(tb, s, seedCauses, params{"rows": worded(causeNames, func(name string) any { return causeWords(graph.Cause{Name: name}) })})
		must(tb, s, seedProcedures, params{"rows": rows})
		toolNames, causeNames, rows = nil, nil, nil
	}
	for i := range n {
		tools, causes := shape(i)
		name := fmt.Sprintf("seed%06d", i)
		c := testCapture(name, tools, causes)
		_, p := captureParams(c)
		each, used := int64(1_000_000-i), epoch.Add(-time.Duration(i)*time.Second)
		frequency := each * int64(len(causes))
		procedure, variant := p["newProcedure"].(params), p["newVariant"].(params)
		procedure["key"], procedure["current"], procedure["approvedVariants"], procedure["made"] = c.ProcedureKey, c.Variant.CodeHash, 1, i
		procedure["frequency"], procedure["lastUsedAt"], procedure["updatedAt"] = frequency, used.UnixMilli(), used.UnixMilli()
		procedure["rank"], procedure["recent"] = graph.Rank(frequency, used, c.ToolName), graph.Recent(used, c.ToolName)
		variant["codeHash"], variant["made"], variant["status"] = c.Variant.CodeHash, i, string(graph.Approved)
		uses := make([]params, len(causes))
		for j, cause := range causes {
			u := graph.Use{Cause: cause, ToolName: c.ToolName, Frequency: each}
			uses[j] = params{
				"id": c.ProcedureKey + " " + cause, "cause": cause, "procedure": c.ProcedureKey, "toolName": c.ToolName,
				"frequency": each, "lastAt": used.UnixMilli(), "ofProcedure": u.OfProcedure(), "ofCause": u.OfCause(),
			}
		}
		toolNames, causeNames = append(toolNames, tools...), append(causeNames, causes...)
		rows = append(rows, params{"procedure": procedure, "variant": variant, "tools": tools, "uses": uses, "offered": i%2 == 0})
		if len(rows) == 2000 {
			flush()
		}
	}
	if len(rows) > 0 {
		flush()
	}
	must(tb, s, `CALL db.awaitIndexes(600)`, nil)
}

// worded are rows of names in order, each once, with words.
func worded(names []string, words func(name string) any) (rows []params) {
	for _, name := range slices.Compact(names) {
		rows = append(rows, params{"name": name, "words": words(name)})
	}
	return rows
}

// common is a shape in which all procedures share 60 tools and 200 causes.
func common(i int) (tools, causes []string) {
	for j := range 3 {
		tools = append(tools, fmt.Sprintf("tool%02d", (i*(j+1)+7*j)%60))
	}
	slices.Sort(tools)
	return slices.Compact(tools), []string{fmt.Sprintf("cause %03d", i%200)}
}
