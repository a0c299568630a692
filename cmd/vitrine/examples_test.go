package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/base/notation"
	"vitrine/internal/cli/command"
)

// TestExamplesAreAccepted checks that each command has an example in its help,
// that the program accepts it, and that a server accepts its slugs and times.
func TestExamplesAreAccepted(t *testing.T) {
	newProgram().Walk(func(c *command.Command) {
		if c.Hidden {
			return
		}
		if c.Example == "" {
			t.Errorf("the help of %s has no example", c.FullName())
		}
		for line := range strings.Lines(c.Example) {
			line, _, _ = strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "vitrine "), " | ")
			args := strings.Fields(line)
			for i := len(args) - 1; i > 0; i-- { // join quoted words
				if strings.HasSuffix(args[i], "'") && !strings.HasPrefix(args[i], "'") {
					args[i-1] += " " + args[i]
					args = append(args[:i], args[i+1:]...)
				}
			}
			chosen, err := newProgram().Parse(args, io.Discard)
			if err != nil {
				t.Errorf("parse %s: %v", line, err)
			} else if chosen.FullName() != c.FullName() {
				t.Errorf("%s is of %q, but in the help of %q", line, chosen.FullName(), c.FullName())
			}
			checkExample(t, line, args)
		}
	})
}

// checkExample checks the values of an example that only a command or a server
// checks.
func checkExample(t *testing.T, line string, args []string) {
	t.Helper()
	for i, arg := range args[:len(args)-1] {
		var err error
		switch value := args[i+1]; arg {
		case "--slug", "--replace":
			_, err = vitrine.ParseSlug(value)
		case "--to":
			if args[0] == "deploy" {
				_, err = vitrine.ParseSlug(value)
			}
		case "--expires":
			_, err = notation.ParseTime(value, time.Now())
		}
		if err != nil {
			t.Errorf("%s: %s: %v", line, arg, err)
		}
	}
	for _, arg := range args {
		if strings.HasPrefix(arg, "q3") {
			if _, err := vitrine.ParseSlug(arg); err != nil {
				t.Errorf("%s: %s: %v", line, arg, err)
			}
		}
	}
}

// TestSlugsOfGuidesAreFree checks that a server accepts the slugs of the
// commands in the documentation.
func TestSlugsOfGuidesAreFree(t *testing.T) {
	slug := regexp.MustCompile(`vitrine (?:put|deploy|edit) [^` + "`" + `\n]*?--(?:slug|replace|to) ([a-z0-9-]+)`)
	found := 0
	pages, err := filepath.Glob("../../docs/*/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range slug.FindAllStringSubmatch(string(text), -1) {
			found++
			if _, err := vitrine.ParseSlug(m[1]); err != nil {
				t.Errorf("%s: %s: %v", page, m[0], err)
			}
		}
	}
	if found == 0 {
		t.Error("found no commands with slugs")
	}
}
