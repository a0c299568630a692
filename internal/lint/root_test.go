package lint_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// inRoot runs a test in the root of the repository, whose files it names. It
// looks at the index of git, so that go test takes no kept result when files
// were added. Both must happen while a test runs: go test does not see what
// TestMain does.
func inRoot(t *testing.T) {
	t.Helper()
	t.Chdir("../..")
	index, err := exec.Command("git", "rev-parse", "--git-path", "index").Output()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(strings.TrimSpace(string(index))); err != nil {
		t.Fatal(err)
	}
}
