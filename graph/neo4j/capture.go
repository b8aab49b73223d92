package neo4j

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"procgraph/graph"
)

// A capture locks in one order, so that captures do not wait for each other in a circle: its key or slot, its procedure,
// its variant, tools by name, procedure names by name, causes by name. Tools and causes that exist are not written to.
// All that a capture counts belongs to its procedure, which it holds; so no count is lost though others commit meanwhile.
//
// Each try has a number of its own, kept on what it made. So a try that finds its key made by another number knows that
// this capture was counted already, by an earlier try whose answer was lost as well as by an earlier request. A capture
// without a key leaves its number in a slot, which is its own for as long as it runs: a node for each capture would be
// a graph that grows with every use.
const (
	captureKnown = `CALL () {
  UNWIND $in.procedures AS name
  MATCH (r:Procedure {toolName: name})
  RETURN collect(r.reach) AS reaches
}
WITH reaches WHERE size(reaches) = size($in.procedures)
CALL (reaches) {
  UNWIND $in.signature + reduce(names = [], r IN reaches | names + r) AS name
  WITH DISTINCT name ORDER BY name
  RETURN collect(name) AS reach
}
`
	captureKey = `MERGE (k:CaptureKey {id: $in.id})
  ON CREATE SET k += $in.key
WITH %[1]s WHERE k.try = $in.try
`
	// The slot is locked before it is read, so that a try whose connection was lost has ended by then.
	captureSlot = `MERGE (k:CaptureSlot {id: $in.slot})
  ON CREATE SET k.at = timestamp(), k.call = 0
SET k.lock = true
WITH %[1]s WHERE k.call <> $in.call
SET k.call = $in.call, k.try = $in.try
`
	captureStart = `MERGE (p:Procedure {key: $in.procedure})
  ON CREATE SET p += $in.newProcedure%[2]s
SET p.lock = true
SET k.made = p.made
MERGE (v:Variant {codeHash: $in.codeHash})
  ON CREATE SET v += $in.newVariant
WITH %[1]s, p, v, p.made = $in.try AS newProcedure, v.made = $in.try AS newVariant
CALL (p, v, newProcedure, newVariant) {
  WITH p, v, newProcedure WHERE newVariant
  CREATE (p)-[:HAS_VARIANT]->(v)
  WITH p, v, newProcedure
  UNWIND $in.tools AS tool
  MERGE (t:Tool {name: tool.name})
    ON CREATE SET t += $in.stub, t.words = tool.words
  CREATE (v)-[:CALLS]->(t)
  WITH p, t WHERE newProcedure
  CREATE (p)-[:USES {tool: t.name, procedure: p.toolName}]->(t)
}`
	captureReaches = `
CALL (p, reach, newProcedure) {
  WITH p, reach WHERE newProcedure
  UNWIND reach AS name
  WITH p, name WHERE name STARTS WITH '` + procedurePrefix + `'
  MERGE (n:ProcedureName {name: name})
  FOREACH (_ IN CASE WHEN name IN $in.signature THEN [1] ELSE [] END |
    CREATE (p)-[:USES {tool: name, procedure: p.toolName}]->(n))
  FOREACH (_ IN CASE WHEN name IN $in.signature THEN [] ELSE [1] END |
    CREATE (p)-[:REACHES]->(n))
}
CALL (p, reach, newProcedure) {
  WITH p, reach WHERE newProcedure
  UNWIND reach AS name
  WITH p, name WHERE NOT name STARTS WITH '` + procedurePrefix + `' AND NOT name IN $in.signature
  MATCH (t:Tool {name: name})
  CREATE (p)-[:REACHES]->(t)
}`
	captureCount = `
CALL (p, newVariant) {
  UNWIND $in.causes AS cause
  MERGE (c:Cause {name: cause.name})
    ON CREATE SET c.description = '', c.words = cause.words
  WITH p, newVariant, cause, c
  OPTIONAL MATCH ()-[old:INVESTIGATED_BY {id: cause.id}]->()
  CALL (p, newVariant, cause, c, old) {
    WITH p, newVariant, cause, c, old WHERE old IS NULL
    CREATE (c)-[u:INVESTIGATED_BY {id: cause.id, cause: cause.name, procedure: p.key, toolName: p.toolName}]->(p)
    RETURN u, 1 AS frequency, $in.at AS lastAt, NOT newVariant AS told
    UNION ALL
    WITH old WHERE old IS NOT NULL
    RETURN old AS u, old.frequency + 1 AS frequency, CASE WHEN old.lastAt > $in.at THEN old.lastAt ELSE $in.at END AS lastAt,
      coalesce(coalesce(old.triggerSignals, []) <> $in.use.triggerSignals, false) AS told
  }
  FOREACH (_ IN CASE WHEN told THEN [1] ELSE [] END | SET u.words = cause.use)
  WITH p, cause, u, frequency, lastAt, %[1]s + ':' AS place
  SET u += $in.use, u.frequency = frequency, u.lastAt = lastAt, u.ofProcedure = place + cause.name, u.ofCause = place + p.toolName
}
WITH p, v, newProcedure, newVariant,
  p.frequency + size($in.causes) AS frequency,
  CASE WHEN p.lastUsedAt > $in.at THEN p.lastUsedAt ELSE $in.at END AS lastUsedAt,
  CASE WHEN p.updatedAt > $in.at THEN p.updatedAt ELSE $in.at END AS updatedAt
SET p.frequency = frequency, p.lastUsedAt = lastUsedAt, p.updatedAt = updatedAt,
  p.unproven = p.unproven OR newVariant AND NOT v.proven,
  p.rank = %[1]s + ':' + %[2]s + ':' + p.toolName,
  p.recent = %[3]s + ':' + p.toolName
WITH p, v, newProcedure, newVariant
MATCH (settled:Head) USING INDEX settled:Head(state) WHERE settled.state >= ''
WITH p, v, newProcedure, newVariant, settled.state AS settled, p.reach AS reached
OPTIONAL MATCH (current:Variant {codeHash: p.current})`
)

// captureOfTools is for code that names tools only, captureOfProcedures for code that names procedures too.
func captureOfTools(place string) string {
	return noReplan + fmt.Sprintf(place, "k") + fmt.Sprintf(captureStart, "k", "") + captureCounted +
		knownTools("reached") + captureEnd("[]")
}

func captureOfProcedures(place string) string {
	return noReplan + captureKnown + fmt.Sprintf(place+captureStart, "k, reach", ", p.reach = reach") + captureReaches +
		captureCounted + knownTools("reached") + knownProcedures("reached") + captureEnd("known")
}

// repeatOf answers what is stored of the key or slot that is matched as k, and of the procedure with the key.
func repeatOf(match, procedure string) string {
	return readStart + `OPTIONAL MATCH ` + match + `
OPTIONAL MATCH (p:Procedure {key: ` + procedure + `}) WHERE p.made = k.made
OPTIONAL MATCH (v:Variant {codeHash: $in.codeHash})
OPTIONAL MATCH (current:Variant {codeHash: p.current})
WITH settled, k, p, v, current, coalesce(p.reach, []) AS reached` + knownTools("reached") + knownProcedures("reached") +
		readEnd + `, ` + offerRow("p", "current") + `, ` + variantRow + `, tools, known, k.try = p.made, k.try = v.made, k.input, k.try, p IS NOT NULL`
}

var (
	keyedTools, keyedProcedures     = captureOfTools(captureKey), captureOfProcedures(captureKey)
	slottedTools, slottedProcedures = captureOfTools(captureSlot), captureOfProcedures(captureSlot)

	captureCounted = fmt.Sprintf(captureCount, invertedCount("frequency"), invertedMillis("lastUsedAt"), invertedMillis("updatedAt"))

	// A procedure that was deleted took its keys with it, even if one with the same signature was made again.
	keyRepeat  = repeatOf("(k:CaptureKey {id: $in.id})", "k.procedure")
	slotRepeat = repeatOf("(k:CaptureSlot {id: $in.slot}) WHERE k.call = $in.call", "$in.procedure")

	forgetKey = noReplan + `MATCH (k:CaptureKey {id: $in.id}) WHERE k.try = $in.try
DELETE k`
)

// captureEnd answers what is stored now.
func captureEnd(known string) string {
	return readEnd + `, ` + offerRow("p", "current") + `, ` + variantRow + `, tools, ` + known + `, newProcedure, newVariant`
}

// Capture finds or makes what the capture names and counts the use, all or nothing.
func (s *Store) Capture(ctx context.Context, capture graph.Capture) (graph.Captured, error) {
	ctx, cancel := bounded(ctx)
	defer cancel()
	statement, p := captureParams(capture)
	var place slot
	if capture.Key == "" {
		place = s.slots.take()
		p["slot"], p["call"] = place.id, randomNumber()
	}
	var captured graph.Captured
	err := s.retry(ctx, func() error {
		for range looks {
			setTry(p)
			record, err := s.run(ctx, statement, p)
			if err != nil {
				return err
			}
			if record != nil && record.Values[0] == record.Values[1] {
				captured, err = toCaptured(record)
				return err
			}
			// It was counted, or code names what is not stored, or a trust write fell into the answer.
			var done bool
			if captured, done, err = s.repeat(ctx, capture, p); done || err != nil {
				return err
			}
		}
		return fmt.Errorf("%w: the procedure is deleted again and again", graph.ErrUnavailable)
	})
	// After another error a try may still be running, so that the slot is not free.
	if capture.Key == "" && (err == nil || errors.Is(err, graph.ErrUnknownProcedure)) {
		s.slots.put(place)
	}
	if err != nil {
		return graph.Captured{}, err
	}
	return captured, nil
}

// repeat answers what is stored of a capture that may have been counted; done is false when it has to be tried (again).
func (s *Store) repeat(ctx context.Context, capture graph.Capture, p params) (captured graph.Captured, done bool, err error) {
	statement := keyRepeat
	if capture.Key == "" {
		statement = slotRepeat
	}
	record, _, err := s.read(ctx, statement, p)
	if err != nil {
		return captured, false, err
	}
	try, alive := record.Values[9], truth(record.Values[10])
	switch {
	case try == nil && len(p["procedures"].([]string)) > 0:
		return captured, false, graph.ErrUnknownProcedure
	case try == nil:
		return captured, false, nil
	case !alive && capture.Key == "":
		p["call"] = randomNumber()
		return captured, false, nil
	case !alive:
		_, err := s.run(ctx, forgetKey, params{"id": capture.Key, "try": try})
		return captured, false, err
	case capture.Key != "" && text(record.Values[8]) != capture.Input:
		return captured, false, fmt.Errorf("%w: the key was used for something else", graph.ErrConflict)
	}
	captured, err = toCaptured(record)
	return captured, true, err
}

func toCaptured(record *neo4j.Record) (graph.Captured, error) {
	v := record.Values
	head, err := parseHead(text(v[1]))
	if err != nil {
		return graph.Captured{}, err
	}
	offer, _ := v[2].([]any)
	variant, _ := v[3].([]any)
	captured := graph.Captured{
		Offer: toOffer(offer), Variant: toVariant(variant), Known: toKnown(v[4], v[5]),
		CreatedProcedure: truth(v[6]), CreatedVariant: truth(v[7]), Head: head,
	}
	captured.Variant.Offered = captured.Variant.CodeHash == captured.Offer.Procedure.Current
	return captured, nil
}

// captureParams answers the statement for a capture and its values, but for the number of the try.
func captureParams(c graph.Capture) (string, params) {
	tools, procedures := []string{}, []string{}
	for _, name := range c.Signature {
		if strings.HasPrefix(name, procedurePrefix) {
			procedures = append(procedures, name)
		} else {
			tools = append(tools, name)
		}
	}
	slices.Sort(tools)
	named := make([]params, len(tools))
	for i, name := range tools {
		named[i] = params{"name": name, "words": toolWords(graph.Tool{Name: name})}
	}
	causes := make([]params, len(c.Causes))
	for i, name := range slices.Sorted(slices.Values(c.Causes)) {
		causes[i] = params{"name": name, "id": useID(c.ProcedureKey, name), "words": causeWords(graph.Cause{Name: name}),
			"use": useWords(name, c.Use.TriggerSignals)}
	}
	at := c.At.UnixMilli()
	p := params{
		"id": c.Key, "procedure": c.ProcedureKey, "codeHash": c.Variant.CodeHash, "tools": named, "procedures": procedures,
		"signature": c.Signature, "causes": causes, "at": at,
		"key": params{"input": c.Input, "procedure": c.ProcedureKey, "codeHash": c.Variant.CodeHash},
		"newProcedure": params{
			"toolName": c.ToolName, "signature": c.Signature, "reach": c.Signature, "frequency": 0, "lastUsedAt": at,
			"createdAt": at, "updatedAt": at, "unproven": false, "lock": true,
		},
		"newVariant": params{
			"procedure": c.ProcedureKey, "code": c.Variant.Code, "strategy": c.Variant.Strategy, "summary": c.Variant.Summary,
			"whenToUse": c.Variant.WhenToUse, "status": string(graph.Proposed), "proven": c.Variant.Proven,
			"analyser": c.Variant.Analyser, "capturedBy": c.Variant.CapturedBy, "capturedWith": c.Variant.CapturedWith,
			"capturedAt": momentParam(c.Variant.CapturedAt), "position": c.Variant.Position(),
			"words": variantWords(c.Variant),
		},
		"stub": toolParam(graph.Tool{Class: graph.Unclassified, ParametersSchema: []byte("{}")}),
		"use":  useParams(c.Use),
	}
	plain, composed := slottedTools, slottedProcedures
	if c.Key != "" {
		plain, composed = keyedTools, keyedProcedures
	}
	if len(procedures) > 0 {
		return composed, p
	}
	return plain, p
}

// setTry gives the next try a number of its own.
func setTry(p params) {
	try := randomNumber()
	p["try"] = try
	for _, made := range []string{"newProcedure", "newVariant"} {
		p[made].(params)["made"] = try
	}
	p["key"].(params)["try"] = try
}

func randomNumber() int64 {
	var number [8]byte
	_, _ = rand.Read(number[:]) // it never fails
	return int64(binary.BigEndian.Uint64(number[:]))
}

// useParams are the details that are written; what is missing stays as it is.
func useParams(u graph.UseDetails) params {
	p := params{}
	if u.Confidence != nil {
		p["confidence"] = *u.Confidence
	}
	if len(u.TriggerSignals) > 0 {
		p["triggerSignals"] = u.TriggerSignals
	}
	if len(u.ObservedArguments) > 0 {
		p["observedArguments"] = string(u.ObservedArguments)
	}
	if u.ResultSummary != "" {
		p["resultSummary"] = u.ResultSummary
	}
	return p
}
