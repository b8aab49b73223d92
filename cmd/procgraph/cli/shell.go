package cli

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// shellWord writes a text as one word of a POSIX shell, to be pasted into a command line. What a terminal would not
// show as it is becomes an escape of $'…'.
func shellWord(s string) string {
	switch {
	case plainWord.MatchString(s):
		return s
	case line(s) == s:
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == '\'' || r == '\\':
			b.WriteString(`\` + string(r))
		case hidden(r) || r == utf8.RuneError && size == 1:
			// The bytes in octal: not every shell knows \u, and \x may take in what follows.
			for _, c := range []byte(s[:size]) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		default:
			b.WriteRune(r)
		}
		s = s[size:]
	}
	return "$'" + b.String() + "'"
}

// commandLine is one to be pasted. The names come last, and none of them is read as a flag.
func commandLine(command string, names ...string) string {
	words := []string{command}
	if slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, "-") }) {
		words = append(words, "--")
	}
	for _, name := range names {
		words = append(words, shellWord(name))
	}
	return strings.Join(words, " ")
}
