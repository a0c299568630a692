package ui

import (
	"regexp"
	"testing"

	"vitrine"
)

// Every reason has a name that reads as words: none is cut from its code with
// an abbreviation in small letters.
func TestReasonNames(t *testing.T) {
	small := regexp.MustCompile(`\b(Pdf|pdf|Html|html|Svg|svg|Xml|xml|Dde|dde)\b`)
	for _, r := range vitrine.Reasons() {
		if name := ReasonName(r.Code); small.MatchString(name) {
			t.Errorf("%s is called %q", r.Code, name)
		}
	}
}
