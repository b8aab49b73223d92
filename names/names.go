// Package names has the rules for the names of tools, causes and procedures; it is pure, and needs no C compiler.
package names

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	// ProcedurePrefix starts the name of every procedure, and of nothing else.
	ProcedurePrefix = "proc__"
	// Max is the length of the longest name, in characters.
	Max = 200
)

// Normal is the form in which a name is stored and compared: trimmed and in Unicode form NFC.
func Normal(name string) string { return norm.NFC.String(strings.TrimSpace(name)) }

// IsProcedure tells whether a name is of a procedure and not of a tool.
func IsProcedure(name string) bool { return strings.HasPrefix(name, ProcedurePrefix) }

// Stored is the form of a name that is stored. The error, such as "is blank", says what keeps it from being stored.
func Stored(name string) (string, error) {
	normal := Normal(name)
	switch {
	case strings.TrimFunc(normal, joining) == "":
		return "", errors.New("is blank")
	case !utf8.ValidString(normal) || strings.ContainsRune(normal, utf8.RuneError):
		return "", errors.New("is not valid Unicode")
	case utf8.RuneCountInString(normal) > Max:
		return "", fmt.Errorf("is longer than %d characters", Max)
	case strings.ContainsFunc(normal, hidden):
		return "", errors.New("holds a control or invisible character")
	}
	return normal, nil
}

// hidden tells characters that make two names look alike or change how a line is shown. Joiners and variation selectors
// are part of how some scripts and emoji are written; a name of nothing else is blank.
func hidden(r rune) bool {
	return !joining(r) && (unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r == '\u2800' ||
		unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r))
}

func joining(r rune) bool {
	return r == '\u200c' || r == '\u200d' || unicode.Is(unicode.Variation_Selector, r)
}
