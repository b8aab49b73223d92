package neo4j

import (
	"context"
	"slices"
	"strings"

	"procgraph/graph"
)

// The property words holds what search finds a node or a relation by: the kind of the document, which no word of a text is
// equal to because it is in capitals, and the words, joined by blanks. Without words there is no property.
func documentWords(kind graph.Document, words []string) any {
	if len(words) == 0 {
		return nil
	}
	return string(kind) + " " + strings.Join(words, " ")
}

func variantWords(v graph.Variant) any { return documentWords(graph.DocumentVariant, v.Words()) }

func useWords(cause string, signals []string) any {
	return documentWords(graph.DocumentUse, graph.Words(append([]string{cause}, signals...)...))
}

func causeWords(c graph.Cause) any {
	return documentWords(graph.DocumentCause, graph.Words(c.Name, c.Description))
}

func toolWords(t graph.Tool) any {
	return documentWords(graph.DocumentTool, graph.Words(t.Name, t.Description))
}

// wordsBatch is how many rows of an earlier version get their words in one transaction.
const wordsBatch = 500

// backlog is how the rows of one kind are read, a batch after a key, and written. What has words by then was written by
// another server, and perhaps from newer texts.
type backlog struct {
	read, write string
	words       func(row []any) any // of a row, which begins with its key
}

var backlogs = []backlog{
	{
		`MATCH (v:Variant) USING INDEX v:Variant(codeHash) WHERE v.codeHash > $in.after
WITH v ORDER BY v.codeHash LIMIT $in.batch
RETURN collect([v.codeHash, v.summary, v.strategy, v.whenToUse, v.code])`,
		`UNWIND $in.rows AS row
MATCH (n:Variant {codeHash: row.key})`,
		func(row []any) any {
			return variantWords(graph.Variant{
				Summary: text(row[1]), Strategy: text(row[2]), WhenToUse: text(row[3]), Code: text(row[4]),
			})
		},
	},
	{
		`MATCH ()-[u:INVESTIGATED_BY]->(p) USING INDEX u:INVESTIGATED_BY(id) WHERE u.id > $in.after
WITH u, p ORDER BY u.id LIMIT $in.batch
RETURN collect([u.id, u.cause, u.triggerSignals, COLLECT { MATCH (p)-[:HAS_VARIANT]->(v) RETURN v.whenToUse }])`,
		`UNWIND $in.rows AS row
MATCH ()-[n:INVESTIGATED_BY {id: row.key}]->()`,
		func(row []any) any {
			cause, signals, told := text(row[1]), texts(row[2]), strings.Join(texts(row[3]), "\n")
			untold := func(text string) bool { return !strings.Contains(told, text) }
			if !untold(cause) && !slices.ContainsFunc(signals, untold) {
				return nil // a variant tells of it
			}
			return useWords(cause, signals)
		},
	},
	{
		`MATCH (c:Cause) USING INDEX c:Cause(name) WHERE c.name > $in.after
WITH c ORDER BY c.name LIMIT $in.batch
RETURN collect([c.name, c.description])`,
		`UNWIND $in.rows AS row
MATCH (n:Cause {name: row.key})`,
		func(row []any) any { return causeWords(graph.Cause{Name: text(row[0]), Description: text(row[1])}) },
	},
	{
		`MATCH (t:Tool) USING INDEX t:Tool(name) WHERE t.name > $in.after
WITH t ORDER BY t.name LIMIT $in.batch
RETURN collect([t.name, t.description])`,
		`UNWIND $in.rows AS row
MATCH (n:Tool {name: row.key})`,
		func(row []any) any { return toolWords(graph.Tool{Name: text(row[0]), Description: text(row[1])}) },
	},
}

// unworded is locked before it is looked at.
const unworded = `
SET n.words = n.words
WITH n, row WHERE n.words IS NULL
SET n.words = row.words`

// writeWords gives the rows of earlier versions the words that search finds them by.
func (s *Store) writeWords(ctx context.Context) error {
	if err := s.ensure(ctx, rules); err != nil {
		return err
	}
	for _, b := range backlogs {
		for after, more := "", true; more; {
			var err error
			if after, more, err = s.writeBatch(ctx, b, after); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Store) writeBatch(ctx context.Context, b backlog, after string) (end string, more bool, err error) {
	var read []params
	err = s.retry(ctx, func() error {
		record, err := s.run(ctx, noReplan+b.read, params{"after": after, "batch": wordsBatch})
		if err != nil {
			return err
		}
		read = nil
		for _, row := range rows(record.Values[0]) {
			read = append(read, params{"key": row[0], "words": b.words(row)})
		}
		return nil
	})
	if err != nil || len(read) == 0 {
		return after, false, err
	}
	err = s.retry(ctx, func() error {
		_, err := s.run(ctx, noReplan+b.write+unworded, params{"rows": read})
		return err
	})
	return text(read[len(read)-1]["key"]), len(read) == wordsBatch, err
}
