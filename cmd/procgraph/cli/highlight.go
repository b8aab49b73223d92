package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/formatters"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/jedib0t/go-pretty/v6/text"
)

// analysis is what is known of code, in the names of the API.
const analysisFields = `codeHash signature toolName effect proven references{tool line column kind class}
	findings{line column code message} inputs`

type analysis struct {
	CodeHash, ToolName, Effect string
	Signature, Inputs          []string
	Proven                     bool
	References                 []reference
	Findings                   []struct {
		Line, Column  int
		Code, Message string
	}
}

type reference struct {
	Tool  string
	Line  int
	Kind  string
	Class string
}

// codeStyle uses the sixteen colours of the terminal alone, so that it is readable on any background.
var codeStyle = chroma.MustNewStyle("procgraph", chroma.StyleEntries{
	chroma.Keyword: "#ansidarkblue", chroma.LiteralString: "#ansiteal", chroma.LiteralNumber: "#ansiteal",
	chroma.Comment: "#ansidarkgray", chroma.NameBuiltin: "#ansipurple",
})

// printCode prints Python with line numbers. Where a tool is called its name has the colour of its class, and the end
// of the line says the same in words.
func (a *app) printCode(code string, references []reference) error {
	byLine := map[int][]reference{}
	for _, r := range references {
		byLine[r.Line] = append(byLine[r.Line], r)
	}
	lines, err := a.highlighted(code, byLine)
	if err != nil {
		return err
	}
	for i, shown := range lines {
		if err := a.say("%s%s", a.paint(fmt.Sprintf("%4d  ", i+1), text.FgHiBlack), shown+a.marks(byLine[i+1])); err != nil {
			return err
		}
	}
	return nil
}

// marks names the tools of a line with their classes.
func (a *app) marks(references []reference) string {
	seen := map[string]bool{}
	var marks []string
	for _, r := range references {
		mark := line(r.Tool) + ": " + a.word(r.Class)
		if r.Kind == "VALUE" {
			mark += " (named, not called)"
		}
		if !seen[mark] {
			seen[mark] = true
			marks = append(marks, mark)
		}
	}
	if len(marks) == 0 {
		return ""
	}
	return "  <- " + strings.Join(marks, ", ")
}

// highlighted are the lines of the code as they are shown. Escapes are put in before colours are, and after the lines
// were counted.
func (a *app) highlighted(code string, byLine map[int][]reference) ([]string, error) {
	code = strings.TrimSuffix(code, "\n")
	if !a.colour {
		lines := strings.Split(code, "\n")
		for i := range lines {
			lines[i] = block(lines[i])
		}
		return lines, nil
	}
	tokens, err := chroma.Tokenise(lexers.Get("python"), &chroma.TokeniseOptions{State: "root"}, code)
	if err != nil {
		return nil, err
	}
	var lines []string
	for i, tokens := range chroma.SplitTokensIntoLines(tokens) {
		var b strings.Builder
		for _, token := range tokens {
			token.Value = block(strings.TrimSuffix(token.Value, "\n"))
			if err := a.writeToken(&b, token, byLine[i+1]); err != nil {
				return nil, err
			}
		}
		lines = append(lines, b.String())
	}
	return lines, nil
}

func (a *app) writeToken(w io.StringWriter, token chroma.Token, references []reference) error {
	for _, r := range references {
		if token.Value == line(r.Tool) {
			_, err := w.WriteString(a.paint(token.Value, classColours[r.Class]))
			return err
		}
	}
	var b strings.Builder
	if err := formatters.TTY16.Format(&b, codeStyle, chroma.Literator(token)); err != nil {
		return err
	}
	_, err := w.WriteString(b.String())
	return err
}

func (a *app) printFindings(found analysis) error {
	for _, f := range found.Findings {
		if err := a.say("%s line %d, column %d: %s (%s)", a.word("UNPROVEN"), f.Line, f.Column, line(f.Message), line(f.Code)); err != nil {
			return err
		}
	}
	return nil
}
