package procedures

import (
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// scopeKind tells how names are looked up in a scope.
type scopeKind uint8

const (
	moduleScope scopeKind = iota // the code itself
	functionScope
	classScope
	comprehensionScope
)

// scope is a region of code with names of its own. Scopes stand in the order of the text, so that those inside of
// scope s are s+1 to last.
type scope struct {
	kind   scopeKind
	parent int32
	node   int32 // the definition, lambda or comprehension
	last   int32
}

// bindingKind tells by what a name is bound.
type bindingKind uint8

const (
	bindValue     bindingKind = iota // an assignment or anything else that gives a value
	bindDefine                       // def
	bindParameter                    // a named parameter
	bindStar                         // *args or **kwargs
	bindImport
	bindDelete
	bindDeclare // an annotation without a value
)

// binding is one place where a name gets a value.
type binding struct {
	node     int32 // the identifier
	variable int32
	kind     bindingKind
	tools    bool // it may give the tools object
}

// variable is a name in a scope, or the declaration there that it is another scope's.
type variable struct {
	scope, name int32
	outer       int32 // the variable of the same name in the nearest scope around, or -1
	forward     int32 // the variable that a global or nonlocal declaration means, or -1
	firstUse    int32
	bindings    int32 // how many
	only        int32 // its binding, when there is one
	global      bool  // declared so
	nonlocal    bool
	tools       bool     // it may hold the tools object
	imports     []string // the modules and restricted functions that an import binds it to
}

// use is a name that is read.
type use struct {
	node      int32
	scope     int32
	name      int32
	variable  int32 // -1 when nothing binds it: a builtin or an input
	inClass   int32 // the variable of the class body that hides it when it is bound by then, or -1
	next      int32 // the next use of the same variable
	nextClass int32 // the next use of the same variable of a class body
}

// symbols is the symbol table of a text.
type symbols struct {
	*syntax
	scopes    []scope
	within    []int32 // by node: the scope where it is evaluated
	inside    []int32 // by node: the scope of its children, where nothing else is said
	target    []bool  // by node: it is assigned to or deleted
	names     []string
	nameIDs   map[string]int32
	variables []variable
	places    map[int64]int32 // the variable of a scope and a name
	byName    []int32         // variables by name, then scope
	starts    []int32         // by name: where its variables begin in byName
	bindings  []binding
	boundAt   map[int32]int32 // the binding of an identifier
	uses      []use
	report    func(offset int32, code, message string)
}

func newSymbols(s *syntax, report func(int32, string, string)) *symbols {
	count := len(s.nodes)
	numbers := make([]int32, 2*count)
	return &symbols{
		syntax: s, report: report,
		within: numbers[:count], inside: numbers[count:], target: make([]bool, count),
		nameIDs: make(map[string]int32, count/8+8), places: make(map[int64]int32, count/16+8),
		boundAt: make(map[int32]int32, count/16+8), uses: make([]use, 0, count/4+1),
		bindings: make([]binding, 0, count/16+8), variables: make([]variable, 0, count/16+8),
	}
}

// nameOf is the name as the interpreter compares it.
func (s *symbols) nameOf(node int32) string {
	name := s.of(node)
	if isASCII(name) {
		return name
	}
	return norm.NFKC.String(name)
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return false
		}
	}
	return true
}

func (s *symbols) nameID(name string) int32 {
	id, ok := s.nameIDs[name]
	if !ok {
		id = int32(len(s.names))
		s.names = append(s.names, name)
		s.nameIDs[name] = id
	}
	return id
}

// variableAt finds or makes the variable of a name in exactly that scope.
func (s *symbols) variableAt(scope, name int32) int32 {
	key := int64(scope)<<32 | int64(name)
	at, ok := s.places[key]
	if !ok {
		at = int32(len(s.variables))
		s.variables = append(s.variables, variable{scope: scope, name: name, outer: -1, forward: -1, firstUse: -1, only: -1})
		s.places[key] = at
	}
	return at
}

// collect makes the scopes, the bindings and the uses of the text. Variable 0 is the tools object that is given.
func (s *symbols) collect() {
	s.scopes = append(s.scopes, scope{kind: moduleScope, parent: -1})
	tools := s.variableAt(0, s.nameID("tools"))
	s.variables[tools].tools = true
	for i := int32(1); i < int32(len(s.nodes)); i++ {
		n := &s.nodes[i]
		s.within[i] = s.scopeOfChild(i)
		s.inside[i] = s.within[i]
		s.target[i] = s.isTarget(i)
		switch n.kind {
		case kFunctionDefinition, kLambda:
			s.openScope(functionScope, i)
		case kClassDefinition:
			s.openScope(classScope, i)
		case kListComprehension, kSetComprehension, kDictionaryComprehension, kGeneratorExpression:
			s.openScope(comprehensionScope, i)
		case kImportStatement, kImportFromStatement, kFutureImportStatement:
			s.importStatement(i)
		case kIdentifier:
			s.identifier(i)
		}
	}
	s.closeScopes()
	s.resolve()
}

func (s *symbols) openScope(kind scopeKind, node int32) {
	s.inside[node] = int32(len(s.scopes))
	s.scopes = append(s.scopes, scope{kind: kind, parent: s.within[node], node: node})
}

func (s *symbols) closeScopes() {
	for i := len(s.scopes) - 1; i >= 0; i-- {
		own := &s.scopes[i]
		own.last = max(own.last, int32(i))
		if own.parent >= 0 {
			parent := &s.scopes[own.parent]
			parent.last = max(parent.last, own.last)
		}
	}
}

// scopeOfChild is where a node is evaluated: names, bases, defaults and annotations of a definition, and the first
// iterable of a comprehension, belong to the scope around.
func (s *symbols) scopeOfChild(i int32) int32 {
	n := &s.nodes[i]
	parent := n.parent
	scope := s.inside[parent]
	outside := false
	switch s.nodes[parent].kind {
	case kFunctionDefinition, kClassDefinition:
		outside = n.field != fieldBody && n.field != fieldParameters
	case kDefaultParameter, kTypedDefaultParameter, kTypedParameter:
		outside = n.field == fieldValue || n.field == fieldType
	case kForInClause:
		comprehension := s.nodes[parent].parent
		outside = n.field == fieldRight && parent == s.next(s.first(comprehension))
	}
	if outside {
		return s.within[s.scopes[scope].node]
	}
	return scope
}

// isTarget reports whether a node is assigned to or deleted.
func (s *symbols) isTarget(i int32) bool {
	n := &s.nodes[i]
	switch s.nodes[n.parent].kind {
	case kAssignment, kAugmentedAssignment, kForStatement, kForInClause:
		return n.field == fieldLeft
	case kAsPatternTarget, kDeleteStatement:
		return true
	case kExceptClause:
		return n.field == fieldAlias
	case kPatternList, kTuplePattern, kListPattern, kListSplatPattern, kListSplat, kTuple, kList,
		kParenthesizedExpression, kExpressionList:
		return s.target[n.parent]
	}
	return false
}

// identifier sorts an identifier into bindings, uses and words that are no variables.
func (s *symbols) identifier(i int32) {
	n := &s.nodes[i]
	parent := &s.nodes[n.parent]
	scope := s.within[i]
	switch parent.kind {
	case kAttribute:
		if n.field == fieldAttribute {
			return
		}
	case kKeywordArgument:
		if n.field == fieldName {
			return
		}
	case kMemberType, kKeywordPattern, kAliasedImport:
		return
	case kDottedName:
		s.dottedName(i)
		return
	case kFunctionDefinition:
		s.bind(i, scope, bindDefine)
		return
	case kClassDefinition, kSplatPattern:
		s.bind(i, scope, bindValue)
		return
	case kParameters, kLambdaParameters, kTypedParameter:
		s.bind(i, scope, bindParameter)
		return
	case kDefaultParameter, kTypedDefaultParameter:
		if n.field == fieldName {
			s.bind(i, scope, bindParameter)
			return
		}
	case kListSplatPattern, kDictionarySplatPattern:
		switch s.nodes[parent.parent].kind {
		case kParameters, kLambdaParameters, kTypedParameter:
			s.bind(i, scope, bindStar)
			return
		}
	case kGlobalStatement, kNonlocalStatement:
		own := &s.variables[s.variableAt(scope, s.nameID(s.nameOf(i)))]
		own.global = own.global || parent.kind == kGlobalStatement
		own.nonlocal = own.nonlocal || parent.kind == kNonlocalStatement
		return
	case kNamedExpression:
		if n.field == fieldName {
			for s.scopes[scope].kind == comprehensionScope {
				scope = s.scopes[scope].parent
			}
			s.bind(i, scope, bindValue)
			return
		}
	case kAsPattern:
		if s.nodes[parent.parent].kind == kCasePattern {
			s.bind(i, scope, bindValue)
			return
		}
	}
	if s.target[i] {
		s.bindTarget(i)
		return
	}
	s.read(i)
}

// bindTarget binds an identifier that is assigned to or deleted.
func (s *symbols) bindTarget(i int32) {
	scope := s.within[i]
	statement := s.nodes[i].parent
	switch s.nodes[statement].kind {
	case kAugmentedAssignment:
		s.read(i)
	case kAssignment:
		if s.child(statement, fieldRight) < 0 {
			s.bind(i, scope, bindDeclare)
			return
		}
	}
	for at := statement; s.target[at]; at = s.nodes[at].parent {
		statement = s.nodes[at].parent
	}
	if s.nodes[statement].kind == kDeleteStatement {
		s.bind(i, scope, bindDelete)
		return
	}
	s.bind(i, scope, bindValue)
}

// dottedName handles an identifier of a dotted name in a pattern. Those of imports are handled with the statement.
func (s *symbols) dottedName(i int32) {
	dotted := s.nodes[i].parent
	if s.first(dotted) != i {
		return
	}
	switch s.nodes[s.nodes[dotted].parent].kind {
	case kImportStatement, kImportFromStatement, kFutureImportStatement, kAliasedImport, kRelativeImport:
	case kClassPattern:
		s.read(i)
	default:
		if s.next(i) >= 0 || s.nodes[dotted].field == fieldKey {
			s.read(i)
		} else {
			s.bind(i, s.within[i], bindValue)
		}
	}
}

// importStatement binds the names of an import, and remembers what they are bound to.
func (s *symbols) importStatement(i int32) {
	from := ""
	if m := s.child(i, fieldModuleName); m >= 0 {
		from = s.dotted(m)
	}
	for c := s.first(i); c >= 0; c = s.next(c) {
		if s.nodes[c].field != fieldName {
			continue
		}
		path, name := c, int32(-1)
		if s.nodes[c].kind == kAliasedImport {
			path = s.child(c, fieldName)
			name = s.child(c, fieldAlias)
		}
		first := s.first(path)
		if first < 0 {
			continue
		}
		meant := s.dotted(path)
		switch {
		case s.nodes[i].kind != kImportStatement:
			meant = from + "." + meant
		case name < 0:
			meant = s.nameOf(first) // import a.b binds a
		}
		if name < 0 {
			name = first
		}
		s.within[name] = s.inside[i]
		s.bind(name, s.inside[i], bindImport)
		own := &s.variables[s.bindings[len(s.bindings)-1].variable]
		own.imports = append(own.imports, meant)
	}
}

// dotted is the text of a dotted name without blanks.
func (s *symbols) dotted(node int32) string {
	var parts []string
	for c := s.first(node); c >= 0; c = s.next(c) {
		parts = append(parts, s.nameOf(c))
	}
	return strings.Join(parts, ".")
}

func (s *symbols) bind(node, scope int32, kind bindingKind) {
	at := s.variableAt(scope, s.nameID(s.nameOf(node)))
	own := &s.variables[at]
	own.bindings++
	own.only = int32(len(s.bindings))
	s.boundAt[node] = own.only
	s.bindings = append(s.bindings, binding{node: node, variable: at, kind: kind})
}

func (s *symbols) read(node int32) {
	s.uses = append(s.uses, use{node: node, scope: s.within[node], name: s.nameID(s.nameOf(node)),
		variable: -1, inClass: -1, next: -1, nextClass: -1})
}

// resolve finds the variable of every use.
func (s *symbols) resolve() {
	for i := range s.variables {
		if s.variables[i].global {
			s.variableAt(0, s.variables[i].name)
		}
	}
	s.sortVariables()
	s.forwardDeclarations()
	for i := range s.uses {
		u := &s.uses[i]
		u.inClass, u.variable = s.lookup(u.scope, u.name)
		if u.variable >= 0 {
			own := &s.variables[u.variable]
			u.next, own.firstUse = own.firstUse, int32(i)
		}
		if u.inClass >= 0 {
			own := &s.variables[u.inClass]
			u.nextClass, own.firstUse = own.firstUse, int32(i)
		}
	}
}

// sortVariables groups the variables by name and links each to the one around it.
func (s *symbols) sortVariables() {
	s.byName = make([]int32, len(s.variables))
	for i := range s.byName {
		s.byName[i] = int32(i)
	}
	slices.SortFunc(s.byName, func(a, b int32) int {
		x, y := &s.variables[a], &s.variables[b]
		if x.name != y.name {
			return int(x.name - y.name)
		}
		return int(x.scope - y.scope)
	})
	s.starts = make([]int32, len(s.names)+1)
	for _, v := range s.byName {
		s.starts[s.variables[v].name+1]++
	}
	for i := range s.names {
		s.starts[i+1] += s.starts[i]
	}
	for i := 1; i < len(s.byName); i++ {
		own, before := &s.variables[s.byName[i]], s.byName[i-1]
		if s.variables[before].name == own.name {
			own.outer = s.around(before, own.scope)
		}
	}
}

// around is the first of a variable and those around it whose scope contains another scope, or -1.
func (s *symbols) around(v, scope int32) int32 {
	for v >= 0 && s.scopes[s.variables[v].scope].last < scope {
		v = s.variables[v].outer
	}
	return v
}

// forwardDeclarations moves the bindings of declared names to the variables that are meant.
func (s *symbols) forwardDeclarations() {
	for i := range s.variables {
		own := &s.variables[i]
		switch {
		case own.scope == 0 && own.nonlocal:
			s.report(0, "SYNTAX", "A nonlocal declaration stands outside of all functions.")
		case own.scope == 0 || !own.global && !own.nonlocal:
		case own.global:
			own.forward = s.places[int64(own.name)]
		default:
			_, own.forward = s.lookup(s.scopes[own.scope].parent, own.name)
			if own.forward < 0 {
				s.report(s.nodes[s.scopes[own.scope].node].start, "SYNTAX", "A nonlocal declaration names nothing that is bound around it.")
			}
		}
	}
	for i := range s.bindings {
		b := &s.bindings[i]
		own := &s.variables[b.variable]
		if own.forward < 0 {
			continue
		}
		if b.kind == bindParameter || b.kind == bindStar {
			s.report(s.nodes[b.node].start, "SYNTAX", "A parameter is also declared global or nonlocal.")
		}
		meant := s.final(own.forward)
		target := &s.variables[meant]
		target.bindings++
		target.only = int32(i)
		target.imports = append(target.imports, own.imports...)
		own.imports = nil
		b.variable = meant
	}
}

// final follows declarations to the variable that is meant in the end.
func (s *symbols) final(v int32) int32 {
	for s.variables[v].forward >= 0 {
		v = s.variables[v].forward
	}
	return v
}

// lookup finds what a name means in a scope: the variable of the class body itself, which counts only once it is
// bound, and the variable of the nearest function or of the code. Both are -1 when nothing binds the name.
func (s *symbols) lookup(scope, name int32) (inClass, found int32) {
	inClass = -1
	group := s.byName[s.starts[name]:s.starts[name+1]]
	at, exact := slices.BinarySearchFunc(group, scope, func(v, scope int32) int { return int(s.variables[v].scope - scope) })
	if !exact {
		at--
	}
	if at < 0 {
		return -1, -1
	}
	found = s.around(group[at], scope)
	for found >= 0 && s.scopes[s.variables[found].scope].kind == classScope {
		own := &s.variables[found]
		if own.forward >= 0 && own.scope == scope {
			break
		}
		if own.scope == scope {
			inClass = found
		}
		found = own.outer
	}
	if found >= 0 {
		found = s.final(found)
		if own := &s.variables[found]; own.bindings == 0 && !own.tools {
			found = -1
		}
	}
	return inClass, found
}
