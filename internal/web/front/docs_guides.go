package front

import (
	"bytes"
	"fmt"
	"html/template"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"vitrine/docs"
	"vitrine/internal/web/ui"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// A guide is a how-to page of the repository as HTML.
type guide struct {
	Sections []docSection
	HTML     template.HTML
}

// guidePages maps the files of served guides to paths.
var guidePages = map[string]string{
	"accounts.md":     docsRoot + "/accounts",
	"cities.md":       docsRoot + "/self-hosting#cities",
	"command-line.md": docsRoot + "/command-line",
	"moderation.md":   docsRoot + "/moderation",
	"reports.md":      docsRoot + "/reports",
	"scanning.md":     docsRoot + "/file-types",
	"websites.md":     docsRoot + "/websites",
}

var guideMarkdown = goldmark.New(goldmark.WithExtensions(extension.Table,
	extension.NewTypographer(extension.WithTypographicSubstitutions(extension.TypographicSubstitutions{
		extension.EnDash: nil, extension.EmDash: nil, extension.Ellipsis: nil}))),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()))

// newGuide returns a function that reads a guide once. It panics if the guide
// cannot be read, which is part of the program.
func newGuide(name string) func() guide {
	return sync.OnceValue(func() guide {
		source, err := docs.Guides.ReadFile("how-to/" + name)
		if err != nil {
			panic(err)
		}
		doc := guideMarkdown.Parser().Parse(text.NewReader(source))
		var g guide
		for n := doc.FirstChild(); n != nil; {
			next := n.NextSibling()
			h, ok := n.(*ast.Heading)
			switch {
			case ok && h.Level == 1, onlyImage(n): // the page has the title; pictures are in the repository
				doc.RemoveChild(doc, n)
			case ok && h.Level == 2:
				id, _ := h.AttributeString("id")
				g.Sections = append(g.Sections, docSection{string(id.([]byte)), plainText(h, source)})
			}
			n = next
		}
		serveLinks(doc)
		var b bytes.Buffer
		if err := guideMarkdown.Renderer().Render(&b, source, doc); err != nil {
			panic(err)
		}
		g.HTML = template.HTML(dressed(b.String()))
		return g
	})
}

var (
	guideCode  = regexp.MustCompile(`(?s)<pre><code[^>]*>(.*?)</code></pre>`)
	guideTable = regexp.MustCompile(`(?s)<table>(.*?)</table>`)
	guideLabel = regexp.MustCompile(`aria-label="(?:Table|Commands) "`)
	noHeads    = regexp.MustCompile(`<thead>\s*<tr>\s*(?:<th></th>\s*)+</tr>\s*</thead>`)
)

// dressed gives tables and code the form that they have on all pages.
func dressed(text string) string {
	text = noHeads.ReplaceAllString(text, "")
	text = guideTable.ReplaceAllString(text, `<div class="scroll" tabindex="0" role="region" aria-label="Table "><table class="table">$1</table></div>`)
	n := 0
	text = guideCode.ReplaceAllStringFunc(text, func(code string) string {
		n++
		id := "code-" + strconv.Itoa(n)
		return fmt.Sprintf(`<div class="code-box"><pre class="code" tabindex="0" role="region" aria-label="Commands "><code id="%s">%s</code></pre>%s</div>`,
			id, guideCode.FindStringSubmatch(code)[1], copyButton(id))
	})
	n = 0
	return guideLabel.ReplaceAllStringFunc(text, func(label string) string { // each region needs its own name
		n++
		return strings.TrimSuffix(label, `"`) + strconv.Itoa(n) + `"`
	})
}

// copyButton returns the button that copies the text of an element.
func copyButton(id string) string {
	var b strings.Builder
	if err := ui.Template("docs_guide.html").ExecuteTemplate(&b, "copy", id); err != nil {
		panic(err)
	}
	return b.String()
}

// onlyImage reports whether a node is a paragraph with only an image.
func onlyImage(n ast.Node) bool {
	_, ok := n.FirstChild().(*ast.Image)
	return ok && n.Kind() == ast.KindParagraph && n.ChildCount() == 1
}

// plainText returns the text of a node without markup.
func plainText(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			b.Write(t.Segment.Value(source))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// serveLinks points links between guides at the served pages. Links to other
// files become text: those files are only in the repository.
func serveLinks(doc ast.Node) {
	var links []*ast.Link
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if l, ok := n.(*ast.Link); ok && entering {
			links = append(links, l)
		}
		return ast.WalkContinue, nil
	})
	for _, l := range links {
		to, anchor, _ := strings.Cut(string(l.Destination), "#")
		switch page := guidePages[path.Base(to)]; {
		case to == "" || page != "":
			if anchor != "" {
				anchor = "#" + anchor
			}
			l.Destination = []byte(page + anchor)
		default:
			for c := l.FirstChild(); c != nil; c = l.FirstChild() {
				l.Parent().InsertBefore(l.Parent(), l, c)
			}
			l.Parent().RemoveChild(l.Parent(), l)
		}
	}
}
