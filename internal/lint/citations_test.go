package lint_test

import (
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// citation matches a reference to the specification: (contract, Link states),
// (import format), (promise 9) or (promises 5, 6).
var citation = regexp.MustCompile(`\((contract|analytics|engagement|events|security|import format|promises?)(?:,? ([^()]+))?\)`)

// promised matches the numbers of promises in a citation.
var promised = regexp.MustCompile(`^\d+(, \d+)*$`)

// headings returns the headings of a page of the specification in lower case,
// or the numbers of the promises.
func headings(t *testing.T, page string) map[string]bool {
	t.Helper()
	b, err := os.ReadFile(path.Join("docs/specification", page+".md"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^(?:#+ (.+)|(\d+)\. )`).FindAllStringSubmatch(string(b), -1) {
		found[strings.ToLower(m[1]+m[2])] = true
	}
	return found
}

// broken matches a line break within a comment.
var broken = regexp.MustCompile(`\s*\n[ \t]*(?://|\*)?[ \t]*`)

// quoted matches a citation by the words of a page, which change.
var quoted = regexp.MustCompile(`\((?:contract|analytics|engagement|events|security|promises?): "[^()]*\)`)

// faultyCitations returns the citations in a text that are not in the
// specification.
func faultyCitations(pages map[string]map[string]bool, text string) (faults []string) {
	for _, m := range citation.FindAllStringSubmatch(text, -1) {
		page, section := m[1], broken.ReplaceAllString(m[2], " ")
		switch {
		case strings.HasPrefix(page, "promise"):
			if !promised.MatchString(section) {
				continue // the word, not a citation
			}
			for _, n := range strings.Split(section, ", ") {
				if !pages["promises"][n] {
					faults = append(faults, m[0])
				}
			}
		case section == "", page == "events" && strings.ToLower(section[:1]) == section[:1]: // code
		case !strings.HasPrefix(m[0], "("+page+","):
		case !pages[strings.TrimSuffix(page, " format")][strings.ToLower(section)]:
			faults = append(faults, m[0])
		}
	}
	return append(faults, quoted.FindAllString(text, -1)...)
}

// TestCitations checks that each citation in code, pages and documents leads to
// a heading of the specification.
func TestCitations(t *testing.T) {
	inRoot(t)
	pages := map[string]map[string]bool{}
	for _, page := range []string{"contract", "analytics", "engagement", "events", "security", "import", "promises"} {
		pages[page] = headings(t, page)
	}
	for text, want := range map[string]int{"(contract, Nothing)": 1, "(contract, link states)": 0, "(promise 23)": 1,
		"(promises 1, 22)": 0, "(promise of it)": 0, "(engagement data)": 0,
		"(analytics, Totals) (security, Surface)": 1, "(import format)": 0, "(contract, Link\n\t// states)": 0,
		"(security: \"no\n// macros\")": 1} {
		if got := faultyCitations(pages, text); len(got) != want {
			t.Errorf("faultyCitations(%s) = %q", text, got)
		}
	}
	old := regexp.MustCompile(`analytics semantics|service specification`)
	cited := 0
	eachTracked(t, func(file, text string) {
		if file == "internal/lint/citations_test.go" {
			return
		}
		for _, fault := range faultyCitations(pages, text) {
			t.Errorf("%s cites %s, which is not in docs/specification", file, fault)
		}
		if m := old.FindString(broken.ReplaceAllString(text, " ")); m != "" {
			t.Errorf("%s cites the %s, which is not a page of docs/specification", file, m)
		}
		cited += len(citation.FindAllString(text, -1))
	}, "*.go", "*.md", "*.js", "*.html", "*.css", "*.sql")
	if cited < 50 {
		t.Errorf("found %d citations, want at least 50", cited)
	}
}
