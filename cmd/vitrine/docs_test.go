package main

import (
	"html"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// inDocs matches the commands and flags in documents: in code spans and blocks
// of Markdown, and in <code> of pages.
var inDocs = regexp.MustCompile("(?s)(?m:^```(?:sh|)\n(.*?)^```$)|`([^`\n]+)`|<code[^>]*>(.*?)</code>")

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
func faultOf(t *testing.T, args []string) string {
	t.Helper()
	parser := newParser(new(cli), kong.Exit(func(int) {}), kong.Writers(new(strings.Builder), new(strings.Builder)))
	_, err := parser.Parse(args)
	if err != nil && regexp.MustCompile(`unexpected|unknown`).MatchString(err.Error()) {
		return err.Error()
	}
	return ""
}

// TestCommandsInDocs checks that every vitrine command and flag in the
// documents exists.
func TestCommandsInDocs(t *testing.T) {
	if faultOf(t, []string{"link", "paint"}) == "" || faultOf(t, []string{"put", "--fast", "x"}) == "" ||
		faultOf(t, []string{"link"}) != "" {
		t.Fatal("faultOf accepts a command or flag that does not exist, or refuses one that does")
	}
	flags := map[string]bool{"--help": true}
	model := newParser(new(cli)).Model
	_ = kong.Visit(model, func(n kong.Visitable, next kong.Next) error {
		if f, ok := n.(*kong.Flag); ok {
			flags["--"+f.Name] = true
		}
		return next(nil)
	})
	out, err := exec.Command("git", "-C", "../..", "ls-files", "--", "*.md", "internal/web/front/docs_*.html").Output()
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
			for line := range strings.SplitSeq(html.UnescapeString(m[1]+m[2]+m[3]), "\n") {
				args := words(line)
				switch {
				case len(args) > 1 && (args[0] == "vitrine" || args[0] == "bin/vitrine"):
					read++
					if fault := faultOf(t, args[1:]); fault != "" {
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
