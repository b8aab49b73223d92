package graph

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/kljensen/snowball/english"
	"golang.org/x/text/unicode/norm"
)

const (
	maxWord  = 64    // bytes of a word; a longer one is cut
	maxWords = 4_096 // of one text
)

// Words are what search compares: both stores index and ask for exactly these, so that no text is a query and both find
// the same. They are in lower case and compatibility form; names are taken apart at punctuation, underscores and humps;
// English words are stemmed, and those that say nothing are left out unless there are no others. Scripts without blanks
// give a word for each character. A word holds no ASCII but letters and digits, and never a blank.
func Words(texts ...string) []string {
	var all, telling []string
	add := func(word string) bool {
		if len(all) == maxWords {
			return false
		}
		all = append(all, word)
		if stem := stemOf(word); stem != "" {
			telling = append(telling, stem)
		}
		return true
	}
	for _, text := range texts {
		if isASCII(text) {
			asciiSegments(text, add)
		} else {
			unicodeSegments(text, add)
		}
	}
	if len(telling) == 0 {
		return all
	}
	return telling
}

// stems remembers those of words that were met lately: texts are made of few words, and stemming one takes a microsecond.
var stems, _ = lru.New[string, string](1 << 14) // fails for no such size

// stemOf is empty for a word that says nothing.
func stemOf(word string) string {
	stem, known := stems.Get(word)
	if !known {
		if !english.IsStopWord(word) {
			stem = english.Stem(word, false)
		}
		// A word may be a part of a large text, which would be kept with it.
		stems.Add(strings.Clone(word), strings.Clone(stem))
	}
	return stem
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// unicodeSegments are the words of a text as Unicode (UAX #29) divides it, with names taken apart.
func unicodeSegments(text string, add func(word string) bool) {
	segments := words.FromString(apart(norm.NFKC.String(text)))
	for segments.Next() {
		if word := clean(segments.Value()); word != "" && !add(word) {
			return
		}
	}
}

// The kinds of an ASCII character in a text.
const (
	between = iota // no part of a word
	lower
	upper
	digit
	apostrophe // dropped within a word
)

var kindOf = func() (kinds [utf8.RuneSelf]int) {
	for c := range kinds {
		switch {
		case 'a' <= c && c <= 'z':
			kinds[c] = lower
		case 'A' <= c && c <= 'Z':
			kinds[c] = upper
		case '0' <= c && c <= '9':
			kinds[c] = digit
		case c == '\'':
			kinds[c] = apostrophe
		}
	}
	return kinds
}()

// asciiSegments answers what unicodeSegments does, many times as fast.
func asciiSegments(text string, add func(word string) bool) {
	word := make([]byte, 0, maxWord)
	end := func() bool {
		more := len(word) == 0 || add(string(word[:min(len(word), maxWord)]))
		word = word[:0]
		return more
	}
	last, hump := between, false // hump tells that a capital letter here begins a part
	for i := range len(text) {
		kind := kindOf[text[i]]
		if kind == apostrophe && i+1 < len(text) && sameScript(last, kindOf[text[i+1]]) {
			hump = false
			continue
		}
		if (kind == between || kind == apostrophe || kind == upper && hump) && !end() {
			return
		}
		last, hump = kind, kind == lower || kind == digit
		switch kind {
		case lower, digit:
			word = append(word, text[i])
		case upper:
			word = append(word, text[i]|0x20)
		}
	}
	end()
}

// sameScript tells whether both are letters or both are digits.
func sameScript(a, b int) bool {
	letter := func(kind int) bool { return kind == lower || kind == upper }
	return letter(a) && letter(b) || a == digit && b == digit
}

// apart sets blanks at the punctuation that joins parts of names and numbers, and where a capital letter begins a part.
func apart(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	lower := false
	for _, r := range text {
		if strings.ContainsRune("_.:,;", r) {
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

// Words are what search finds the variant by: those of its texts, and those of its code but for the words that are in every
// code.
func (v Variant) Words() []string {
	code := slices.DeleteFunc(Words(v.Code), func(word string) bool { return inEveryCode[word] })
	return append(Words(v.Summary, v.Strategy, v.WhenToUse), code...)
}

// inEveryCode are the words of the language, as Words answers them.
var inEveryCode = func() map[string]bool {
	every := map[string]bool{}
	for _, word := range strings.Fields(`tools await async def return if elif else for while in not and or is try except
		finally raise import from as with lambda pass break continue yield global nonlocal assert del None True False`) {
		for _, w := range Words(word) {
			every[w] = true
		}
	}
	return every
}()

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
