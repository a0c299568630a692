package lint_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestWidths checks that code wraps at 120 columns, where a tab counts as four.
// Literals are not broken, so that a search finds their text: a line of code
// may be wider because of a long literal or a comment. Tests may have wide
// tables of samples.
func TestWidths(t *testing.T) {
	inRoot(t)
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

// wideComment matches comments that may be wider: those for a tool, tables and
// samples, and one long word such as a URL.
var wideComment = regexp.MustCompile(`^//(go:|nolint|\t|   npx )|^//\s*\S*://\S+$`)

func TestCommentWidths(t *testing.T) {
	inRoot(t)
	const most = 80
	eachTracked(t, func(name, text string) {
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, name, text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(text, "\n")
		for _, group := range f.Comments {
			for _, c := range group.List {
				p := files.Position(c.Pos())
				l := lines[p.Line-1]
				beside := strings.TrimLeft(l[:p.Column-1], "\t") != ""
				if beside || !strings.HasPrefix(c.Text, "//") || wideComment.MatchString(c.Text) {
					continue
				}
				if utf8.RuneCountInString(strings.ReplaceAll(l, "\t", "    ")) > most {
					t.Errorf("%s:%d is wider than %d columns:\n%s", name, p.Line, most, l)
				}
			}
		}
	}, "*.go")
}

// TestCommentWidthsOfScripts checks that comments of scripts and styles wrap at
// 80 columns. A comment beside code is part of a line of code, which wraps at
// 120.
func TestCommentWidthsOfScripts(t *testing.T) {
	inRoot(t)
	const most, code = 80, 120
	read := 0
	eachTracked(t, func(name, text string) {
		style := path.Ext(name) == ".css"
		inside := false
		for i, l := range strings.Split(text, "\n") {
			trimmed, width := strings.TrimSpace(l), utf8.RuneCountInString(l)
			begins := style && strings.HasPrefix(trimmed, "/*") || !style && strings.HasPrefix(trimmed, "//")
			inside = style && (inside || strings.Contains(l, "/*"))
			switch {
			case begins || inside && !strings.Contains(l, "/*"):
				read++
				if width > most && !wideComment.MatchString(trimmed) {
					t.Errorf("%s:%d is wider than %d columns:\n%s", name, i+1, most, l)
				}
			case width > code && (inside || !style && besideCode.MatchString(l)):
				t.Errorf("%s:%d is wider than %d columns:\n%s", name, i+1, code, l)
			}
			if strings.Contains(l, "*/") {
				inside = false
			}
		}
	}, "*.js", "*.mjs", "*.ts", "*.css")
	if read < 600 {
		t.Errorf("read %d lines of comments, want at least 600", read)
	}
}

// besideCode matches a line of a script that ends with a comment.
var besideCode = regexp.MustCompile(`\S.*\s//\s`)

// unbreakable matches what may make a line of Markdown wider: a row of a table,
// a definition of a link, and a long word or code span.
var unbreakable = regexp.MustCompile("^ *\\||^\\[[^]]+\\]:|[^` ]{60}|`[^`]{60,}`")

// continued matches a line of Markdown that the next line may continue, and
// nextWord the next line's first word, unless it is code, a link or the
// beginning of something else.
var (
	continued = regexp.MustCompile(`^[^#|<]*[^#|<\s\\]$`)
	nextWord  = regexp.MustCompile(`^ *([A-Za-z][a-z]*[,.;]?)( |$)`)
)

// TestMarkdownWidths checks that lines of Markdown wrap at 100 columns: none is
// wider, and none is far narrower and has room for the next word.
func TestMarkdownWidths(t *testing.T) {
	inRoot(t)
	const most, least = 100, 80
	eachTracked(t, func(name, text string) {
		fence, before := "", ""
		for i, l := range strings.Split(text, "\n") {
			word := nextWord.FindStringSubmatch(l)
			if fence == "" && word != nil && continued.MatchString(before) && before != "---" &&
				utf8.RuneCountInString(before+" "+word[1]) < least {
				t.Errorf("%s:%d has room for the next word:\n%s", name, i, before)
			}
			before = l
			mark := strings.TrimLeft(l, " ")
			switch {
			case fence != "":
				if strings.TrimSpace(l) == fence {
					fence = ""
				}
			case strings.HasPrefix(mark, "```"):
				fence = mark[:len(mark)-len(strings.TrimLeft(mark, "`"))]
			case i == 0 && l == "---": // the front matter of a page, in YAML
				fence = l
			case utf8.RuneCountInString(l) > most && !unbreakable.MatchString(l):
				t.Errorf("%s:%d is wider than %d columns:\n%s", name, i+1, most, l)
			}
		}
	}, "*.md")
}
