package cli

import (
	"context"
	"fmt"
	"os"

	"charm.land/huh/v2"
)

// canAsk tells whether a person can be asked: what he is asked is written to standard error.
func (a *app) canAsk() bool { return a.inTerminal && a.errTerminal && !a.json }

// tellPerson writes safe text for the person who is asked, beside the output proper.
func (a *app) tellPerson(format string, args ...any) error {
	_, err := fmt.Fprintf(a.errOut, format+"\n", args...)
	return err
}

// nobody is the error of a question where nobody can be asked; instead is the command that asks nothing.
func nobody(instead string) error {
	return failed(codeUsage, "nobody can be asked here: run `%s`", instead)
}

func (a *app) confirm(ctx context.Context, question string) (yes bool, err error) {
	err = a.form(ctx, huh.NewConfirm().Title(question).Value(&yes))
	return yes, err
}

func (a *app) form(ctx context.Context, fields ...huh.Field) error {
	if a.keyboard == nil {
		a.keyboard = newKeyboard(a.in)
	}
	keys := a.keyboard.keys()
	defer close(keys.over)
	form := huh.NewForm(huh.NewGroup(fields...)).WithInput(keys).WithOutput(a.errOut).
		WithAccessible(os.Getenv("TERM") == "dumb" || os.Getenv("ACCESSIBLE") != "")
	if !a.colour {
		form = form.WithTheme(huh.ThemeFunc(huh.ThemeBase))
	}
	return form.RunWithContext(ctx)
}
