package procedures

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

const (
	maxSource    = 256 << 10 // bytes
	maxNesting   = 200       // open brackets, and blocks
	maxTreeDepth = 1000
	maxTools     = 64
)

// SourceError is a refusal of source text.
type SourceError struct {
	Code    string // in SCREAMING_SNAKE_CASE
	Line    int    // from 1
	Column  int    // from 1, in characters
	Message string // a sentence for people
}

// Error names the place and says why the text is refused.
func (e *SourceError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
}

// refuse makes the error for the byte offset of text.
func refuse(text string, offset int, code, message string) *SourceError {
	places := placer{text: text}
	line, column := places.at(offset)
	return &SourceError{Code: code, Line: line, Column: column, Message: message}
}

// normalise turns CRLF and lone CR into LF. It comes before everything else, because the interpreter ends a line,
// and so a comment, at each of them.
func normalise(source string) string {
	if strings.IndexByte(source, '\r') < 0 {
		return source
	}
	return strings.ReplaceAll(strings.ReplaceAll(source, "\r\n", "\n"), "\r", "\n")
}

// codingCookie is the comment in one of the first two lines by which Python picks another encoding.
var codingCookie = regexp.MustCompile(`^[ \t]*#.*?coding[:=][ \t]*[-\w.]+`)

// checkSource refuses text that people and programs could read differently. The text has LF line ends.
func checkSource(text string) *SourceError {
	if len(text) > maxSource {
		return refuse("", 0, "TOO_LARGE", fmt.Sprintf("The code has %d bytes; at most %d are allowed.", len(text), maxSource))
	}
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			if c < ' ' && c != '\t' && c != '\n' {
				return refuse(text, i, "CONTROL_CHARACTER", fmt.Sprintf("The control character U+%04X is not allowed.", c))
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			return refuse(text, i, "INVALID_UTF8", "The code is not valid UTF-8.")
		case r == 0x85 || r == 0x2028 || r == 0x2029:
			return refuse(text, i, "LINE_SEPARATOR", fmt.Sprintf("U+%04X looks like a line end and is none; it is not allowed.", r))
		case isBidirectional(r):
			return refuse(text, i, "BIDIRECTIONAL_CONTROL",
				fmt.Sprintf("U+%04X changes the order in which code is shown; it is not allowed.", r))
		}
		i += size
	}
	rest, offset := text, 0
	for range 2 {
		line, after, more := strings.Cut(rest, "\n")
		if codingCookie.MatchString(line) {
			return refuse(text, offset, "CODING_COOKIE", "A comment that declares an encoding is not allowed; code is always UTF-8.")
		}
		if !more {
			break
		}
		offset += len(line) + 1
		rest = after
	}
	return nil
}

// isBidirectional reports whether r reorders the text around it on a screen.
func isBidirectional(r rune) bool {
	return r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 || r == 0x200E || r == 0x200F || r == 0x061C
}

// placer turns byte offsets into lines and columns. Offsets that only grow cost one pass over the text in all.
type placer struct {
	text                  string
	offset, line, columns int // the place that was last asked for: lines and characters before it
}

// at answers the line and the column, both from 1, the column in characters.
func (p *placer) at(offset int) (line, column int) {
	if offset < p.offset {
		*p = placer{text: p.text}
	}
	offset = min(offset, len(p.text))
	part := p.text[p.offset:offset]
	if end := strings.LastIndexByte(part, '\n'); end >= 0 {
		p.line += strings.Count(part, "\n")
		p.columns = 0
		part = part[end+1:]
	}
	p.columns += utf8.RuneCountInString(part)
	p.offset = offset
	return p.line + 1, p.columns + 1
}
