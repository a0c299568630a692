package main

import (
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"vitrine/internal/cli/command"
)

// inDocs matches the commands and flags in documents: in code spans and blocks.
var inDocs = regexp.MustCompile("(?s)(?m:^ *```(?:sh|)(?: [^\n]*)?\n(.*?)^ *```$|^ *```[a-z].*?\n *```$)|`([^`\n]+)`")

// ofOthers are flags of other programs that the documents mention.
var ofOthers = map[string]bool{"--fdpass": true, "--header": true}

// shellWord is a word of a command: bare, or in quotes.
var shellWord = regexp.MustCompile(`(?:'[^']*'|"[^"]*"|[^\s'"])+`)

// words returns the words of a line without quotes and comments.
func words(line string) (all []string) {
	for _, w := range shellWord.FindAllString(line, -1) {
		if strings.HasPrefix(w, "#") || w == "|" || w == ">" {
			break
		}
		all = append(all, strings.NewReplacer(`'`, "", `"`, "").Replace(w))
	}
	return all
}

// faultOf returns what is wrong with a command in a document, or "" if nothing
// is. The command may leave out required arguments, but every command and flag
// in it must exist.
func faultOf(args []string) string {
	_, err := newProgram().Parse(args, io.Discard)
	if err != nil && regexp.MustCompile(`unexpected|unknown|no command`).MatchString(err.Error()) {
		return err.Error()
	}
	return ""
}

// TestCommandsInDocs checks that every vitrine command and flag in the
// documents exists.
func TestCommandsInDocs(t *testing.T) {
	if faultOf([]string{"admin", "link", "paint"}) == "" || faultOf([]string{"put", "--fast", "x"}) == "" ||
		faultOf([]string{"admin", "link"}) != "" {
		t.Fatal("faultOf accepts a command or flag that does not exist, or refuses one that does")
	}
	flags := map[string]bool{"--help": true, "--quiet": true, "--version": true}
	newProgram().Walk(func(c *command.Command) {
		for _, f := range c.Options {
			flags["--"+f.Name] = true
		}
	})
	out, err := exec.Command("git", "-C", "../..", "ls-files", "--", "*.md").Output()
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for file := range strings.FieldsSeq(string(out)) {
		if strings.Contains(file, "/vendor/") || strings.HasPrefix(file, "docs/decisions/") {
			continue
		}
		text, err := os.ReadFile("../../" + file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range inDocs.FindAllStringSubmatch(string(text), -1) {
			for line := range strings.SplitSeq(m[1]+m[2], "\n") {
				args := words(line)
				switch {
				case len(args) > 1 && (args[0] == "vitrine" || args[0] == "bin/vitrine"):
					read++
					if fault := faultOf(args[1:]); fault != "" {
						t.Errorf("%s: %s: %s", file, line, fault)
					}
				case len(args) > 0 && strings.HasPrefix(args[0], "--") && m[1] == "":
					read++
					if name, _, _ := strings.Cut(args[0], "="); !flags[name] && !ofOthers[name] {
						t.Errorf("%s: flag %s does not exist", file, name)
					}
				}
			}
		}
	}
	if read < 100 {
		t.Errorf("found only %d commands and flags, want at least 100", read)
	}
}
