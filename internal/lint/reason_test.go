package lint_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/filetype"
)

// TestReasons checks that every reason code has one meaning.
func TestReasons(t *testing.T) {
	inRoot(t)
	seen := map[string]bool{}
	for _, r := range vitrine.Reasons() {
		if seen[r.Code] || !regexp.MustCompile(`^[a-z][a-z0-9_]*$`).MatchString(r.Code) ||
			!strings.HasSuffix(r.Meaning, ".") || vitrine.Meaning(r.Code) != r.Meaning {
			t.Errorf("reason %q has the meaning %q", r.Code, r.Meaning)
		}
		seen[r.Code] = true
	}
	if len(seen) < 20 {
		t.Errorf("%d reasons, want at least 20", len(seen))
	}
}

// TestPromisedReasons checks that all pages that say on which reasons programs
// may rely say the same, and that these exist.
func TestPromisedReasons(t *testing.T) {
	inRoot(t)
	promise, mark := regexp.MustCompile(`(?s)may\s+rely\s+on\s+(.*?)(;|\.)`), strings.NewReplacer("<code>", "", "</code>", "", "`", "")
	for _, path := range []string{"docs/guide/file-types.md", "internal/web/api/openapi.json"} {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		said := promise.FindStringSubmatch(mark.Replace(string(b)))
		want := strings.Join([]string{vitrine.ReasonOwner, vitrine.ReasonModerator, vitrine.ReasonExpired}, ", ") + " and " + vitrine.ReasonMalware
		if said == nil || strings.Join(strings.Fields(said[1]), " ") != want {
			t.Errorf("%s promises %q, want %q", path, said, want)
		}
	}
}

// TestOwnerMeaning checks that the owner of a held file sees a separate text,
// which does not ask for a decision.
func TestOwnerMeaning(t *testing.T) {
	inRoot(t)
	for _, r := range vitrine.Reasons() {
		own := access.OwnerMeaning(r.Code)
		if found, ok := filetype.ReasonOf(r.Code); ok && found.Holds && own == r.Meaning {
			t.Errorf("%s has the same text for its owner as for a moderator", r.Code)
		}
		if own == "" || !strings.HasSuffix(own, ".") || len(own) > 200 {
			t.Errorf("%s: owner's text = %q", r.Code, own)
		}
		for _, word := range []string{"ublish it", "you publish", "Check ", "A person must", "look before",
			"Look at it"} {
			if found, ok := filetype.ReasonOf(r.Code); (!ok || found.Holds) && strings.Contains(own, word) {
				t.Errorf("%s asks its owner to decide: %q", r.Code, own)
			}
		}
	}
	if access.OwnerMeaning("rubbish") != "" {
		t.Error("an unknown code has a meaning")
	}
}
