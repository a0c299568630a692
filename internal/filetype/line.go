package filetype

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// IsUnprintable reports whether r is a control character, a line or paragraph
// separator, or a bidirectional embedding, override or isolate, which can show
// "exe.pdf" as "fdp.exe". Plain direction marks (U+200E, U+200F, U+061C) are
// allowed: Arabic and Hebrew names need them.
func IsUnprintable(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' ||
		'\u202a' <= r && r <= '\u202e' || '\u2066' <= r && r <= '\u2069'
}

// HasControl reports whether s is invalid UTF-8 or has unprintable characters,
// which disturb a line, a terminal or the text direction.
func HasControl(s string) bool { return !utf8.ValidString(s) || strings.ContainsFunc(s, IsUnprintable) }

// OneLine returns the text with a space for each unprintable character. Runs of
// spaces become one space.
func OneLine(s string) string {
	clean := strings.Map(func(r rune) rune {
		if IsUnprintable(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
	return strings.Join(strings.Fields(clean), " ")
}

// Hyphenated returns the ASCII letters, lower-case, and digits of a decomposed
// text, with a hyphen for each run of other characters between them. It has at
// most a number of bytes, and loses whole words beyond.
func Hyphenated(decomposed string, most int) string {
	words := strings.FieldsFunc(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1 // the accent of the letter before it
		}
		return unicode.ToLower(r)
	}, decomposed), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	size := 0
	for i, word := range words {
		if size += len(word); size+i > most {
			words = words[:i]
			break
		}
	}
	return strings.Join(words, "-")
}

// Visible reports whether a character can be seen. Spaces, zero-width
// characters and Unicode's filler letters cannot.
func Visible(r rune) bool {
	switch r {
	case '\u034f', '\u115f', '\u1160', '\u17b4', '\u17b5', '\u2800', '\u3164', '\uffa0':
		return false
	}
	return unicode.IsGraphic(r) && !unicode.IsSpace(r) && !unicode.Is(unicode.Variation_Selector, r)
}
