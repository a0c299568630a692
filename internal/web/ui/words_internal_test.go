package ui

import (
	"regexp"
	"testing"

	"vitrine"
)

// TestReasonNames checks that the name of every reason has words and no
// abbreviation in lower case.
func TestReasonNames(t *testing.T) {
	small := regexp.MustCompile(`\b(Pdf|pdf|Html|html|Svg|svg|Xml|xml|Dde|dde)\b`)
	for _, r := range vitrine.Reasons() {
		if name := ReasonName(r.Code); small.MatchString(name) {
			t.Errorf("name of %s = %q", r.Code, name)
		}
	}
}
