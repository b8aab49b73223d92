package operations

import (
	"errors"
	"slices"
	"strings"

	"procgraph/graph"
)

// orderedLine is a line with the procedure that it belongs to.
type orderedLine struct {
	importLine
	owner  *graph.Procedure // of a procedure, variant or use
	untold bool             // no variant before this use tells of it
}

// importOrder checks that each line is where it belongs.
type importOrder struct {
	lines  int64 // that were in order
	stage  int
	owner  *graph.Procedure // whose variants and uses come
	held   *importLine      // the line of the owner, until its first variant comes
	told   []string         // when to use the first variants of the owner
	seen   map[string]bool  // the code hashes, and then the causes, of the owner
	inUses bool
	ended  bool
}

// The stages of a text: each kind of lines belongs to one and is never followed by one of an earlier stage.
var importStages = []string{"", kindHeader, kindTool, kindCause, kindProcedure, kindTombstone, kindEnd}

// maxTold is how many variants of a procedure are looked at to see whether they tell of a use.
const maxTold = 16

func (l importLine) kind() string {
	switch {
	case l.header != nil:
		return kindHeader
	case l.tool != nil:
		return kindTool
	case l.cause != nil:
		return kindCause
	case l.procedure != nil:
		return kindProcedure
	case l.variant != nil:
		return kindVariant
	case l.use != nil:
		return kindUse
	case l.tombstone != nil:
		return kindTombstone
	default:
		return kindEnd
	}
}

// next takes the next line and answers the lines that can be stored by it: a procedure comes with its first variant. Sum
// is the checksum of the lines before an end.
func (o *importOrder) next(line importLine, sum string) ([]orderedLine, error) {
	kind := line.kind()
	if o.ended {
		return nil, badInput("something follows the end line")
	}
	if o.stage == 0 && kind != kindHeader {
		return nil, badInput("the first line is not a header")
	}
	if o.held != nil && kind != kindVariant {
		return nil, badInput("the procedure before this line has no variant")
	}
	var ready []orderedLine
	var err error
	switch kind {
	case kindVariant:
		ready, err = o.variant(line)
	case kindUse:
		ready, err = o.use(line)
	default:
		stage := slices.Index(importStages, kind)
		if stage < o.stage || stage == o.stage && kind == kindHeader {
			return nil, badInput("a line of the kind %q cannot follow one of the kind %q", kind, importStages[o.stage])
		}
		o.stage = stage
		switch kind {
		case kindProcedure:
			o.owner, o.held, o.told, o.inUses, o.seen = line.procedure, &line, nil, false, map[string]bool{}
		case kindEnd:
			if o.ended, err = true, line.end.check(o.lines, sum); err != nil {
				return nil, err
			}
		case kindHeader:
		default:
			ready = []orderedLine{{importLine: line}}
		}
	}
	if err == nil {
		o.lines++
	}
	return ready, err
}

func (o *importOrder) variant(line importLine) ([]orderedLine, error) {
	if o.stage != slices.Index(importStages, kindProcedure) || o.inUses {
		return nil, badInput("a variant comes right after its procedure or another variant of it")
	}
	if line.variant.toolName != o.owner.ToolName {
		return nil, badInput("the variant is not of the procedure before it")
	}
	if !slices.Equal(line.variant.signature, o.owner.Signature) {
		return nil, badInput("the code does not name what the signature of its procedure names")
	}
	if o.seen[line.variant.CodeHash] {
		return nil, badInput("the variant is there twice")
	}
	o.seen[line.variant.CodeHash] = true
	var ready []orderedLine
	if o.held != nil {
		ready = append(ready, orderedLine{importLine: *o.held, owner: o.owner})
		o.held = nil
	}
	if len(o.told) < maxTold {
		o.told = append(o.told, line.variant.WhenToUse)
	}
	return append(ready, orderedLine{importLine: line, owner: o.owner}), nil
}

func (o *importOrder) use(line importLine) ([]orderedLine, error) {
	if o.stage != slices.Index(importStages, kindProcedure) {
		return nil, badInput("a use comes after the variants of its procedure")
	}
	if line.use.ToolName != o.owner.ToolName {
		return nil, badInput("the use is not of the procedure before it")
	}
	if !o.inUses {
		o.inUses, o.seen = true, map[string]bool{}
	}
	if o.seen[line.use.Cause] {
		return nil, badInput("the use is there twice")
	}
	o.seen[line.use.Cause] = true
	told := strings.Join(o.told, "\n")
	untold := func(text string) bool { return !strings.Contains(told, text) }
	return []orderedLine{{importLine: line, owner: o.owner,
		untold: untold(line.use.Cause) || slices.ContainsFunc(line.use.TriggerSignals, untold)}}, nil
}

func (e *endLine) check(lines int64, sum string) error {
	switch {
	case e.Lines != lines:
		return badInput("the end counts %d lines, and there are %d before it: the text is not whole", e.Lines, lines)
	case sum == "":
		return badInput("the end line is not as an export writes it")
	case e.SHA256 != sum:
		return badInput("the checksum is not that of the lines: the text was changed")
	}
	return nil
}

// finished answers an error when the text ended before its end line.
func (o *importOrder) finished() error {
	switch {
	case o.ended:
		return nil
	case o.lines == 0:
		return lineError(1, badInput("the text is empty"))
	default:
		return lineError(o.lines+1, badInput("the text ends before its end line: it was cut off"))
	}
}

// linesBefore is how many lines come before the one that an error is about.
func (o *importOrder) linesBefore(failed error) int64 {
	var e *Error
	if errors.As(failed, &e) && e.Line > 0 {
		return min(o.lines, int64(e.Line)-1)
	}
	return o.lines
}
