package lint_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// tourFiles matches the files at the beginning of a line of a tour.
var (
	tourFiles = regexp.MustCompile(`^//\t((?:[a-z0-9_]+(?:\.go|/),? )+)`)
	tourFile  = regexp.MustCompile(`[a-z0-9_]+\.go`)
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
