package lint_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestClientModule checks that the client is a module of its own: a copy of its
// folder builds elsewhere, without other modules, and imports only the standard
// library.
func TestClientModule(t *testing.T) {
	inRoot(t)
	dir := t.TempDir()
	eachTracked(t, func(name, text string) {
		if strings.HasSuffix(name, "_test.go") {
			return
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}, "client/*")
	run := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", ".")
	run.Dir = dir
	run.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=readonly", "GOWORK=off", "GOMODCACHE="+t.TempDir())
	out, err := run.CombinedOutput()
	if got := strings.TrimSpace(string(out)); err != nil || got != "vitrine/client" {
		t.Errorf("packages outside of the standard library: %s (%v), want only vitrine/client", got, err)
	}
}
