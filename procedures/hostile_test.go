package procedures

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"
)

// fill repeats a part up to the size limit.
func fill(prefix, part, suffix string) string {
	return prefix + strings.Repeat(part, (maxSource-len(prefix)-len(suffix))/len(part)) + suffix
}

// hostileTexts are texts near the size limit that are hard on parsers and on walks.
func hostileTexts() map[string]string {
	texts := map[string]string{
		"open parentheses":         fill("", "(", ""),
		"closed parentheses":       strings.Repeat("(", 100000) + "1" + strings.Repeat(")", 100000),
		"calls":                    fill("f", "()", ""),
		"sum":                      fill("x", "+1", ""),
		"attributes":               fill("x", ".a", ""),
		"subscripts":               fill("x", "[0]", ""),
		"nots":                     fill("", "not ", "x"),
		"lambdas":                  fill("", "lambda:", "0"),
		"conditions":               fill("x", " if x else x", ""),
		"powers":                   fill("x", "**x", ""),
		"minus":                    fill("", "-", "x"),
		"chained assignments":      fill("", "a=", "1"),
		"open quotes":              fill("", "'", ""),
		"open quotes by line":      fill("", "'\n", ""),
		"open triple quotes":       fill("'''", "a ", ""),
		"many triple quotes":       fill("", "'''\n\"\"\"\n", ""),
		"open f-strings":           fill("", "f'{", ""),
		"open f-strings by line":   fill("", "f'{\n", ""),
		"f-string braces":          fill("f'", "{", "'"),
		"f-string specs":           fill("f'", "{x:", "'"),
		"open long f-strings":      fill("", "f'''{", ""),
		"string prefixes":          fill("", "fr", ""),
		"backquotes":               fill("", "`", ""),
		"backslashes":              fill("", "\\", ""),
		"joined lines":             fill("x = 1 + ", "\\\n", "2"),
		"escapes":                  fill("'", "\\n", "'"),
		"open brackets":            fill("", "[", ""),
		"open braces":              fill("", "{", ""),
		"mixed brackets":           fill("", "([{", ""),
		"wrong brackets":           fill("", "(]", ""),
		"closing brackets":         fill("", ")", ""),
		"semicolons":               fill("", ";", ""),
		"colons":                   fill("", ":", ""),
		"commas":                   fill("", ",", ""),
		"at signs":                 fill("", "@", ""),
		"stars":                    fill("", "*", ""),
		"dots":                     fill("", ".", ""),
		"deep indentation":         deepBlocks(700),
		"indentation without end":  fill("if x:\n", " ", "y"),
		"blank lines":              fill("", " \n", ""),
		"tabs":                     fill("", "\t", "x"),
		"comments":                 fill("", "#\n", ""),
		"one comment":              fill("#", "#", ""),
		"if without blocks":        fill("", "if x:\n", ""),
		"else without if":          fill("", "else:\n", ""),
		"defs":                     fill("", "def f(", ""),
		"classes":                  fill("", "class A(", ""),
		"match cases":              fill("match x:\n", " case [", ""),
		"match words":              fill("", "match ", ""),
		"print words":              fill("", "print ", ""),
		"print shifts":             fill("", "print >>", ""),
		"exec words":               fill("", "exec ", ""),
		"type words":               fill("", "type ", ""),
		"async words":              fill("", "async ", ""),
		"await words":              fill("", "await ", "x"),
		"yield words":              fill("", "yield ", "x"),
		"for words":                fill("", "for ", ""),
		"comprehensions":           fill("[x", " for x in y", "]"),
		"comprehensions ambiguous": fill("", "[x for x in ", ""),
		"with ambiguous":           fill("with (", "a as b, ", "c): pass"),
		"with open":                fill("", "with (a, ", ""),
		"long tuple":               fill("", "a,", ""),
		"tuple of tools":           fill("x = ", "tools,", ""),
		"list of tools":            fill("for t in [", "tools,", "]: pass"),
		"helper with tools":        fill("def f(a): pass\nf(", "tools,", ")"),
		"unpacked tools":           strings.Repeat("a,", 60000) + "b = " + strings.Repeat("tools,", 22000) + "x",
		"tools or tools":           fill("x = tools", " or tools", ""),
		"names":                    manyNames(),
		"names in lambdas":         strings.Repeat("lambda:(", 190) + manyNames()[:200000] + strings.Repeat(")", 190),
		"same name, many scopes":   fill("x = 1\n", "def f(x): x\n", ""),
		"tools in many scopes":     fill("", "def f(t=tools): t.a\n", ""),
		"helper chain":             helperChain(),
		"references on one line":   fill("", "tools.a;", ""),
		"findings on one line":     fill("", "eval;", ""),
		"keyword arguments":        keywordCalls(),
		"long name":                fill("", "a", ""),
		"long number":              fill("", "1", ""),
		"exponents":                fill("", "1e+", ""),
		"underscores":              fill("", "_", ""),
		"non-ASCII names":          fill("", "é ", ""),
		"decomposed names":         fill("", "e\u0301", ""),
		"astral":                   fill("'", "\U0001F600", "'"),
		"dollars":                  fill("", "$ ", ""),
		"globals":                  fill("", "global x\n", ""),
		"imports":                  fill("", "import a.a\n", ""),
		"elifs":                    fill("if a: b\n", "elif a: b\n", ""),
		"decorators":               fill("", "@a\n", "def f(): pass"),
		"format literals":          fill("'", "{{", "'.format()"),
		"concatenation":            fill("getattr(x, ", "'a' ", ")"),
		"colon equals":             fill("", "x:=", ""),
		"annotations":              fill("x", ":x", ""),
		"types":                    fill("x:", "a|", "b"),
		"slices":                   fill("x[", "::,", "]"),
		"dict of dicts":            fill("", "{a:", ""),
		"nonsense":                 fill("", "def class for in ( ] } : ; '", ""),
		"random bytes":             noise(),
	}
	sized := map[string]string{}
	for name, text := range texts {
		sized[name] = text[:min(len(text), maxSource)]
		// Most are stopped by the limit of tokens. Of these the parser sees everything.
		for _, size := range []int{80_000, 20_000} {
			if len(text) > size {
				sized[fmt.Sprintf("%s, %d bytes", name, size)] = text[:size]
			}
		}
	}
	return sized
}

func deepBlocks(depth int) string {
	var b strings.Builder
	for i := range depth {
		b.WriteString(strings.Repeat(" ", i) + "if x:\n")
	}
	return b.String() + strings.Repeat(" ", depth) + "y"
}

func manyNames() string {
	var b strings.Builder
	for i := 0; b.Len() < maxSource-8; i++ {
		name := "a"
		for n := i; n > 0; n /= 26 {
			name += string(rune('a' + n%26))
		}
		b.WriteString(name + ",")
	}
	return b.String()
}

func helperChain() string {
	var b strings.Builder
	for i := 0; b.Len() < maxSource-100; i++ {
		n := strings.Repeat("i", i%7) + string(rune('a'+i%26)) + strings.Repeat("x", i/26%40)
		b.WriteString("def f" + n + "(t): f" + n + "(t)\n")
	}
	return b.String()
}

func keywordCalls() string {
	var names []string
	for i := range 5000 {
		names = append(names, "p"+strings.Repeat("x", i%3)+string(rune('a'+i%26))+string(rune('a'+i/26%26))+string(rune('a'+i/676)))
	}
	text := "def f(" + strings.Join(names, ",") + "): pass\n"
	for len(text) < maxSource-100 {
		text += strings.Repeat("f("+names[len(names)-1]+"=tools)\n", 100)
	}
	return text
}

func noise() string {
	state := uint64(1)
	out := make([]byte, maxSource)
	for i := range out {
		state = state*6364136223846793005 + 1442695040888963407
		out[i] = " \n\t(){}[]'\"\\:;,.=+-*/abcdeftools#@fr0123"[state>>33%40]
	}
	return string(out)
}

// cpuTime is what the process has used: the clock on the wall says more about the machine.
func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// TestHostileTexts wants an answer of whatever kind, soon.
func TestHostileTexts(t *testing.T) {
	limit := 2 * time.Second
	if raceEnabled {
		limit *= 10
	}
	for name, text := range hostileTexts() {
		t.Run(name, func(t *testing.T) {
			began := cpuTime(t)
			analysis, err := Analyze(text)
			took := cpuTime(t) - began
			var refusal *SourceError
			switch {
			case errors.As(err, &refusal):
				t.Logf("%v: refused: %s at %d:%d", took, refusal.Code, refusal.Line, refusal.Column)
			case err != nil:
				t.Errorf("an error of another kind: %v", err)
			default:
				t.Logf("%v: proven %v, %d findings, %d references", took, analysis.Proven, len(analysis.Findings), len(analysis.References))
			}
			if took > limit {
				t.Errorf("took %v", took)
			}
		})
	}
}
