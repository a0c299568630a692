package password

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"vitrine"

	"golang.org/x/text/unicode/norm"
)

// TestCommonRefused checks that every password of the list is refused as it is,
// in capitals, and in decomposed letters: with the field, after the same
// normalization as the length. It also checks that the list is as long as OWASP
// ASVS 6.2.4 wants it, and that every entry can match.
func TestCommonRefused(t *testing.T) {
	list := common()
	if len(list) < 3000 || !slices.IsSorted(list) || len(slices.Compact(slices.Clone(list))) != len(list) {
		t.Errorf("%d passwords, want at least 3,000, sorted, each once", len(list))
	}
	for _, p := range slices.Concat(list, named) {
		if strings.ToLower(norm.NFC.String(p)) != p || utf8.RuneCountInString(p) < MinLength {
			t.Errorf("%q can never match", p)
		}
		for _, typed := range []string{p, strings.ToUpper(p), norm.NFD.String(p)} {
			_, err := Parse(typed, "ann@example.org")
			if e := new(vitrine.Error); !errors.As(err, &e) || e.Field != "password" ||
				e.Code != vitrine.CodeInvalidRequest || !strings.Contains(e.Message, "too common") {
				t.Errorf("Parse(%q) = %v, want that it is too common", typed, err)
			}
		}
	}
	for _, p := range []string{"quiet river 7 lamps", "tr0ub4dor&3-x", "ünïcödé wörter"} {
		if _, err := Parse(p, "ann@example.org"); err != nil {
			t.Errorf("Parse(%q) = %v", p, err)
		}
	}
}
