package viewer

import (
	"slices"
	"strings"

	"vitrine"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// Tracks returns the captions of a link, with addresses for its owner.
func (s *Viewers) Tracks(l *vitrine.Link) []Track {
	return tracks(l, func(what string) string { return s.ContentAddress(l, ownerPass(l), what) })
}

// tracks returns the captions on the page of a link, ordered by the names of
// their languages.
func tracks(l *vitrine.Link, address func(what string) string) []Track {
	var all []Track
	for _, tag := range l.Captions() {
		all = append(all, Track{Language: tag, Label: LanguageName(tag), Address: address("captions/" + tag)})
	}
	slices.SortStableFunc(all, func(a, b Track) int {
		return strings.Compare(strings.ToLower(a.Label), strings.ToLower(b.Label))
	})
	return all
}

// LanguageName returns a language's own name, or its tag if unknown.
func LanguageName(tag string) string {
	t, err := language.Parse(tag)
	if err != nil {
		return tag
	}
	if name := display.Self.Name(t); name != "" {
		return name
	}
	return tag
}
