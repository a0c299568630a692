package main

import (
	"flag"
	"os"
	"strings"
	"testing"

	"vitrine/internal/cli/command"
)

var update = flag.Bool("update", false, "write testdata/flags.txt")

// flagName returns a flag with its value.
func flagName(f *command.Flag) string {
	name := "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	if kind := f.Value.Type(); kind != "bool" {
		name += " " + kind
	}
	return name
}

// flagsOf returns every command with its arguments and flags, each in a line.
func flagsOf(program *command.Command) string {
	var b strings.Builder
	program.Walk(func(c *command.Command) {
		if c.Hidden {
			return
		}
		b.WriteString(c.CommandPath())
		for _, a := range c.Arguments {
			b.WriteString(" " + a.Summary())
		}
		for _, f := range c.Options {
			b.WriteString(" [" + flagName(f) + "]")
		}
		b.WriteString("\n")
	})
	return b.String()
}

// TestCommandReference checks that testdata/flags.txt has every command of the
// program with its arguments and flags, on which scripts rely.
func TestCommandReference(t *testing.T) {
	flags := flagsOf(newProgram())
	if n := strings.Count(flags, "\n"); n < 30 {
		t.Fatalf("found only %d commands, want at least 30", n)
	}
	for _, word := range []string{" VALUE]", " STRING]"} {
		if strings.Contains(flags, word) {
			t.Errorf("a flag has the value%s, which says nothing", word)
		}
	}
	const path = "testdata/flags.txt"
	got, err := os.ReadFile(path)
	switch {
	case string(got) == flags:
	case *update:
		if err := os.WriteFile(path, []byte(flags), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is out of date (%v): go test ./cmd/vitrine -run %s -update", path, err, t.Name())
	}
}
