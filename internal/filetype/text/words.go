package text

import (
	"unicode"
	"unicode/utf8"
)

// Class is what a character is to the words of a text.
type Class byte

// The classes.
const (
	Inside Class = iota // neither begins nor ends a word, as an apostrophe
	Space               // ends a word
	Begin               // a letter or digit: begins a word, unless one has begun
	Alone               // a letter of a script that has no spaces between words: half of a word
)

// ascii are the classes of ASCII characters.
var ascii = func() (of [utf8.RuneSelf]Class) {
	for r := range of {
		of[r] = classOf(rune(r))
	}
	return of
}()

// ClassOf returns the class of a character.
func ClassOf(r rune) Class {
	if r < utf8.RuneSelf {
		return ascii[r]
	}
	return classOf(r)
}

func classOf(r rune) Class {
	switch {
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai):
		return Alone
	case unicode.IsSpace(r):
		return Space
	case unicode.IsLetter(r) || unicode.IsDigit(r):
		return Begin
	}
	return Inside
}

// Words counts the words of a text.
func Words(text string) int {
	halves, inside := 0, false
	for _, r := range text {
		switch ClassOf(r) {
		case Alone:
			halves, inside = halves+1, false
		case Space:
			inside = false
		case Begin:
			if !inside {
				halves, inside = halves+2, true
			}
		}
	}
	return (halves + 1) / 2
}
