package text

import (
	"iter"
	"unicode"
	"unicode/utf8"
)

// Word is a word of a text, or a letter of a script that has no spaces between
// words.
type Word struct {
	From, To int // bytes of the text, from the first letter or digit on
	Halves   int // 2, or 1 for such a letter, which counts as half of a word
}

// Words counts the words of a text.
func Words(text string) int {
	halves := 0
	for w := range EachWord(text) {
		halves += w.Halves
	}
	return (halves + 1) / 2
}

// EachWord returns the words of a text in their order.
func EachWord(text string) iter.Seq[Word] {
	return func(yield func(Word) bool) {
		from := -1 // of the current word
		for i, r := range text {
			letter := r >= utf8.RuneSelf && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
			if from >= 0 && (letter || unicode.IsSpace(r)) {
				if !yield(Word{from, i, 2}) {
					return
				}
				from = -1
			}
			switch {
			case letter:
				if !yield(Word{i, i + utf8.RuneLen(r), 1}) {
					return
				}
			case from < 0 && (unicode.IsLetter(r) || unicode.IsDigit(r)):
				from = i
			}
		}
		if from >= 0 {
			yield(Word{from, len(text), 2})
		}
	}
}
