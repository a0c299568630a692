package lint_test

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestDecisions checks that all decisions have the same sections in the same
// order, and that the index lists each with its title.
func TestDecisions(t *testing.T) {
	inRoot(t)
	heading := regexp.MustCompile(`(?m)^## (.+)$`)
	title := regexp.MustCompile(`^# (\d+)\. (.+)\n`)
	sections := []string{"Context", "Decision", "Consequences"}
	var index string
	var want []string
	eachTracked(t, func(file, text string) {
		name := path.Base(file)
		if name == "README.md" {
			index = text
			return
		}
		m := title.FindStringSubmatch(text)
		if m == nil {
			t.Errorf("%s does not begin with its number and title", file)
			return
		}
		n, _ := strconv.Atoi(strings.SplitN(name, "-", 2)[0])
		if m[1] != strconv.Itoa(n) {
			t.Errorf("%s has the number %s", file, m[1])
		}
		var found []string
		for _, h := range heading.FindAllStringSubmatch(text, -1) {
			found = append(found, h[1])
		}
		if !slices.Equal(found, sections) {
			t.Errorf("%s has the sections %q, want %q", file, found, sections)
		}
		want = append(want, "| "+m[1]+" | ["+m[2]+"]("+name+") |")
	}, "docs/decisions/*.md")
	if len(want) < 15 {
		t.Errorf("read %d decisions, want at least 15", len(want))
	}
	if rows := regexp.MustCompile(`(?m)^\| \d.*$`).FindAllString(index, -1); !slices.Equal(rows, want) {
		t.Errorf("the index lists %q, want %q", rows, want)
	}
}
