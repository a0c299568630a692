package vitrine_test

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/filetype"
)

var update = flag.Bool("update", false, "write the table of reason codes anew")

// TestReasons checks that every reason code has one meaning, and that the
// reference lists all of them.
func TestReasons(t *testing.T) {
	var table strings.Builder
	table.WriteString("| code | meaning |\n|---|---|\n")
	seen := map[string]bool{}
	for _, r := range vitrine.Reasons() {
		if seen[r.Code] || !regexp.MustCompile(`^[a-z][a-z0-9_]*$`).MatchString(r.Code) ||
			!strings.HasSuffix(r.Meaning, ".") || vitrine.Meaning(r.Code) != r.Meaning {
			t.Errorf("reason %q has the meaning %q", r.Code, r.Meaning)
		}
		seen[r.Code] = true
		table.WriteString("| `" + r.Code + "` | " + r.Meaning + " |\n")
	}
	if len(seen) < 20 {
		t.Errorf("%d reasons, want at least 20", len(seen))
	}
	const begin, end, path = "<!-- reasons -->\n", "<!-- /reasons -->", "docs/reference/scanning.md"
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok1 := strings.Cut(string(b), begin)
	now, after, ok2 := strings.Cut(rest, end)
	switch {
	case !ok1 || !ok2:
		t.Fatal("no marks for the table in " + path)
	case now == table.String():
	case *update:
		if err := os.WriteFile(path, []byte(before+begin+table.String()+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is out of date: go test -run %s -update .", path, t.Name())
	}
}

// TestPromisedReasons checks that all pages that say on which reasons programs
// may rely say the same, and that these exist.
func TestPromisedReasons(t *testing.T) {
	promise, mark := regexp.MustCompile(`(?s)may\s+rely\s+on\s+(.*?)(;|\.)`), strings.NewReplacer("<code>", "", "</code>", "", "`", "")
	for _, path := range []string{"docs/specification/contract.md", "docs/reference/scanning.md",
		"internal/web/front/docs_types.html", "internal/web/api/openapi.json"} {
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
	for _, r := range vitrine.Reasons() {
		own := vitrine.OwnerMeaning(r.Code)
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
	if vitrine.OwnerMeaning("rubbish") != "" {
		t.Error("an unknown code has a meaning")
	}
}
