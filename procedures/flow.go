package procedures

import (
	"strings"

	"procgraph/graph"

	"golang.org/x/text/unicode/norm"
)

// The flow follows the tools object. It may reach a variable by an assignment, a default, or an argument of a local
// function; everything else that could happen to it is a finding. So it is denied unless it is known: an expression
// that nobody thought of here costs a proof, never hides a tool.

// maxElements bounds the literals and the argument lists in which the object is followed.
const maxElements = 256

// reference is a Reference whose place is still a byte offset.
type reference struct {
	offset int32
	tool   string
	kind   graph.ReferenceKind
}

// analyser works on one text.
type analyser struct {
	*symbols
	classes
	findings   []fault
	references []reference
	queue      []int32        // variables that turned out to hold the object and are still to be followed
	followed   map[int32]bool // uses of it, by identifier
	toolNames  map[int32]bool // attribute nodes that name a tool
}

// follow goes through everything that the object may reach.
func (a *analyser) follow() {
	a.queue = append(a.queue, 0)
	for len(a.queue) > 0 {
		v := a.queue[len(a.queue)-1]
		a.queue = a.queue[:len(a.queue)-1]
		for u := a.variables[v].firstUse; u >= 0; {
			at := &a.uses[u]
			if !a.followed[at.node] {
				a.followed[at.node] = true
				a.occurrence(at.node)
			}
			if at.inClass == v {
				u = at.nextClass
			} else {
				u = at.next
			}
		}
	}
	a.checkVariables()
}

// give makes the variable of a bound identifier one that may hold the object.
func (a *analyser) give(identifier int32) {
	at, ok := a.boundAt[identifier]
	if !ok {
		a.finding(identifier, "SYNTAX", "A name is bound where Python binds none.")
		return
	}
	b := &a.bindings[at]
	b.tools = true
	own := &a.variables[b.variable]
	if !own.tools {
		own.tools = true
		a.queue = append(a.queue, b.variable)
	}
}

// occurrence judges one place where the object stands. It climbs while the value of the parent may be the object.
func (a *analyser) occurrence(name int32) {
	for at := name; ; at = a.nodes[at].parent {
		n := &a.nodes[at]
		parent := &a.nodes[n.parent]
		switch {
		case parent.kind == kParenthesizedExpression, parent.kind == kBooleanOperator:
			continue
		case parent.kind == kConditionalExpression && at != a.next(a.first(n.parent)):
			continue // the middle one is the condition
		case parent.kind == kNamedExpression && n.field == fieldValue:
			a.give(a.child(n.parent, fieldName))
			continue
		case parent.kind == kAttribute && n.field == fieldObject:
			a.attributeOfTools(n.parent)
		case parent.kind == kAssignment && n.field == fieldRight:
			a.assign(name, n.parent, nil)
		case parent.kind == kExpressionList, parent.kind == kTuple, parent.kind == kList:
			a.element(name, at)
		case (parent.kind == kDefaultParameter || parent.kind == kTypedDefaultParameter) && n.field == fieldValue:
			a.giveTo(name, a.child(n.parent, fieldName))
		case parent.kind == kArgumentList:
			a.argument(name, at)
		case parent.kind == kDottedName && a.next(at) >= 0:
			member := a.next(at) // case tools.name compares with the tool, or asks for its class
			a.nameTool(a.nodes[member].start, a.nameOf(member), graph.ReferenceValue)
		case parent.kind == kKeywordArgument && n.field == fieldValue:
			a.keyword(name, n.parent)
		default:
			a.escapes(name, parent.kind)
		}
		return
	}
}

// giveTo gives the object to a target if that is a plain name.
func (a *analyser) giveTo(name, target int32) {
	if target >= 0 && a.nodes[target].kind == kIdentifier {
		a.give(target)
		return
	}
	a.finding(name, "TOOLS_ESCAPES", "The tools object is stored where it cannot be followed.")
}

// attributeOfTools records the tool that an attribute of the object names.
func (a *analyser) attributeOfTools(node int32) {
	name := a.child(node, fieldAttribute)
	if name < 0 {
		return
	}
	if a.isGiven(a.child(node, fieldObject)) {
		a.toolNames[node] = true // otherwise it may also be the attribute of something else
	}
	if a.target[node] {
		a.finding(name, "TOOLS_CHANGED", "An attribute of the tools object is written or deleted.")
		if a.nodes[a.nodes[node].parent].kind != kAugmentedAssignment {
			return // nothing is read
		}
	}
	a.nameTool(a.nodes[name].start, a.nameOf(name), a.referenceKind(node))
}

// isGiven reports whether an expression is certainly the object: the name tools itself. Whatever is bound may be bound
// to something else by another call or another turn.
func (a *analyser) isGiven(node int32) bool {
	for a.nodes[node].kind == kParenthesizedExpression && a.first(node) >= 0 {
		node = a.first(node)
	}
	if a.nodes[node].kind != kIdentifier {
		return false
	}
	inClass, found := a.lookup(a.within[node], a.nameID(a.nameOf(node)))
	return inClass < 0 && found == 0
}

// referenceKind tells whether an expression that names a tool is called directly.
func (a *analyser) referenceKind(node int32) graph.ReferenceKind {
	for a.nodes[a.nodes[node].parent].kind == kParenthesizedExpression {
		node = a.nodes[node].parent
	}
	if n := &a.nodes[node]; a.nodes[n.parent].kind == kCall && n.field == fieldFunction {
		return graph.ReferenceCall
	}
	return graph.ReferenceValue
}

// nameTool records a reference to a tool by a name that the code spells out.
func (a *analyser) nameTool(offset int32, name string, kind graph.ReferenceKind) {
	switch {
	case isDunder(name):
		a.findingAt(offset, "DUNDER", "The name "+name+" belongs to the interpreter; it can reach any tool.")
		return
	case strings.HasPrefix(name, "_"):
		a.findingAt(offset, "PRIVATE", "The name "+name+" may be internal to the tools object.")
	}
	normal := strings.TrimSpace(norm.NFC.String(name))
	switch {
	case normal == "":
		a.findingAt(offset, "NAME", "A tool cannot have a blank name.")
		return
	case normal != name:
		a.findingAt(offset, "NOT_NORMALIZED", "The name of the tool is not in normal form, so another one may be meant than is shown.")
	}
	a.references = append(a.references, reference{offset, normal, kind})
}

// assign gives the object to the targets of an assignment, and of those that it is chained to. The path leads to the
// object's place in the tuple that is assigned, innermost index first.
func (a *analyser) assign(name, statement int32, path []position) {
	for {
		target := a.child(statement, fieldLeft)
		for i := len(path) - 1; i >= 0 && target >= 0; i-- {
			target = a.unpack(target, path[i])
		}
		a.giveTo(name, target)
		n := &a.nodes[statement]
		if a.nodes[n.parent].kind != kAssignment || n.field != fieldRight {
			return
		}
		statement = n.parent
	}
}

// position is a place in a literal.
type position struct{ index, length int }

// unpack is the target for one element of an unpacked literal, or -1 when that is not certain.
func (a *analyser) unpack(target int32, at position) int32 {
	switch a.nodes[target].kind {
	case kPatternList, kTuplePattern, kListPattern:
	default:
		return -1
	}
	found := int32(-1)
	index := 0
	for c := a.first(target); c >= 0; c = a.next(c) {
		if a.nodes[c].kind == kListSplatPattern || a.nodes[c].kind == kListSplat || index >= at.length {
			return -1
		}
		if index == at.index {
			found = c
		}
		index++
	}
	if index != at.length {
		return -1
	}
	return found
}

// positionOf finds a node among its siblings. It fails where one is unpacked, where there is only one, since then
// parentheses and a tuple look alike, and in long literals.
func (a *analyser) positionOf(node int32) (position, bool) {
	at := position{index: -1}
	for c := a.first(a.nodes[node].parent); c >= 0; c = a.next(c) {
		if c == node {
			at.index = at.length
		}
		if a.nodes[c].kind == kListSplat || at.length >= maxElements {
			return at, false
		}
		at.length++
	}
	return at, at.length > 1
}

// element follows the object as an element of a literal that is unpacked at once or looped over.
func (a *analyser) element(name, at int32) {
	var path []position
	for {
		n := &a.nodes[at]
		parent := &a.nodes[n.parent]
		switch parent.kind {
		case kExpressionList, kTuple, kList:
			if loop := a.loopOver(n.parent); loop >= 0 && len(path) == 0 && !a.hasSplat(n.parent) {
				a.giveTo(name, a.child(loop, fieldLeft))
				return
			}
			where, ok := a.positionOf(at)
			if !ok {
				a.escapes(name, parent.kind)
				return
			}
			path = append(path, where)
		case kParenthesizedExpression:
		case kAssignment:
			if n.field == fieldRight {
				a.assign(name, n.parent, path)
				return
			}
			fallthrough
		default:
			a.escapes(name, kTuple)
			return
		}
		at = n.parent
	}
}

// loopOver is the loop whose iterable a literal is, or -1.
func (a *analyser) loopOver(literal int32) int32 {
	n := &a.nodes[literal]
	switch a.nodes[n.parent].kind {
	case kForStatement, kForInClause:
		if n.field == fieldRight && a.next(literal) < 0 || n.field == fieldRight && a.nodes[a.next(literal)].field != fieldRight {
			return n.parent
		}
	}
	return -1
}

// hasSplat reports whether a literal unpacks something, or is too long to look.
func (a *analyser) hasSplat(literal int32) bool {
	count := 0
	for c := a.first(literal); c >= 0; c = a.next(c) {
		count++
		if a.nodes[c].kind == kListSplat || count > maxElements {
			return true
		}
	}
	return false
}

// argument follows the object as a positional argument, into getattr or a local function.
func (a *analyser) argument(name, at int32) {
	arguments := a.nodes[at].parent
	n := &a.nodes[arguments]
	if a.nodes[n.parent].kind != kCall || n.field != fieldArguments {
		a.escapes(name, a.nodes[n.parent].kind)
		return
	}
	callee := a.child(n.parent, fieldFunction)
	index := 0
	for c := a.first(arguments); c >= 0 && c != at; c = a.next(c) {
		index++
		if a.isUnplacedArgument(c) || index > maxElements {
			a.finding(name, "TOOLS_ESCAPES", "The tools object is passed behind unpacked arguments, so its parameter is unknown.")
			return
		}
	}
	if a.isBuiltin(callee, "getattr") && index == 0 {
		a.getattrOfTools(n.parent, arguments)
		return
	}
	definition := a.localFunction(callee)
	if definition < 0 {
		a.finding(name, "TOOLS_ESCAPES", "The tools object is passed to a function that the code does not define once and plainly.")
		return
	}
	a.giveTo(name, a.parameterAt(definition, index))
}

// isUnplacedArgument reports whether an argument is something else than one positional one.
func (a *analyser) isUnplacedArgument(node int32) bool {
	for a.nodes[node].kind == kParenthesizedExpression && a.first(node) >= 0 {
		node = a.first(node)
	}
	switch a.nodes[node].kind {
	case kListSplat, kDictionarySplat, kKeywordArgument:
		return true
	}
	return false
}

// keyword follows the object as a keyword argument of a local function.
func (a *analyser) keyword(name, argument int32) {
	arguments := a.nodes[argument].parent
	call := a.nodes[arguments].parent
	if a.nodes[call].kind != kCall {
		a.escapes(name, a.nodes[call].kind)
		return
	}
	definition := a.localFunction(a.child(call, fieldFunction))
	if definition < 0 {
		a.finding(name, "TOOLS_ESCAPES", "The tools object is passed to a function that the code does not define once and plainly.")
		return
	}
	a.giveTo(name, a.parameterNamed(definition, a.nameOf(a.child(argument, fieldName))))
}

// isBuiltin reports whether an expression is the name of a builtin that nothing in the code binds.
func (a *analyser) isBuiltin(node int32, name string) bool {
	if node < 0 || a.nodes[node].kind != kIdentifier || a.nameOf(node) != name {
		return false
	}
	inClass, found := a.lookup(a.within[node], a.nameID(name))
	return inClass < 0 && found < 0
}

// localFunction is the definition that a called name certainly means, or -1: a function that is defined once, outside
// of a class, without a decorator that could replace it, and not by the name of a builtin that is meant before it.
func (a *analyser) localFunction(callee int32) int32 {
	if callee < 0 || a.nodes[callee].kind != kIdentifier {
		return -1
	}
	name := a.nameOf(callee)
	inClass, found := a.lookup(a.within[callee], a.nameID(name))
	if inClass >= 0 || found < 0 || isBuiltinName(name) {
		return -1
	}
	own := &a.variables[found]
	if own.bindings != 1 || a.bindings[own.only].kind != bindDefine {
		return -1
	}
	definition := a.nodes[a.bindings[own.only].node].parent
	if a.scopes[a.within[definition]].kind == classScope || a.nodes[a.nodes[definition].parent].kind == kDecoratedDefinition {
		return -1
	}
	return definition
}

// parameterAt is the identifier of a positional parameter, or -1.
func (a *analyser) parameterAt(definition int32, index int) int32 {
	for c := a.first(a.child(definition, fieldParameters)); c >= 0; c = a.next(c) {
		if a.nodes[c].kind == kPositionalSeparator {
			continue
		}
		name := a.parameterName(c)
		if name < 0 {
			return -1 // * or *args: what follows is passed by name, or not at all
		}
		if index == 0 {
			return name
		}
		index--
	}
	return -1
}

// parameterNamed is the identifier of a parameter that may be passed by name, or -1.
func (a *analyser) parameterNamed(definition int32, name string) int32 {
	parameters := a.child(definition, fieldParameters)
	positionalOnly := false
	for c := a.first(parameters); c >= 0; c = a.next(c) {
		positionalOnly = positionalOnly || a.nodes[c].kind == kPositionalSeparator
	}
	for c := a.first(parameters); c >= 0; c = a.next(c) {
		if a.nodes[c].kind == kPositionalSeparator {
			positionalOnly = false
			continue
		}
		if p := a.parameterName(c); p >= 0 && !positionalOnly && a.nameOf(p) == name {
			return p
		}
	}
	return -1
}

// parameterName is the identifier of a plain parameter, or -1 for a separator or a star.
func (a *analyser) parameterName(parameter int32) int32 {
	switch a.nodes[parameter].kind {
	case kIdentifier:
		return parameter
	case kDefaultParameter, kTypedDefaultParameter, kTypedParameter:
		if first := a.first(parameter); first >= 0 && a.nodes[first].kind == kIdentifier {
			return first
		}
	}
	return -1
}

// getattrOfTools records the tools that a getattr on the object names. What is not constant is a finding of the rule
// for getattr itself.
func (a *analyser) getattrOfTools(call, arguments int32) {
	key := a.next(a.first(arguments))
	if key < 0 {
		return
	}
	names, _ := a.constants(key)
	for _, name := range names {
		a.nameTool(a.nodes[key].start, name, a.referenceKind(call))
	}
}

// escapes reports the object in a place where it cannot be followed.
func (a *analyser) escapes(name int32, parent kind) {
	code, what := "TOOLS_ESCAPES", "is used in a way that cannot be followed"
	switch parent {
	case kSubscript:
		code, what = "TOOLS_INDEXED", "is indexed, so the tool is not named"
	case kComparisonOperator:
		what = "is compared"
	case kInterpolation, kFormatExpression:
		what = "is formatted"
	case kReturnStatement, kLambda:
		what = "is returned"
	case kYield:
		what = "is yielded"
	case kAwait:
		what = "is awaited"
	case kCall:
		what = "is called"
	case kList, kTuple, kSet, kDictionary, kPair, kExpressionList:
		what = "is stored in a container"
	case kListSplat, kDictionarySplat:
		what = "is unpacked"
	case kForStatement, kForInClause:
		what = "is iterated over"
	case kMatchStatement, kClassPattern, kDottedName:
		what = "is matched against patterns"
	case kDecorator:
		what = "is used as a decorator"
	case kClassDefinition:
		what = "is used as a base class"
	case kWithItem, kAsPattern:
		what = "is used as a context manager"
	case kExpressionStatement:
		what = "stands as a value of its own"
	case kAugmentedAssignment:
		what = "is changed in place"
	}
	a.finding(name, code, "The tools object "+what+".")
}

// checkVariables reports the variables that hold the object and are not plain.
func (a *analyser) checkVariables() {
	for i := range a.bindings {
		b := &a.bindings[i]
		own := &a.variables[b.variable]
		switch {
		case !own.tools:
			continue
		case b.variable == 0:
			a.finding(b.node, "REBOUND", "The name tools is bound to something else.")
		case !b.tools:
			a.finding(b.node, "REBOUND", "The name "+a.names[own.name]+" holds the tools object and is also bound to something else.")
		case a.scopes[own.scope].kind == classScope:
			a.finding(b.node, "TOOLS_ESCAPES", "The tools object is stored in a class.")
		}
	}
	for i := range a.variables {
		own := &a.variables[i]
		if own.tools && own.name == 0 && own.scope == 0 && own.global {
			a.findingAt(0, "REBOUND", "The name tools is declared global.")
		}
		if own.tools || own.forward < 0 && own.bindings == 0 {
			continue
		}
		if own.forward >= 0 {
			if a.variables[a.final(own.forward)].tools {
				a.findingAt(a.nodes[a.scopes[own.scope].node].start, "REBOUND",
					"The name "+a.names[own.name]+" holds the tools object and is declared global or nonlocal.")
			}
			continue
		}
		if a.hidesPlainly(own) {
			continue
		}
		// Any other binding that hides an alias is where two readers of the code could disagree about the scope.
		for outer := own.outer; outer >= 0 && a.scopes[own.scope].kind != classScope; outer = a.variables[outer].outer {
			if a.variables[outer].tools && a.scopes[a.variables[outer].scope].kind != classScope {
				a.findingAt(a.placeOf(own), "REBOUND", "The name "+a.names[own.name]+" hides a name of the tools object.")
				break
			}
		}
	}
}

// hidesPlainly reports whether a variable is bound as a parameter or in a comprehension, and nowhere else, so that
// nobody can take it for one of the scope around.
func (a *analyser) hidesPlainly(own *variable) bool {
	if own.bindings != 1 {
		return false
	}
	kind := a.bindings[own.only].kind
	return kind == bindParameter || kind == bindStar || a.scopes[own.scope].kind == comprehensionScope
}

// placeOf is where a variable is bound.
func (a *analyser) placeOf(own *variable) int32 {
	if own.only >= 0 {
		return a.nodes[a.bindings[own.only].node].start
	}
	return a.nodes[a.scopes[own.scope].node].start
}
