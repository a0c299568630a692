package lint_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"
	"testing"
)

// prepared are the functions whose results are made once and kept.
var prepared = []string{"strings.NewReplacer", "regexp.MustCompile", "regexp.Compile"}

// preparedOnce are the functions that may compile an expression or build a
// replacer, because they run once, or because it depends on their arguments.
var preparedOnce = []string{
	"internal/web/front.docWords",    // from what a reader looks for
	"internal/filetype/text.pattern", // once, when it is first used
}

// TestPreparedOnce checks that no function compiles an expression or builds a
// replacer each time it is called. Such a call costs more than the work that
// it is for, and requests pay for it.
func TestPreparedOnce(t *testing.T) {
	inRoot(t)
	eachTracked(t, func(name, text string) {
		if strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "internal/test/") ||
			strings.HasPrefix(name, "tools/") ||
			!strings.Contains(text, "strings.NewReplacer(") && !strings.Contains(text, "regexp.") {
			return
		}
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, name, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil || slices.Contains(preparedOnce, path.Dir(name)+"."+fn.Name.Name) {
				continue
			}
			ast.Inspect(fn.Body, func(n ast.Node) bool {
				sel, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				of, ok := sel.X.(*ast.Ident)
				if ok && slices.Contains(prepared, of.Name+"."+sel.Sel.Name) {
					t.Errorf("%s: %s calls %s.%s each time: use a variable of the package", files.Position(n.Pos()),
						fn.Name.Name, of.Name, sel.Sel.Name)
				}
				return true
			})
		}
	}, "*.go")
}
