package procedures

import "strings"

// A private or a written attribute is harmless only on an object that the code has made of its own class: what Python's
// library keeps in private, and what it later takes for a name or for text, leads to every tool. The only such object
// that can be told for certain is the first parameter of a method, and only while nobody can call that method with
// something else: not through the class, not by a bare name in its body, and not by inheriting from the library as well.

// plainBases are the builtins that a class may have as bases and still be the code's own; so are all exceptions.
var plainBases = wordSet("object dict list set frozenset tuple str int float")

func isPlainBase(name string) bool {
	return plainBases[name] || allowedBuiltins[name] && name[0] < 'a' && name != "Ellipsis" && name != "NotImplemented"
}

// classes is what is known about the classes of the code, by their definitions.
type classes struct {
	foreign   map[int32]bool // they may inherit from something that is not of the code
	contained map[int32]bool // they, their bases and what inherits from them are plain, and never stand as a value
}

// findClasses judges the classes of the code.
func (a *analyser) findClasses() {
	a.foreign, a.contained = map[int32]bool{}, map[int32]bool{}
	defined := map[int32]int32{} // by variable
	var loose []int32
	for i := range a.scopes {
		if a.scopes[i].kind != classScope {
			continue
		}
		class := a.scopes[i].node
		a.contained[class] = true
		at, ok := a.boundAt[a.child(class, fieldName)]
		if !ok || a.variables[a.bindings[at].variable].bindings != 1 || a.scopes[a.within[class]].kind == classScope || !a.isPlainlyDecorated(class) {
			loose = append(loose, class)
			continue
		}
		defined[a.bindings[at].variable] = class
	}
	related := map[int32][]int32{}
	for class := range a.contained {
		for _, base := range a.basesOf(class, defined) {
			if base < 0 {
				a.foreign[class] = true
				loose = append(loose, class)
				continue
			}
			related[class] = append(related[class], base)
			related[base] = append(related[base], class)
		}
	}
	for i := range a.uses {
		u := &a.uses[i]
		if a.names[u.name] == "classmethod" { // it hands the class out
			clear(a.contained)
			return
		}
		for _, v := range []int32{u.variable, u.inClass} {
			if class, ok := defined[v]; ok && (u.inClass >= 0 || !a.isContainedUse(u.node)) {
				loose = append(loose, class)
			}
		}
	}
	for len(loose) > 0 {
		class := loose[len(loose)-1]
		loose = loose[:len(loose)-1]
		if a.contained[class] {
			delete(a.contained, class)
			loose = append(loose, related[class]...)
		}
	}
}

// basesOf are the definitions of the bases of a class that are the code's own, and -1 for each that may be foreign.
func (a *analyser) basesOf(class int32, defined map[int32]int32) []int32 {
	list := a.child(class, fieldSuperclasses)
	if list < 0 {
		return nil
	}
	var bases []int32
	for c := a.first(list); c >= 0; c = a.next(c) {
		base := int32(-1)
		if a.nodes[c].kind == kIdentifier {
			name := a.nameOf(c)
			if isPlainBase(name) && a.isBuiltin(c, name) {
				continue
			}
			inClass, found := a.lookup(a.within[c], a.nameID(name))
			if own, ok := defined[found]; ok && inClass < 0 && !isBuiltinName(name) {
				base = own
			}
		}
		bases = append(bases, base)
	}
	return bases
}

// isPlainlyDecorated reports whether a class has no decorator but dataclass.
func (a *analyser) isPlainlyDecorated(class int32) bool {
	around := a.nodes[class].parent
	if a.nodes[around].kind != kDecoratedDefinition {
		return true
	}
	for c := a.first(around); c >= 0; c = a.next(c) {
		if a.nodes[c].kind == kDecorator && !a.isDataclass(a.first(c)) {
			return false
		}
	}
	return true
}

// isDataclass reports whether a decorator is dataclass, called or not.
func (a *analyser) isDataclass(node int32) bool {
	if node >= 0 && a.nodes[node].kind == kCall {
		node = a.child(node, fieldFunction)
	}
	if node < 0 {
		return false
	}
	want := "dataclasses.dataclass"
	if a.nodes[node].kind == kAttribute {
		if a.nameOf(a.child(node, fieldAttribute)) != "dataclass" {
			return false
		}
		node, want = a.child(node, fieldObject), "dataclasses"
	}
	if a.nodes[node].kind != kIdentifier {
		return false
	}
	inClass, found := a.lookup(a.within[node], a.nameID(a.nameOf(node)))
	if inClass >= 0 || found < 0 {
		return false
	}
	own := &a.variables[found]
	return own.bindings == 1 && len(own.imports) == 1 && own.imports[0] == want
}

// isContainedUse reports whether a name of a class is used so that the class does not become a value.
func (a *analyser) isContainedUse(node int32) bool {
	n := &a.nodes[node]
	parent := &a.nodes[n.parent]
	switch parent.kind {
	case kCall:
		return n.field == fieldFunction
	case kArgumentList:
		return parent.field == fieldSuperclasses ||
			a.nodes[parent.parent].kind == kCall && node != a.first(n.parent) && a.isBuiltin(a.child(parent.parent, fieldFunction), "isinstance")
	case kDottedName:
		return a.nodes[parent.parent].kind == kClassPattern && a.next(node) < 0
	case kExceptClause:
		return true
	case kAsPattern:
		return a.nodes[parent.parent].kind == kExceptClause
	case kType:
		return a.scopes[a.within[node]].kind != classScope // of a class body, a field of a dataclass tells it
	}
	return false
}

// isSelf reports whether an expression is certainly an instance of a class of the code, and of nothing else.
func (a *analyser) isSelf(node int32) bool {
	if node < 0 || a.nodes[node].kind != kIdentifier {
		return false
	}
	inClass, found := a.lookup(a.within[node], a.nameID(a.nameOf(node)))
	if inClass >= 0 || found <= 0 || a.variables[found].bindings != 1 {
		return false
	}
	own := &a.variables[found]
	parameter := &a.bindings[own.only]
	method := a.scopes[own.scope].node
	around := a.scopes[own.scope].parent
	if parameter.kind != bindParameter || around < 0 || a.scopes[around].kind != classScope ||
		a.nodes[method].kind != kFunctionDefinition || a.parameterAt(method, 0) != parameter.node {
		return false
	}
	at, ok := a.boundAt[a.child(method, fieldName)]
	if !ok || a.variables[a.bindings[at].variable].scope != around || a.variables[a.bindings[at].variable].firstUse >= 0 || !a.isPlainMethod(method) {
		return false
	}
	// A class that stands as a value hands out its methods, but not those that the interpreter calls.
	special := isDunder(a.nameOf(a.child(method, fieldName)))
	return a.contained[a.scopes[around].node] || special && len(a.foreign) == 0
}

// isPlainMethod reports whether a method has no decorator but property.
func (a *analyser) isPlainMethod(method int32) bool {
	around := a.nodes[method].parent
	if a.nodes[around].kind != kDecoratedDefinition {
		return true
	}
	for c := a.first(around); c >= 0; c = a.next(c) {
		if a.nodes[c].kind == kDecorator && !a.isBuiltin(a.first(c), "property") {
			return false
		}
	}
	return true
}

// checkForeign judges a class that may inherit from the library: it must not replace what that keeps in private.
func (a *analyser) checkForeign(class int32) {
	around := a.nodes[class].parent
	if !a.foreign[class] || a.nodes[around].kind != kDecoratedDefinition {
		return
	}
	for c := a.first(around); c >= 0; c = a.next(c) {
		if a.nodes[c].kind == kDecorator && a.isDataclass(a.first(c)) {
			a.finding(c, "REFLECTION", "dataclass writes attributes of a class that is not the code's own.")
		}
	}
}

// checkClassMember judges a name that a class body binds.
func (a *analyser) checkClassMember(b *binding, name string) {
	scope := &a.scopes[a.variables[b.variable].scope]
	if scope.kind != classScope || !strings.HasPrefix(name, "_") || isDunder(name) {
		return
	}
	if a.foreign[scope.node] || isReflective(name) {
		a.finding(b.node, "PRIVATE", "The name "+name+" may replace what Python's library keeps in private.")
	}
}

// checkWritten judges an attribute that is written or deleted.
func (a *analyser) checkWritten(name, object int32) {
	if !a.isSelf(object) {
		a.finding(name, "ATTRIBUTE_WRITTEN", "An attribute is written of what may not be an object of the code; it can change what other code does.")
	}
}

// checkPrivate judges the name of an attribute that is read or written, of an object or of none that is known.
func (a *analyser) checkPrivate(name, object int32) {
	if name < 0 {
		return
	}
	text := a.nameOf(name)
	if isPrivate(text) && (!a.isSelf(object) || strings.Contains(text, "__")) {
		a.finding(name, "PRIVATE", "The attribute "+text+" may be internal to what it is read from; it can lead to any tool.")
	}
}

// isPrivate reports whether a name is internal to a library, and not one of those that are refused anyway.
func isPrivate(name string) bool {
	return strings.HasPrefix(name, "_") && !isDunder(name) && !isMangled(name) && !isReflective(name)
}
