package graph

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
	"github.com/kljensen/snowball/english"
	"golang.org/x/text/unicode/norm"
)

const (
	maxWord  = 64    // bytes of a word; a longer one is cut
	maxWords = 4_096 // of one text
)

// Words are what search compares: both stores index and ask for exactly these, so that no text is a query and both find
// the same. They are in lower case and compatibility form; names are taken apart at underscores, hyphens and humps; English
// words are stemmed, and those that say nothing are left out unless there are no others. Scripts without blanks give a
// word for each character. A word holds no ASCII but letters and digits, and never a blank.
func Words(texts ...string) []string {
	var all, telling []string
	for _, text := range texts {
		for segment := range segments(text) {
			if len(all) == maxWords {
				break
			}
			word := clean(segment)
			if word == "" {
				continue
			}
			all = append(all, word)
			if !english.IsStopWord(word) {
				telling = append(telling, english.Stem(word, false))
			}
		}
	}
	if len(telling) == 0 {
		return all
	}
	return telling
}

// segments are the words of a text as Unicode (UAX #29) divides it, with names taken apart.
func segments(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		segments := words.FromString(apart(norm.NFKC.String(text)))
		for segments.Next() {
			if !yield(segments.Value()) {
				return
			}
		}
	}
}

// apart sets blanks at underscores and where a capital letter begins a part of a name.
func apart(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	lower := false
	for _, r := range text {
		if r == '_' {
			r = ' '
		}
		if lower && unicode.IsUpper(r) {
			b.WriteByte(' ')
		}
		lower = unicode.IsLower(r) || unicode.IsDigit(r)
		b.WriteRune(r)
	}
	return b.String()
}

// clean is a segment as a word; empty when it is none.
func clean(segment string) string {
	spoken := false
	word := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r), unicode.IsNumber(r), r >= utf8.RuneSelf && unicode.IsSymbol(r):
			spoken = true
			return r
		case r >= utf8.RuneSelf && unicode.IsMark(r):
			return r
		}
		return -1
	}, strings.ToLower(segment))
	if !spoken {
		return ""
	}
	for len(word) > maxWord {
		_, last := utf8.DecodeLastRuneInString(word)
		word = word[:len(word)-last]
	}
	return word
}
