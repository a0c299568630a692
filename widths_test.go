package vitrine_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
	"unicode/utf8"
)

// Code wraps at 120 columns, where a tab is four. A literal is not broken: a
// text is found by a search only in one piece. So a line may be wider where a
// long literal or a comment makes it so. Tests hold wide tables of samples.
func TestWidths(t *testing.T) {
	const most, literal, row = 120, 40, 200
	eachTracked(t, func(name, text string) {
		lines := strings.Split(text, "\n")
		wide := map[int]bool{}
		for i, l := range lines {
			if utf8.RuneCountInString(strings.ReplaceAll(l, "\t", "    ")) > most {
				wide[i+1] = true
			}
		}
		if len(wide) == 0 {
			return
		}
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, name, text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		line := func(p token.Pos) int { return files.Position(p).Line }
		ast.Inspect(f, func(n ast.Node) bool {
			if b, ok := n.(*ast.BasicLit); ok && len(b.Value) >= literal {
				for i := line(b.Pos()); i <= line(b.End()); i++ {
					delete(wide, i)
				}
			}
			return true
		})
		for _, c := range f.Comments {
			for i := line(c.Pos()); i <= line(c.End()); i++ {
				if utf8.RuneCountInString(lines[i-1]) <= row {
					delete(wide, i)
				}
			}
		}
		for i := range wide {
			t.Errorf("%s:%d is wider than %d columns:\n%s", name, i, most, lines[i-1])
		}
	}, "*.go", ":!*_test.go")
}
