package lint_test

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestDecisions checks that each decision begins with its number, which no
// other one has, and that all have the same sections in the same order.
func TestDecisions(t *testing.T) {
	inRoot(t)
	heading := regexp.MustCompile(`(?m)^## (.+)$`)
	title := regexp.MustCompile(`^# (\d+)\. (.+)\n`)
	sections := []string{"Context", "Decision", "Consequences"}
	seen := map[string]bool{}
	eachTracked(t, func(file, text string) {
		name := path.Base(file)
		if name == "README.md" {
			return
		}
		m := title.FindStringSubmatch(text)
		if m == nil {
			t.Errorf("%s does not begin with its number and title", file)
			return
		}
		n, _ := strconv.Atoi(strings.SplitN(name, "-", 2)[0])
		if m[1] != strconv.Itoa(n) || seen[m[1]] {
			t.Errorf("%s has the number %s", file, m[1])
		}
		seen[m[1]] = true
		var found []string
		for _, h := range heading.FindAllStringSubmatch(text, -1) {
			found = append(found, h[1])
		}
		if !slices.Equal(found, sections) {
			t.Errorf("%s has the sections %q, want %q", file, found, sections)
		}
	}, "docs/decisions/*.md")
	if len(seen) < 15 {
		t.Errorf("read %d decisions, want at least 15", len(seen))
	}
}
