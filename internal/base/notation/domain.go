package notation

import (
	"errors"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
)

// Domain returns the domain of email addresses in lower case and ASCII, the
// form in which domains are compared. It refuses what no mail server can have,
// and names that mix alphabets: they look like others.
func Domain(name string) (string, error) {
	for label := range strings.SplitSeq(name, ".") {
		if mixed(label) {
			return "", errors.New("mixes letters of different alphabets, which look alike")
		}
	}
	ascii, err := idna.Lookup.ToASCII(name)
	labels := strings.Split(ascii, ".")
	if err != nil || len(labels) < 2 || len(ascii) > 253 ||
		!strings.ContainsFunc(labels[len(labels)-1], func(r rune) bool { return r > '9' }) {
		return "", errors.New("is not a domain")
	}
	for _, l := range labels {
		if l == "" || len(l) > 63 || strings.ContainsFunc(l, notInDomain) || strings.HasPrefix(l, "-") ||
			strings.HasSuffix(l, "-") {
			return "", errors.New("is not a domain")
		}
	}
	return ascii, nil
}

func notInDomain(r rune) bool {
	return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-'
}

// together are scripts that people write within one word.
var together = map[*unicode.RangeTable]string{unicode.Han: "east", unicode.Hiragana: "east", unicode.Katakana: "east",
	unicode.Hangul: "east", unicode.Bopomofo: "east"}

// mixed reports whether the letters of a word are of scripts that are not
// written together, such as Latin and Cyrillic.
func mixed(word string) bool {
	var of string
	for _, r := range word {
		if !unicode.IsLetter(r) {
			continue
		}
		script := scriptOf(r)
		if script == "Latin" && of == "east" || script == "east" && of == "Latin" {
			continue
		}
		if of != "" && script != of {
			return true
		}
		of = script
	}
	return false
}

func scriptOf(r rune) string {
	if unicode.Is(unicode.Latin, r) {
		return "Latin"
	}
	for name, table := range unicode.Scripts {
		if name == "Common" || name == "Inherited" || !unicode.Is(table, r) {
			continue
		}
		if group := together[table]; group != "" {
			return group
		}
		return name
	}
	return ""
}
