package lint_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"testing"
)

// privateName matches a word of a comment that can only be a private name.
var privateName = regexp.MustCompile(`\b[a-z]+[A-Z][A-Za-z]+\b`)

// ofPackage matches a name of a package, which may be a field instead.
var ofPackage = regexp.MustCompile(`\b([a-z]+)\.[A-Z][A-Za-z]+\b`)

// otherNames are the words of this form that are not names of Go code.
var otherNames = []string{"iPad", "kHz", "mIRC"}

// TestNamesInComments checks that each private name in a comment exists: as an
// identifier of any file, or as a word of a string, such as a field of JSON. So
// must a package whose name is in a comment.
func TestNamesInComments(t *testing.T) {
	inRoot(t)
	type word struct{ at, name string }
	var words []word
	known := map[string]bool{}
	eachTracked(t, func(name, text string) {
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, name, text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				known[n.Name] = true
			case *ast.BasicLit:
				for _, w := range privateName.FindAllString(n.Value, -1) {
					known[w] = true
				}
			}
			return true
		})
		for _, g := range f.Comments {
			for _, c := range g.List {
				for _, w := range privateName.FindAllString(c.Text, -1) {
					words = append(words, word{files.Position(c.Pos()).String(), w})
				}
				for _, m := range ofPackage.FindAllStringSubmatch(c.Text, -1) {
					words = append(words, word{files.Position(c.Pos()).String(), m[1]})
				}
			}
		}
	}, "*.go")
	for _, w := range words {
		if !known[w.name] && !slices.Contains(otherNames, w.name) {
			t.Errorf("%s: the comment names %s, which does not exist", w.at, w.name)
		}
	}
}
