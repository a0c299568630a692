package vitrinetest

import (
	"os"
	"os/exec"
	"testing"

	"vitrine/internal/test/tier"
)

// Program returns the path of a program that a test needs, given by name or by
// several paths to try. It skips the test in tier check. If the program is
// missing, it skips the test, or fails it if CI is set.
func Program(t testing.TB, names ...string) string {
	t.Helper()
	tier.Need(t, tier.Test, names[0])
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	Missing(t, names[0])
	return ""
}

// Missing skips a test that needs something this machine does not have, or
// fails it if CI is set.
func Missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf("%s is missing", what)
	}
	t.Skipf("%s is missing, so %s is skipped", what, t.Name())
}
