package vitrine

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const titleRunes = 200

// hasControl reports whether s has characters that could disturb a line, a terminal or the direction of text: control and
// bidi-override characters, or invalid UTF-8.
func hasControl(s string) bool {
	return !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
	})
}

// ParseTitle checks a link's title (contract, createUpload).
func ParseTitle(s string) (string, error) {
	if utf8.RuneCountInString(s) > titleRunes || !strings.ContainsFunc(s, visible) || hasControl(s) {
		return "", &Error{Code: CodeInvalidRequest, Field: "linkName", Message: "A title has 1 to 200 characters, at least one of them visible, and no control or text-direction characters."}
	}
	return s, nil
}

// visible reports whether a character leaves a mark: spaces, zero-width
// characters and the letters that Unicode has as fillers do not.
func visible(r rune) bool {
	switch r {
	case '\u034f', '\u115f', '\u1160', '\u17b4', '\u17b5', '\u2800', '\u3164', '\uffa0':
		return false
	}
	return unicode.IsGraphic(r) && !unicode.IsSpace(r) && !unicode.Is(unicode.Variation_Selector, r)
}
