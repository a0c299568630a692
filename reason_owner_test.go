package vitrine_test

import (
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/filetype"
)

// The owner of a held file reads a text of their own, which does not ask them to decide.
func TestOwnerMeaning(t *testing.T) {
	for _, r := range vitrine.Reasons() {
		own := vitrine.OwnerMeaning(r.Code)
		if found, ok := filetype.ReasonOf(r.Code); ok && found.Holds && own == r.Meaning {
			t.Errorf("%s says the same to its owner as to a moderator", r.Code)
		}
		if own == "" || !strings.HasSuffix(own, ".") || len(own) > 200 {
			t.Errorf("%s: %q", r.Code, own)
		}
		for _, word := range []string{"ublish it", "you publish", "Check ", "A person must", "look before", "Look at it"} {
			if found, ok := filetype.ReasonOf(r.Code); (!ok || found.Holds) && strings.Contains(own, word) {
				t.Errorf("%s asks its owner to decide: %q", r.Code, own)
			}
		}
	}
	if vitrine.OwnerMeaning("rubbish") != "" {
		t.Error("rubbish has a meaning")
	}
}
