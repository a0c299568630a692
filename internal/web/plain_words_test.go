package web_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// Pages name the administrator by that word.
func TestPlainWords(t *testing.T) {
	t.Parallel()
	unclear := regexp.MustCompile(`(?i)whoever (runs|put)|on and off display`)
	files, err := filepath.Glob("templates/*.html")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d templates, %v", len(files), err)
	}
	goFiles, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, goFiles...) {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if found := unclear.Find(b); found != nil && file != "plain_words_test.go" {
			t.Errorf("%s: %q", file, found)
		}
	}
}
