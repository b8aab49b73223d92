package procedures

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// The parser accepts more than Python, and recovers from anything. Here is checked what it lets pass, and that it
// read the text as the lexer did.

// agree reports where the tree and the layout differ. A name, a string or a block that only one of them sees would be
// code that is shown and judged as something else than what runs.
func (a *analyser) agree(found layout) {
	names, strs, lines := found.names, found.strings, found.lines
	level := make([]int32, len(a.nodes))
	differ := func(offset int32) {
		a.findingAt(offset, "SYNTAX", "This is not read in the same way by every interpreter.")
	}
	for i := range a.nodes {
		n := &a.nodes[i]
		level[i] = level[n.parent]
		if n.kind == kBlock {
			level[i]++
			continue
		}
		if i == 0 {
			continue
		}
		switch {
		case len(lines) > 0 && n.start == lines[0].start:
			if level[i] != lines[0].level || !a.beginsLine(int32(i)) {
				differ(n.start)
				return
			}
			lines = lines[1:]
		case len(lines) > 0 && n.start > lines[0].start, a.isStatement(n.parent) && !a.continuesLine(n.start):
			differ(n.start)
			return
		}
		switch n.kind {
		case kIdentifier, kSoftKeyword:
			if len(names) == 0 || names[0].start != n.start || names[0].end != n.end {
				differ(n.start)
				return
			}
			names = names[1:]
		case kString:
			if len(strs) == 0 || strs[0].start != n.start || strs[0].end != n.end {
				differ(n.start)
				return
			}
			strs = strs[1:]
		}
	}
	if len(names)+len(strs)+len(lines) > 0 {
		differ(int32(len(a.text)))
	}
}

// isStatement reports whether the children of a node are statements.
func (a *analyser) isStatement(parent int32) bool {
	return a.nodes[parent].kind == kBlock || a.nodes[parent].kind == kModule
}

// beginsLine reports whether a node may be the first of a line: a statement, or a clause of one.
func (a *analyser) beginsLine(i int32) bool {
	n := &a.nodes[i]
	switch n.kind {
	case kElifClause, kElseClause, kExceptClause, kExceptGroupClause, kFinallyClause, kCaseClause, kDecorator:
		return true
	}
	parent := a.nodes[n.parent].kind
	return parent == kModule || parent == kBlock || parent == kDecoratedDefinition
}

// continuesLine reports whether a statement that begins at offset follows another one, or a colon, on its line.
func (a *analyser) continuesLine(offset int32) bool {
	before := strings.TrimRight(a.text[:offset], " \t\\\n")
	return strings.HasSuffix(before, ";") || strings.HasSuffix(before, ":")
}

// checkTree reports what no Python 3 accepts, and what this analysis does not know.
func (a *analyser) checkTree() {
	for i := range a.nodes {
		if code, message := a.fault(int32(i)); code != "" {
			a.finding(int32(i), code, message)
		}
	}
}

// fault answers why a node is not accepted; an empty code says that it is.
func (a *analyser) fault(i int32) (code, message string) {
	n := &a.nodes[i]
	parent := a.nodes[n.parent].kind
	switch n.kind {
	case kIdentifier:
		if name := a.of(i); !isASCII(name) && norm.NFKC.String(name) != name {
			return "NOT_NORMALIZED", "Python reads the name " + name + " as " + norm.NFKC.String(name) + "."
		}
	case kUnknown:
		return "UNSUPPORTED", "This syntax is not known to the analysis."
	case kPrintStatement, kExecStatement, kChevron:
		return "PYTHON2", "The print and exec statements are of Python 2."
	case kExceptClause:
		if a.child(i, fieldAlias) >= 0 {
			return "PYTHON2", "An exception is named with as, not with a comma."
		}
	case kExpressionList:
		if parent == kRaiseStatement {
			return "PYTHON2", "A raise with several values is of Python 2."
		}
	case kTuplePattern:
		if parent == kParameters || parent == kLambdaParameters || parent == kDefaultParameter {
			return "PYTHON2", "A parameter that is unpacked is of Python 2."
		}
	case kForInClause:
		if r := a.child(i, fieldRight); r >= 0 && a.next(r) >= 0 {
			return "PYTHON2", "A comprehension over several values without parentheses is of Python 2."
		}
	case kTypeAliasStatement, kConstrainedType, kSplatType:
		return "UNSUPPORTED", "Type aliases and type parameters are not supported."
	case kTypeParameter:
		if n.field == fieldTypeParameters {
			return "UNSUPPORTED", "Type aliases and type parameters are not supported."
		}
	case kFutureImportStatement, kWildcardImport, kRelativeImport:
		return "IMPORT", "Code may only import names of known modules, one by one."
	case kImportStatement, kImportFromStatement:
		return a.importFault(i)
	case kAsPattern:
		return a.asFault(i)
	case kAssignment, kAugmentedAssignment:
		return a.assignmentFault(i)
	case kMatchStatement:
		if a.child(i, fieldBody) >= 0 && a.first(a.child(i, fieldBody)) < 0 {
			return "SYNTAX", "A match without a case is not valid Python."
		}
	}
	return "", ""
}

// importFault refuses modules and names that are not allowed.
func (a *analyser) importFault(i int32) (code, message string) {
	from := ""
	if m := a.child(i, fieldModuleName); m >= 0 {
		if a.nodes[m].kind == kRelativeImport {
			return "", "" // a finding of its own
		}
		from = a.dotted(m)
	}
	for c := a.first(i); c >= 0; c = a.next(c) {
		if a.nodes[c].field != fieldName {
			continue
		}
		path := c
		if a.nodes[c].kind == kAliasedImport {
			path = a.child(c, fieldName)
		}
		name := a.dotted(path)
		if from == "" {
			if _, ok := allowedModules[name]; !ok {
				return "IMPORT", "The module " + name + " is not among those that code may use."
			}
		} else if allowedModules[from][name] == denied {
			return "IMPORT", from + "." + name + " is not among the names that code may use."
		}
	}
	return "", ""
}

// asFault refuses as outside of with, except and case.
func (a *analyser) asFault(i int32) (code, message string) {
	for at := a.nodes[i].parent; ; at = a.nodes[at].parent {
		switch a.nodes[at].kind {
		case kParenthesizedExpression:
			continue
		case kWithItem, kExceptClause, kExceptGroupClause, kCasePattern:
			return "", ""
		}
		return "SYNTAX", "The word as stands where Python does not allow it."
	}
}

// assignmentFault refuses assignments that the grammar allows and Python does not.
func (a *analyser) assignmentFault(i int32) (code, message string) {
	n := &a.nodes[i]
	isNested := a.nodes[n.parent].kind == kAssignment || a.nodes[n.parent].kind == kAugmentedAssignment
	isAnnotated := a.child(i, fieldType) >= 0
	right := a.child(i, fieldRight)
	isChained := right >= 0 && a.nodes[right].kind == kAssignment
	if n.kind == kAssignment && !isAnnotated {
		if a.nodes[n.parent].kind == kAugmentedAssignment {
			return "SYNTAX", "An assignment stands where Python does not allow it."
		}
		return "", ""
	}
	if isNested || isChained {
		return "SYNTAX", "An annotated or augmented assignment cannot be chained."
	}
	switch a.nodes[a.child(i, fieldLeft)].kind {
	case kIdentifier, kAttribute, kSubscript:
		return "", ""
	}
	return "SYNTAX", "An annotated or augmented assignment has one plain target."
}
