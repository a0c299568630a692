package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

var update = flag.Bool("update", false, "write docs/reference/commands.md anew")

// cell escapes a text for a table cell of Markdown.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "*", `\*`, "<", `\<`).Replace(text)
}

// code returns a text as code for a table cell, or "" for an empty text.
func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + strings.ReplaceAll(text, "|", `\|`) + "`"
}

// reference returns every command with its arguments and flags.
func reference(app *kong.Application) string {
	var b strings.Builder
	b.WriteString("# Commands and flags\n\nThe option `--help` after a command prints the same. A flag is set on the command line, or by its variable\nin the environment. " +
		"This page is made by `go test ./cmd/vitrine -run TestCommandReference -update`.\n")
	for _, leaf := range app.Leaves(true) {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", leaf.FullPath(), cell(leaf.Help))
		if len(leaf.Positional) > 0 {
			b.WriteString("\n| argument | what it is |\n|---|---|\n")
			for _, p := range leaf.Positional {
				fmt.Fprintf(&b, "| %s | %s |\n", code(p.Summary()), cell(p.Help))
			}
		}
		var rows strings.Builder
		for _, f := range leaf.Flags {
			if f.Hidden || f.Name == "help" {
				continue
			}
			name := "--" + f.Name
			if !f.IsBool() {
				name += " " + cmp.Or(f.PlaceHolder, "VALUE")
			}
			fmt.Fprintf(&rows, "| %s | %s | %s | %s |\n", code(name), code(f.Default), code(strings.Join(f.Envs, " ")),
				cell(f.Help))
		}
		if rows.Len() > 0 {
			b.WriteString("\n| flag | default | variable | what it does |\n|---|---|---|---|\n" + rows.String())
		}
	}
	return b.String()
}

// TestCommandReference checks that the reference has every command, argument
// and flag of the program.
func TestCommandReference(t *testing.T) {
	const path = "../../docs/reference/commands.md"
	model := kong.Must(new(cli), kong.Name("vitrine"), kong.ExplicitGroups(groups), helpFacts()).Model
	want := reference(model)
	if n := strings.Count(want, "\n## "); n < 30 {
		t.Fatalf("found only %d commands, want at least 30", n)
	}
	got, err := os.ReadFile(path)
	switch {
	case string(got) == want:
	case *update:
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is out of date (%v): go test ./cmd/vitrine -run %s -update", path, err, t.Name())
	}
}
