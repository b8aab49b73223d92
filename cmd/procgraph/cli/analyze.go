package cli

import (
	"encoding/json"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
)

const (
	analyzeQuery = `query($code:String!){analyzeCode(code:$code){` + analysisFields + `}}`
	maxCode      = 1 << 20 // more than any server takes
)

func (a *app) analyzeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "analyze FILE|-",
		Short: "Tell what running Python code could do; nothing is stored or run",
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			code, err := a.readCode(args[0])
			if err != nil {
				return err
			}
			client, err := a.client()
			if err != nil {
				return err
			}
			var data struct{ AnalyzeCode json.RawMessage }
			if err := client.ask(c.Context(), analyzeQuery, map[string]any{"code": code}, &data); err != nil {
				return err
			}
			return a.show(data.AnalyzeCode, func() error {
				var found analysis
				if err := json.Unmarshal(data.AnalyzeCode, &found); err != nil {
					return err
				}
				return a.printAnalysis(code, found)
			})
		},
	}
}

func (a *app) readCode(path string) (string, error) {
	from := a.in
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return "", failed(codeFailed, "%v", err)
		}
		defer func() { _ = file.Close() }()
		from = file
	}
	code, err := io.ReadAll(io.LimitReader(from, maxCode+1))
	if err != nil {
		return "", failed(codeFailed, "%v", err)
	}
	if len(code) > maxCode {
		return "", failed(codeFailed, "%s holds more than %d KiB: that is no procedure", path, maxCode>>10)
	}
	return string(code), nil
}

func (a *app) printAnalysis(code string, found analysis) error {
	// Lines are those of the canonical text, which has other line ends.
	if err := a.printCode(strings.ReplaceAll(code, "\r\n", "\n"), found.References); err != nil {
		return err
	}
	if err := a.say("\nEffect     %s", a.word(found.Effect)); err != nil {
		return err
	}
	if err := a.say("Procedure  %s\nCode hash  %s", line(found.ToolName), line(found.CodeHash)); err != nil {
		return err
	}
	if err := a.say("Tools      %s\nInputs     %s", joined(found.Signature), joined(found.Inputs)); err != nil {
		return err
	}
	return a.printFindings(found)
}
