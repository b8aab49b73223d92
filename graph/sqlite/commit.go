package sqlite

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"procgraph/graph"
)

// emptySchema is the parameters schema of a tool that gave none.
var emptySchema = json.RawMessage("{}")

// Commit decides and writes in one transaction of the one writer, which is the lock of the head.
func (s *Store) Commit(ctx context.Context, query graph.FactQuery,
	decide func(graph.Facts) (graph.Change, error)) (graph.Head, error) {
	var head graph.Head
	err := s.write(ctx, func(t tx) error {
		facts, err := t.facts(query)
		if err != nil {
			return err
		}
		head = facts.Head
		change, err := decide(facts)
		if err != nil || change == nil {
			return err
		}
		if err := t.store(change); err != nil {
			return err
		}
		event := change.Sealed()
		if err := t.append(head, event); err != nil {
			return err
		}
		head = graph.Head{Sequence: event.Sequence, Hash: event.Hash}
		return nil
	})
	if err != nil {
		return graph.Head{}, err
	}
	return head, nil
}

// store writes a change without its event.
func (t tx) store(change graph.Change) error {
	switch c := change.(type) {
	case graph.ToolsWritten:
		for _, tool := range c.Tools {
			if err := t.putTool(tool); err != nil {
				return err
			}
		}
		return t.setHints(c.Hints)
	case graph.VariantJudged:
		if err := t.judge(c); err != nil {
			return err
		}
		if err := t.setState(c.Procedure); err != nil {
			return err
		}
		return t.setHints(c.Hints)
	case graph.ProcedureChanged:
		if err := t.setState(c.Procedure); err != nil {
			return err
		}
		return t.setHints(c.Hints)
	case graph.ProcedureDeleted:
		if err := t.deleteProcedure(c.Key, c.At); err != nil {
			return err
		}
		return t.setHints(c.Hints)
	case graph.Imported:
		return t.storeImported(c)
	case graph.AdminMade:
		return t.exec(`INSERT INTO credentials (id, hash, principal, created_at, bootstrap) VALUES (?, ?, ?, ?, 1)`,
			c.Credential.ID, c.Credential.Hash, c.Credential.Principal, c.Credential.CreatedAt)
	default:
		return fmt.Errorf("a change of type %T cannot be stored", change)
	}
}

// putTool stores a tool whole.
func (t tx) putTool(tool graph.Tool) error {
	if err := t.documentTool(tool); err != nil {
		return err
	}
	schema := tool.ParametersSchema
	if len(schema) == 0 {
		schema = emptySchema
	}
	return t.exec(`INSERT INTO tools (name, class, external_access, known, suspended, definition_hash, description,
			parameters_schema, hints)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (name) DO UPDATE SET class = excluded.class, external_access = excluded.external_access,
			known = excluded.known, suspended = excluded.suspended, definition_hash = excluded.definition_hash,
			description = excluded.description, parameters_schema = excluded.parameters_schema, hints = excluded.hints`,
		tool.Name, string(tool.Class), tool.ExternalAccess, tool.Known, tool.Suspended, tool.DefinitionHash,
		tool.Description, schema, tool.Hints)
}

func (t tx) judge(c graph.VariantJudged) error {
	if err := t.documentJudged(c); err != nil {
		return err
	}
	err := t.exec(`UPDATE variants SET status = ?, summary = ?, when_to_use = ?, approved_by = ?, approved_at = ?,
			rejected_reason = ? WHERE code_hash = ?`,
		string(c.Status), c.Summary, c.WhenToUse, c.ApprovedBy, c.ApprovedAt, c.RejectedReason, c.CodeHash)
	if err == nil && t.conn.Changes() == 0 {
		return fmt.Errorf("%w: no variant has this code hash", graph.ErrNotFound)
	}
	return err
}

// setState stores what a trust write decided about a procedure, and its new place among the last updated.
func (t tx) setState(state graph.ProcedureState) error {
	id, toolName := int64(0), ""
	err := t.query(`SELECT id, tool_name FROM procedures WHERE key = ?`, func(r row) error {
		id, toolName = r.int(0), r.text(1)
		return nil
	}, state.Key)
	if err != nil {
		return err
	}
	if id == 0 {
		return fmt.Errorf("%w: no procedure has this key", graph.ErrNotFound)
	}
	return t.exec(`UPDATE procedures SET current = ?, approved = ?, offered = ?, approved_variants = ?, retired_at = ?,
			updated_at = ?, recent = ? WHERE id = ?`,
		state.Current, state.Approved, state.Offered, state.ApprovedVariants, state.RetiredAt, state.UpdatedAt,
		graph.Recent(state.UpdatedAt, toolName), id)
}

func (t tx) setHints(hints []graph.Hint) error {
	for _, hint := range hints {
		if err := t.exec(`UPDATE procedures SET offered = ? WHERE key = ?`, hint.Offered, hint.Procedure); err != nil {
			return err
		}
	}
	return nil
}

// deleteProcedure removes a procedure; its variants, uses and capture keys go with it.
func (t tx) deleteProcedure(key string, at time.Time) error {
	procedure, found, err := t.offer(key)
	if err != nil {
		return err
	}
	if !found {
		return fmt.Errorf("%w: no procedure has this key", graph.ErrNotFound)
	}
	err = t.exec(`INSERT INTO tombstones (code_hash, deleted_at) SELECT v.code_hash, ? FROM variants v WHERE v.procedure = ?
		ON CONFLICT (code_hash) DO UPDATE SET deleted_at = excluded.deleted_at`, at, procedure.id)
	if err != nil {
		return err
	}
	for _, name := range procedure.Procedure.Reach {
		if err := t.exec(`DELETE FROM reaches WHERE name = ? AND direct IN (0, 1) AND tool_name = ?`,
			name, procedure.Procedure.ToolName); err != nil {
			return err
		}
	}
	if err := t.forgetDocuments(`procedure = ?`, procedure.id); err != nil {
		return err
	}
	return t.exec(`DELETE FROM procedures WHERE id = ?`, procedure.id)
}
