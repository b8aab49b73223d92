// Package procedures judges the code of procedures: its source rules, its canonical text and hash, the tools that it
// can reach, and what follows from them. It is pure: it reads no store and has no clock.
package procedures

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"procgraph/graph"

	"golang.org/x/text/unicode/norm"
)

// AnalyserVersion is the version of the judgement. A change that can alter what is proven, or a signature, raises it.
const AnalyserVersion = 1

// maxFindings bounds the findings that are told. One is enough to prove nothing.
const maxFindings = 100

// Reference is one place where code names a tool.
type Reference struct {
	Tool   string
	Line   int // from 1, in the canonical text
	Column int // from 1, in characters
	Kind   graph.ReferenceKind
}

// Finding is a reason why code is not proven.
type Finding struct {
	Line    int // from 1, in the canonical text
	Column  int // from 1, in characters
	Code    string
	Message string
}

// Analysis is what the code of a procedure can do. It is shared and must not be changed.
type Analysis struct {
	CodeHash   string      // the hex SHA-256 of Code
	Code       string      // the canonical text
	Signature  []string    // the sorted, distinct names of tools that the code spells out
	Proven     bool        // there are no findings: no other tool than those in Signature can be reached
	References []Reference // by place
	Findings   []Finding   // by place, the first hundred
	Inputs     []string    // the sorted free names other than tools, asyncio and builtins
}

// Analyze judges code. It never runs it. The error is a *SourceError, for text that the source rules refuse.
//
// The proof rests on what the runtime promises: a tool that is read from the tools object gives nothing but its call,
// and the code is given nothing else than tools, asyncio and inputs that are plain data.
func Analyze(source string) (*Analysis, error) {
	analysis, err := analyze(normalise(source))
	if err != nil {
		return nil, err
	}
	return analysis, nil
}

// analyze judges text with LF line ends.
func analyze(text string) (*Analysis, *SourceError) {
	if err := checkSource(text); err != nil {
		return nil, err
	}
	code, found, tree, err := read(text)
	if err != nil {
		return nil, err
	}
	a := &analyser{followed: map[int32]bool{}, toolNames: map[int32]bool{}}
	a.findings = append(a.findings, found.faults...)
	if tree == nil {
		a.nameByText(code, found)
		return a.result(code, nil)
	}
	a.symbols = newSymbols(tree, a.findingAt)
	a.checkTree()
	a.agree(found)
	a.collect()
	a.findClasses()
	a.follow()
	a.checkAttributes()
	inputs := a.checkNames()
	return a.result(code, inputs)
}

// read finds the canonical text and parses it. Text that is not valid is its own canonical text, and has no tree.
func read(text string) (string, layout, *syntax, *SourceError) {
	found, err := lex(text)
	if err != nil || len(found.faults) > 0 {
		return text, found, nil, err
	}
	if code := canonicalise(text, found); code != text {
		again, err := lex(code)
		if err == nil && len(again.faults) == 0 {
			if tree, err := parse(code); err != nil || tree.errorAt < 0 {
				return code, again, tree, err
			}
		}
	}
	tree, err := parse(text)
	if err == nil && tree.errorAt >= 0 {
		found.faults = append(found.faults, fault{tree.errorAt, "SYNTAX", "This is not valid Python."})
		tree = nil
	}
	return text, found, tree, err
}

// nameByText records the tools that text without a tree names after the word tools. It is never proven, so that
// this need not be complete.
func (a *analyser) nameByText(text string, found layout) {
	a.symbols = &symbols{syntax: &syntax{text: text}}
	for i := 1; i < len(found.names); i++ {
		object, name := found.names[i-1], found.names[i]
		between := strings.Trim(text[object.end:name.start], " \t\n\\")
		if between != "." || text[object.start:object.end] != "tools" || strings.HasSuffix(strings.TrimRight(text[:object.start], " \t"), ".") {
			continue
		}
		kind := graph.ReferenceValue
		if strings.HasPrefix(strings.TrimLeft(text[name.end:], " \t"), "(") {
			kind = graph.ReferenceCall
		}
		a.nameTool(name.start, norm.NFKC.String(text[name.start:name.end]), kind)
	}
}

// result sorts and places what was found.
func (a *analyser) result(code string, inputs []string) (*Analysis, *SourceError) {
	slices.SortStableFunc(a.references, func(x, y reference) int { return cmp.Compare(x.offset, y.offset) })
	signature := map[string]bool{}
	for _, r := range a.references {
		signature[r.tool] = true
		if len(signature) > maxTools {
			return nil, refuse(code, int(r.offset), "TOO_MANY_TOOLS", fmt.Sprintf("The code names more than %d tools.", maxTools))
		}
	}
	out := &Analysis{CodeHash: codeHash(code), Code: code, Proven: len(a.findings) == 0, Inputs: inputs}
	places := placer{text: code}
	for _, r := range a.references {
		line, column := places.at(int(r.offset))
		out.References = append(out.References, Reference{r.tool, line, column, r.kind})
	}
	for name := range signature {
		out.Signature = append(out.Signature, name)
	}
	slices.Sort(out.Signature)
	out.Findings = a.placeFindings(code)
	return out, nil
}

func (a *analyser) placeFindings(code string) []Finding {
	slices.SortStableFunc(a.findings, func(x, y fault) int { return cmp.Compare(x.offset, y.offset) })
	a.findings = slices.Compact(a.findings)
	a.findings = a.findings[:min(len(a.findings), maxFindings)]
	places := placer{text: code}
	var findings []Finding
	for _, f := range a.findings {
		line, column := places.at(int(f.offset))
		findings = append(findings, Finding{line, column, f.code, f.message})
	}
	return findings
}
