package sqlite

import (
	"context"
	"slices"

	"procgraph/graph"
)

// Registry answers the offered procedures of a filter by rank.
func (s *Store) Registry(ctx context.Context, filter graph.RegistryFilter, page graph.Page) (graph.ProcedurePage, error) {
	return s.Procedures(ctx, graph.ProcedureFilter{
		Keys:     filter.Keys,
		Causes:   filter.Causes,
		Approved: filter.Mutating,
		Offered:  !filter.Mutating,
	}, graph.ByFrequency, page)
}

// Procedures answers the procedures of a filter in an order.
func (s *Store) Procedures(ctx context.Context, filter graph.ProcedureFilter, order graph.ProcedureOrder,
	page graph.Page) (graph.ProcedurePage, error) {
	if err := s.usable(ctx); err != nil {
		return graph.ProcedurePage{}, err
	}
	key, keep := keyOf(filter, order, page)
	if !keep {
		return s.procedures(ctx, filter, order, page)
	}
	answer, writes, found := s.pages.get(key)
	if found {
		return answer, nil
	}
	answer, err := s.procedures(ctx, filter, order, page)
	if err == nil {
		s.pages.put(key, writes, answer)
	}
	return answer, err
}

func (s *Store) procedures(ctx context.Context, filter graph.ProcedureFilter, order graph.ProcedureOrder,
	page graph.Page) (graph.ProcedurePage, error) {
	var answer graph.ProcedurePage
	err := s.read(ctx, func(t tx) error {
		list, err := t.listing(filter, order, fewProcedures)
		if err != nil {
			return err
		}
		statement, args := list.page(page.After, page.First+1)
		offers, err := t.offers(statement, args...)
		if err != nil {
			return err
		}
		if answer, err = t.procedurePage(offers, page.First); err != nil {
			return err
		}
		if page.Count {
			answer.Total, err = t.count(list, graph.MaxTotal)
		}
		return err
	})
	return answer, err
}

// CountProcedures counts the procedures of a filter and stops at limit.
func (s *Store) CountProcedures(ctx context.Context, filter graph.ProcedureFilter, limit int) (int, error) {
	n := 0
	err := s.read(ctx, func(t tx) error {
		list, err := t.listing(filter, graph.ByFrequency, fewProcedures)
		if err != nil {
			return err
		}
		n, err = t.count(list, limit)
		return err
	})
	return n, err
}

// listing is how the procedures of a filter are found in an order: along the index of the order, skipping what the
// filter leaves out, or by sorting the few that one part of the filter leads to.
type listing struct {
	column  string // the position in the order
	index   string // holds the positions
	where   string
	args    []any
	few     string // selects the ids of few procedures; empty when no part of the filter is narrow
	fewArgs []any
}

// fewProcedures is up to how many procedures are sorted. With this bound and a page of 25 rows, either way reads some
// 1,250 of 50,000 procedures at most, unless what a filter matches lies at the end of the order.
const fewProcedures = 1000

const (
	servesOne = ` AND EXISTS (SELECT 1 FROM uses u
		WHERE u.procedure = p.id AND u.cause IN (SELECT value FROM json_each(?)))`
	namesIt = ` AND EXISTS (SELECT 1 FROM reaches r WHERE r.name = ? AND r.direct = 1 AND r.tool_name = p.tool_name)`
	// However many the other tools are, there is one statement for them.
	namesOthers = ` AND NOT EXISTS (SELECT 1 FROM json_each(?) j WHERE NOT EXISTS (SELECT 1 FROM reaches r
		WHERE r.name = j.value AND r.direct = 1 AND r.tool_name = p.tool_name))`

	oneOf      = ` AND p.key IN (SELECT value FROM json_each(?))`
	theseOnes  = `SELECT k.id FROM json_each(?) j CROSS JOIN procedures k ON k.key = j.value`
	servingOne = `SELECT u.procedure FROM uses u WHERE u.cause IN (SELECT value FROM json_each(?))`
	naming     = `SELECT r.procedure FROM reaches r WHERE r.name = ? AND r.direct = 1`
	offered    = `SELECT o.id FROM procedures o WHERE o.offered = 1 AND o.rank > ''`
	approved   = `SELECT o.id FROM procedures o WHERE o.approved = 1 AND o.rank > ''`
)

// part is one part of a filter: the test of a procedure, and the ids of those that pass it. What needs no test passes
// all that few selects.
type part struct {
	test string
	few  string
	args []any // of the test and of few alike
}

// listing chooses the way: what fewer than few procedures match is sorted. The statements name their index, so that no statistics can choose another.
func (t tx) listing(filter graph.ProcedureFilter, order graph.ProcedureOrder, few int) (*listing, error) {
	list := &listing{column: "p.rank", index: "procedures_by_rank"}
	switch order {
	case graph.ByUpdated:
		list.column, list.index = "p.recent", "procedures_by_recent"
	case graph.ByName:
		list.column, list.index = "p.tool_name", "procedures_by_name"
	}
	if !filter.IncludeRetired {
		list.where += " AND p.retired_at IS NULL"
	}
	var parts []part
	flag := func(test, few, index string) {
		list.where += test
		if list.column == "p.rank" {
			list.index = index
		} else {
			parts = append(parts, part{few: few})
		}
	}
	if filter.Approved {
		flag(" AND p.approved = 1", approved, "procedures_approved")
	}
	if filter.Offered {
		flag(" AND p.offered = 1", offered, "procedures_offered")
	}
	if filter.Keys != nil {
		parts = append(parts, part{oneOf, theseOnes, []any{filter.Keys}})
	}
	if len(filter.Causes) > 0 {
		parts = append(parts, part{servesOne, servingOne, []any{filter.Causes}})
	}
	for i, tool := range filter.Tools {
		named := part{namesIt, naming, []any{tool}}
		if i > 0 {
			named.test = "" // all the others have one test
		}
		parts = append(parts, named)
	}
	if len(filter.Tools) > 1 {
		list.where += namesOthers
		list.args = append(list.args, filter.Tools[1:])
	}
	leader, err := t.narrowest(parts, few)
	if err != nil {
		return nil, err
	}
	for i, p := range parts {
		if i == leader {
			list.few, list.fewArgs = p.few, p.args
		} else if p.test != "" {
			list.where += p.test
			list.args = append(list.args, p.args...)
		}
	}
	return list, nil
}

// narrowest answers which part leads to the fewest procedures; -1 when none leads to fewer than few.
func (t tx) narrowest(parts []part, few int) (leader int, err error) {
	leader, smallest := -1, few
	for i, p := range parts {
		n, err := t.one(`SELECT count(*) FROM (`+p.few+` LIMIT +?)`, append(slices.Clone(p.args), smallest)...)
		if err != nil {
			return -1, err
		}
		if n < smallest {
			leader, smallest = i, n
		}
	}
	return leader, nil
}

// page is the statement for the rows after a position, with its arguments.
func (l *listing) page(after string, limit int) (string, []any) {
	if l.few == "" {
		args := append([]any{after}, l.args...)
		return `SELECT ` + offerColumns + ` FROM procedures p INDEXED BY ` + l.index + offerJoin + `
			WHERE ` + l.column + ` > ?` + l.where + ` ORDER BY ` + l.column + ` LIMIT +?`, append(args, limit)
	}
	// Only ids and positions are sorted; the rows are read afterwards.
	args := append(slices.Clone(l.fewArgs), after)
	args = append(args, l.args...)
	return `SELECT ` + offerColumns + ` FROM (
			SELECT p.id AS id, ` + l.column + ` AS place FROM procedures p
			WHERE p.id IN (` + l.few + `) AND +` + l.column + ` > ?` + l.where + ` ORDER BY place LIMIT +?
		) f CROSS JOIN procedures p ON p.id = f.id` + offerJoin + ` ORDER BY f.place`, append(args, limit)
}

// count counts the rows and stops at limit.
func (t tx) count(l *listing, limit int) (int, error) {
	if l.few == "" {
		return t.one(`SELECT count(*) FROM (SELECT 1 FROM procedures p INDEXED BY `+l.index+`
			WHERE `+l.column+` > ''`+l.where+` LIMIT +?)`, append(slices.Clone(l.args), limit)...)
	}
	args := append(slices.Clone(l.fewArgs), l.args...)
	return t.one(`SELECT count(*) FROM (SELECT 1 FROM procedures p
		WHERE p.id IN (`+l.few+`)`+l.where+` LIMIT +?)`, append(args, limit)...)
}

// ProceduresBy answers the procedures with these keys, tool names or code hashes, each once.
func (s *Store) ProceduresBy(ctx context.Context, refs graph.ProcedureRefs) (graph.ProcedurePage, error) {
	var answer graph.ProcedurePage
	err := s.read(ctx, func(t tx) error {
		offers, err := t.offers(`SELECT `+offerColumns+` FROM procedures p`+offerJoin+` WHERE p.id IN (
			SELECT id FROM procedures WHERE key IN (SELECT value FROM json_each(?))
			UNION SELECT id FROM procedures WHERE tool_name IN (SELECT value FROM json_each(?))
			UNION SELECT procedure FROM variants WHERE code_hash IN (SELECT value FROM json_each(?)))`,
			refs.Keys, refs.ToolNames, refs.CodeHashes)
		if err != nil {
			return err
		}
		answer, err = t.procedurePage(offers, len(offers))
		return err
	})
	return answer, err
}

// ProceduresUsing answers, for each tool name, the procedures that name the tool, by procedure name.
func (s *Store) ProceduresUsing(ctx context.Context, tools []string, page graph.Page) (graph.ProceduresByTool, error) {
	answer := graph.ProceduresByTool{
		Batch: graph.Batch[graph.Offer]{By: make(map[string]graph.Slice[graph.Offer], len(tools))},
		Known: newKnown(),
	}
	err := s.read(ctx, func(t tx) error {
		err := fill(t, answer.By, tools, page.First, func(t tx, tool string) ([]graph.Offer, int, error) {
			return t.proceduresUsing(tool, page)
		})
		if err != nil {
			return err
		}
		reached := names{}
		for _, slice := range answer.By {
			for _, offer := range slice.Items {
				reached.add(offer.Procedure.Reach...)
			}
		}
		if err := t.lookUp(reached, true, &answer.Known); err != nil {
			return err
		}
		answer.Head, err = t.head()
		return err
	})
	return answer, err
}

func (t tx) proceduresUsing(tool string, page graph.Page) (using []graph.Offer, total int, err error) {
	offers, err := t.offers(`SELECT `+offerColumns+`
		FROM reaches r CROSS JOIN procedures p ON p.id = r.procedure`+offerJoin+`
		WHERE r.name = ? AND r.direct = 1 AND r.tool_name > ? ORDER BY r.tool_name LIMIT +?`,
		tool, page.After, page.First+1)
	for _, offer := range offers {
		using = append(using, offer.Offer)
	}
	if err == nil && page.Count {
		total, err = t.one(`SELECT count(*) FROM (`+naming+` LIMIT +?)`, tool, graph.MaxTotal)
	}
	return using, total, err
}
