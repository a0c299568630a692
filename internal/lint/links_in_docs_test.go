package lint_test

import (
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// anchors returns the anchors that GitHub gives to the headings of a document.
func anchors(text string) map[string]bool {
	found := map[string]bool{}
	drop := regexp.MustCompile(`[^\p{L}\p{N}\p{M}_ -]`)
	for _, m := range regexp.MustCompile(`(?m)^#+ (.+?)(?: <!--.*-->)?$`).FindAllStringSubmatch(text, -1) {
		found[strings.ReplaceAll(drop.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")] = true
	}
	return found
}

// TestDocumentLinks checks that each link from a document to a file or a
// heading of this repository leads to an existing one.
func TestDocumentLinks(t *testing.T) {
	inRoot(t)
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	code := regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
	followed := 0
	eachTracked(t, func(file, document string) {
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(document, ""), -1) {
			if strings.Contains(m[1], ":") {
				continue // to another site
			}
			followed++
			target, anchor, _ := strings.Cut(m[1], "#")
			to := file
			if target != "" {
				to = path.Join(path.Dir(file), target)
			}
			info, err := os.Stat(to)
			if err != nil {
				t.Errorf("%s links to %s, which does not exist", file, m[1])
				continue
			}
			if anchor == "" || info.IsDir() {
				continue
			}
			if text, err := os.ReadFile(to); err != nil || !anchors(string(text))[anchor] {
				t.Errorf("%s links to %s, which has no such heading", file, m[1])
			}
		}
	}, "*.md")
	if followed < 60 {
		t.Errorf("followed %d links, want at least 60", followed)
	}
}
