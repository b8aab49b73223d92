package neo4j

import (
	"context"

	"procgraph/graph"
)

// toolFilters are the parts of a filter; each has an index with the names in order, and the first part that is set is
// the one that is walked.
var toolFilters = []string{"suspended", "known", "class"}

// toolsStatement reads the tools of a filter by name along an index.
func toolsStatement(set map[string]bool) string {
	hint, start, order := "name", "t.name > $in.after", "t.name"
	all, rest := "t.name >= $in.from", ""
	for _, property := range toolFilters {
		switch {
		case !set[property]:
		case hint == "name":
			hint, order = property+", name", "t."+property+", t.name"
			start = "t." + property + " = $in." + property + " AND t.name > $in.after"
			all = "t." + property + " = $in." + property + " AND t.name >= $in.from"
		default:
			rest += " AND t." + property + " = $in." + property
		}
	}
	match := `MATCH (t:Tool) USING INDEX t:Tool(` + hint + `)
  WHERE `
	total := `
CALL () {
  ` + match + all + rest + `
  WITH t LIMIT $in.most
  RETURN count(t) AS total
}`
	if hint == "name" {
		// The database keeps count of labels.
		total = `
CALL () {
  MATCH (t:Tool)
  RETURN count(t) AS total
}`
	}
	return readStart + `
CALL () {
  ` + match + start + rest + `
  WITH t ORDER BY ` + order + ` LIMIT $in.limit
  RETURN collect(` + toolMap + `) AS found
}` + total + readEnd + `, found, total`
}

// Tools answers the tools of a filter by name.
func (s *Store) Tools(ctx context.Context, filter graph.ToolFilter, page graph.Page) (graph.Slice[graph.Tool], error) {
	p := pageParams(page, params{"from": from(page.Count), "most": graph.MaxTotal})
	set := map[string]bool{"class": filter.Class != nil, "suspended": filter.Suspended != nil, "known": filter.Known != nil}
	if filter.Class != nil {
		p["class"] = string(*filter.Class)
	}
	if filter.Suspended != nil {
		p["suspended"] = *filter.Suspended
	}
	if filter.Known != nil {
		p["known"] = *filter.Known
	}
	record, head, err := s.read(ctx, toolsStatement(set), p)
	if err != nil {
		return graph.Slice[graph.Tool]{}, err
	}
	return slice(each(record.Values[2], toTool), page, record.Values[3], head), nil
}

var toolsBy = readStart + `
CALL () {
  UNWIND $in.names AS name
  WITH DISTINCT name
  MATCH (t:Tool {name: name})
  RETURN collect(` + toolMap + `) AS found
}` + readEnd + `, found`

// ToolsBy answers the tools with these names, in no order.
func (s *Store) ToolsBy(ctx context.Context, names []string) (graph.Slice[graph.Tool], error) {
	record, head, err := s.read(ctx, toolsBy, params{"names": names})
	if err != nil {
		return graph.Slice[graph.Tool]{}, err
	}
	return graph.Slice[graph.Tool]{Items: each(record.Values[2], toTool), Head: head}, nil
}

// A procedure names at most a few dozen tools, so they are sorted.
var toolsOf = readStart + `
CALL () {
  UNWIND $in.keys AS key
  MATCH (p:Procedure {key: key})
  CALL (p) {
    UNWIND p.signature AS name
    MATCH (t:Tool {name: name})
    RETURN count(t) AS total
  }
  CALL (p) {
    UNWIND p.signature AS name
    WITH name WHERE name > $in.after
    MATCH (t:Tool {name: name})
    WITH t ORDER BY t.name LIMIT $in.limit
    RETURN collect(` + toolMap + `) AS found
  }
  RETURN collect([key, total, size(found) > $in.first, found[..$in.first]]) AS owners
}` + readEnd + `, [o IN owners WHERE o[1] > 0]`

// ToolsOf answers, for each procedure key, the tools that it names, by name.
func (s *Store) ToolsOf(ctx context.Context, procedures []string, page graph.Page) (graph.Batch[graph.Tool], error) {
	record, head, err := s.read(ctx, toolsOf, pageParams(page, params{"keys": procedures}))
	if err != nil {
		return graph.Batch[graph.Tool]{}, err
	}
	return batch(record.Values[2], head, page, func(v any) []graph.Tool { return each(v, toTool) }), nil
}

var causes = readStart + `
CALL () {
  MATCH (c:Cause) USING INDEX c:Cause(name)
  WHERE c.name > $in.after
  WITH c ORDER BY c.name LIMIT $in.limit
  RETURN collect(` + causeMap + `) AS found
}
CALL () {
  MATCH (c:Cause)
  RETURN count(c) AS total
}` + readEnd + `, found, total`

// Causes answers the causes by name.
func (s *Store) Causes(ctx context.Context, page graph.Page) (graph.Slice[graph.Cause], error) {
	record, head, err := s.read(ctx, causes, pageParams(page, params{}))
	if err != nil {
		return graph.Slice[graph.Cause]{}, err
	}
	return slice(each(record.Values[2], toCause), page, record.Values[3], head), nil
}

var causesBy = readStart + `
CALL () {
  UNWIND $in.names AS name
  WITH DISTINCT name
  MATCH (c:Cause {name: name})
  RETURN collect(` + causeMap + `) AS found
}` + readEnd + `, found`

// CausesBy answers the causes with these names, in no order.
func (s *Store) CausesBy(ctx context.Context, names []string) (graph.Slice[graph.Cause], error) {
	record, head, err := s.read(ctx, causesBy, params{"names": names})
	if err != nil {
		return graph.Slice[graph.Cause]{}, err
	}
	return graph.Slice[graph.Cause]{Items: each(record.Values[2], toCause), Head: head}, nil
}
