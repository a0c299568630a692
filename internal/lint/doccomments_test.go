package lint_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"strings"
	"testing"
)

// nameLike matches a first word that is a name. A sentence begins with a
// capital letter and has no other capital in its first word.
var nameLike = regexp.MustCompile(`^([a-z]\w*|[A-Z]+[a-z]\w*[A-Z]\w*)$`)

// TestDocComments checks that a doc comment of a function or type that begins
// with a name begins with the declared name.
func TestDocComments(t *testing.T) {
	inRoot(t)
	eachTracked(t, func(name, text string) {
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, name, text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		check := func(doc *ast.CommentGroup, declared string) {
			first, _, _ := strings.Cut(strings.TrimSpace(doc.Text()), " ")
			if first != declared && nameLike.MatchString(first) {
				t.Errorf("%s: the comment of %s begins with %q", files.Position(doc.Pos()), declared, first)
			}
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if !strings.HasPrefix(d.Name.Name, "Test") && !strings.HasPrefix(d.Name.Name, "Benchmark") {
					check(d.Doc, d.Name.Name)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if s, ok := s.(*ast.TypeSpec); ok && d.Lparen.IsValid() {
						check(s.Doc, s.Name.Name)
					} else if ok {
						check(d.Doc, s.Name.Name)
					}
				}
			}
		}
	}, "*.go")
}

// TestPackageComments checks that one file of a package has the comment of the
// package, which begins with its name: of two, readers of the documentation see
// the second one in the middle of a sentence.
func TestPackageComments(t *testing.T) {
	inRoot(t)
	comments := map[string][]string{}
	eachTracked(t, func(name, text string) {
		if strings.HasSuffix(name, "_test.go") {
			return
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		dir := path.Dir(name)
		if comments[dir] == nil {
			comments[dir] = []string{}
		}
		if f.Doc == nil {
			return
		}
		comments[dir] = append(comments[dir], name)
		if f.Name.Name != "main" && !strings.HasPrefix(f.Doc.Text(), "Package "+f.Name.Name+" ") {
			t.Errorf("%s: the comment of the package does not begin with Package %s", name, f.Name.Name)
		}
	}, "*.go")
	for dir, files := range comments {
		if len(files) != 1 {
			t.Errorf("%s has the comment of the package in %q, want it in one file", dir, files)
		}
	}
}
