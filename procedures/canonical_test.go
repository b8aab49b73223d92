package procedures

import (
	"crypto/sha256"
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestCanonicalText(t *testing.T) {
	for name, c := range map[string]struct{ source, want string }{
		"nothing to do":                {"a = 1\nb = 2", "a = 1\nb = 2"},
		"the last line end":            {"a = 1\n", "a = 1"},
		"line ends of others":          {"a = 1\r\nb = 2\rc = 3", "a = 1\nb = 2\nc = 3"},
		"trailing blanks":              {"a = 1 \t \nb = 2  ", "a = 1\nb = 2"},
		"empty lines":                  {"\n\na = 1\n\n \n\t\nb = 2\n\n", "a = 1\nb = 2"},
		"indentation":                  {"if a:\n\n    b  \n\n    c\n", "if a:\n    b\n    c"},
		"inner blanks":                 {"a  =  1", "a  =  1"},
		"comments":                     {"# a  \n\na = 1  # b \n", "# a\na = 1  # b"},
		"a string over lines":          {"s = '''a  \n\n b \n'''  \n\nt", "s = '''a  \n\n b \n'''\nt"},
		"an f-string over lines":       {"s = f'''a  \n\n{b}  \n'''  \n", "s = f'''a  \n\n{b}  \n'''"},
		"a field over lines":           {"s = f'''{\n\nb  \n}'''  \n", "s = f'''{\n\nb  \n}'''"},
		"a string that is continued":   {"s = 'a  \\\n\n", "s = 'a  \\\n\n"},
		"a continued string":           {"s = 'a\\\n  b'  \n", "s = 'a\\\n  b'"},
		"brackets":                     {"f(\n\n  a,  \n\n)\n", "f(\n  a,\n)"},
		"an empty line that is joined": {"a = 1 + 2 \\\n\nb = 3\n\n", "a = 1 + 2 \\\n\nb = 3"},
		"a blank line that is joined":  {"a = 1 + 2 \\\n  \nb = 3", "a = 1 + 2 \\\n\nb = 3"},
		"joined lines":                 {"a = 1 + \\\n    2  \n\n", "a = 1 + \\\n    2"},
		"a backslash in a comment":     {"# a \\\n\nb", "# a \\\nb"},
		"a blank behind a backslash":   {"a = 1 + \\ \n2\n\n", "a = 1 + \\ \n2\n\n"},
		"text that is not valid":       {"def (: \n\n", "def (: \n\n"},
		"text that does not parse":     {"def def \n\n", "def def \n\n"},
		"a string that is not closed":  {"s = 'a \n\n", "s = 'a \n\n"},
		"nothing":                      {"", ""},
		"blanks alone":                 {" \n\t\n", ""},
		"other blanks":                 {"s = 'a'  # \u00a0 \n\n", "s = 'a'  # \u00a0"},
		"a string inside an f-string":  {"f'''{'''\n\n'''}\n\n'''\n\n", "f'''{'''\n\n'''}\n\n'''"},
	} {
		got, err := Analyze(c.source)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got.Code != c.want {
			t.Errorf("%s: %q, want %q", name, got.Code, c.want)
		}
		sum := sha256.Sum256([]byte(c.want))
		if got.CodeHash != hex.EncodeToString(sum[:]) {
			t.Errorf("%s: the hash is not that of the text", name)
		}
		checkIdempotent(t, c.source)
	}
}

// checkIdempotent analyses the canonical text of a source again.
func checkIdempotent(tb testing.TB, source string) {
	tb.Helper()
	first, err := Analyze(source)
	if err != nil {
		return
	}
	again, err := Analyze(first.Code)
	if err != nil {
		tb.Errorf("the canonical text of %q is refused: %v", source, err)
		return
	}
	if again.Code != first.Code || again.CodeHash != first.CodeHash || again.Proven != first.Proven {
		tb.Errorf("canonical text is not canonical: %q, then %q", first.Code, again.Code)
	}
}

// TestHashPairs are the pairs of the shared cases that must or must not have one hash.
func TestHashPairs(t *testing.T) {
	cases := map[string]string{}
	for _, c := range signatureCases(t) {
		cases[c.ID] = c.Code
	}
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"hash-01a", "hash-01c", true},
		{"hash-01a", "hash-01e", false},
		{"hash-02a", "hash-02c", false},
	} {
		if (hashOf(t, cases[c.a]) == hashOf(t, cases[c.b])) != c.same {
			t.Errorf("%s and %s: want one hash: %v", c.a, c.b, c.same)
		}
	}
	if hashOf(t, cases["hash-03b"]) == hashOf(t, strings.ReplaceAll(cases["hash-03b"], "\t", "    ")) {
		t.Error("tabs and blanks have one hash")
	}
	for _, broken := range []struct{ id, valid string }{
		{"hash-04b", "s = 'ab'\nreturn {'s': s}"},
		{"hash-05b", "x = 1 + \\\n    2\nreturn {'x': x}"},
		{"hash-06b", "x = 1\nreturn {'x': x}"},
	} {
		if hashOf(t, cases[broken.id]) == hashOf(t, broken.valid) {
			t.Errorf("%s has the hash of valid code", broken.id)
		}
	}
}

// messy adds blanks and empty lines wherever they may change nothing, and also where they do.
func messy(code string, random *rand.Rand) string {
	var out strings.Builder
	for _, line := range strings.SplitAfter(code, "\n") {
		text, end := strings.CutSuffix(line, "\n")
		out.WriteString(text)
		if random.IntN(3) == 0 {
			out.WriteString([]string{" ", "\t", "  \t "}[random.IntN(3)])
		}
		if end {
			out.WriteString([]string{"\n", "\n", "\r\n", "\n\n", "\n  \n", "\r"}[random.IntN(6)])
		}
	}
	return out.String()
}

// TestCanonicalKeepsTheProgram compares CPython's syntax tree of a text with that of its canonical text.
func TestCanonicalKeepsTheProgram(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	extra := []string{
		"s = '''a  \n\n  b'''\nt = \"\"\"\n\n\"\"\" + 'c\\\n  d'\n",
		"x = 1 + \\\n  2\ny = (1 +\n\n 2)\n",
		"s = f'''a {x} \n\n {y}  \n'''\n",
		"s = r'''\\\n\n'''\ns = b'''\n\n'''\n",
		"def f():\n    '''doc  \n\n    doc\n    '''\n    return 1\n",
		"a = 1 \\\n\nb = 2\n",
	}
	var sources []string
	for i := range 1500 {
		code := program(uint64(i) + 500_000)
		code += extra[i%len(extra)]
		sources = append(sources, messy(code, random))
	}
	var questions []question
	for _, source := range sources {
		got, err := Analyze(source)
		if err != nil {
			t.Fatalf("%v:\n%s", err, source)
		}
		checkIdempotent(t, source)
		questions = append(questions, question{Code: normalise(source)}, question{Code: got.Code})
	}
	compared := 0
	verdicts := askPython(t, questions)
	for i := 0; i < len(verdicts); i += 2 {
		before, after := verdicts[i], verdicts[i+1]
		if before.Tree != after.Tree {
			t.Errorf("the canonical text is another program (%s, %s):\n%q\n%q", before.Error, after.Error, questions[i].Code, questions[i+1].Code)
		}
		if before.Tree != "" && questions[i].Code != questions[i+1].Code {
			compared++
		}
	}
	t.Logf("%d of %d programs were changed and are the same program", compared, len(sources))
	if compared < len(sources)/2 {
		t.Error("too few programs are valid for the test to show much")
	}
}
