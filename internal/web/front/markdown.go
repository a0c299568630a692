package front

import (
	"bytes"
	"net/http"
	"slices"
	"strings"

	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// asMarkdown reports whether a request asks for a page of the documentation as
// Markdown, by its address or its Accept header.
func asMarkdown(r *http.Request) bool {
	return strings.HasSuffix(r.URL.Path, ".md") || strings.Contains(r.Header.Get("Accept"), "text/markdown")
}

// writeMarkdown answers with the article of a page for programs.
func (s *Handler) writeMarkdown(w http.ResponseWriter, r *http.Request, name string, page any) error {
	var b bytes.Buffer
	if err := ui.Template(name).Execute(&b, page); err != nil {
		return err
	}
	root, err := html.Parse(&b)
	if err != nil {
		return err
	}
	article := find(root, func(n *html.Node) bool { return n.DataAtom == atom.Article })
	prune(article)
	rebase(article, strings.TrimSuffix(r.URL.Path, ".md"))
	c := converter.NewConverter(converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(),
		table.NewTablePlugin()))
	text, err := c.ConvertNode(article, converter.WithDomain(s.PublicURL.String()))
	if err != nil {
		return err
	}
	return s.writeText(w, r, "text/markdown; charset=utf-8", append(text, '\n'))
}

func find(n *html.Node, is func(*html.Node) bool) *html.Node {
	if is(n) {
		return n
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if found := find(c, is); found != nil {
			return found
		}
	}
	return nil
}

// prune removes what only people use: buttons and navigation, and what has the
// attribute data-people.
func prune(n *html.Node) {
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		if c.DataAtom == atom.Nav || c.DataAtom == atom.Button || c.DataAtom == atom.Fieldset ||
			c.DataAtom == atom.Svg || slices.ContainsFunc(c.Attr, forPeople) {
			n.RemoveChild(c)
		} else {
			prune(c)
		}
		c = next
	}
}

func forPeople(a html.Attribute) bool { return a.Key == "data-people" }

// rebase points links within the page at the page at path.
func rebase(n *html.Node, path string) {
	for i, a := range n.Attr {
		if a.Key == "href" && strings.HasPrefix(a.Val, "#") {
			n.Attr[i].Val = path + a.Val
		}
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		rebase(c, path)
	}
}

// writeText answers with text for programs, which may cache it for an hour.
func (s *Handler) writeText(w http.ResponseWriter, r *http.Request, kind string, text []byte) error {
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Cache-Control", "public, max-age=3600")
	s.SetPolicy(w, r, httpx.FileBytes)
	_, _ = w.Write(text) // the reader may have gone away
	return nil
}
