package vitrine_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// eachTracked calls f with each file of the repository that a pattern of git
// matches, and its text. Files of others, and test data, are left out.
func eachTracked(t *testing.T, f func(name, text string), patterns ...string) {
	t.Helper()
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

// A program that was built in the checkout, or a recording, stays in every
// clone for ever.
func TestNoLargeFiles(t *testing.T) {
	const most = 2_000_000
	eachTracked(t, func(name, text string) {
		if len(text) > most {
			t.Errorf("%s has %d bytes, more than %d", name, len(text), most)
		}
	})
}
