package procedures

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// codeHash is the hex SHA-256 of canonical text.
func codeHash(code string) string {
	sum := sha256.Sum256([]byte(code))
	return hex.EncodeToString(sum[:])
}

// canonicalise removes what does not change the program: trailing blanks and empty lines. Lines inside of strings,
// and an empty line behind a backslash, are kept. The text itself is answered when there is nothing to remove.
func canonicalise(text string, found layout) string {
	if isCanonical(text) {
		return text
	}
	var out strings.Builder
	out.Grow(len(text))
	inString := stringLines{found.strings}
	joins := found.joins
	first := true
	for start := 0; start <= len(text); {
		end := strings.IndexByte(text[start:], '\n')
		if end < 0 {
			end = len(text)
		} else {
			end += start
		}
		line := text[start:end]
		beginsInside := inString.at(start - 1)
		if !inString.at(end) {
			line = strings.TrimRight(line, " \t")
		}
		for len(joins) > 0 && int(joins[0]) < start-1 {
			joins = joins[1:]
		}
		joined := len(joins) > 0 && int(joins[0]) == start-1
		if line != "" || beginsInside || inString.at(end) || joined {
			if !first {
				out.WriteByte('\n')
			}
			first = false
			out.WriteString(line)
		}
		start = end + 1
	}
	return out.String()
}

// isCanonical is a quick test that is true only for text without anything to remove.
func isCanonical(text string) bool {
	return !strings.Contains(text, " \n") && !strings.Contains(text, "\t\n") && !strings.Contains(text, "\n\n") &&
		strings.TrimRight(text, " \t\n") == text && !strings.HasPrefix(text, "\n")
}

// stringLines tells which line ends stand inside of strings. It is asked with offsets that do not shrink by more
// than one line.
type stringLines struct{ rest []span }

// at reports whether the line end at offset is inside of a string.
func (s *stringLines) at(offset int) bool {
	for len(s.rest) > 0 && int(s.rest[0].end) <= offset {
		s.rest = s.rest[1:]
	}
	return len(s.rest) > 0 && int(s.rest[0].start) <= offset
}
