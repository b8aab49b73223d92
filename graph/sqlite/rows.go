package sqlite

import (
	"encoding/json"
	"fmt"
	"strings"

	"procgraph/graph"
)

// The columns of each type, in the order in which its scan reads them. The tables are p, v, t, u, c and e; a variant
// comes with its procedure, whose key it carries.
const (
	procedureColumns = `p.id, p.key, p.tool_name, p.signature, p.reach, p.frequency, p.last_used_at, p.created_at,
		p.updated_at, p.retired_at, p.current, p.approved, p.offered, p.unproven,
		p.approved_variants`
	procedureWidth = 15 // columns

	variantColumns = `v.code_hash, p.key, v.strategy, v.summary, v.when_to_use, v.status, v.proven, v.analyser,
		v.captured_by, v.captured_with, v.captured_at, v.approved_by, v.approved_at, v.rejected_reason, v.succeeded,
		v.failed, v.last_run_at, v.code_hash = p.current`
	codeColumn   = `, v.code`
	variantWidth = 19 // columns with the code
	noCode       = `, ''`

	toolFactColumns = `t.name, t.class, t.external_access, t.known, t.suspended, t.definition_hash`
	toolColumns     = toolFactColumns + `, t.description, t.parameters_schema, t.hints`

	useColumns = `u.cause, p.key, u.tool_name, u.frequency, u.confidence, u.trigger_signals, u.observed_arguments,
		u.result_summary, u.last_at`
	useWidth = 9 // columns

	causeColumns = `c.name, c.description`
	eventColumns = `e.sequence, e.at, e.actor, e.action, e.subject, e.details, e.hash, e.previous_hash`
)

// offerColumns are those of scanOffer, for a procedure p with its offered variant v, which may be missing.
const (
	offerColumns      = procedureColumns + `, ` + variantColumns + codeColumn
	briefOfferColumns = procedureColumns + `, ` + variantColumns + noCode
	offerJoin         = ` LEFT JOIN variants v ON v.code_hash = p.current AND v.procedure = p.id`
)

// stored is a procedure with its id.
type stored struct {
	id int64
	graph.Offer
}

func scanOffer(r row) (stored, error) {
	procedure, err := scanProcedure(r)
	if err != nil {
		return stored{}, err
	}
	s := stored{id: r.int(0), Offer: graph.Offer{Procedure: procedure}}
	if !r.ColumnIsNull(procedureWidth) {
		variant := scanVariant(r, procedureWidth)
		s.Current = &variant
	}
	return s, nil
}

func scanProcedure(r row) (graph.Procedure, error) {
	signature, err := parseNames(r.text(3))
	if err != nil {
		return graph.Procedure{}, err
	}
	reach, err := parseNames(r.text(4))
	if err != nil {
		return graph.Procedure{}, err
	}
	return graph.Procedure{
		Key:              r.text(1),
		ToolName:         r.text(2),
		Signature:        signature,
		Reach:            reach,
		Frequency:        r.int(5),
		LastUsedAt:       r.time(6),
		CreatedAt:        r.time(7),
		UpdatedAt:        r.time(8),
		RetiredAt:        r.time(9),
		Current:          r.text(10),
		Approved:         r.bool(11),
		Offered:          r.bool(12),
		Unproven:         r.bool(13),
		ApprovedVariants: int(r.int(14)),
	}, nil
}

// scanVariant reads a variant whose columns begin at the given one.
func scanVariant(r row, from int) graph.Variant {
	return graph.Variant{
		CodeHash:       r.text(from),
		Procedure:      r.text(from + 1),
		Strategy:       r.text(from + 2),
		Summary:        r.text(from + 3),
		WhenToUse:      r.text(from + 4),
		Status:         graph.VariantStatus(r.text(from + 5)),
		Proven:         r.bool(from + 6),
		Analyser:       int(r.int(from + 7)),
		CapturedBy:     r.text(from + 8),
		CapturedWith:   r.text(from + 9),
		CapturedAt:     r.time(from + 10),
		ApprovedBy:     r.text(from + 11),
		ApprovedAt:     r.time(from + 12),
		RejectedReason: r.text(from + 13),
		Succeeded:      r.int(from + 14),
		Failed:         r.int(from + 15),
		LastRunAt:      r.time(from + 16),
		Offered:        r.bool(from + 17),
		Code:           r.text(from + 18),
	}
}

func scanToolFact(r row) graph.ToolFact {
	return graph.ToolFact{
		Name:           r.text(0),
		Class:          graph.ToolClass(r.text(1)),
		ExternalAccess: r.bool(2),
		Known:          r.bool(3),
		Suspended:      r.bool(4),
		DefinitionHash: r.text(5),
	}
}

func scanTool(r row) graph.Tool {
	return graph.Tool{
		Name:             r.text(0),
		Class:            graph.ToolClass(r.text(1)),
		ExternalAccess:   r.bool(2),
		Known:            r.bool(3),
		Suspended:        r.bool(4),
		DefinitionHash:   r.text(5),
		Description:      r.text(6),
		ParametersSchema: r.json(7),
		Hints:            r.json(8),
	}
}

func scanUse(r row) (graph.Use, error) {
	use := graph.Use{
		Cause:             r.text(0),
		Procedure:         r.text(1),
		ToolName:          r.text(2),
		Frequency:         r.int(3),
		Confidence:        r.float(4),
		ObservedArguments: r.json(6),
		ResultSummary:     r.text(7),
		LastAt:            r.time(8),
	}
	if !r.ColumnIsNull(5) {
		signals, err := parseNames(r.text(5))
		if err != nil {
			return graph.Use{}, err
		}
		use.TriggerSignals = signals
	}
	return use, nil
}

func scanCause(r row) graph.Cause {
	return graph.Cause{Name: r.text(0), Description: r.text(1)}
}

func scanEvent(r row) graph.Event {
	return graph.Event{
		Sequence:     r.int(0),
		At:           r.time(1),
		Actor:        r.text(2),
		Action:       r.text(3),
		Subject:      r.text(4),
		Details:      r.json(5),
		Hash:         r.text(6),
		PreviousHash: r.text(7),
	}
}

// parseNames reads a list as bind wrote it. Names without a backslash, which are nearly all, are split: no name has a
// quote that is not escaped by one.
func parseNames(list string) ([]string, error) {
	if len(list) >= 4 && !strings.Contains(list, `\`) && list[:2] == `["` && list[len(list)-2:] == `"]` {
		return strings.Split(list[2:len(list)-2], `","`), nil
	}
	var names []string
	if err := json.Unmarshal([]byte(list), &names); err != nil {
		return nil, fmt.Errorf("a stored list is not JSON: %w", err)
	}
	return names, nil
}

// cut makes a slice of First+1 rows or fewer.
func cut[T any](rows []T, first int) graph.Slice[T] {
	if len(rows) > first {
		return graph.Slice[T]{Items: rows[:first], More: true}
	}
	return graph.Slice[T]{Items: rows}
}

// one answers the integer of a statement with one row.
func (t tx) one(statement string, args ...any) (int, error) {
	n := 0
	err := t.query(statement, func(r row) error { n = int(r.int(0)); return nil }, args...)
	return n, err
}
