package lint_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// tourFiles matches the files at the beginning of a line of a tour, and
// tourPackages the packages.
var (
	tourFiles = regexp.MustCompile(`^//\t((?:[a-z0-9_]+(?:\.go|/),? )+)`)
	tourFile  = regexp.MustCompile(`[a-z0-9_]+\.go`)

	tourPackages = regexp.MustCompile(`(?m)^//\t([a-z0-9/]+(?:, [a-z0-9/]+)*)  `)
)

// TestFilesOfTours checks that each file in the tour of a doc.go exists.
func TestFilesOfTours(t *testing.T) {
	inRoot(t)
	listed := 0
	err := filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.Name() != "doc.go" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(text)) {
			for _, name := range tourFile.FindAllString(tourFiles.FindString(strings.TrimSpace(line)+" "), -1) {
				listed++
				if _, err := os.Stat(filepath.Join(filepath.Dir(path), name)); err != nil {
					t.Errorf("%s lists %s, which does not exist", path, name)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if listed < 20 {
		t.Errorf("found %d files in tours, want at least 20", listed)
	}
}

// TestPackagesOfTour checks that the tour of the root's doc.go has each folder,
// and each package of the folders whose packages it lists; and nothing else.
func TestPackagesOfTour(t *testing.T) {
	inRoot(t)
	listed := []string{"app", "backend", "base"}
	want := map[string]bool{}
	eachTracked(t, func(name, _ string) {
		parts := strings.Split(strings.TrimPrefix(name, "internal/"), "/")
		if len(parts) > 1 {
			want[parts[0]] = true
		}
		if len(parts) > 2 && slices.Contains(listed, parts[0]) {
			want[parts[1]] = true
		}
	}, "*.go", "docs", "deploy", "tools")
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, tree, _ := strings.Cut(string(text), "# The tree")
	tree, _, _ = strings.Cut(tree, "# Ports")
	tour := map[string]bool{}
	for _, m := range tourPackages.FindAllStringSubmatch(tree, -1) {
		for name := range strings.SplitSeq(m[1], ", ") {
			top, _, _ := strings.Cut(name, "/")
			tour[top] = true
			if !want[top] {
				t.Errorf("the tour in doc.go has %s, which does not exist", name)
			}
		}
	}
	for name := range want {
		if !tour[name] {
			t.Errorf("the tour in doc.go lacks %s", name)
		}
	}
}
