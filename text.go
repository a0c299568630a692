package vitrine

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// OneLine returns the text without characters that disturb a line, a terminal
// or the text direction. Runs of spaces become one space.
func OneLine(s string) string {
	clean := strings.Map(func(r rune) rune {
		if HasControl(string(r)) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
	return strings.Join(strings.Fields(clean), " ")
}

// Bounds of texts. Further words of a search are ignored.
const maxSearch, maxSearchWords, titleRunes = 300, 8, 200

// FoldWords returns the folded words of a search text. Errors name the field q.
func FoldWords(text string) ([]string, error) {
	if utf8.RuneCountInString(text) > maxSearch {
		return nil, &Error{Code: CodeInvalidRequest, Field: "q", Message: "A search has at most 300 characters."}
	}
	words := strings.Fields(folded(OneLine(text)))
	return words[:min(len(words), maxSearchWords)], nil
}

// folded removes differences of case and of Unicode composition.
func folded(s string) string {
	return strings.ToLower(norm.NFKC.String(strings.ToValidUTF8(s, "\uFFFD")))
}

// HasControl reports whether s is invalid UTF-8 or has characters that disturb
// a line, a terminal or the text direction: control and bidi-override
// characters.
func HasControl(s string) bool {
	return !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r >= '\u202a' && r <= '\u202e' ||
			r >= '\u2066' && r <= '\u2069'
	})
}

// ParseTitle checks the title of a link (contract, createUpload).
func ParseTitle(s string) (string, error) {
	if utf8.RuneCountInString(s) > titleRunes || !strings.ContainsFunc(s, visible) || HasControl(s) {
		return "", &Error{Code: CodeInvalidRequest, Field: "linkName",
			Message: "A title has 1 to 200 characters, at least one of them visible, and no control or text-direction characters."}
	}
	return s, nil
}

// visible reports whether a character can be seen. Spaces, zero-width
// characters and Unicode's filler letters cannot.
func visible(r rune) bool {
	switch r {
	case '\u034f', '\u115f', '\u1160', '\u17b4', '\u17b5', '\u2800', '\u3164', '\uffa0':
		return false
	}
	return unicode.IsGraphic(r) && !unicode.IsSpace(r) && !unicode.Is(unicode.Variation_Selector, r)
}
