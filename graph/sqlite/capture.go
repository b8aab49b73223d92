package sqlite

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"procgraph/graph"
)

// Capture counts one use of one code.
func (s *Store) Capture(ctx context.Context, capture graph.Capture) (graph.Captured, error) {
	var captured graph.Captured
	err := s.write(ctx, func(t tx) (err error) {
		captured, err = t.capture(capture)
		return err
	})
	if err != nil {
		return graph.Captured{}, err
	}
	return captured, nil
}

func (t tx) capture(c graph.Capture) (graph.Captured, error) {
	if c.Key != "" {
		if captured, ok, err := t.repeated(c); ok || err != nil {
			return captured, err
		}
	}
	owner, found, err := t.offer(c.ProcedureKey)
	if err != nil {
		return graph.Captured{}, err
	}
	answer := graph.Captured{Offer: owner.Offer, Known: newKnown(), CreatedProcedure: !found}
	if err := t.lookUpReach(c, found, &answer); err != nil {
		return answer, err
	}
	variant, variantID, known, err := t.variant(c.Variant.CodeHash)
	if err != nil {
		return answer, err
	}
	if known && variant.Procedure != c.ProcedureKey {
		return answer, fmt.Errorf("%w: the code belongs to another procedure", graph.ErrConflict)
	}
	answer.CreatedVariant = !known

	// From here on it writes.
	if err := t.countProcedure(c, &owner, &answer); err != nil {
		return answer, err
	}
	if known {
		answer.Variant = variant
	} else {
		answer.Variant = proposed(c)
		if variantID, err = t.addVariant(owner.id, answer.Variant); err != nil {
			return answer, err
		}
		if err := t.documentVariant(owner.id, answer.Variant); err != nil {
			return answer, err
		}
	}
	for _, cause := range c.Causes {
		if err := t.countUse(owner, cause, c.Use, c.At, known); err != nil {
			return answer, err
		}
	}
	if c.Key != "" {
		err = t.exec(`INSERT INTO capture_keys (key, input, variant, created_procedure, created_variant)
			VALUES (?, ?, ?, ?, ?)`, c.Key, c.Input, variantID, answer.CreatedProcedure, answer.CreatedVariant)
		if err != nil {
			return answer, err
		}
	}
	answer.Head, err = t.head()
	return answer, err
}

// repeated answers a capture whose key was counted before.
func (t tx) repeated(c graph.Capture) (captured graph.Captured, ok bool, err error) {
	var input, codeHash, procedure string
	err = t.query(`SELECT k.input, k.created_procedure, k.created_variant, v.code_hash, p.key
		FROM capture_keys k CROSS JOIN variants v ON v.id = k.variant`+variantJoin+` WHERE k.key = ?`,
		func(r row) error {
			ok = true
			input, captured.CreatedProcedure, captured.CreatedVariant = r.text(0), r.bool(1), r.bool(2)
			codeHash, procedure = r.text(3), r.text(4)
			return nil
		}, c.Key)
	if err != nil || !ok {
		return captured, ok, err
	}
	if input != c.Input {
		return captured, true, fmt.Errorf("%w: the key was used for another capture", graph.ErrConflict)
	}
	owner, _, err := t.offer(procedure)
	if err != nil {
		return captured, true, err
	}
	captured.Offer = owner.Offer
	if captured.Variant, _, _, err = t.variant(codeHash); err != nil {
		return captured, true, err
	}
	captured.Known = newKnown()
	reached := names{}
	reached.add(owner.Procedure.Reach...)
	if err := t.lookUp(reached, true, &captured.Known); err != nil {
		return captured, true, err
	}
	captured.Head, err = t.head()
	return captured, true, err
}

// offer answers the procedure with this key.
func (t tx) offer(key string) (offer stored, found bool, err error) {
	err = t.query(`SELECT `+offerColumns+` FROM procedures p`+offerJoin+` WHERE p.key = ?`, func(r row) (err error) {
		offer, err = scanOffer(r)
		found = true
		return err
	}, key)
	return offer, found, err
}

// lookUpReach sets the reach of a new procedure and all that it names. It refuses code that names a procedure which
// is not stored, whether its own procedure is or not.
func (t tx) lookUpReach(c graph.Capture, found bool, answer *graph.Captured) error {
	reached := names{}
	reached.add(c.Signature...)
	reached.add(answer.Offer.Procedure.Reach...)
	if err := t.lookUp(reached, true, &answer.Known); err != nil {
		return err
	}
	further := false
	for _, name := range c.Signature {
		if !strings.HasPrefix(name, procedurePrefix) {
			continue
		}
		named, ok := answer.Known.Procedures[name]
		if !ok {
			return fmt.Errorf("%w: %s", graph.ErrUnknownProcedure, name)
		}
		if !found {
			reached.add(named.Procedure.Reach...)
			further = true
		}
	}
	if found {
		return nil
	}
	for name := range reached {
		answer.Offer.Procedure.Reach = append(answer.Offer.Procedure.Reach, name)
	}
	slices.Sort(answer.Offer.Procedure.Reach)
	if further {
		return t.lookUp(reached, true, &answer.Known)
	}
	return nil
}

// countProcedure makes the procedure, or counts its use, and sets it in the answer.
func (t tx) countProcedure(c graph.Capture, owner *stored, answer *graph.Captured) error {
	at := c.At.UTC().Truncate(time.Millisecond)
	p := &answer.Offer.Procedure
	p.Frequency += int64(len(c.Causes))
	p.LastUsedAt = later(p.LastUsedAt, at)
	p.UpdatedAt = later(p.UpdatedAt, at)
	p.Unproven = p.Unproven || answer.CreatedVariant && !c.Variant.Proven
	if !answer.CreatedProcedure {
		owner.Procedure = *p
		return t.exec(`UPDATE procedures
			SET frequency = ?, last_used_at = ?, updated_at = ?, unproven = ?, rank = ?, recent = ? WHERE id = ?`,
			p.Frequency, p.LastUsedAt, p.UpdatedAt, p.Unproven, p.Position(graph.ByFrequency),
			p.Position(graph.ByUpdated), owner.id)
	}
	p.Key, p.ToolName, p.Signature, p.CreatedAt = c.ProcedureKey, c.ToolName, slices.Clone(c.Signature), at
	err := t.exec(`INSERT INTO procedures (key, tool_name, signature, reach, frequency, last_used_at, created_at,
			updated_at, current, approved, approved_variants, offered, unproven,
			rank, recent)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, '', 0, 0, 0, ?, ?, ?)`,
		p.Key, p.ToolName, p.Signature, p.Reach, p.Frequency, p.LastUsedAt, p.CreatedAt, p.UpdatedAt, p.Unproven,
		p.Position(graph.ByFrequency), p.Position(graph.ByUpdated))
	if err != nil {
		return err
	}
	owner.id, owner.Procedure = t.conn.LastInsertRowID(), *p
	for _, name := range p.Reach {
		_, direct := slices.BinarySearch(p.Signature, name)
		if err := t.exec(`INSERT INTO reaches (name, direct, tool_name, procedure) VALUES (?, ?, ?, ?)`,
			name, direct, p.ToolName, owner.id); err != nil {
			return err
		}
	}
	return t.addStubs(p.Signature, answer.Known)
}

// addStubs stores the tools that the signature names and nobody knows.
func (t tx) addStubs(signature []string, known graph.Known) error {
	for _, name := range signature {
		if _, ok := known.Tools[name]; ok || strings.HasPrefix(name, procedurePrefix) {
			continue
		}
		stub := graph.Tool{Name: name, ParametersSchema: emptySchema, Class: graph.Unclassified}
		if err := t.putTool(stub); err != nil {
			return err
		}
		known.Tools[name] = stub.Fact()
	}
	return nil
}

// proposed is the variant of a capture as it is stored.
func proposed(c graph.Capture) graph.Variant {
	v := c.Variant
	return graph.Variant{
		CodeHash:     v.CodeHash,
		Code:         v.Code,
		Procedure:    c.ProcedureKey,
		Strategy:     v.Strategy,
		Summary:      v.Summary,
		WhenToUse:    v.WhenToUse,
		Status:       graph.Proposed,
		Proven:       v.Proven,
		Analyser:     v.Analyser,
		CapturedBy:   v.CapturedBy,
		CapturedWith: v.CapturedWith,
		CapturedAt:   v.CapturedAt.UTC().Truncate(time.Millisecond),
	}
}

func (t tx) addVariant(procedure int64, v graph.Variant) (int64, error) {
	err := t.exec(`INSERT INTO variants (code_hash, procedure, position, strategy, summary, when_to_use, status, proven,
			analyser, captured_by, captured_with, captured_at, approved_by, rejected_reason, succeeded, failed, code)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '', '', 0, 0, ?)`,
		v.CodeHash, procedure, v.Position(), v.Strategy, v.Summary, v.WhenToUse, string(v.Status), v.Proven,
		v.Analyser, v.CapturedBy, v.CapturedWith, v.CapturedAt, v.Code)
	return t.conn.LastInsertRowID(), err
}

// countUse makes the cause and its relation to the procedure, or counts on the one that is there. A new variant tells by
// itself when to use it; only what a known one does not tell gets a document.
func (t tx) countUse(owner stored, cause string, details graph.UseDetails, at time.Time, known bool) error {
	use := graph.Use{Cause: cause, ToolName: owner.Procedure.ToolName}
	id := int64(0)
	err := t.query(`SELECT id, frequency, last_at, trigger_signals FROM uses WHERE procedure = ? AND cause = ?`,
		func(r row) (err error) {
			id, use.Frequency, use.LastAt = r.int(0), r.int(1), r.time(2)
			if !r.ColumnIsNull(3) {
				use.TriggerSignals, err = parseNames(r.text(3))
			}
			return err
		}, owner.id, cause)
	if err != nil {
		return err
	}
	use.Frequency++
	use.LastAt = later(use.LastAt, at)
	var signals, summary any // NULL leaves what is stored
	if len(details.TriggerSignals) > 0 {
		signals = details.TriggerSignals
	}
	if details.ResultSummary != "" {
		summary = details.ResultSummary
	}
	if id != 0 {
		if signals != nil && !slices.Equal(details.TriggerSignals, use.TriggerSignals) {
			err := errors.Join(t.forgetDocument(graph.DocumentUse, cause, owner.id),
				t.documentUse(owner.id, cause, details.TriggerSignals))
			if err != nil {
				return err
			}
		}
		return t.exec(`UPDATE uses SET frequency = ?, last_at = ?, of_procedure = ?, of_cause = ?,
				confidence = coalesce(?, confidence), trigger_signals = coalesce(?, trigger_signals),
				observed_arguments = coalesce(?, observed_arguments), result_summary = coalesce(?, result_summary)
			WHERE id = ?`,
			use.Frequency, use.LastAt, use.OfProcedure(), use.OfCause(),
			details.Confidence, signals, details.ObservedArguments, summary, id)
	}
	if err := t.exec(`INSERT INTO causes (name, description) VALUES (?, '') ON CONFLICT DO NOTHING`, cause); err != nil {
		return err
	}
	if t.conn.Changes() > 0 {
		if err := t.documentCause(graph.Cause{Name: cause}); err != nil {
			return err
		}
	}
	if known {
		if err := t.documentUse(owner.id, cause, details.TriggerSignals); err != nil {
			return err
		}
	}
	return t.exec(`INSERT INTO uses (procedure, cause, tool_name, frequency, last_at, of_procedure, of_cause, confidence,
			trigger_signals, observed_arguments, result_summary)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, coalesce(?, ''))`,
		owner.id, cause, use.ToolName, use.Frequency, use.LastAt, use.OfProcedure(), use.OfCause(),
		details.Confidence, signals, details.ObservedArguments, summary)
}

// later is the later of two times.
func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
