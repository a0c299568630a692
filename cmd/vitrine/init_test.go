package main

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestInit checks that no package of the program makes at the start, which
// every command waits for, what only some of them need. It looks at the memory
// that it takes, because time depends on what else the machine does.
func TestInit(t *testing.T) {
	const most = 150_000
	larger := map[string]int{
		"vitrine/internal/visitor": 650_000, // names of programs and sites, for every view
	}
	cmd := exec.Command("vitrine", "--version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var trace strings.Builder
	cmd.Stderr = &trace
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	packages := regexp.MustCompile(`(?m)^init (vitrine/\S+) .* (\d+) bytes`).FindAllStringSubmatch(trace.String(), -1)
	if len(packages) < 20 {
		t.Fatalf("%d packages are traced: %s", len(packages), trace.String())
	}
	for _, p := range packages {
		limit := most
		if n, ok := larger[p[1]]; ok {
			limit = n
		}
		if n, err := strconv.Atoi(p[2]); err != nil || n > limit {
			t.Errorf("%s takes %d bytes at the start, want at most %d (make the rest when it is first needed: sync.OnceValue)",
				p[1], n, limit)
		}
	}
}
