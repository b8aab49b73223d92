package neo4j

import (
	"context"
	"errors"
	"fmt"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"procgraph/graph"
)

// Each change is one statement that finds what the change is about, writes it, and ends with the event and the new head.
// It answers no row when what it is about is not stored.
const (
	hintsWritten = `
CALL () {
  UNWIND $in.offered AS key
  MATCH (p:Procedure {key: key})
  SET p:Offered
}
CALL () {
  UNWIND $in.withheld AS key
  MATCH (p:Procedure {key: key})
  REMOVE p:Offered
}`
	eventWritten = `
MATCH (head:Head {id: 'head'})
SET head.state = $in.state
CREATE (e:Event)
SET e = $in.event
RETURN true`
	// procedureLocked waits for the captures of p before anything about it is read.
	procedureLocked = `MATCH (p:Procedure {key: $in.key})
SET p.lock = true
WITH p`
	stateWritten = `
SET p.current = $in.current, p.approvedVariants = $in.approvedVariants, p.retiredAt = $in.retiredAt,
  p.updatedAt = $in.updatedAt, p.recent = $in.recent + p.toolName
FOREACH (_ IN CASE WHEN $in.isApproved THEN [1] ELSE [] END | SET p:Approved)
FOREACH (_ IN CASE WHEN $in.isApproved THEN [] ELSE [1] END | REMOVE p:Approved)
FOREACH (_ IN CASE WHEN $in.isOffered THEN [1] ELSE [] END | SET p:Offered)
FOREACH (_ IN CASE WHEN $in.isOffered THEN [] ELSE [1] END | REMOVE p:Offered)
FOREACH (_ IN CASE WHEN $in.isRetired THEN [1] ELSE [] END | SET p:Retired)
FOREACH (_ IN CASE WHEN $in.isRetired THEN [] ELSE [1] END | REMOVE p:Retired)
WITH p`

	toolsWritten = noReplan + `CALL () {
  UNWIND $in.tools AS tool
  MERGE (t:Tool {name: tool.name})
  SET t += tool.rest
}` + hintsWritten + eventWritten

	variantJudged = noReplan + procedureLocked + `
MATCH (v:Variant {codeHash: $in.codeHash})
SET v += $in.judgement
WITH p` + stateWritten + hintsWritten + eventWritten

	procedureChanged = noReplan + procedureLocked + stateWritten + hintsWritten + eventWritten

	// The keys of its captures are forgotten by their not finding the procedure that they were made with.
	procedureDeleted = noReplan + procedureLocked + `
CALL (p) {
  MATCH (p)-[:HAS_VARIANT]->(v:Variant)
  MERGE (t:Tombstone {codeHash: v.codeHash})
  SET t.at = $in.at
  DETACH DELETE v
}
DETACH DELETE p
WITH $in.key AS deleted` + hintsWritten + eventWritten

	adminMade = noReplan + `CREATE (c:Credential)
SET c = $in.credential
WITH c` + eventWritten
)

// bootstrap marks the one credential of the bootstrap admin.
const bootstrap = "admin"

// changeStatement answers the statement of a change and its values.
func changeStatement(change graph.Change) (string, params, error) {
	event := change.Sealed()
	p := params{
		"event": eventParam(event),
		"state": formatHead(graph.Head{Sequence: event.Sequence, Hash: event.Hash}),
	}
	switch c := change.(type) {
	case graph.ToolsWritten:
		tools := make([]params, len(c.Tools))
		for i, tool := range c.Tools {
			rest := toolParam(tool)
			rest["words"] = toolWords(tool)
			tools[i] = params{"name": tool.Name, "rest": rest}
		}
		p["tools"] = tools
		addHints(p, c.Hints)
		return toolsWritten, p, nil
	case graph.VariantJudged:
		p["codeHash"] = c.CodeHash
		p["judgement"] = params{
			"status": string(c.Status), "summary": c.Summary, "whenToUse": c.WhenToUse, "approvedBy": textParam(c.ApprovedBy),
			"approvedAt": momentParam(c.ApprovedAt), "rejectedReason": textParam(c.RejectedReason),
		}
		addState(p, c.Procedure)
		addHints(p, c.Hints)
		return variantJudged, p, nil
	case graph.ProcedureChanged:
		addState(p, c.Procedure)
		addHints(p, c.Hints)
		return procedureChanged, p, nil
	case graph.ProcedureDeleted:
		p["key"], p["at"] = c.Key, momentParam(c.At)
		addHints(p, c.Hints)
		return procedureDeleted, p, nil
	case graph.Imported:
		importEndParams(c, p)
		return importEnd, p, nil
	case graph.AdminMade:
		p["credential"] = params{
			"id": c.Credential.ID, "hash": c.Credential.Hash, "principal": c.Credential.Principal,
			"createdAt": momentParam(c.Credential.CreatedAt), "bootstrap": bootstrap,
		}
		return adminMade, p, nil
	default:
		return "", nil, fmt.Errorf("a change of the unknown type %T", change)
	}
}

func addHints(p params, hints []graph.Hint) {
	offered, withheld := []string{}, []string{}
	for _, hint := range hints {
		if hint.Offered {
			offered = append(offered, hint.Procedure)
		} else {
			withheld = append(withheld, hint.Procedure)
		}
	}
	p["offered"], p["withheld"] = offered, withheld
}

func addState(p params, s graph.ProcedureState) {
	p["key"], p["current"], p["retiredAt"] = s.Key, textParam(s.Current), momentParam(s.RetiredAt)
	// The position among the last updated is completed with the name.
	p["updatedAt"], p["recent"] = momentParam(s.UpdatedAt), graph.Recent(s.UpdatedAt, "")
	p["approvedVariants"] = s.ApprovedVariants
	p["isApproved"], p["isOffered"], p["isRetired"] = s.Approved, s.Offered, !s.RetiredAt.IsZero()
}

// Commit is the only way to write what trust rests on. Its first statement locks the head and reads the facts, the
// second writes. Commits of one process queue here, where waiting is fair and costs the database nothing.
func (s *Store) Commit(ctx context.Context, query graph.FactQuery, decide func(graph.Facts) (graph.Change, error)) (graph.Head, error) {
	ctx, cancel := context.WithTimeout(ctx, commitTimeout)
	defer cancel()
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return graph.Head{}, fmt.Errorf("%w: %w", graph.ErrUnavailable, ctx.Err())
	}
	var head graph.Head
	var refusal error
	var pending *graph.Event // what may be stored, although the answer to its commit was lost
	err := s.retry(ctx, func() error {
		if pending != nil {
			stored, err := s.stored(ctx, *pending)
			if err != nil {
				return err
			}
			if stored {
				head = graph.Head{Sequence: pending.Sequence, Hash: pending.Hash}
				return nil
			}
			pending = nil
		}
		return s.transaction(ctx, func(tx neo4j.ExplicitTransaction) error {
			facts, err := s.lockedFacts(ctx, tx, query)
			if err != nil {
				return err
			}
			head = facts.Head
			var change graph.Change
			change, refusal = decide(facts)
			if refusal == nil && change != nil {
				event := change.Sealed()
				if err := s.write(ctx, tx, facts.Head, change); err != nil {
					return err
				}
				pending = &event
				if err := tx.Commit(ctx); err != nil {
					if !lost(err) && ctx.Err() == nil {
						pending = nil
					}
					return err
				}
				head = graph.Head{Sequence: event.Sequence, Hash: event.Hash}
			}
			return nil
		})
	})
	if err != nil {
		return graph.Head{}, err
	}
	return head, refusal
}

func (s *Store) lockedFacts(ctx context.Context, tx neo4j.ExplicitTransaction, query graph.FactQuery) (graph.Facts, error) {
	record, err := s.runIn(ctx, tx, lockedFacts, factParams(query))
	if err != nil {
		return graph.Facts{}, err
	}
	if record == nil {
		return graph.Facts{}, errNoHead
	}
	head, err := parseHead(text(record.Values[1]))
	if err != nil {
		return graph.Facts{}, err
	}
	return toFacts(record.Values, head), nil
}

// errUnlinked is a fault of the caller: the chain would be broken.
var errUnlinked = errors.New("the event does not follow the head that the facts carried")

func (s *Store) write(ctx context.Context, tx neo4j.ExplicitTransaction, head graph.Head, change graph.Change) error {
	event := change.Sealed()
	if event.Sequence != head.Sequence+1 || event.PreviousHash != head.Hash {
		return errUnlinked
	}
	statement, p, err := changeStatement(change)
	if err != nil {
		return err
	}
	switch c := change.(type) {
	case graph.VariantJudged:
		err = s.addWords(ctx, tx, c, p["judgement"].(params))
	case graph.Imported:
		err = s.writeImported(ctx, tx, c)
	}
	if err != nil {
		return err
	}
	record, err := s.runIn(ctx, tx, statement, p)
	if err == nil && record == nil {
		err = graph.ErrNotFound
	}
	return err
}

const judgedTexts = noReplan + `MATCH (v:Variant {codeHash: $in.codeHash})
RETURN v.summary, v.whenToUse, v.strategy, v.code`

// addWords sets what search finds of a variant whose texts the judgement changes.
func (s *Store) addWords(ctx context.Context, tx neo4j.ExplicitTransaction, c graph.VariantJudged, judgement params) error {
	record, err := s.runIn(ctx, tx, judgedTexts, params{"codeHash": c.CodeHash})
	if err != nil || record == nil {
		return err
	}
	v := record.Values
	if text(v[0]) != c.Summary || text(v[1]) != c.WhenToUse {
		judgement["words"] = variantWords(graph.Variant{
			Summary: c.Summary, WhenToUse: c.WhenToUse, Strategy: text(v[2]), Code: text(v[3]),
		})
	}
	return nil
}

const eventStored = noReplan + lockHead + `WITH head
OPTIONAL MATCH (e:Event {sequence: $in.sequence})
RETURN e.hash`

// stored answers whether an event is in the chain. It waits for the head, so that a commit which is still under way on
// a connection that was lost has ended.
func (s *Store) stored(ctx context.Context, event graph.Event) (bool, error) {
	record, err := s.run(ctx, eventStored, params{"sequence": event.Sequence})
	if err != nil {
		return false, err
	}
	if record == nil {
		return false, errNoHead
	}
	return text(record.Values[0]) == event.Hash, nil
}
