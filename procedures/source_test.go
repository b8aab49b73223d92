package procedures

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"procgraph/graph"
)

func TestSourceRules(t *testing.T) {
	for name, c := range map[string]struct {
		source       string
		code         string
		line, column int
	}{
		"NUL":                        {"x = 'a\x00b'", "CONTROL_CHARACTER", 1, 7},
		"form feed":                  {"x\n\fy", "CONTROL_CHARACTER", 2, 1},
		"vertical tab in a comment":  {"# a\vb", "CONTROL_CHARACTER", 1, 4},
		"escape":                     {"x\x1b", "CONTROL_CHARACTER", 1, 2},
		"next line":                  {"# é\u0085", "LINE_SEPARATOR", 1, 4},
		"line separator":             {"a\nb\n'\u2028'", "LINE_SEPARATOR", 3, 2},
		"paragraph separator":        {"'\u2029'", "LINE_SEPARATOR", 1, 2},
		"right to left override":     {"# \u202e", "BIDIRECTIONAL_CONTROL", 1, 3},
		"first strong isolate":       {"'ab\u2068'", "BIDIRECTIONAL_CONTROL", 1, 4},
		"left to right mark":         {"\u200e", "BIDIRECTIONAL_CONTROL", 1, 1},
		"arabic letter mark":         {"\u061c", "BIDIRECTIONAL_CONTROL", 1, 1},
		"invalid UTF-8":              {"é\xff", "INVALID_UTF8", 1, 2},
		"a surrogate":                {"\xed\xa0\x80", "INVALID_UTF8", 1, 1},
		"coding cookie":              {"# -*- coding: latin-1 -*-\nx", "CODING_COOKIE", 1, 1},
		"coding cookie, second line": {"\n#vim: set fileencoding=utf-8 :\nx", "CODING_COOKIE", 2, 1},
		"coding cookie behind CR":    {"#\r# coding=utf-7\r", "CODING_COOKIE", 2, 1},
		"too large":                  {strings.Repeat("#", maxSource+1), "TOO_LARGE", 1, 1},
		"brackets":                   {strings.Repeat("(", 201), "NESTED_TOO_DEEPLY", 1, 202},
		"f-strings":                  {strings.Repeat(`f"{`, 101), "NESTED_TOO_DEEPLY", 1, 303},
		"blocks":                     {deepBlocks(201), "NESTED_TOO_DEEPLY", 202, 202},
		"a chain":                    {"x = y" + strings.Repeat(".z", 1001), "NESTED_TOO_DEEPLY", 1, 5},
		"tools":                      {manyTools(65), "TOO_MANY_TOOLS", 65, 7},
	} {
		_, err := Analyze(c.source)
		var refusal *SourceError
		if !errors.As(err, &refusal) {
			t.Errorf("%s: not refused: %v", name, err)
			continue
		}
		if refusal.Code != c.code || refusal.Line != c.line || refusal.Column != c.column || refusal.Message == "" {
			t.Errorf("%s: %s at %d:%d (%s), want %s at %d:%d", name, refusal.Code, refusal.Line, refusal.Column, refusal.Message, c.code, c.line, c.column)
		}
	}
	for name, source := range map[string]string{
		"a cookie in the third line": "\n\n# coding: x",
		"the size limit":             strings.Repeat("#", maxSource),
		"brackets":                   strings.Repeat("(", 199) + "1" + strings.Repeat(")", 199),
		"blocks":                     deepBlocks(200),
		"tools":                      manyTools(64),
		"a tab":                      "x\t= 1",
		"other alphabets":            "имя = 'ü'  # 漢字 \U0001F600",
		"zero-width joiner":          "x = '\u200d'",
		"text over many chunks":      strings.Repeat("é = '漢😀'\n", 9_000),
		"a long sum":                 "x" + strings.Repeat("+1", 900),
	} {
		if _, err := Analyze(source); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func manyTools(count int) string {
	var b strings.Builder
	for i := range count {
		fmt.Fprintf(&b, "tools.t%d()\n", i)
	}
	return b.String()
}

func TestReferences(t *testing.T) {
	got, err := Analyze("é = 'ü'; a = await tools.one(x=tools.two)\n\n(tools.three)()\nt = tools\nt.one.more()\ngetattr(t, 'four')()\n@tools.five\ndef f(): pass\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []Reference{
		{"one", 1, 26, graph.ReferenceCall},
		{"two", 1, 38, graph.ReferenceValue},
		{"three", 2, 8, graph.ReferenceCall},
		{"one", 4, 3, graph.ReferenceValue},
		{"four", 5, 12, graph.ReferenceCall},
		{"five", 6, 8, graph.ReferenceValue},
	}
	if fmt.Sprint(got.References) != fmt.Sprint(want) {
		t.Errorf("got  %v\nwant %v", got.References, want)
	}
	if !got.Proven || strings.Join(got.Signature, " ") != "five four one three two" {
		t.Errorf("proven %v, %v, %v", got.Proven, got.Signature, got.Findings)
	}
}

func TestInputs(t *testing.T) {
	for code, want := range map[string]string{
		"return await tools.f(a=a, b=c)":                        "a c",
		"x = y\nreturn x":                                       "y",
		"def f(a): return a + b\nreturn f(1)":                   "b",
		"return [i + n for i in range(k)]":                      "k n",
		"import json\nreturn json.dumps(asyncio)":               "",
		"print(len(str(x)), Exception, True)":                   "x",
		"class A:\n    b = c\n    def f(self): return b":        "b c",
		"try: pass\nexcept E as e: print(e)":                    "E",
		"f'{a} {{b}} {c!r:>{d}}'  # e":                          "a c d",
		"match m:\n    case {'k': v, **r} if g: print(v, r, q)": "g m q",
		"def f():\n    global n\n    return n":                  "n",
		"lambda a, *b, c=d, **e: (a, b, c, e, f)":               "d f",
		"for i in xs: i.attr(key=i)":                            "xs",
		"def f(a: A, b: list[B] = c) -> D: pass":                "A B D c",
		"x: T = 1":                                              "T",
		"del a[b]":                                              "a b",
		"ｎame = 1":                                              "",
		"tools.f(tools_2)":                                      "tools_2",
		"[(y := z) for z in x]\nreturn y":                       "x",
		"(y := z)":                                              "z",
		"with a as b, c as (d, e): print(b, d, e)":              "a c",
		"def f(x=x): pass":                                      "x",
		"[x for x in x]":                                        "x",
	} {
		got, err := Analyze(code)
		if err != nil {
			t.Errorf("%q: %v", code, err)
			continue
		}
		if strings.Join(got.Inputs, " ") != want {
			t.Errorf("%q: inputs %v, want %s", code, got.Inputs, want)
		}
	}
}
