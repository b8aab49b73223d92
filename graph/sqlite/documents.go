package sqlite

import (
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strconv"
	"strings"

	"procgraph/graph"
)

// documentKinds are the kinds of documents as ids and tables have them.
var documentKinds = []graph.Document{graph.DocumentVariant, graph.DocumentUse, graph.DocumentCause, graph.DocumentTool}

// documentID is a number, a kind and a length. With these in the id, ranking reads nothing but the places of words; and
// what is written anew gets another id.
type documentID int64

const (
	lengthBits = 13 // package graph limits a text to 4,096 words
	kindBits   = 2
)

func newDocumentID(number int64, kind, length int) documentID {
	return documentID(number<<(kindBits+lengthBits) | int64(kind)<<lengthBits | int64(min(length, 1<<lengthBits-1)))
}

func (id documentID) number() int64 { return int64(id) >> (kindBits + lengthBits) }
func (id documentID) length() int64 { return int64(id) & (1<<lengthBits - 1) }

func (id documentID) document() graph.Document {
	return documentKinds[int64(id)>>lengthBits&(1<<kindBits-1)]
}

func (t tx) documentVariant(procedure int64, v graph.Variant) error {
	return t.putDocument(graph.DocumentVariant, v.CodeHash, procedure, v.Words())
}

func (t tx) documentUse(procedure int64, cause string, signals []string) error {
	return t.putDocument(graph.DocumentUse, cause, procedure, graph.Words(append([]string{cause}, signals...)...))
}

func (t tx) documentCause(c graph.Cause) error {
	return t.putDocument(graph.DocumentCause, c.Name, 0, graph.Words(c.Name, c.Description))
}

// documentTool writes nothing when the stored tool has the same description.
func (t tx) documentTool(tool graph.Tool) error {
	known, same := false, false
	err := t.query(`SELECT description FROM tools WHERE name = ?`, func(r row) error {
		known, same = true, r.text(0) == tool.Description
		return nil
	}, tool.Name)
	if err != nil || same {
		return err
	}
	if known {
		if err := t.forgetDocument(graph.DocumentTool, tool.Name, 0); err != nil {
			return err
		}
	}
	return t.putDocument(graph.DocumentTool, tool.Name, 0, graph.Words(tool.Name, tool.Description))
}

// documentJudged writes nothing when the stored variant has the same texts.
func (t tx) documentJudged(c graph.VariantJudged) error {
	changed, procedure, v := false, int64(0), graph.Variant{CodeHash: c.CodeHash, Summary: c.Summary, WhenToUse: c.WhenToUse}
	err := t.query(`SELECT v.procedure, v.summary, v.when_to_use, v.strategy, v.code FROM variants v WHERE v.code_hash = ?`,
		func(r row) error {
			changed = r.text(1) != c.Summary || r.text(2) != c.WhenToUse
			procedure, v.Strategy, v.Code = r.int(0), r.text(3), r.text(4)
			return nil
		}, c.CodeHash)
	if err != nil || !changed {
		return err
	}
	if err := t.forgetDocument(graph.DocumentVariant, c.CodeHash, procedure); err != nil {
		return err
	}
	return t.documentVariant(procedure, v)
}

// putDocument stores the words of a document that is not there.
func (t tx) putDocument(document graph.Document, key string, procedure int64, words []string) error {
	if len(words) == 0 {
		return nil
	}
	newest, err := t.newestDocument()
	if err != nil {
		return err
	}
	kind := slices.Index(documentKinds, document)
	id := int64(newDocumentID(newest.number()+1, kind, len(words)))
	err = t.exec(`INSERT INTO documents (id, procedure, kind, key) VALUES (?, ?, ?, ?)`, id, procedure, kind, key)
	if err != nil {
		return err
	}
	return t.exec(`INSERT INTO words (rowid, text) VALUES (?, ?)`, id, strings.Join(words, " "))
}

// newestDocument is 0 when there is none.
func (t tx) newestDocument() (id documentID, err error) {
	err = t.query(`SELECT id FROM documents WHERE id > 0 ORDER BY id DESC LIMIT 1`,
		func(r row) error { id = documentID(r.int(0)); return nil })
	return id, err
}

func (t tx) forgetDocument(document graph.Document, key string, procedure int64) error {
	return t.forgetDocuments(`procedure = ? AND kind = ? AND key = ?`, procedure, slices.Index(documentKinds, document), key)
}

// forgetDocuments removes the documents of a condition.
func (t tx) forgetDocuments(condition string, args ...any) error {
	var ids []int64
	err := t.query(`SELECT id FROM documents WHERE `+condition, func(r row) error { ids = append(ids, r.int(0)); return nil }, args...)
	if err != nil {
		return err
	}
	for _, id := range ids {
		err := errors.Join(
			t.exec(`DELETE FROM words WHERE rowid = ?`, id),
			t.exec(`DELETE FROM documents WHERE id = ?`, id))
		if err != nil {
			return err
		}
	}
	return nil
}

// documentBatch is how many rows of an earlier version get their documents in one transaction.
const documentBatch = 500

// documentAll gives the rows of earlier versions their documents. Each batch is stored with its end, so that the next
// start goes on where this one stopped.
func (t tx) documentAll(log *slog.Logger) error {
	for {
		kind, after := -1, ""
		err := t.query(`SELECT kind, after FROM undocumented ORDER BY kind DESC LIMIT 1`, func(r row) error {
			kind, after = int(r.int(0)), r.text(1)
			return nil
		})
		if err != nil || kind < 0 {
			return err
		}
		total, err := t.documentBatch(kind, after)
		if err != nil {
			return err
		}
		if total > 0 {
			log.Info("documents made for search", "kind", documentKinds[kind], "count", total)
		}
	}
}

// documentBatch makes the documents of the next rows of a kind, and answers how many rows there were.
func (t tx) documentBatch(kind int, after string) (total int, err error) {
	if err := t.exec("BEGIN IMMEDIATE"); err != nil {
		return 0, err
	}
	end := after
	switch documentKinds[kind] {
	case graph.DocumentVariant:
		total, end, err = t.documentVariants(after)
	case graph.DocumentUse:
		total, end, err = t.documentUses(after)
	case graph.DocumentCause:
		total, end, err = t.documentCauses(after)
	case graph.DocumentTool:
		total, end, err = t.documentTools(after)
	}
	if err == nil && total == documentBatch {
		err = t.exec(`UPDATE undocumented SET after = ? WHERE kind = ?`, end, kind)
	} else if err == nil {
		err = t.exec(`DELETE FROM undocumented WHERE kind = ?`, kind)
	}
	if err == nil {
		err = t.exec("COMMIT")
	}
	if !t.conn.AutocommitEnabled() {
		err = errors.Join(err, t.exec("ROLLBACK"))
	}
	return total, err
}

func (t tx) documentVariants(after string) (total int, end string, err error) {
	type owned struct {
		id, procedure int64
		graph.Variant
	}
	var variants []owned
	err = t.query(`SELECT v.id, v.procedure, v.code_hash, v.summary, v.strategy, v.when_to_use, v.code FROM variants v
		WHERE v.id > CAST(? AS INTEGER) ORDER BY v.id LIMIT +?`, func(r row) error {
		variants = append(variants, owned{r.int(0), r.int(1), graph.Variant{
			CodeHash: r.text(2), Summary: r.text(3), Strategy: r.text(4), WhenToUse: r.text(5), Code: r.text(6),
		}})
		return nil
	}, after, documentBatch)
	for _, v := range variants {
		if err == nil {
			err = t.documentVariant(v.procedure, v.Variant)
		}
		end = strconv.FormatInt(v.id, 10)
	}
	return len(variants), end, err
}

// documentUses leaves out the uses of which the variants themselves tell.
func (t tx) documentUses(after string) (total int, end string, err error) {
	type told struct {
		id, procedure int64
		graph.Use
		whenToUse string
	}
	var uses []told
	err = t.query(`SELECT u.id, u.procedure, u.cause, u.trigger_signals,
			(SELECT group_concat(v.when_to_use, char(10)) FROM variants v WHERE v.procedure = u.procedure)
		FROM uses u WHERE u.id > CAST(? AS INTEGER) ORDER BY u.id LIMIT +?`, func(r row) error {
		use := told{id: r.int(0), procedure: r.int(1), whenToUse: r.text(4)}
		use.Cause = r.text(2)
		if !r.ColumnIsNull(3) {
			if err := json.Unmarshal([]byte(r.text(3)), &use.TriggerSignals); err != nil {
				return err
			}
		}
		uses = append(uses, use)
		return nil
	}, after, documentBatch)
	for _, u := range uses {
		untold := func(text string) bool { return !strings.Contains(u.whenToUse, text) }
		if err == nil && (untold(u.Cause) || slices.ContainsFunc(u.TriggerSignals, untold)) {
			err = t.documentUse(u.procedure, u.Cause, u.TriggerSignals)
		}
		end = strconv.FormatInt(u.id, 10)
	}
	return len(uses), end, err
}

func (t tx) documentCauses(after string) (total int, end string, err error) {
	var causes []graph.Cause
	err = t.query(`SELECT `+causeColumns+` FROM causes c WHERE c.name > ? ORDER BY c.name LIMIT +?`,
		func(r row) error { causes = append(causes, scanCause(r)); return nil }, after, documentBatch)
	for _, c := range causes {
		if err == nil {
			err = t.documentCause(c)
		}
		end = c.Name
	}
	return len(causes), end, err
}

func (t tx) documentTools(after string) (total int, end string, err error) {
	var tools []graph.Tool
	err = t.query(`SELECT `+toolColumns+` FROM tools t WHERE t.name > ? ORDER BY t.name LIMIT +?`,
		func(r row) error { tools = append(tools, scanTool(r)); return nil }, after, documentBatch)
	for _, tool := range tools {
		if err == nil {
			err = t.putDocument(graph.DocumentTool, tool.Name, 0, graph.Words(tool.Name, tool.Description))
		}
		end = tool.Name
	}
	return len(tools), end, err
}
