package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/command"
	"vitrine/internal/terminal"
)

// TestExamplesAreAccepted checks that the program accepts every example of the
// help, and that a server accepts its slugs and times.
func TestExamplesAreAccepted(t *testing.T) {
	for name, lines := range command.Examples {
		for _, line := range lines {
			line, _, _ = strings.Cut(line, " | ")
			parser := newParser(new(cli))
			args := strings.Fields(line)
			for i := len(args) - 1; i > 0; i-- { // join quoted words
				if strings.HasSuffix(args[i], "'") && !strings.HasPrefix(args[i], "'") {
					args[i-1] += " " + args[i]
					args = append(args[:i], args[i+1:]...)
				}
			}
			k, err := parser.Parse(args)
			if err != nil {
				t.Errorf("parse %s: %v", line, err)
			} else if got := command.Name(k.Selected()); got != name {
				t.Errorf("%s is of %q", line, got)
			}
			checkExample(t, line, args)
		}
	}
	parser := newParser(new(cli))
	var help strings.Builder
	for _, node := range parser.Model.Leaves(false) {
		help.WriteString(node.Detail)
	}
	for name, lines := range command.Examples {
		if !strings.Contains(help.String(), "\n  vitrine "+lines[0]) {
			t.Errorf("no help shows the examples of %s", name)
		}
	}
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
			_, err = terminal.ParseWhen(value, time.Now())
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
