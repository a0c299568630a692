package markup

import (
	"bytes"
	"strings"
	"sync"

	"vitrine/report/part"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	render "github.com/yuin/goldmark/renderer/html"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// The renderer keeps HTML, because many READMEs contain it. The policy
// sanitizes all output afterwards.
var markdown = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(
			extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
			extension.Strikethrough, extension.Linkify, extension.TaskList, extension.Footnote,
		),
		goldmark.WithRendererOptions(render.WithUnsafe()),
	)
})

// Markdown renders CommonMark with GitHub's extensions and footnotes. Heading
// levels are shifted by one, because the page has its own first-level heading.
// Images become links, so nothing is loaded without a click. Relative links
// become text, because their targets are not published.
func Markdown(src string) Document {
	src = clean(src)
	if len(src) > maxMarkdown || strings.Count(src, "\n") > maxWritten {
		d := Code(src, "txt", false)
		d.Note = "Shown as text, for its length."
		return d
	}
	front, rest := frontMatter(src)
	nodes, err := parse(rest)
	if err != nil {
		d := Code(src, "txt", false)
		d.Note = "Shown as text, for how it is nested."
		return d
	}
	outline := part.NewOutline(part.Section, sections(nodes))
	var body strings.Builder
	for _, n := range nodes {
		if err := html.Render(&body, n); err != nil {
			return Code(src, "txt", false)
		}
	}
	shown := body.String()
	if outline == "" {
		shown, outline = fifths(shown)
	}
	var p page
	p.tags(`<div class="prose" dir="auto">`)
	if front != "" {
		p.tags(`<details class="front-matter"><summary>Front matter</summary><pre tabindex="0" role="group" aria-label="Front matter"><code>`)
		lexYAML(front, p.token)
		p.tags("</code></pre></details>")
	}
	p.tags(shown, "</div>")
	return Document{HTML: p.html(), Outline: outline}
}

// parse returns the sanitized HTML tree of a document.
func parse(src string) ([]*html.Node, error) {
	if isHeavy(src) {
		return nil, errHeavy
	}
	var b bytes.Buffer
	if err := markdown().Convert([]byte(src), &b); err != nil {
		return nil, err
	}
	if b.Len() > maxRendered {
		return nil, errHeavy
	}
	sanitized, err := closeElements(policy().SanitizeReader(&b))
	if err != nil {
		return nil, err
	}
	root := &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div}
	nodes, err := html.ParseFragment(sanitized, root)
	if err != nil {
		return nil, err
	}
	for _, n := range nodes {
		root.AppendChild(n)
	}
	rewrite(root)
	nodes = nodes[:0]
	for n := range root.ChildNodes() {
		nodes = append(nodes, n)
	}
	for _, n := range nodes {
		root.RemoveChild(n)
	}
	return nodes, nil
}

// frontMatter splits off a YAML block between lines of three hyphens at the
// beginning.
func frontMatter(src string) (front, body string) {
	rest, ok := strings.CutPrefix(src, "---\n")
	if !ok {
		return "", src
	}
	front, body, ok = strings.Cut(rest, "\n---\n")
	if !ok {
		front, ok = strings.CutSuffix(rest, "\n---")
	}
	if !ok || !strings.Contains(front, ":") || strings.HasPrefix(front, "\n") {
		return "", src
	}
	return front + "\n", body
}
