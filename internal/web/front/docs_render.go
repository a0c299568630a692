package front

import (
	"bytes"
	"fmt"
	"html"
	"html/template"
	"image"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"vitrine/internal/web/ui"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	goldmarkhtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
	"golang.org/x/image/webp"
)

// guideMarkdown renders guides. HTML in them comes from the program alone.
var guideMarkdown = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(goldmark.WithExtensions(extension.Table,
		extension.NewTypographer(extension.WithTypographicSubstitutions(extension.TypographicSubstitutions{
			extension.EnDash: nil, extension.EmDash: nil, extension.Ellipsis: nil}))),
		goldmark.WithParserOptions(parser.WithAutoHeadingID(), parser.WithHeadingAttribute()),
		goldmark.WithRendererOptions(goldmarkhtml.WithUnsafe(),
			renderer.WithNodeRenderers(util.Prioritized(guideNodes{}, 100))))
})

// newRendered renders the text of a guide.
func newRendered(markdown string) *rendered {
	source := []byte(markdown)
	doc := guideMarkdown().Parser().Parse(text.NewReader(source))
	r := &rendered{text: markdown, sections: dress(doc, source)}
	var b bytes.Buffer
	if err := guideMarkdown().Renderer().Render(&b, source, doc); err != nil {
		panic(err) // a buffer takes everything
	}
	r.HTML = template.HTML(b.String())
	return r
}

// tabClass has the class of what is shown with the tab of a language.
var tabClass = map[string]string{"sh": "for-curl", "js": "for-js", "python": "for-python", "go": "for-go"}

// dress gives the nodes of a guide what their elements have on all pages: a
// name for each region that scrolls, the language of an example, and the kind
// of a table. It returns the sections.
func dress(doc ast.Node, source []byte) (sections []docSection) {
	regions, blocks := map[string]int{}, 0
	region := func(n ast.Node, name string) {
		regions[name]++
		if count := regions[name]; count > 1 {
			name += " " + strconv.Itoa(count)
		}
		n.SetAttributeString("region", name)
	}
	var section, lang string
	tabs := false
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			section = plainText(n, source)
			if id, ok := n.AttributeString("id"); ok && n.Level == 2 {
				sections = append(sections, docSection{string(id.([]byte)), section})
			}
		case *ast.HTMLBlock:
			tabs, lang = bytes.Contains(n.Lines().Value(source), []byte(`class="langs"`)), ""
		case *ast.FencedCodeBlock:
			language, name := "", ""
			if n.Info != nil {
				language, name, _ = strings.Cut(string(n.Info.Value(source)), " ")
			}
			if name == "" {
				name = section + ", code"
			}
			region(n, name)
			blocks++
			n.SetAttributeString("number", blocks)
			if tabs {
				lang = tabClass[language]
				n.SetAttributeString("lang", lang)
			}
		case *ast.Paragraph:
			if lang != "" {
				n.SetAttributeString("class", []byte(lang+" hint"))
			}
		case *extast.Table:
			region(n, section)
			dressTable(n, source)
		}
		return ast.WalkContinue, nil
	})
	return sections
}

// isStatus matches the status of an HTTP response.
var isStatus = regexp.MustCompile(`^[1-5]\d\d$`)

// dressTable marks a table without heads, which is a list of members, and rows
// that begin with a status, which are found by the code that follows it.
func dressTable(table *extast.Table, source []byte) {
	members := true
	for row := table.FirstChild(); row != nil; row = row.NextSibling() {
		first := row.FirstChild()
		switch status := plainText(first, source); {
		case row.Kind() == extast.KindTableHeader:
			for cell := first; cell != nil; cell = cell.NextSibling() {
				members = members && plainText(cell, source) == ""
			}
		case isStatus.MatchString(status):
			table.SetAttributeString("codes", true)
			row.SetAttributeString("code", plainText(first.NextSibling(), source))
			first.SetAttributeString("status", status)
		}
		for cell := first; members && cell != nil; cell = cell.NextSibling() {
			cell.SetAttributeString("members", true)
		}
		if members {
			row.SetAttributeString("members", true)
		}
	}
	if members {
		table.SetAttributeString("members", true)
	}
}

// plainText returns the text of a node without markup.
func plainText(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				b.Write(n.Segment.Value(source))
			}
		case *ast.String:
			if entering {
				b.WriteString(html.UnescapeString(string(n.Value)))
			}
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// guideNodes renders tables and code.
type guideNodes struct{}

// RegisterFuncs registers the functions for the nodes that differ from those of
// goldmark.
func (g guideNodes) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindFencedCodeBlock, code)
	r.Register(ast.KindCodeBlock, code)
	r.Register(ast.KindCodeSpan, codeSpan)
	r.Register(extast.KindTable, table)
	r.Register(extast.KindTableHeader, tableRow)
	r.Register(extast.KindTableRow, tableRow)
	r.Register(extast.KindTableCell, tableCell)
}

func has(n ast.Node, name string) bool { _, ok := n.AttributeString(name); return ok }

// attribute returns an attribute as text in HTML, or "".
func attribute(n ast.Node, name string) string {
	v, ok := n.AttributeString(name)
	if !ok {
		return ""
	}
	return html.EscapeString(fmt.Sprint(v))
}

// code renders a block of code with its name and a button that copies it.
func code(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	id, lang := "code-"+attribute(n, "number"), attribute(n, "lang")
	if lang != "" {
		lang = " " + lang
	}
	fmt.Fprintf(w, `<div class="code-box%s"><pre class="code" tabindex="0" role="region" aria-label="%s"><code id="%s">%s</code></pre>`,
		lang, attribute(n, "region"), id, util.EscapeHTML(bytes.TrimSuffix(n.Lines().Value(source), []byte("\n"))))
	err := ui.Template("docs_guide.html").ExecuteTemplate(w, "copy", id)
	_, _ = w.WriteString("</div>\n")
	return ast.WalkSkipChildren, err
}

// codeOption matches a command's option in code.
var codeOption = regexp.MustCompile(`(^|[^\w-])(--?[a-z][\w-]*)`)

// codeSpan renders code in a line. Browsers would end lines after the hyphens
// of an option.
func codeSpan(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	text := html.EscapeString(strings.ReplaceAll(plainText(n, source), "\n", " "))
	_, _ = w.WriteString("<code>" + codeOption.ReplaceAllString(text, `$1<span class="option">$2</span>`) + "</code>")
	return ast.WalkSkipChildren, nil
}

func table(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	switch members := has(n, "members"); {
	case members && entering:
		_, _ = w.WriteString("<dl class=\"members\">\n")
	case members:
		_, _ = w.WriteString("</dl>\n")
	case entering:
		kind := ""
		if has(n, "codes") {
			kind = " codes-table"
		}
		fmt.Fprintf(w, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"%s\"><table class=\"table%s\">\n",
			attribute(n, "region"), kind)
	default:
		_, _ = w.WriteString("</tbody>\n</table></div>\n")
	}
	return ast.WalkContinue, nil
}

func tableRow(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	head, members := n.Kind() == extast.KindTableHeader, has(n, "members")
	switch {
	case members && head:
		return ast.WalkSkipChildren, nil
	case members && entering:
		_, _ = w.WriteString("<div>")
	case members:
		_, _ = w.WriteString("</div>\n")
	case head && entering:
		_, _ = w.WriteString("<thead><tr>")
	case head:
		_, _ = w.WriteString("</tr></thead>\n<tbody>\n")
	case entering && has(n, "code"):
		fmt.Fprintf(w, `<tr id="%s">`, attribute(n, "code"))
	case entering:
		_, _ = w.WriteString("<tr>")
	default:
		_, _ = w.WriteString("</tr>\n")
	}
	return ast.WalkContinue, nil
}

// tableCell renders a cell. The first one is the head of its row, or the second
// one after a status.
func tableCell(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	row, first, members := n.Parent(), n.PreviousSibling() == nil, has(n, "members")
	tag, more := "td", ""
	switch {
	case members && first:
		tag = "dt"
	case members:
		tag = "dd"
	case row.Kind() == extast.KindTableHeader && n.HasChildren(): // an empty one heads nothing
		tag, more = "th", ` scope="col"`
	case row.Kind() == extast.KindTableHeader:
	case !has(row, "code") && first && n.HasChildren(), has(row, "code") && n.PreviousSibling() == row.FirstChild():
		tag, more = "th", ` scope="row"`
	}
	status := attribute(n, "status")
	switch {
	case entering && status != "":
		fmt.Fprintf(w, `<%s><span class="http-status s%s">`, tag, status[:1])
	case entering:
		fmt.Fprintf(w, "<%s%s>", tag, more)
	case status != "":
		fmt.Fprintf(w, "</span></%s>", tag)
	default:
		fmt.Fprintf(w, "</%s>", tag)
	}
	return ast.WalkContinue, nil
}

// pictureSize returns the size of a picture of the app. It panics if there is
// none.
func pictureSize(name string) image.Config {
	b, err := files.ReadFile(name)
	if err != nil {
		panic(err)
	}
	c, err := webp.DecodeConfig(bytes.NewReader(b))
	if err != nil {
		panic(err)
	}
	return c
}
