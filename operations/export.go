package operations

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash"
	"io"
	"slices"

	"procgraph/graph"
	"procgraph/procedures"
	"procgraph/trust"
)

const (
	exportTarget = 4 << 20 // bytes of a batch, about: the next one asks for as many rows as that
	exportMost   = 500     // procedures of a batch
	exportFirst  = 50      // procedures of the first batch
	exportEach   = 20      // variants and uses that come with a procedure; those of hubs are paged
)

// Export writes the whole graph, one JSON object a line. What is written while it runs may be missing. The last line
// holds the number of lines and their checksum: without it the text is not whole.
func (o *Operations) Export(ctx context.Context, w io.Writer) error {
	if _, err := require(ctx, trust.ScopeAdmin); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	e := &exporter{ops: o, ctx: ctx, w: w, sum: sha256.New()}
	e.encoder = json.NewEncoder(&e.buffer)
	e.encoder.SetEscapeHTML(false)
	return translate(e.run())
}

// exporter writes lines. Each method that reads is a page ahead of what is written.
type exporter struct {
	ops     *Operations
	ctx     context.Context // of the one call that it lives as long as
	w       io.Writer
	sum     hash.Hash
	lines   int64
	buffer  bytes.Buffer
	encoder *json.Encoder
	late    []lateProcedure
}

// lateProcedure names procedures, and therefore comes after them.
type lateProcedure struct {
	key   string
	depth int
}

func (e *exporter) run() error {
	if err := e.line(headerLine{Kind: kindHeader, Format: formatName, Version: formatVersion, ExportedAt: moment(e.ops.now())}); err != nil {
		return err
	}
	err := pages(func(after string) (graph.Slice[graph.Tool], error) {
		return e.ops.Store.Tools(e.ctx, graph.ToolFilter{}, graph.Page{First: maxPage, After: after})
	}, func(t graph.Tool) string { return t.Name }, func(t graph.Tool) error { return e.line(lineOfTool(t)) })
	if err != nil {
		return err
	}
	err = pages(func(after string) (graph.Slice[graph.Cause], error) {
		return e.ops.Store.Causes(e.ctx, graph.Page{First: maxPage, After: after})
	}, func(c graph.Cause) string { return c.Name }, func(c graph.Cause) error {
		return e.line(causeLine{Kind: kindCause, Name: c.Name, Description: c.Description})
	})
	if err != nil {
		return err
	}
	if err := e.walk(); err != nil {
		return err
	}
	if err := e.writeLate(); err != nil {
		return err
	}
	err = pages(func(after string) (graph.Slice[graph.Tombstone], error) {
		return e.ops.Store.Tombstones(e.ctx, graph.Page{First: maxPage, After: after})
	}, func(d graph.Tombstone) string { return d.CodeHash }, func(d graph.Tombstone) error {
		return e.line(tombstoneLine{Kind: kindTombstone, CodeHash: d.CodeHash, DeletedAt: moment(d.DeletedAt)})
	})
	if err != nil {
		return err
	}
	if err := e.flush(); err != nil {
		return err
	}
	if err := e.line(endLine{Kind: kindEnd, Lines: e.lines, SHA256: hex.EncodeToString(e.sum.Sum(nil))}); err != nil {
		return err
	}
	return e.flush()
}

// walk writes the procedures that name none, and remembers the others.
func (e *exporter) walk() error {
	first, after, more := exportFirst, "", true
	read := func() future[graph.ExportPage] {
		query := graph.ExportQuery{After: after, First: first, Each: exportEach, Bytes: exportTarget}
		return begin(func() (graph.ExportPage, error) { return e.ops.Store.Export(e.ctx, query) })
	}
	next := read()
	for more {
		page, err := next.wait()
		if err != nil {
			return err
		}
		if more = page.More && len(page.Items) > 0; more {
			after, first = page.Items[len(page.Items)-1].Procedure.Key, nextFirst(page)
			next = read()
		}
		for _, p := range page.Items {
			if depth := namedProcedures(p.Procedure); depth > 0 {
				e.late = append(e.late, lateProcedure{p.Procedure.Key, depth})
				continue
			}
			if err := e.procedure(p); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeLate writes the procedures that name others. The number of procedures in a reach grows along the naming, so that
// each comes after those it names.
func (e *exporter) writeLate() error {
	slices.SortFunc(e.late, func(a, b lateProcedure) int {
		return cmp.Or(cmp.Compare(a.depth, b.depth), cmp.Compare(a.key, b.key))
	})
	first := exportFirst
	read := func() (keys []string, page future[graph.ExportPage]) {
		keys = make([]string, 0, first)
		for _, late := range e.late[:min(first, len(e.late))] {
			keys = append(keys, late.key)
		}
		e.late = e.late[len(keys):]
		return keys, begin(func() (graph.ExportPage, error) {
			return e.ops.Store.Export(e.ctx, graph.ExportQuery{Keys: keys, Each: exportEach})
		})
	}
	for keys, next := read(); len(keys) > 0; {
		page, err := next.wait()
		if err != nil {
			return err
		}
		first = nextFirst(page)
		asked := keys
		keys, next = read()
		slices.SortFunc(page.Items, func(a, b graph.Exported) int {
			return cmp.Compare(slices.Index(asked, a.Procedure.Key), slices.Index(asked, b.Procedure.Key))
		})
		for _, p := range page.Items {
			if err := e.procedure(p); err != nil {
				return err
			}
		}
	}
	return nil
}

func namedProcedures(p graph.Procedure) (n int) {
	for _, name := range p.Reach {
		if procedures.IsProcedureName(name) {
			n++
		}
	}
	return n
}

// nextFirst is how many procedures as large as those of the page are about the target.
func nextFirst(page graph.ExportPage) int {
	size := 0
	for _, p := range page.Items {
		for _, v := range p.Variants.Items {
			size += len(v.Code) + len(v.Summary) + len(v.Strategy) + 512
		}
		for _, u := range p.Uses.Items {
			size += len(u.ObservedArguments) + len(u.ResultSummary) + 256
			for _, s := range u.TriggerSignals {
				size += len(s)
			}
		}
	}
	if size == 0 {
		return exportFirst
	}
	return min(max(exportTarget*len(page.Items)/size, 1), exportMost)
}

// procedure writes a procedure, its variants and its uses.
func (e *exporter) procedure(p graph.Exported) error {
	if len(p.Variants.Items) == 0 {
		return nil // it was deleted meanwhile
	}
	if err := e.line(lineOfProcedure(p.Procedure)); err != nil {
		return err
	}
	key, toolName := p.Procedure.Key, p.Procedure.ToolName
	err := rest(p.Variants, func(after string) (graph.Slice[graph.Variant], error) {
		batch, err := e.ops.Store.VariantsOf(e.ctx, []string{key}, graph.Page{First: exportEach, After: after})
		return batch.By[key], err
	}, graph.Variant.Position, func(v graph.Variant) error { return e.line(lineOfVariant(toolName, v)) })
	if err != nil {
		return err
	}
	return rest(p.Uses, func(after string) (graph.Slice[graph.Use], error) {
		batch, err := e.ops.Store.UsesOf(e.ctx, graph.UseOwners{Procedures: []string{key}}, graph.Page{First: maxPage, After: after})
		return batch.By[key], err
	}, graph.Use.OfProcedure, func(u graph.Use) error { return e.line(lineOfUse(u)) })
}

// flushAt is how many bytes of lines are written at once.
const flushAt = 64 << 10

func (e *exporter) line(line any) error {
	e.lines++
	if err := e.encoder.Encode(line); err != nil {
		return err
	}
	if e.buffer.Len() < flushAt {
		return nil
	}
	return e.flush()
}

func (e *exporter) flush() error {
	if err := e.ctx.Err(); err != nil {
		return err
	}
	_, _ = e.sum.Write(e.buffer.Bytes()) // a hash never fails
	_, err := e.w.Write(e.buffer.Bytes())
	e.buffer.Reset()
	return err
}

// pages writes all rows of a list, of which the next page is read while one is written.
func pages[T any](read func(after string) (graph.Slice[T], error), position func(T) string, write func(T) error) error {
	first, err := read("")
	if err != nil {
		return err
	}
	return rest(first, read, position, write)
}

// rest writes a page and those after it.
func rest[T any](page graph.Slice[T], read func(after string) (graph.Slice[T], error), position func(T) string, write func(T) error) error {
	for {
		var next future[graph.Slice[T]]
		more := page.More && len(page.Items) > 0
		if more {
			after := position(page.Items[len(page.Items)-1])
			next = begin(func() (graph.Slice[T], error) { return read(after) })
		}
		for _, row := range page.Items {
			if err := write(row); err != nil {
				return err
			}
		}
		if !more {
			return nil
		}
		var err error
		if page, err = next.wait(); err != nil {
			return err
		}
	}
}

// future is the answer of what runs meanwhile. One that nobody waits for ends with the context of its read.
type future[T any] chan answered[T]

type answered[T any] struct {
	value T
	err   error
}

func begin[T any](run func() (T, error)) future[T] {
	f := make(future[T], 1)
	go func() {
		value, err := run()
		f <- answered[T]{value, err}
	}()
	return f
}

func (f future[T]) wait() (T, error) {
	a := <-f
	return a.value, a.err
}
