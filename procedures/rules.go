package procedures

import (
	"maps"
	"slices"
	"strings"
)

// The rules find what could reach the tools object without naming it, and what Python would not accept.

// finding reports something at a node.
func (a *analyser) finding(node int32, code, message string) {
	a.findingAt(a.nodes[node].start, code, message)
}

func (a *analyser) findingAt(offset int32, code, message string) {
	a.findings = append(a.findings, fault{offset, code, message})
}

// checkNames judges every name that is read or bound, and answers the inputs.
func (a *analyser) checkNames() []string {
	inputs := map[string]bool{}
	for i := range a.bindings {
		a.checkBinding(&a.bindings[i])
	}
	for i := range a.uses {
		u := &a.uses[i]
		name := a.names[u.name]
		switch {
		case isDunder(name):
			a.finding(u.node, "DUNDER", "The name "+name+" belongs to the interpreter; it can reach any tool.")
			continue
		case isMangled(name):
			a.finding(u.node, "MANGLED", "Inside of a class Python changes the name "+name+", so another one may be meant.")
		}
		a.checkModules(u, name)
		if u.inClass < 0 && u.variable >= 0 && a.isCertain(u) {
			continue
		}
		switch {
		case deniedBuiltins[name]:
			a.finding(u.node, "REFLECTION", "The builtin "+name+" can reach any tool.")
		case ruledBuiltins[name]:
			a.checkRuledBuiltin(u.node, name)
		case u.inClass >= 0 || u.variable >= 0 || allowedBuiltins[name] || name == "asyncio":
		case deniedModuleNames[name]:
			a.finding(u.node, "IMPORT", "The module "+name+" can reach any tool.")
		default:
			inputs[name] = true
		}
	}
	return slices.Sorted(maps.Keys(inputs))
}

// isCertain reports whether a name that is read cannot fall back to a builtin: names of functions never do, names of
// the code do until they are bound.
func (a *analyser) isCertain(u *use) bool {
	own := &a.variables[u.variable]
	if own.scope != 0 {
		return true
	}
	if own.bindings != 1 {
		return false
	}
	at := a.bindings[own.only].node
	if a.nodes[at].start >= a.nodes[u.node].start {
		return false
	}
	for at = a.nodes[at].parent; at != 0; at = a.nodes[at].parent {
		switch a.nodes[at].kind {
		case kAssignment, kExpressionStatement, kFunctionDefinition, kClassDefinition, kDecoratedDefinition:
		default:
			return false
		}
	}
	return true
}

func (a *analyser) checkBinding(b *binding) {
	name := a.names[a.variables[b.variable].name]
	a.checkClassMember(b, name)
	switch {
	case isMangled(name):
		a.finding(b.node, "MANGLED", "Inside of a class Python changes the name "+name+", so another one may be meant.")
	case !isDunder(name):
	case b.kind == bindDefine && a.scopes[a.variables[b.variable].scope].kind == classScope && allowedMethods[name]:
	default:
		a.finding(b.node, "DUNDER", "The name "+name+" belongs to the interpreter; defining it changes how other code works.")
	}
}

// checkModules judges a name that an import binds, and asyncio, which is given.
func (a *analyser) checkModules(u *use, name string) {
	given := name == "asyncio" && u.inClass < 0 && (u.variable < 0 || a.variables[u.variable].scope == 0)
	for _, v := range []int32{u.variable, u.inClass} {
		if v < 0 {
			continue
		}
		for _, meant := range a.variables[v].imports {
			given = given && meant != "asyncio"
			a.checkImported(u.node, meant)
		}
	}
	if given {
		a.checkImported(u.node, "asyncio")
	}
}

// checkImported judges a node that stands for a module or for a name of one.
func (a *analyser) checkImported(node int32, meant string) {
	names, ok := allowedModules[meant]
	if !ok {
		if dot := strings.LastIndexByte(meant, '.'); dot >= 0 {
			a.checkAllowance(node, meant, allowedModules[meant[:dot]][meant[dot+1:]])
		}
		return // the import itself is a finding
	}
	parent := a.nodes[node].parent
	if a.nodes[parent].kind != kAttribute || a.nodes[node].field != fieldObject {
		a.finding(node, "IMPORT", "The module "+meant+" is used as a value; only its names may be.")
		return
	}
	name := a.nameOf(a.child(parent, fieldAttribute))
	if a.target[parent] {
		a.finding(node, "IMPORT", "The module "+meant+" is changed.")
		return
	}
	allowed := names[name]
	if allowed == isSubmodule {
		a.checkImported(parent, meant+"."+name)
		return
	}
	a.checkAllowance(parent, meant+"."+name, allowed)
}

// checkAllowance judges a node that stands for a name of a module.
func (a *analyser) checkAllowance(node int32, name string, allowed allowance) {
	n := &a.nodes[node]
	parent := &a.nodes[n.parent]
	isCallee := parent.kind == kCall && n.field == fieldFunction
	switch allowed {
	case anywhere, isSubmodule:
		if parent.kind == kAttribute && n.field == fieldObject && a.target[n.parent] {
			a.finding(node, "IMPORT", name+" is changed.")
		}
	case onFunctions:
		decorator := a.nodes[n.parent].parent
		below := a.next(decorator)
		for below >= 0 && a.nodes[below].kind == kDecorator {
			below = a.next(below)
		}
		if !isCallee || !a.hasOneArgument(n.parent) || a.nodes[decorator].kind != kDecorator || below < 0 || a.nodes[below].kind != kFunctionDefinition {
			a.finding(node, "REFLECTION", name+" copies attributes; it may only decorate a function, called with one argument.")
		}
	case onClasses:
		at := node
		if isCallee {
			at = n.parent
		}
		decorator := a.nodes[at].parent
		if below := a.next(decorator); a.nodes[decorator].kind != kDecorator || below < 0 || a.nodes[below].kind != kClassDefinition {
			a.finding(node, "REFLECTION", name+" runs text that it makes; it may only decorate a class, below all other decorators.")
		}
	case asBase:
		if parent.kind != kArgumentList || parent.field != fieldSuperclasses {
			a.finding(node, "REFLECTION", name+" makes a class from text; it may only be a base class.")
		}
	default:
		a.finding(node, "IMPORT", name+" is not among the names that code may use.")
	}
}

// hasOneArgument reports whether a call has one positional argument and nothing else.
func (a *analyser) hasOneArgument(call int32) bool {
	arguments := a.child(call, fieldArguments)
	if arguments < 0 || a.nodes[arguments].kind != kArgumentList {
		return false
	}
	only := a.first(arguments)
	return only >= 0 && a.next(only) < 0 && !a.isUnplacedArgument(only)
}

// checkRuledBuiltin judges getattr, setattr, delattr, type and dir.
func (a *analyser) checkRuledBuiltin(node int32, name string) {
	n := &a.nodes[node]
	called := a.nodes[n.parent].kind == kCall && n.field == fieldFunction
	switch name {
	case "getattr", "setattr", "delattr":
		a.checkAttributeBuiltin(node, name, called)
	case "type":
		if !called || !a.hasOneArgument(n.parent) || !a.isHarmlessClass(n.parent) {
			a.finding(node, "REFLECTION", "type makes classes; only type(x) is allowed, and only compared, printed or for its __name__.")
		}
	default:
		if !called || a.first(a.child(n.parent, fieldArguments)) < 0 {
			a.finding(node, "REFLECTION", "dir lists the names of the code.")
		}
	}
}

// isHarmlessClass reports whether the class of something is used only to compare or to show it.
func (a *analyser) isHarmlessClass(node int32) bool {
	n := &a.nodes[node]
	parent := &a.nodes[n.parent]
	switch parent.kind {
	case kComparisonOperator:
		return a.comparesClasses(n.parent)
	case kInterpolation:
		return true
	case kAttribute:
		return n.field == fieldObject && a.nameOf(a.child(n.parent, fieldAttribute)) == "__name__"
	case kArgumentList:
		callee := a.child(parent.parent, fieldFunction)
		return a.isBuiltin(callee, "str") || a.isBuiltin(callee, "repr") || a.isBuiltin(callee, "print")
	}
	return false
}

// comparesClasses reports whether a comparison is of builtin classes and type(x) alone. An object of the code would be
// given the class by its own __eq__.
func (a *analyser) comparesClasses(comparison int32) bool {
	for c := a.first(comparison); c >= 0; c = a.next(c) {
		switch a.nodes[c].kind {
		case kIdentifier:
			if name := a.nameOf(c); !allowedBuiltins[name] || !a.isBuiltin(c, name) {
				return false
			}
		case kCall:
			if !a.isBuiltin(a.child(c, fieldFunction), "type") {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// checkAttributeBuiltin judges an access to an attribute whose name is a value.
func (a *analyser) checkAttributeBuiltin(node int32, name string, called bool) {
	call := a.nodes[node].parent
	var object, key int32 = -1, -1
	if called {
		arguments := a.child(call, fieldArguments)
		if a.nodes[arguments].kind == kArgumentList {
			object = a.first(arguments)
		}
		if object >= 0 {
			key = a.next(object)
		}
	}
	if key < 0 || a.isUnplacedArgument(object) || a.isUnplacedArgument(key) {
		a.finding(node, "REFLECTION", name+" is used as a value or without a constant name; it can reach any attribute.")
		return
	}
	if name != "getattr" {
		a.checkWritten(key, object)
	}
	names, ok := a.constants(key)
	if !ok {
		a.finding(key, "DYNAMIC_NAME", "The name that is given to "+name+" is not constant.")
	}
	for _, constant := range names {
		switch {
		case isDunder(constant):
			a.finding(key, "DUNDER", "The name "+constant+" belongs to the interpreter; it can reach any tool.")
		case isReflective(constant) || isMangled(constant) || isFormatting(constant):
			a.finding(key, "REFLECTION", "The attribute "+constant+" can lead to any tool.")
		case isPrivate(constant):
			a.finding(key, "PRIVATE", "The attribute "+constant+" may be internal to what it is read from; it can lead to any tool.")
		}
	}
}

// checkAttributes judges the attributes of everything but the tools object.
func (a *analyser) checkAttributes() {
	for i := range a.nodes {
		node := int32(i)
		switch a.nodes[i].kind {
		case kAttribute:
			if name := a.child(node, fieldAttribute); name >= 0 && !a.toolNames[node] {
				a.checkAttribute(node, name)
			}
		case kKeywordArgument:
			if name := a.child(node, fieldName); name >= 0 {
				a.checkMember(name)
			}
		case kMemberType:
			for c := a.first(node); c >= 0; c = a.next(c) {
				if a.nodes[c].kind == kIdentifier {
					a.checkMember(c)
					a.checkPrivate(c, -1)
				}
			}
		case kKeywordPattern:
			name := a.first(node)
			a.checkPrivate(name, -1)
			if a.checkMember(name); isFormatting(a.nameOf(name)) {
				a.finding(name, "REFLECTION", "format reads attributes that its text names.")
			}
		case kDottedName:
			a.checkDottedName(node)
		case kClassPattern:
			a.checkClassPattern(node)
		case kClassDefinition:
			a.checkBases(node)
			a.checkForeign(node)
		}
	}
}

func (a *analyser) checkAttribute(node, name int32) {
	text := a.nameOf(name)
	object := a.child(node, fieldObject)
	if a.target[node] {
		a.checkWritten(name, object)
	}
	a.checkPrivate(name, object)
	switch {
	case text == "__name__" && !a.target[node]:
		return // a string
	case text == "__init__" && a.isSuper(object) && a.nodes[a.nodes[node].parent].kind == kCall && a.nodes[node].field == fieldFunction:
		return
	case isFormatting(text):
		if constant, ok := a.joined(object, true); !ok || !isPlainFormat(constant) {
			a.finding(name, "REFLECTION", "format reads attributes that its text names; only a plain literal may be formatted so.")
		}
		return
	}
	a.checkMember(name)
}

// isSuper reports whether an expression is super().
func (a *analyser) isSuper(node int32) bool {
	return a.nodes[node].kind == kCall && a.isBuiltin(a.child(node, fieldFunction), "super") &&
		a.first(a.child(node, fieldArguments)) < 0
}

// checkMember judges the name of an attribute or an argument.
func (a *analyser) checkMember(name int32) {
	if name < 0 {
		return
	}
	switch text := a.nameOf(name); {
	case isDunder(text):
		a.finding(name, "DUNDER", "The name "+text+" belongs to the interpreter; it can reach any tool.")
	case isMangled(text):
		a.finding(name, "MANGLED", "Inside of a class Python changes the name "+text+", so another one may be meant.")
	case isReflective(text):
		a.finding(name, "REFLECTION", "The attribute "+text+" can lead to any tool.")
	}
}

// checkDottedName judges the attributes that a pattern reads.
func (a *analyser) checkDottedName(node int32) {
	for c := a.first(node); c >= 0; c = a.next(c) {
		if c != a.first(node) {
			a.checkMember(c)
			a.checkPrivate(c, -1)
		}
	}
}

// checkClassPattern allows parts without a keyword only for builtin classes: a class of the code chooses itself which
// attributes they read.
func (a *analyser) checkClassPattern(node int32) {
	class := a.first(node)
	for c := a.next(class); c >= 0; c = a.next(c) {
		if part := a.first(c); part >= 0 && a.nodes[part].kind == kKeywordPattern {
			continue
		}
		name := a.first(class)
		if a.next(name) >= 0 || !matchableBuiltins[a.nameOf(name)] || !a.isBuiltin(name, a.nameOf(name)) {
			a.finding(c, "REFLECTION", "A pattern of a class reads attributes that it does not name.")
		}
	}
}

// checkBases allows only plain bases: a metaclass can change every name of a class.
func (a *analyser) checkBases(node int32) {
	bases := a.child(node, fieldSuperclasses)
	if bases < 0 {
		return
	}
	for c := a.first(bases); c >= 0; c = a.next(c) {
		if a.isUnplacedArgument(c) && (a.nodes[c].kind != kKeywordArgument || a.of(a.first(c)) != "total") {
			a.finding(c, "REFLECTION", "A class is made with arguments or unpacked bases, so what it is cannot be known.")
		}
	}
}
