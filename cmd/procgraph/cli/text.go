package cli

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What a server stores was written by strangers. Everything of it that is shown passes through here, so that no text
// moves the cursor, changes colours or shows itself in another order than it is read.

// line is a text in one line: line breaks and tabs are shown as escapes too.
func line(s string) string { return escaped(s, "") }

// block is a text of several lines, such as code.
func block(s string) string { return escaped(s, "\n\t") }

func escaped(s, kept string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case strings.ContainsRune(kept, r) || !hidden(r):
			b.WriteRune(r)
		default:
			b.WriteString(escape(r))
		}
		i += size
	}
	return b.String()
}

func escape(r rune) string {
	switch {
	case r == '\n':
		return `\n`
	case r == '\t':
		return `\t`
	case r == '\r':
		return `\r`
	case r < 0x100:
		return fmt.Sprintf(`\x%02x`, r)
	case r > 0xffff:
		return fmt.Sprintf(`\U%08x`, r)
	default:
		return fmt.Sprintf(`\u%04x`, r)
	}
}

// hidden tells characters that a terminal obeys instead of showing, and those that show nothing. Joiners and variation
// selectors are part of how some scripts and emoji are written.
func hidden(r rune) bool {
	if r == '\u200c' || r == '\u200d' || unicode.Is(unicode.Variation_Selector, r) {
		return false
	}
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point)
}

// safeJSON writes hidden characters of a valid JSON document as the escapes of JSON: it is the same document.
func safeJSON(document []byte) []byte {
	if bytes.IndexFunc(document, func(r rune) bool { return hidden(r) && r != '\n' }) < 0 {
		return document
	}
	var b bytes.Buffer
	for _, r := range string(document) {
		switch {
		case r == '\n' || !hidden(r):
			b.WriteRune(r)
		case r > 0xffff:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.Bytes()
}
