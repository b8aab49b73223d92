package procedures

import "strings"

// maxConstants bounds the names that one expression may stand for.
const maxConstants = maxTools

// constants are the strings that an expression can be. It is a constant, or the variable of a loop over a literal of
// constants, read inside of that loop.
func (a *analyser) constants(node int32) ([]string, bool) {
	if a.nodes[node].kind != kIdentifier {
		value, ok := a.constant(node)
		if !ok {
			return nil, false
		}
		return []string{value}, true
	}
	inClass, found := a.lookup(a.within[node], a.nameID(a.nameOf(node)))
	if inClass >= 0 || found < 0 || a.variables[found].bindings != 1 {
		return nil, false
	}
	target := a.bindings[a.variables[found].only].node
	loop := a.nodes[target].parent
	if a.nodes[target].field != fieldLeft {
		return nil, false
	}
	var body int32
	switch a.nodes[loop].kind {
	case kForStatement:
		body = a.child(loop, fieldBody)
	case kForInClause:
		body = a.nodes[loop].parent
	default:
		return nil, false
	}
	if body < 0 || node <= body || node >= a.nodes[body].after {
		return nil, false
	}
	return a.elements(a.child(loop, fieldRight))
}

// elements are the strings of a literal tuple, list or set that is looped over.
func (a *analyser) elements(literal int32) ([]string, bool) {
	if literal < 0 || a.loopOver(literal) < 0 {
		return nil, false
	}
	switch a.nodes[literal].kind {
	case kTuple, kList, kSet, kExpressionList:
	default:
		return nil, false
	}
	var values []string
	for c := a.first(literal); c >= 0; c = a.next(c) {
		value, ok := a.constant(c)
		if !ok || len(values) == maxConstants {
			return nil, false
		}
		values = append(values, value)
	}
	return values, len(values) > 0
}

// constant is the value of a string literal, or of several that are joined. Strings with escapes count as unknown:
// what people read in them is not what is meant.
func (a *analyser) constant(node int32) (string, bool) { return a.joined(node, false) }

// joined is the text of a string literal, or of several that are joined. With escapes, those that stand for one plain
// character may be in it, and are left as they are.
func (a *analyser) joined(node int32, escapes bool) (string, bool) {
	if node < 0 {
		return "", false
	}
	var value strings.Builder
	for i := node; i < a.nodes[node].after; i++ {
		switch a.nodes[i].kind {
		case kString:
			text, ok := literalValue(a.of(i), escapes)
			if !ok {
				return "", false
			}
			value.WriteString(text)
		case kConcatenatedString, kParenthesizedExpression:
		case kBinaryOperator:
			left := a.first(i)
			if left < 0 || a.next(left) < 0 || !isPlus(a.text[a.nodes[left].end:a.nodes[a.next(left)].start]) {
				return "", false
			}
		default:
			return "", false
		}
	}
	return value.String(), true
}

// isPlus reports whether the text between two operands is the operator + alone.
func isPlus(between string) bool { return strings.Trim(between, " \t\n()") == "+" }

// literalValue is the text between the quotes of a string literal that has no prefix but r. Its only escapes, if any
// are allowed, are those that cannot make a brace, a dot or a bracket.
func literalValue(literal string, escapes bool) (string, bool) {
	body := strings.TrimLeft(literal, "rR")
	if len(literal)-len(body) > 1 || body == "" || body[0] != '\'' && body[0] != '"' {
		return "", false
	}
	quotes := 1
	if len(body) >= 6 && body[1] == body[0] && body[2] == body[0] {
		quotes = 3
	}
	if len(body) < 2*quotes {
		return "", false
	}
	body = body[quotes : len(body)-quotes]
	for rest := body; escapes; {
		_, after, found := strings.Cut(rest, `\`)
		if !found {
			return body, true
		}
		if after == "" || strings.IndexByte("abfnrtv\\'\"\n", after[0]) < 0 {
			return "", false
		}
		rest = after[1:]
	}
	return body, !strings.Contains(body, `\`)
}

// isPlainFormat reports whether no field of a format text reads an attribute or an element.
func isPlainFormat(text string) bool {
	for {
		_, field, found := strings.Cut(text, "{")
		if !found {
			return true
		}
		end := strings.IndexAny(field, "{}!:")
		if end < 0 {
			end = len(field)
		}
		if strings.ContainsAny(field[:end], ".[") {
			return false
		}
		text = field[end:]
	}
}
