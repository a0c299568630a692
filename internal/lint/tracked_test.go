package lint_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// eachTracked calls f with the name and the text of each file of the repository
// that a pattern of git matches, except for third-party files and test data.
func eachTracked(t *testing.T, f func(name, text string), patterns ...string) {
	t.Helper()
	if _, err := os.Stat("go.mod"); err != nil {
		t.Fatal("the test is not inRoot: ", err)
	}
	out, err := exec.Command("git", append([]string{"ls-files", "--"}, patterns...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	for name := range strings.FieldsSeq(string(out)) {
		if strings.Contains(name, "/vendor/") || strings.Contains(name, "testdata/") {
			continue
		}
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f(name, string(b))
	}
}

// TestNoLargeFiles checks that no large file is committed, such as a binary or
// a recording, because it would stay in every clone forever.
func TestNoLargeFiles(t *testing.T) {
	inRoot(t)
	const most = 2_000_000
	eachTracked(t, func(name, text string) {
		if len(text) > most {
			t.Errorf("%s has %d bytes, want at most %d", name, len(text), most)
		}
	})
}

// TestRoot checks that the root of the repository has few entries, because its
// list is the first that a reader sees.
func TestRoot(t *testing.T) {
	inRoot(t)
	const most = 40
	out, err := exec.Command("git", "ls-files").Output()
	if err != nil {
		t.Fatal(err)
	}
	entries := map[string]bool{}
	for name := range strings.Lines(string(out)) {
		entry, _, _ := strings.Cut(strings.TrimSpace(name), "/")
		entries[entry] = true
	}
	if len(entries) > most {
		t.Errorf("the root has %d entries, want at most %d", len(entries), most)
	}
}

// TestImageContext checks that the context of an image has each package of the
// program.
func TestImageContext(t *testing.T) {
	inRoot(t)
	ignored, err := os.ReadFile(".dockerignore")
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "list", "-deps", "./cmd/vitrine").Output()
	if err != nil {
		t.Fatal(err)
	}
	for p := range strings.FieldsSeq(string(out)) {
		if dir, ok := strings.CutPrefix(p, "vitrine/"); ok {
			top, _, _ := strings.Cut(dir, "/")
			if !strings.Contains(string(ignored), "\n!"+top+"\n") {
				t.Errorf("%s is not in the context of an image: .dockerignore lacks !%s", p, top)
			}
		}
	}
}
