package lint_test

import (
	"os"
	"path"
	"regexp"
	"slices"
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

// guideAddress matches the address of a page of the documentation on an
// instance, with its anchor.
var guideAddress = regexp.MustCompile(`"/docs/([a-z-]+)(?:#([a-z-]+))?`)

// otherDocs are the addresses below /docs that are not of guides.
var otherDocs = []string{"api", "search", "albums-and-websites"}

// TestGuideAddresses checks that the pages of the documentation that the
// program names, in pages and mails, are guides: an instance serves no others.
func TestGuideAddresses(t *testing.T) {
	inRoot(t)
	named := 0
	eachTracked(t, func(name, text string) {
		if strings.HasSuffix(name, "_test.go") {
			return
		}
		for _, m := range guideAddress.FindAllStringSubmatch(text, -1) {
			if slices.Contains(otherDocs, m[1]) {
				continue
			}
			named++
			page, err := os.ReadFile("docs/guide/" + m[1] + ".md")
			if err != nil {
				t.Errorf("%s names %s, which is no guide", name, m[0][1:])
			} else if m[2] != "" && !strings.Contains(string(page), `.ID "`+m[2]+`"`) &&
				!strings.Contains(strings.ToLower(string(page)), "\n## "+strings.ReplaceAll(m[2], "-", " ")) {
				t.Errorf("%s names %s, a heading that the guide does not have", name, m[0][1:])
			}
		}
	}, "*.go", "*.html", "*.js", "*.tmpl")
	if named < 10 {
		t.Errorf("found %d addresses, want at least 10", named)
	}
}
