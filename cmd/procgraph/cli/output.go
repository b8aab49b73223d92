package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// show prints the value as one JSON document for programs, and calls human for people.
func (a *app) show(value any, human func() error) error {
	if a.asJSON() {
		return a.printJSON(value)
	}
	return human()
}

func (a *app) printJSON(value any) error {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		return err
	}
	_, err := a.out.Write(safeJSON(b.Bytes()))
	return err
}

// say prints a line for people.
func (a *app) say(format string, args ...any) error {
	_, err := fmt.Fprintf(a.out, format+"\n", args...)
	return err
}

// printTable prints rows of safe text. The column with the index wide is wrapped so that the rest fits the terminal.
func (a *app) printTable(wide int, header []string, rows [][]string) error {
	if len(rows) == 0 {
		return a.say("none")
	}
	w := table.NewWriter()
	style := table.StyleLight
	style.Options = table.Options{SeparateHeader: true}
	style.Box.PaddingLeft = ""
	w.SetStyle(style)
	others := 2 * len(header)
	for column := range header {
		if column == wide {
			continue
		}
		longest := text.StringWidthWithoutEscSequences(header[column])
		for _, row := range rows {
			longest = max(longest, text.StringWidthWithoutEscSequences(row[column]))
		}
		others += longest
	}
	w.SetColumnConfigs([]table.ColumnConfig{{Number: wide + 1, WidthMax: max(16, a.width-others), WidthMaxEnforcer: text.WrapSoft}})
	w.AppendHeader(cells(header))
	for _, row := range rows {
		w.AppendRow(cells(row))
	}
	return a.say("%s", w.Render())
}

func cells(values []string) table.Row {
	row := make(table.Row, len(values))
	for i, v := range values {
		row[i] = v
	}
	return row
}

var classColours = map[string]text.Color{
	"READ_ONLY": text.FgGreen, "APPROVED": text.FgGreen, "offered": text.FgGreen,
	"STATE_CHANGING": text.FgRed, "MUTATING": text.FgRed, "REJECTED": text.FgRed, "suspended": text.FgRed,
	"UNCLASSIFIED": text.FgYellow, "UNPROVEN": text.FgYellow, "PROPOSED": text.FgYellow,
}

// word colours a class, an effect or a status; the word itself says the same without colour.
func (a *app) word(w string) string { return a.paint(line(w), classColours[w]) }

func (a *app) paint(s string, colour text.Color) string {
	if !a.colour || colour == 0 {
		return s
	}
	return fmt.Sprintf("\x1b[%dm%s\x1b[0m", colour, s)
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// firstSentence is enough of a description for a row.
func firstSentence(s string) string {
	s = firstLine(s)
	if i := strings.Index(s, ". "); i >= 0 {
		s = s[:i+1]
	}
	return line(s)
}

func short(hash string) string { return line(hash[:min(len(hash), 12)]) }

func joined(list []string) string { return line(strings.Join(list, ", ")) }

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
