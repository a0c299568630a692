package vitrine_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
	"testing"
)

// avoided are words and phrases that readers of pages, logs, errors and help
// have to decode. docs/specification and doc.go have the plain ones.
var avoided = regexp.MustCompile(`(?i)\b(whoever|whomever|whom|somebody|tells? apart|told apart|put away|puts away|let go|lets go|text of chance|on display|off display|put back on|meanwhile|very same|most likely you|unwanted messages|in the place of|(one|someone)[’']s own|good for an? (day|hour|week)|look among|stands|will stand|goes by|knower|unsee)\b`)

// administrator are old names of the administrator and of what they do, which
// comments avoid, too.
var administrator = regexp.MustCompile(`(?i)whoever (runs|put)|on and off display`)

// texts calls f with each string of a Go file that has a space in it: a
// sentence, and no name.
func texts(t *testing.T, file string, f func(line int, text string)) {
	t.Helper()
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if s, ok := n.(*ast.BasicLit); ok && s.Kind == token.STRING && strings.Contains(s.Value, " ") {
			f(set.Position(s.Pos()).Line, s.Value)
		}
		return true
	})
}

// Sentences in logs, errors, command-line help and pages use plain words.
func TestPlainWordsEverywhere(t *testing.T) {
	if !avoided.MatchString("Whoever opens it") || avoided.MatchString("The link is live.") {
		t.Fatal("the pattern does not find what it should")
	}
	actions := regexp.MustCompile(`\{\{[^}]*\}\}|<[^>]*>`)
	read := 0
	eachTracked(t, func(file, text string) {
		if m := administrator.FindString(text); m != "" && file != "words_test.go" {
			t.Errorf("%s: %q", file, m)
		}
		switch {
		case strings.HasSuffix(file, "_test.go"), strings.Contains(file, "vitrinetest/"),
			strings.HasPrefix(file, "bench/"), strings.HasPrefix(file, "tools/"):
		case strings.HasSuffix(file, ".go"):
			texts(t, file, func(line int, text string) {
				read++
				if word := avoided.FindString(text); word != "" {
					t.Errorf("%s:%d: %q in %.80s", file, line, word, text)
				}
			})
		default:
			for i, line := range strings.Split(actions.ReplaceAllString(text, " "), "\n") {
				read++
				if word := avoided.FindString(line); word != "" {
					t.Errorf("%s:%d: %q in %.80s", file, i+1, word, line)
				}
			}
		}
	}, "*.go", "*.html")
	if read < 5000 {
		t.Errorf("only %d texts were read", read)
	}
}
