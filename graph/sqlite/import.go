package sqlite

import (
	"errors"
	"slices"
	"time"

	"procgraph/graph"
)

// arrival is a procedure of an import with all that comes for it.
type arrival struct {
	stored   // as it is in the end
	made     bool
	variants []graph.Variant
	uses     []graph.ImportedUse
}

// storeImported writes an import without its event.
func (t tx) storeImported(c graph.Imported) error {
	for _, tool := range c.Tools {
		if err := t.putTool(tool); err != nil {
			return err
		}
	}
	for _, cause := range c.Causes {
		if err := t.importCause(cause); err != nil {
			return err
		}
	}
	arrivals := make([]*arrival, len(c.Procedures))
	byKey := make(map[string]*arrival, len(c.Procedures))
	for i, p := range c.Procedures {
		arrivals[i] = &arrival{stored: stored{Offer: graph.Offer{Procedure: p}}}
		byKey[p.Key] = arrivals[i]
	}
	for _, v := range c.Variants {
		byKey[v.Procedure].variants = append(byKey[v.Procedure].variants, v)
	}
	for _, u := range c.Uses {
		byKey[u.Procedure].uses = append(byKey[u.Procedure].uses, u)
	}
	for _, a := range arrivals {
		if err := t.importProcedure(a); err != nil {
			return err
		}
	}
	for _, d := range c.Tombstones {
		err := t.exec(`INSERT INTO tombstones (code_hash, deleted_at) VALUES (?, ?) ON CONFLICT (code_hash)
			DO UPDATE SET deleted_at = excluded.deleted_at WHERE excluded.deleted_at > deleted_at`, d.CodeHash, d.DeletedAt)
		if err != nil {
			return err
		}
	}
	return t.setHints(c.Hints)
}

func (t tx) importCause(cause graph.Cause) error {
	err := t.exec(`INSERT INTO causes (name, description) VALUES (?, ?) ON CONFLICT (name)
		DO UPDATE SET description = excluded.description WHERE description = '' AND excluded.description <> ''`,
		cause.Name, cause.Description)
	if err != nil || t.conn.Changes() == 0 {
		return err
	}
	if err := t.forgetDocument(graph.DocumentCause, cause.Name, 0); err != nil {
		return err
	}
	return t.documentCause(cause)
}

// importProcedure makes the procedure or changes the stored one, which this transaction keeps from everyone else.
func (t tx) importProcedure(a *arrival) error {
	given := a.Procedure
	was, found, err := t.offer(given.Key)
	if err != nil {
		return err
	}
	p := &a.Procedure
	a.id, a.made = was.id, !found
	p.Frequency, p.Unproven = was.Procedure.Frequency, was.Procedure.Unproven
	p.LastUsedAt = later(was.Procedure.LastUsedAt, millis(given.LastUsedAt))
	p.UpdatedAt = later(was.Procedure.UpdatedAt, millis(given.UpdatedAt))
	if a.made {
		// What follows points to the row. What is known of a new one already goes into its first form, since every change
		// of a position moves it in an index.
		for _, u := range a.uses {
			p.Frequency += u.Frequency
		}
		for _, v := range a.variants {
			p.Unproven = p.Unproven || !v.Proven
		}
		if err := t.insertProcedure(a); err != nil {
			return err
		}
	}
	before := *p
	for _, v := range a.variants {
		if err := t.importVariant(a, v); err != nil {
			return err
		}
	}
	for _, u := range a.uses {
		if err := t.importUse(a, u); err != nil {
			return err
		}
	}
	if a.made && p.Frequency == before.Frequency && p.Unproven == before.Unproven {
		return nil
	}
	return t.exec(`UPDATE procedures SET frequency = ?, last_used_at = ?, updated_at = ?, unproven = ?, rank = ?, recent = ?,
			current = ?, approved = ?, offered = ?, approved_variants = ?, retired_at = ? WHERE id = ?`,
		p.Frequency, p.LastUsedAt, p.UpdatedAt, p.Unproven, p.Position(graph.ByFrequency), p.Position(graph.ByUpdated),
		p.Current, p.Approved, p.Offered, p.ApprovedVariants, p.RetiredAt, a.id)
}

func (t tx) insertProcedure(a *arrival) error {
	p := a.Procedure
	err := t.exec(`INSERT INTO procedures (key, tool_name, signature, reach, frequency, last_used_at, created_at,
			updated_at, retired_at, current, approved, approved_variants, offered, unproven, rank, recent)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		p.Key, p.ToolName, p.Signature, p.Reach, p.Frequency, p.LastUsedAt, millis(p.CreatedAt), p.UpdatedAt, p.RetiredAt,
		p.Current, p.Approved, p.ApprovedVariants, p.Offered, p.Unproven,
		p.Position(graph.ByFrequency), p.Position(graph.ByUpdated))
	if err != nil {
		return err
	}
	a.id = t.conn.LastInsertRowID()
	for _, name := range p.Reach {
		_, direct := slices.BinarySearch(p.Signature, name)
		if err := t.exec(`INSERT INTO reaches (name, direct, tool_name, procedure) VALUES (?, ?, ?, ?)`,
			name, direct, p.ToolName, a.id); err != nil {
			return err
		}
	}
	return nil
}

func (t tx) importVariant(a *arrival, v graph.Variant) error {
	id, status := int64(0), graph.VariantStatus("")
	err := t.query(`SELECT id, status FROM variants WHERE code_hash = ?`, func(r row) error {
		id, status = r.int(0), graph.VariantStatus(r.text(1))
		return nil
	}, v.CodeHash)
	switch {
	case err != nil:
		return err
	case id == 0:
		a.Procedure.Unproven = a.Procedure.Unproven || !v.Proven
		err = t.exec(`INSERT INTO variants (code_hash, procedure, position, strategy, summary, when_to_use, status, proven,
				analyser, captured_by, captured_with, captured_at, approved_by, approved_at, rejected_reason, succeeded, failed,
				last_run_at, code)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			v.CodeHash, a.id, v.Position(), v.Strategy, v.Summary, v.WhenToUse, string(v.Status), v.Proven, v.Analyser,
			v.CapturedBy, v.CapturedWith, v.CapturedAt, v.ApprovedBy, v.ApprovedAt, v.RejectedReason, v.Succeeded, v.Failed,
			v.LastRunAt, v.Code)
	case status == graph.Proposed && v.Status != graph.Proposed:
		err = t.exec(`UPDATE variants SET status = ?, strategy = ?, summary = ?, when_to_use = ?, approved_by = ?,
				approved_at = ?, rejected_reason = ? WHERE id = ?`,
			string(v.Status), v.Strategy, v.Summary, v.WhenToUse, v.ApprovedBy, v.ApprovedAt, v.RejectedReason, id)
		err = errors.Join(err, t.forgetDocument(graph.DocumentVariant, v.CodeHash, a.id))
	default:
		return nil
	}
	if err != nil {
		return err
	}
	return t.documentVariant(a.id, v)
}

func (t tx) importUse(a *arrival, given graph.ImportedUse) error {
	var was graph.Use
	id := int64(0)
	// A procedure that was just made has none.
	if !a.made {
		err := t.query(`SELECT `+useColumns+`, u.id FROM procedures p CROSS JOIN uses u ON u.procedure = p.id
			WHERE p.id = ? AND u.cause = ?`, func(r row) (err error) {
			was, err = scanUse(r)
			id = r.int(useWidth)
			return err
		}, a.id, given.Cause)
		if err != nil {
			return err
		}
	}
	u := given.Use
	u.ToolName = a.Procedure.ToolName
	if id == 0 {
		if !a.made {
			a.Procedure.Frequency += u.Frequency
		}
		if given.Untold {
			if err := t.documentUse(a.id, u.Cause, u.TriggerSignals); err != nil {
				return err
			}
		}
		return t.exec(`INSERT INTO uses (procedure, cause, tool_name, frequency, last_at, of_procedure, of_cause, confidence,
				trigger_signals, observed_arguments, result_summary)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			a.id, u.Cause, u.ToolName, u.Frequency, u.LastAt, u.OfProcedure(), u.OfCause(), u.Confidence,
			signalsParam(u.TriggerSignals), u.ObservedArguments, u.ResultSummary)
	}
	u.Frequency = max(u.Frequency, was.Frequency)
	u.LastAt = later(was.LastAt, millis(u.LastAt))
	a.Procedure.Frequency += u.Frequency - was.Frequency
	if len(was.TriggerSignals) == 0 && len(u.TriggerSignals) > 0 {
		err := errors.Join(t.forgetDocument(graph.DocumentUse, u.Cause, a.id), t.documentUse(a.id, u.Cause, u.TriggerSignals))
		if err != nil {
			return err
		}
	}
	return t.exec(`UPDATE uses SET frequency = ?, last_at = ?, of_procedure = ?, of_cause = ?,
			confidence = coalesce(confidence, ?), trigger_signals = coalesce(trigger_signals, ?),
			observed_arguments = coalesce(observed_arguments, ?),
			result_summary = CASE WHEN result_summary = '' THEN ? ELSE result_summary END WHERE id = ?`,
		u.Frequency, u.LastAt, u.OfProcedure(), u.OfCause(), u.Confidence, signalsParam(u.TriggerSignals),
		u.ObservedArguments, u.ResultSummary, id)
}

// signalsParam is NULL for none, as captures store them.
func signalsParam(signals []string) any {
	if len(signals) == 0 {
		return nil
	}
	return signals
}

// millis is a time as it is stored.
func millis(at time.Time) time.Time { return at.UTC().Truncate(time.Millisecond) }
