package operations

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"

	"procgraph/graph"
	"procgraph/trust"
)

const (
	importLines = 2000    // lines that are stored at once, at most
	importBytes = 4 << 20 // bytes of lines that are stored at once, about
)

// Imported says what an import did.
type Imported struct {
	Lines   int64 // before the first that is wrong
	Written ImportCounts
	Known   ImportCounts // lines of which nothing had to be stored
	Skipped ImportSkipped
}

// ImportCounts counts lines by kind.
type ImportCounts struct {
	Tools, Causes, Procedures, Variants, Uses int64
}

// ImportSkipped counts what was not taken from lines: because the caller is no admin or, for statuses and offers, because
// of what is stored.
type ImportSkipped struct {
	Definitions int64 // of tools
	Retirements int64
	Statuses    int64
	Offers      int64
	Captures    int64 // by whom and when variants were captured
	Counts      int64 // of uses and runs, with their times
	Tombstones  int64
}

// Import reads the text of an Export. What it says is believed only as far as it cannot be computed: code is analysed
// anew and reaches are followed. What is stored wins, and who may not decide imports no decisions. An error tells the
// line that it is about; every line before that one is imported then, and nothing of it or of what follows. The text may
// be imported again: what is stored is counted once. After an error, a read of r that has begun is left alone.
func (o *Operations) Import(ctx context.Context, r io.Reader) (Imported, error) {
	caller, err := require(ctx, trust.ScopeProcedureCapture)
	if err != nil {
		return Imported{}, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	raw, parsed := make(chan rawLines, 1), make(chan parsedLines, 1)
	go readLines(ctx, r, raw)
	go o.parseLines(ctx, raw, parsed)
	i := &importer{ops: o, caller: caller, admin: caller.Has(trust.ScopeAdmin)}
	for batch := range parsed {
		if err := i.take(ctx, batch); err != nil {
			if ctx.Err() != nil {
				return i.done, cutOff(i.done.Lines+1, ctx.Err()) // nobody waits for the rest
			}
			return i.done, err
		}
	}
	if err := ctx.Err(); err != nil {
		return i.done, cutOff(i.done.Lines+1, err)
	}
	return i.done, i.order.finished()
}

// rawLines are consecutive lines.
type rawLines struct {
	first int64
	lines [][]byte
	cut   bool             // the text ended within the last line
	sums  map[int64]string // for a line that may be the last one, the checksum of those before it
	err   error            // about the next line
}

// parsedLines are consecutive lines up to the first that is wrong, which the error is about.
type parsedLines struct {
	lines []importLine
	sums  map[int64]string
	err   error
}

// lineError is an error about a line of the text.
func lineError(number int64, err error) error {
	if err == nil {
		return nil
	}
	var e *Error
	if !errors.As(translate(err), &e) {
		return err
	}
	told := *e
	told.Message, told.Line, told.Column = fmt.Sprintf("line %d: %s", number, e.Message), int(number), 0
	return &told
}

// cutOff is the error about a line that did not come, or not whole.
func cutOff(number int64, cause error) error {
	return lineError(number, &Error{Code: BadUserInput, Message: "the text was cut off", Cause: cause})
}

// readLines reads the text in batches, and ends with its end or an error.
func readLines(ctx context.Context, r io.Reader, out chan<- rawLines) {
	reader := bufio.NewReaderSize(r, 64<<10)
	sum, number := sha256.New(), int64(0)
	for {
		batch := rawLines{first: number + 1, sums: map[int64]string{}}
		size := 0
		for len(batch.lines) < importLines && size < importBytes && batch.err == nil {
			line, err := readLine(reader)
			if len(line) > 0 && (err == nil || errors.Is(err, io.EOF)) {
				number++
				if isEnd(line) {
					batch.sums[number] = hex.EncodeToString(sum.Sum(nil))
				}
				_, _ = sum.Write(line) // a hash never fails
				size += len(line)
				batch.lines = append(batch.lines, line)
				batch.cut = err != nil
			}
			switch {
			case errors.Is(err, errLongLine):
				batch.err = lineError(number+1, badInput("the line is longer than %d bytes", maxLine))
			case err != nil && !errors.Is(err, io.EOF):
				batch.err = cutOff(number+1, err)
			case err != nil:
				batch.err = io.EOF
			}
		}
		select {
		case out <- batch:
		case <-ctx.Done():
			return
		}
		if batch.err != nil {
			return
		}
	}
}

// isEnd says whether a line may be the last one, for which the checksum is needed.
func isEnd(line []byte) bool {
	return len(line) < 4096 && strings.Contains(string(line), `"`+kindEnd+`"`)
}

var errLongLine = errors.New("the line is too long")

// readLine reads a line with its end, of at most maxLine bytes.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > maxLine {
			return nil, errLongLine
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// parseLines parses the lines of a batch at the same time, while the batch before it is stored.
func (o *Operations) parseLines(ctx context.Context, in <-chan rawLines, out chan<- parsedLines) {
	defer close(out)
	for {
		var batch rawLines
		select {
		case batch = <-in:
		case <-ctx.Done():
			return
		}
		parsed := parsedLines{lines: make([]importLine, len(batch.lines)), sums: batch.sums, err: batch.err}
		wrong := make([]error, len(batch.lines))
		var workers sync.WaitGroup
		for worker := range runtime.GOMAXPROCS(0) {
			workers.Go(func() {
				for i := worker; i < len(batch.lines); i += runtime.GOMAXPROCS(0) {
					parsed.lines[i], wrong[i] = o.parseLine(batch.lines[i])
					parsed.lines[i].number = batch.first + int64(i)
				}
			})
		}
		workers.Wait()
		for i, err := range wrong {
			if err != nil {
				if batch.cut && i == len(batch.lines)-1 {
					err = badInput("the text was cut off within the line")
				}
				parsed.lines, parsed.err = parsed.lines[:i], lineError(batch.first+int64(i), err)
				break
			}
		}
		select {
		case out <- parsed:
		case <-ctx.Done():
			return
		}
		if parsed.err != nil {
			return
		}
	}
}

// importer stores batches, one after the other.
type importer struct {
	ops    *Operations
	caller trust.Caller
	admin  bool
	order  importOrder
	done   Imported
}

// take stores the lines of a batch up to the first that is wrong.
func (i *importer) take(ctx context.Context, batch parsedLines) error {
	failed := batch.err
	if errors.Is(failed, io.EOF) {
		failed = nil
	}
	var fit []orderedLine
	for _, line := range batch.lines {
		ordered, err := i.order.next(line, batch.sums[line.number])
		if err != nil {
			failed = lineError(line.number, err)
			break
		}
		fit = append(fit, ordered...)
	}
	for len(fit) > 0 {
		plan, err := i.commit(ctx, fit)
		var refused *refusedLine
		switch {
		case errors.As(err, &refused):
			// The lines before it are stored in a write of their own.
			failed = lineError(refused.line.number, refused.reason)
			fit = fit[:refused.index]
			continue
		case err != nil:
			failed = lineError(fit[0].number, err)
			i.done.Lines = fit[0].number - 1
			return failed
		}
		plan.count(&i.done)
		break
	}
	i.done.Lines = i.order.linesBefore(failed)
	return failed
}

// commit stores lines with what follows from them, all or nothing. The plan says what it did.
func (i *importer) commit(ctx context.Context, lines []orderedLine) (*importPlan, error) {
	query := queryOf(lines)
	for {
		var plan *importPlan
		var missing []string
		err := i.ops.commit(ctx, query, func(f graph.Facts) (graph.Change, error) {
			var err error
			if plan, err = i.plan(f, lines); err != nil {
				return nil, err
			}
			if missing = plan.unasked(query.DependentsOf); len(missing) > 0 || plan.empty() {
				return nil, nil
			}
			return plan.change()
		})
		if err != nil || len(missing) == 0 {
			return plan, err
		}
		// Others changed in the meantime what these lines decide.
		query.DependentsOf = append(query.DependentsOf, missing...)
	}
}
