package markup

import (
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// idPrefix is the prefix of all IDs, so that none equals an ID of the page.
const idPrefix = "doc-"

const linkRel = "nofollow noopener noreferrer ugc"

// rewriting is one pass over a sanitized tree.
type rewriting struct {
	ids     map[string]bool
	slugs   map[string]int // number of headings by slug
	links   []*html.Node
	heading string // text of the last heading
}

// rewrite converts a sanitized tree into the final document.
func rewrite(root *html.Node) {
	w := rewriting{ids: map[string]bool{}, slugs: map[string]int{}}
	w.children(root)
	for _, a := range w.links {
		w.link(a)
	}
}

func (w *rewriting) children(n *html.Node) {
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		switch c.Type {
		case html.ElementNode:
			w.element(c)
		case html.TextNode:
		default:
			n.RemoveChild(c)
		}
		c = next
	}
}

func (w *rewriting) element(n *html.Node) {
	switch n.DataAtom {
	case atom.Pre:
		w.code(n)
		return
	case atom.Img:
		w.image(n)
		return
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		w.setHeading(n)
	case atom.A:
		if attr(n, "id") == "" {
			set(n, "id", attr(n, "name"))
		}
		w.links = append(w.links, n)
	case atom.Input:
		n.Attr = append(keep(n, "type", "checked"), html.Attribute{Key: "disabled"})
		state := "To do"
		if has(n, "checked") {
			state = "Done"
		}
		set(n, "aria-label", state)
		return
	case atom.Table:
		w.table(n)
	}
	w.attributes(n)
	w.children(n)
}

// attributes replaces the attributes of a node by ours.
func (w *rewriting) attributes(n *html.Node) {
	id, align := w.id(attr(n, "id")), attr(n, "align")
	classes := []string{}
	if n.DataAtom == atom.Div && attr(n, "class") == "footnotes" || n.DataAtom == atom.A &&
		attr(n, "class") == "footnote-backref" {
		classes = append(classes, attr(n, "class"))
	}
	if align == "right" || align == "center" {
		classes = append(classes, align)
	}
	n.Attr = keep(n, "href", "dir", "colspan", "rowspan", "start", "title", "open")
	set(n, "id", id)
	set(n, "class", strings.Join(classes, " "))
}

// id returns a unique ID for the document, or "" if s is empty or the ID
// exists.
func (w *rewriting) id(s string) string {
	if s == "" {
		return ""
	}
	id := idPrefix + strings.ToLower(strings.TrimPrefix(s, idPrefix))
	if w.ids[id] {
		return ""
	}
	w.ids[id] = true
	return id
}

// setHeading shifts a heading one level down and sets the ID that GitHub would
// generate, so that links within the document work.
func (w *rewriting) setHeading(n *html.Node) {
	level := min(int(n.Data[1]-'0')+1, 6)
	n.Data = "h" + strconv.Itoa(level)
	n.DataAtom = atom.Lookup([]byte(n.Data))
	w.heading = strings.TrimSpace(textOf(n))
	if attr(n, "id") != "" {
		return
	}
	id := slug(w.heading)
	w.slugs[id]++
	if n := w.slugs[id]; n > 1 && id != "" {
		id += "-" + strconv.Itoa(n-1)
	}
	set(n, "id", id)
}

func slug(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r), r == '_', r == '-':
			return unicode.ToLower(r)
		case r == ' ':
			return '-'
		}
		return -1
	}, s)
	return strings.ToValidUTF8(s[:min(len(s), 80)], "")
}

// link keeps web and mail addresses, and anchors in the document. It replaces
// other links by their text.
func (w *rewriting) link(a *html.Node) {
	href := attr(a, "href")
	remove(a, "href")
	if place, ok := strings.CutPrefix(href, "#"); ok {
		if plain, err := url.PathUnescape(place); err == nil {
			place = plain
		}
		if id := idPrefix + strings.ToLower(strings.TrimPrefix(place, idPrefix)); w.ids[id] {
			set(a, "href", "#"+id)
		}
		return
	}
	if external(href) {
		set(a, "href", href)
		set(a, "rel", linkRel)
		set(a, "target", "_blank")
	}
}

// external reports whether an address is allowed as a link target.
func external(href string) bool {
	u, err := url.Parse(href)
	if err != nil {
		return false
	}
	return (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" || u.Scheme == "mailto" && u.Opaque != ""
}

// image replaces an image by a link. If it is already in a link or has no web
// address, it replaces it by the alternative text.
func (w *rewriting) image(n *html.Node) {
	src, alt := attr(n, "src"), strings.TrimSpace(attr(n, "alt"))
	if alt == "" {
		alt = "Image"
	}
	n.Attr, n.Data, n.DataAtom = nil, "span", atom.Span
	set(n, "class", "image")
	n.AppendChild(&html.Node{Type: html.TextNode, Data: alt})
	if external(src) && !within(n, atom.A) {
		n.Data, n.DataAtom = "a", atom.A
		set(n, "href", src)
		w.links = append(w.links, n)
	}
}

// code colors a code block in a known language.
func (w *rewriting) code(pre *html.Node) {
	language := ""
	if c := pre.FirstChild; c != nil && c.DataAtom == atom.Code {
		language, _ = strings.CutPrefix(attr(c, "class"), "language-")
	}
	text := textOf(pre)
	for c := pre.FirstChild; c != nil; c = pre.FirstChild {
		pre.RemoveChild(c)
	}
	pre.Attr = nil
	set(pre, "tabindex", "0")
	set(pre, "role", "group")
	set(pre, "aria-label", "Code")
	code := &html.Node{Type: html.ElementNode, Data: "code", DataAtom: atom.Code}
	pre.AppendChild(code)
	lex := lexers[strings.ToLower(language)]
	if lex == nil {
		code.AppendChild(&html.Node{Type: html.TextNode, Data: text})
		return
	}
	lex(text, func(class, token string) {
		to := code
		if class != "" && strings.TrimSpace(token) != "" {
			to = &html.Node{Type: html.ElementNode, Data: "b", DataAtom: atom.B,
				Attr: []html.Attribute{{Key: "class", Val: class}}}
			code.AppendChild(to)
		}
		to.AppendChild(&html.Node{Type: html.TextNode, Data: token})
	})
}

// table wraps a table in a scrollable region.
func (w *rewriting) table(n *html.Node) {
	label := "Table"
	if w.heading != "" {
		label += ": " + w.heading
	}
	label, _ = shorten(label, 100)
	region := &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div}
	set(region, "class", "scroll")
	set(region, "role", "region")
	set(region, "tabindex", "0")
	set(region, "aria-label", label)
	n.Parent.InsertBefore(region, n)
	n.Parent.RemoveChild(n)
	region.AppendChild(n)
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return b.String()
}

func within(n *html.Node, a atom.Atom) bool {
	for p := range n.Ancestors() {
		if p.DataAtom == a {
			return true
		}
	}
	return false
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func has(n *html.Node, key string) bool {
	for _, a := range n.Attr {
		if a.Key == key {
			return true
		}
	}
	return false
}

// set sets an attribute. An empty value removes it.
func set(n *html.Node, key, value string) {
	remove(n, key)
	if value != "" {
		n.Attr = append(n.Attr, html.Attribute{Key: key, Val: value})
	}
}

func remove(n *html.Node, key string) {
	for i, a := range n.Attr {
		if a.Key == key {
			n.Attr = append(n.Attr[:i:i], n.Attr[i+1:]...)
			return
		}
	}
}

// keep returns the attributes with the given names.
func keep(n *html.Node, keys ...string) (kept []html.Attribute) {
	for _, key := range keys {
		if has(n, key) {
			kept = append(kept, html.Attribute{Key: key, Val: attr(n, key)})
		}
	}
	return kept
}
