package procedures

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The lexer reads text exactly as CPython's tokeniser does, as far as names, strings, brackets and indentation go.
// It is a second opinion: tree-sitter accepts more than Python and recovers from anything, so the analysis proves
// nothing where the two disagree. It also finds the strings that the canonical text must keep.

// span is a half-open range of bytes.
type span struct{ start, end int32 }

// logicalLine is a line as the interpreter counts them: it begins a statement or a clause of one.
type logicalLine struct {
	start int32
	level int32 // how many blocks it is indented in
}

// maxTokens bounds the work of the parser, which is busy with each token and not with each byte. Ordinary code of the
// greatest size has about half as many.
const maxTokens = 100_000

// layout is what the lexer finds.
type layout struct {
	names   []span        // identifiers and soft keywords, in order
	strings []span        // string literals by start, those inside of f-strings too
	lines   []logicalLine // in order
	joins   []int32       // the line ends that a backslash joins
	faults  []fault       // why it is not valid Python; empty when nothing was found
}

// fault is a finding whose place is still a byte offset.
type fault struct {
	offset  int32
	code    string
	message string
}

// open is something that is still to be closed.
type open struct {
	kind  byte // one of ( [ { and the constants below
	quote byte // of an f-string
	long  bool // an f-string with three quotes
	raw   bool
	index int32 // of an f-string in layout.strings
}

const (
	openText  = 'T' // the literal part of an f-string
	openField = 'F' // the expression of a replacement field
	openSpec  = 'S' // the format specification of a replacement field
)

type lexer struct {
	text   string
	pos    int
	stack  []open
	indent []column
	tokens int
	layout
	refusal *SourceError
}

// column is an indentation measured with tabs of eight and of one. CPython compares both to find mixtures that
// mean different things in different editors.
type column struct{ wide, narrow int }

// lex reads LF-normalised text. The error is a *SourceError for text that is nested too deeply.
func lex(text string) (layout, *SourceError) {
	l := lexer{text: text, indent: []column{{}}}
	l.names = make([]span, 0, len(text)/8+8)
	l.lines = make([]logicalLine, 0, len(text)/32+8)
	if strings.HasPrefix(text, "\uFEFF") {
		l.fault(0, "BYTE_ORDER_MARK", "The code begins with a byte order mark.")
		l.pos = len("\uFEFF")
	}
	for l.indentation(); l.pos < len(text) && l.refusal == nil; {
		switch l.top() {
		case openText:
			l.literal()
		case openSpec:
			l.spec()
		default:
			l.token()
		}
	}
	if len(l.stack) > 0 {
		l.fault(len(text), "SYNTAX", "A bracket or a string is not closed.")
	}
	return l.layout, l.refusal
}

func (l *lexer) fault(offset int, code, message string) {
	l.faults = append(l.faults, fault{int32(offset), code, message})
}

// top is the kind of what was opened last, 0 when nothing is open.
func (l *lexer) top() byte {
	if len(l.stack) == 0 {
		return 0
	}
	return l.stack[len(l.stack)-1].kind
}

func (l *lexer) push(o open) {
	l.stack = append(l.stack, o)
	if len(l.stack) > maxNesting {
		l.refusal = refuse(l.text, l.pos, "NESTED_TOO_DEEPLY", "Brackets are nested more than 200 deep.")
	}
}

func (l *lexer) pop() { l.stack = l.stack[:len(l.stack)-1] }

// peek is the byte at a distance, 0 behind the end; the text has no NUL.
func (l *lexer) peek(distance int) byte {
	if l.pos+distance < len(l.text) {
		return l.text[l.pos+distance]
	}
	return 0
}

// indentation reads blank lines and the indentation of the next line that has a token.
func (l *lexer) indentation() {
	var at column
	for {
		switch l.peek(0) {
		case ' ':
			at.wide++
			at.narrow++
		case '\t':
			at.wide = (at.wide/8 + 1) * 8
			at.narrow++
		case '\n':
			at = column{}
		case '#':
			l.comment()
			continue
		case 0:
			return
		default:
			l.line(at)
			return
		}
		l.pos++
	}
}

// line opens and closes blocks for a line that is indented to at.
func (l *lexer) line(at column) {
	top := l.indent[len(l.indent)-1]
	if at.wide > top.wide {
		if at.narrow <= top.narrow {
			l.fault(l.pos, "TABS", "Tabs and spaces are mixed so that the indentation is ambiguous.")
		}
		l.indent = append(l.indent, at)
		if len(l.indent)-1 > maxNesting {
			l.refusal = refuse(l.text, l.pos, "NESTED_TOO_DEEPLY", "Blocks are nested more than 200 deep.")
		}
	} else {
		for at.wide < top.wide {
			l.indent = l.indent[:len(l.indent)-1]
			top = l.indent[len(l.indent)-1]
		}
		if at.wide != top.wide {
			l.fault(l.pos, "INDENTATION", "The line is indented like no block around it.")
		} else if at.narrow != top.narrow {
			l.fault(l.pos, "TABS", "Tabs and spaces are mixed so that the indentation is ambiguous.")
		}
	}
	l.lines = append(l.lines, logicalLine{int32(l.pos), int32(len(l.indent) - 1)})
}

func (l *lexer) comment() {
	if end := strings.IndexByte(l.text[l.pos:], '\n'); end >= 0 {
		l.pos += end
	} else {
		l.pos = len(l.text)
	}
}

// token reads one token of code.
func (l *lexer) token() {
	c := l.text[l.pos]
	if c != ' ' && c != '\t' {
		l.tokens++
	}
	if l.tokens > maxTokens {
		l.refusal = refuse(l.text, l.pos, "TOO_COMPLEX", "The code has more than 100000 tokens.")
	}
	switch {
	case c == ' ' || c == '\t':
		l.pos++
	case c == '\n':
		l.newline()
	case c == '#':
		if l.insideField() {
			l.fault(l.pos, "SYNTAX", "A comment inside of an f-string is not understood by every interpreter.")
		}
		l.comment()
	case c == '\\':
		l.backslash()
	case isNameByte(c) && !isDigit(c):
		l.name()
	case isDigit(c) || c == '.' && isDigit(l.peek(1)):
		l.number()
	case c == '"' || c == '\'':
		l.literalString(l.pos, "")
	case c == '(' || c == '[' || c == '{':
		l.pos++
		l.push(open{kind: c})
	case c == ')' || c == ']' || c == '}':
		l.closing(c)
	case l.top() == openField && (c == ':' || c == '!' && l.peek(1) != '='):
		l.endOfExpression(c)
	default:
		l.operator(c)
	}
}

func (l *lexer) newline() {
	l.pos++
	switch {
	case len(l.stack) == 0:
		l.indentation()
	case l.insideField() && !l.insideLongField():
		l.fault(l.pos-1, "SYNTAX", "A line ends inside of a one-line f-string.")
	}
}

// insideField reports whether the code here belongs to an f-string, at whatever depth of brackets.
func (l *lexer) insideField() bool { return l.around() != nil }

// insideLongField reports whether the innermost f-string around has three quotes.
func (l *lexer) insideLongField() bool {
	o := l.around()
	return o != nil && o.long
}

// around is the innermost f-string, nil outside of all.
func (l *lexer) around() *open {
	for i := len(l.stack) - 1; i >= 0; i-- {
		if l.stack[i].kind == openText {
			return &l.stack[i]
		}
	}
	return nil
}

func (l *lexer) backslash() {
	start := l.pos
	l.pos++
	rest := l.text[l.pos:]
	blanks := len(rest) - len(strings.TrimLeft(rest, " \t"))
	switch {
	case strings.HasPrefix(rest, "\n") && len(rest) > 1:
		if l.insideField() || l.lineIsBlankBefore(start) {
			l.fault(start, "SYNTAX", "A backslash joins lines where not every interpreter understands it.")
		}
		l.joins = append(l.joins, int32(l.pos))
		l.pos++
	case blanks > 0 && (blanks == len(rest) || rest[blanks] == '\n'):
		l.fault(start, "BACKSLASH_BLANK", "Blanks follow a backslash at the end of a line, so it joins nothing.")
		l.pos += blanks
	default:
		l.fault(start, "SYNTAX", "A backslash stands where only a line end may follow it.")
	}
}

// lineIsBlankBefore reports whether only blanks stand between the line's begin and offset. Indentation that is split
// by a backslash is measured differently by different parsers.
func (l *lexer) lineIsBlankBefore(offset int) bool {
	for i := offset - 1; i >= 0 && l.text[i] != '\n'; i-- {
		if l.text[i] != ' ' && l.text[i] != '\t' {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isNameByte reports whether c may be part of a name. Every byte of a character that is not ASCII is taken for one,
// as CPython does before it looks closer.
func isNameByte(c byte) bool {
	return c >= utf8.RuneSelf || c == '_' || isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// hardKeywords can never be names. Soft ones (match, case, type, _) can.
var hardKeywords = wordSet(`False None True and as assert async await break class continue def del elif else except
	finally for from global if import in is lambda nonlocal not or pass raise return try while with yield`)

// wordSet makes a set of the words of a text.
func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(words) {
		set[word] = true
	}
	return set
}

func (l *lexer) name() {
	start := l.pos
	ascii := true
	for l.pos < len(l.text) && isNameByte(l.text[l.pos]) {
		ascii = ascii && l.text[l.pos] < utf8.RuneSelf
		l.pos++
	}
	name := l.text[start:l.pos]
	if next := l.peek(0); (next == '"' || next == '\'') && isStringPrefix(name) {
		l.literalString(start, name)
		return
	}
	if !ascii && !isIdentifier(name) {
		l.fault(start, "SYNTAX", "A character is neither a letter nor anything else that Python allows here.")
		return
	}
	if len(name) > 8 || !hardKeywords[name] {
		l.names = append(l.names, span{int32(start), int32(l.pos)})
	}
}

// isStringPrefix reports whether a quote directly behind the word begins a string.
func isStringPrefix(word string) bool {
	if len(word) > 2 {
		return false
	}
	switch strings.ToLower(word) {
	case "r", "u", "b", "f", "br", "rb", "fr", "rf":
		return true
	}
	return false
}

// isIdentifier is Python's rule: a start character, then characters that may continue.
func isIdentifier(name string) bool {
	for i, r := range name {
		start := r == '_' || unicode.IsLetter(r) || unicode.Is(unicode.Nl, r) || unicode.Is(unicode.Other_ID_Start, r)
		if !start && (i == 0 || !unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue)) {
			return false
		}
	}
	return true
}

func (l *lexer) number() {
	start := l.pos
	hexadecimal := l.peek(1)|0x20 == 'x'
	for l.pos < len(l.text) {
		c := l.text[l.pos]
		exponent := (c == '+' || c == '-') && l.pos > start && l.text[l.pos-1]|0x20 == 'e' && !hexadecimal
		if !isNameByte(c) && c != '.' && !exponent {
			break
		}
		l.pos++
	}
	if !isNumber(l.text[start:l.pos]) {
		l.fault(start, "SYNTAX", "A number is not written as Python 3 reads it.")
	}
}

func (l *lexer) closing(c byte) {
	top := l.top()
	if c == ')' && top == '(' || c == ']' && top == '[' || c == '}' && (top == '{' || top == openField) {
		l.pop()
	} else {
		l.fault(l.pos, "SYNTAX", "A bracket is closed that was not opened.")
	}
	l.pos++
}

// endOfExpression reads the conversion of a field, or enters its format specification.
func (l *lexer) endOfExpression(c byte) {
	start := l.pos
	l.pos++
	if c == ':' {
		if l.peek(0) == '=' {
			l.fault(start, "SYNTAX", "In an f-string := begins a format specification, not an assignment; write a blank or parentheses.")
		}
		l.stack[len(l.stack)-1].kind = openSpec
		return
	}
	if next := l.peek(0); next != 'r' && next != 's' && next != 'a' || l.peek(1) != '}' && l.peek(1) != ':' {
		l.fault(start, "SYNTAX", "The conversion in an f-string is none of !r, !s and !a.")
		return
	}
	l.pos++
}

func (l *lexer) operator(c byte) {
	switch {
	case strings.HasPrefix(l.text[l.pos:], "<>"):
		l.fault(l.pos, "PYTHON2", "The operator <> is of Python 2.")
		l.pos++
	case c == '!' && l.peek(1) == '=':
		l.pos++
	case strings.IndexByte("!$?`", c) >= 0 || c == 0x7f:
		l.fault(l.pos, "SYNTAX", "A character stands here that is not part of Python.")
	}
	l.pos++
}

// literalString reads a string whose prefix has been read; for an f-string only its begin.
func (l *lexer) literalString(start int, prefix string) {
	prefix = strings.ToLower(prefix)
	quote := l.text[l.pos]
	long := l.peek(1) == quote && l.peek(2) == quote
	l.pos++
	if long {
		l.pos += 2
	}
	index := int32(len(l.strings))
	l.strings = append(l.strings, span{int32(start), int32(len(l.text))})
	raw := strings.Contains(prefix, "r")
	if strings.Contains(prefix, "f") {
		l.push(open{kind: openText, quote: quote, long: long, raw: raw, index: index})
		return
	}
	for l.pos < len(l.text) {
		switch c := l.text[l.pos]; {
		case c == '\\':
			l.pos = min(l.pos+2, len(l.text))
			continue
		case c == '\n' && !long:
			l.strings[index].end = int32(l.pos)
			l.fault(start, "SYNTAX", "A string is not closed on its line.")
			return
		case l.closesString(quote, long):
			l.strings[index].end = int32(l.pos)
			return
		}
		l.pos++
	}
	l.fault(start, "SYNTAX", "A string is not closed.")
}

// closesString moves behind the quotes that end a string, if they stand here.
func (l *lexer) closesString(quote byte, long bool) bool {
	switch {
	case l.peek(0) != quote:
		return false
	case !long:
		l.pos++
		return true
	case l.peek(1) == quote && l.peek(2) == quote:
		l.pos += 3
		return true
	}
	return false
}

// literal reads the literal part of an f-string up to a field or its end.
func (l *lexer) literal() {
	o := l.stack[len(l.stack)-1]
	for l.pos < len(l.text) {
		switch c := l.text[l.pos]; {
		case c == '\\':
			l.escape(o.raw)
		case c == '{' && l.peek(1) == '{', c == '}' && l.peek(1) == '}':
			l.pos += 2
		case c == '{':
			l.pos++
			l.push(open{kind: openField})
			return
		case c == '}':
			l.fault(l.pos, "SYNTAX", "A single } stands in an f-string.")
			l.pos++
		case c == '\n' && !o.long:
			l.fault(l.pos, "SYNTAX", "A string is not closed on its line.")
			l.endText(o)
			return
		case l.closesString(o.quote, o.long):
			l.endText(o)
			return
		default:
			l.pos++
		}
	}
}

func (l *lexer) endText(o open) {
	l.strings[o.index].end = int32(l.pos)
	l.pop()
}

// escape reads a backslash in an f-string. A brace behind it still opens a field, except in \N{NAME}.
func (l *lexer) escape(raw bool) {
	next := l.peek(1)
	l.pos++
	switch {
	case next == '{' || next == '}' || next == 0:
	case !raw && next == 'N' && l.peek(1) == '{':
		if end := strings.IndexByte(l.text[l.pos:], '}'); end >= 0 {
			l.pos += end + 1
		}
	case raw && next != '\'' && next != '"' && next != '\\' && next != '\n':
	default:
		l.pos++
	}
}

// spec reads a format specification up to a nested field or the end of the field.
func (l *lexer) spec() {
	around := *l.around()
	for l.pos < len(l.text) {
		c := l.text[l.pos]
		switch {
		case c == '{':
			l.pos++
			l.push(open{kind: openField})
			return
		case c == '}':
			l.pos++
			l.pop()
			return
		case c == '\n' || c == '\\' || c == around.quote && !around.long:
			// Interpreters differ here. The whole string is given up.
			l.fault(l.pos, "SYNTAX", "A format specification holds a line end, a backslash or a quote.")
			for l.top() != openText {
				l.pop()
			}
			l.endText(around)
			return
		}
		l.pos++
	}
}

// isNumber reports whether the word is a number of Python 3.
func isNumber(word string) bool {
	word = strings.ToLower(word)
	if len(word) > 1 && word[0] == '0' && strings.IndexByte("xob", word[1]) >= 0 {
		digits := map[byte]string{'x': "0123456789abcdef", 'o': "01234567", 'b': "01"}[word[1]]
		return isDigits(strings.TrimPrefix(word[2:], "_"), digits)
	}
	imaginary := strings.HasSuffix(word, "j")
	word = strings.TrimSuffix(word, "j")
	mantissa, exponent, scientific := strings.Cut(word, "e")
	if scientific && !isDigits(strings.TrimLeft(exponent, "+-"), decimals) {
		return false
	}
	whole, fraction, point := strings.Cut(mantissa, ".")
	switch {
	case whole == "" && fraction == "":
		return false
	case whole != "" && !isDigits(whole, decimals), fraction != "" && !isDigits(fraction, decimals):
		return false
	}
	zeroes := strings.Trim(whole, "0_") == ""
	return scientific || point || imaginary || zeroes || whole[0] != '0'
}

const decimals = "0123456789"

// isDigits reports whether the word is made of the digits, with single underscores between them.
func isDigits(word, digits string) bool {
	if word == "" || word[0] == '_' || word[len(word)-1] == '_' || strings.Contains(word, "__") {
		return false
	}
	return strings.Trim(word, digits+"_") == ""
}
