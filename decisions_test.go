package vitrine_test

import (
	"os"
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
	if len(want) < 20 {
		t.Errorf("read %d decisions, want at least 20", len(want))
	}
	if rows := regexp.MustCompile(`(?m)^\| \d.*$`).FindAllString(index, -1); !slices.Equal(rows, want) {
		t.Errorf("the index lists %q, want %q", rows, want)
	}
}

// TestGlossary checks that the glossary of the documentation has each term of
// the one in doc.go.
func TestGlossary(t *testing.T) {
	code, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	docs, err := os.ReadFile("docs/reference/glossary.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(code), "# Glossary")
	list, _, _ = strings.Cut(list, "\n// # ")
	terms := regexp.MustCompile(`(?m)^//\t(\S+(?: \S+)*)  +\S`).FindAllStringSubmatch(list, -1)
	if len(terms) < 15 {
		t.Fatalf("found %d terms, want at least 15", len(terms))
	}
	for _, m := range terms {
		if !strings.Contains(string(docs), "\n| "+m[1]+" |") {
			t.Errorf("docs/reference/glossary.md lacks %q", m[1])
		}
	}
}
