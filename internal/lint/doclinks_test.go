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

// docLink matches a name of this module in square brackets in a comment: a
// declaration or a member, with or without its package.
var docLink = regexp.MustCompile(`\[\*?((?:[a-z]\w*\.)?[A-Z][a-zA-Z0-9]*[a-z][a-zA-Z0-9]*(?:\.[A-Z][a-zA-Z0-9]*)?)\]`)

// qualified matches a name behind that of a package, and codeLines the code in
// a comment.
var (
	qualified = regexp.MustCompile(`(?:^|[\s(*])([a-z]\w+)\.([A-Z]\w*[a-z]\w*)`)
	codeLines = regexp.MustCompile(`(?m)^\t.*$`)
)

// declared calls f with each name that a file declares at package level, and
// with Type.Member for methods and for members of structs and interfaces.
func declared(file *ast.File, f func(name string)) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			if d.Recv != nil {
				name = typeName(d.Recv.List[0].Type) + "." + name
			}
			f(name)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.ValueSpec:
					for _, n := range s.Names {
						f(n.Name)
					}
				case *ast.TypeSpec:
					f(s.Name.Name)
					for _, m := range members(s.Type) {
						f(s.Name.Name + "." + m)
					}
				}
			}
		}
	}
}

func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.IndexExpr:
		return typeName(e.X)
	case *ast.IndexListExpr:
		return typeName(e.X)
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// members returns the names in a struct or an interface. An embedded one adds
// "*", because its own members are not looked up.
func members(e ast.Expr) (names []string) {
	var list *ast.FieldList
	switch e := e.(type) {
	case *ast.StructType:
		list = e.Fields
	case *ast.InterfaceType:
		list = e.Methods
	default:
		return nil
	}
	for _, field := range list.List {
		for _, n := range field.Names {
			names = append(names, n.Name)
		}
		if len(field.Names) == 0 {
			names = append(names, typeName(field.Type), "*")
		}
	}
	return names
}

// TestDocLinks checks that each name in square brackets in a comment is
// declared, and each name behind that of a package.
func TestDocLinks(t *testing.T) {
	inRoot(t)
	names := map[string]map[string]bool{} // by directory
	imported := map[string]bool{}         // the last words of paths
	type comment struct {
		at, dir, text string
		file          map[string]bool // its identifiers
	}
	var comments []comment
	eachTracked(t, func(name, text string) {
		if !strings.HasSuffix(name, ".go") || strings.HasPrefix(name, "tools/") || strings.HasPrefix(name, "bench/") {
			return
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		dir := path.Dir(name)
		if names[dir] == nil {
			names[dir] = map[string]bool{}
		}
		declared(file, func(n string) { names[dir][n] = true })
		identifiers := map[string]bool{}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				identifiers[n.Name] = true
			case *ast.ImportSpec:
				imported[path.Base(strings.Trim(n.Path.Value, `"`))] = true
			}
			return true
		})
		for _, c := range file.Comments {
			comments = append(comments, comment{set.Position(c.Pos()).String(), dir, c.Text(), identifiers})
		}
	}, "*.go")
	byName := map[string]map[string]bool{}
	for dir, n := range names {
		base := path.Base(dir)
		if dir == "." {
			base = "vitrine"
		}
		if byName[base] == nil {
			byName[base] = map[string]bool{}
		}
		for name := range n {
			byName[base][name] = true
		}
	}
	read := 0
	for _, c := range comments {
		for _, m := range qualified.FindAllStringSubmatch(codeLines.ReplaceAllString(c.text, ""), -1) {
			in, of := byName[m[1]], m[1]
			if in == nil && !imported[of] && !c.file[of] || in != nil && !c.file[of] && !in[m[2]] {
				t.Errorf("%s: %s.%s is not declared", c.at, of, m[2])
			}
		}
		for _, m := range docLink.FindAllStringSubmatch(c.text, -1) {
			in, name := names[c.dir], m[1]
			if pkg, rest, _ := strings.Cut(name, "."); pkg == strings.ToLower(pkg) {
				if in = byName[pkg]; in == nil {
					continue // a name of the standard library
				}
				name = rest
			}
			read++
			holder, _, _ := strings.Cut(name, ".")
			if !in[name] && !in[holder+".*"] {
				t.Errorf("%s: %s is not declared", c.at, m[0])
			}
		}
	}
	if read < 100 {
		t.Errorf("read %d names, want at least 100", read)
	}
}
