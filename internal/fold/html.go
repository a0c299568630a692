package fold

import (
	"fmt"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// embeds are the attributes whose files become part of the page.
var embeds = map[atom.Atom][]string{
	atom.Img: {"src"}, atom.Source: {"src"}, atom.Video: {"src", "poster"}, atom.Audio: {"src"}, atom.Track: {"src"},
	atom.Input: {"src"},
	atom.Image: {"href", "xlink:href"}, atom.Body: {"background"},
}

// pages are elements that show another page or program, which one file cannot
// contain.
var pages = map[atom.Atom]string{atom.Iframe: "src", atom.Frame: "src", atom.Object: "data", atom.Embed: "src"}

// node folds an element and what is in it.
func (f *folding) node(n *html.Node) error {
	if n.Type == html.ElementNode {
		if err := f.element(n); err != nil {
			return err
		}
	}
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling // an element may be replaced
		if err := f.node(c); err != nil {
			return err
		}
		c = next
	}
	return nil
}

func (f *folding) element(n *html.Node) error {
	if err := f.attributes(n); err != nil {
		return err
	}
	switch n.DataAtom {
	case atom.Base:
		return &Problem{f.Entry, "it has a <base>, which changes the meaning of addresses. Remove it"}
	case atom.Link:
		return f.link(n)
	case atom.Script:
		return f.script(n)
	case atom.Style:
		return f.rewriteText(n)
	case atom.A, atom.Area:
		return f.anchor(n)
	}
	if n.Data == "use" {
		inside, err := f.target(f.Entry, attr(n, "href")+attr(n, "xlink:href"))
		if err != nil || inside != "" {
			return asProblem(err, &Problem{f.Entry,
				fmt.Sprintf("it uses a drawing of %s, which browsers only load from a separate file. Put the drawing into the page", inside)})
		}
	}
	if name, ok := pages[n.DataAtom]; ok {
		if inside, err := f.target(f.Entry, attr(n, name)); err != nil || inside != "" {
			return asProblem(err, &Problem{f.Entry,
				fmt.Sprintf("it shows %s in an <%s>, which cannot be part of one file", inside, n.Data)})
		}
	}
	return nil
}

func asProblem(err error, p *Problem) error {
	if err != nil {
		return err
	}
	return p
}

// attributes embeds what the attributes of an element name.
func (f *folding) attributes(n *html.Node) (err error) {
	for i := range n.Attr {
		a := &n.Attr[i]
		switch key := attrName(*a); {
		case key == "style":
			a.Val, err = f.styles(f.Entry, a.Val, 0)
		case key == "srcset" || key == "imagesrcset":
			a.Val, err = f.srcset(a.Val)
		default:
			for _, name := range embeds[n.DataAtom] {
				if key == name {
					a.Val, err = f.embedded(f.Entry, a.Val)
				}
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// srcset embeds each address of a list of pictures.
func (f *folding) srcset(list string) (string, error) {
	if strings.Contains(list, "data:") { // which has commas of its own
		return list, nil
	}
	var out []string
	for one := range strings.SplitSeq(list, ",") {
		words := strings.Fields(one)
		if len(words) == 0 {
			continue
		}
		to, err := f.embedded(f.Entry, words[0])
		if err != nil {
			return "", err
		}
		words[0] = to
		out = append(out, strings.Join(words, " "))
	}
	return strings.Join(out, ", "), nil
}

// link makes a style sheet part of the page, and an icon. What a link only
// prepares is dropped: there is nothing left to fetch.
func (f *folding) link(n *html.Node) error {
	rel := strings.Fields(strings.ToLower(attr(n, "rel")))
	has := func(word string) bool {
		for _, r := range rel {
			if r == word {
				return true
			}
		}
		return false
	}
	switch {
	case has("stylesheet"):
		name, err := f.target(f.Entry, attr(n, "href"))
		if name == "" || err != nil {
			return err
		}
		text, err := f.sheet(name, 0)
		if err != nil {
			return err
		}
		style := &html.Node{Type: html.ElementNode, Data: "style", DataAtom: atom.Style}
		if media := attr(n, "media"); media != "" {
			style.Attr = []html.Attribute{{Key: "media", Val: media}}
		}
		style.AppendChild(&html.Node{Type: html.TextNode, Data: text})
		n.Parent.InsertBefore(style, n)
		n.Parent.RemoveChild(n)
	case has("icon") || has("apple-touch-icon"):
		to, err := f.embedded(f.Entry, attr(n, "href"))
		set(n, "href", to)
		return err
	default:
		name, err := f.target(f.Entry, attr(n, "href"))
		if name != "" && err == nil {
			n.Parent.RemoveChild(n)
		}
		return err
	}
	return nil
}

// script makes a script part of the page.
func (f *folding) script(n *html.Node) error {
	address := attr(n, "src")
	if address == "" {
		return nil
	}
	name, err := f.target(f.Entry, address)
	if name == "" || err != nil {
		return err
	}
	if strings.EqualFold(attr(n, "type"), "module") {
		return &Problem{f.Entry, fmt.Sprintf("%s is a module, which imports other files. Bundle it into one plain script", name)}
	}
	text, err := f.read(name)
	if err != nil {
		return err
	}
	if strings.Contains(strings.ToLower(string(text)), "</script") {
		return &Problem{name, "it contains </script, which would end it inside a page. Write <\\/script"}
	}
	remove(n, "src")
	n.AppendChild(&html.Node{Type: html.TextNode, Data: string(text)})
	return nil
}

// rewriteText folds the text of a style element.
func (f *folding) rewriteText(n *html.Node) error {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		text, err := f.styles(f.Entry, c.Data, 0)
		if err != nil {
			return err
		}
		c.Data = text
	}
	return nil
}

// anchor refuses links to other files of the folder: they are not there any
// more.
func (f *folding) anchor(n *html.Node) error {
	address := attr(n, "href")
	if strings.Contains(address, ":") || strings.HasPrefix(address, "//") { // the web, mail: nothing that is fetched
		return nil
	}
	name, err := f.target(f.Entry, address)
	switch {
	case err != nil:
		return err
	case name == "":
		return nil
	case name == f.Entry:
		_, part, _ := strings.Cut(address, "#")
		set(n, "href", "#"+part)
		return nil
	}
	return &Problem{f.Entry, fmt.Sprintf("it links to %s. One link shows one page: publish that file by itself and link to its address, or publish the whole folder as a website", name)}
}

func attrName(a html.Attribute) string {
	if a.Namespace != "" {
		return a.Namespace + ":" + a.Key
	}
	return a.Key
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if attrName(a) == name {
			return a.Val
		}
	}
	return ""
}

func set(n *html.Node, name, value string) {
	for i := range n.Attr {
		if attrName(n.Attr[i]) == name {
			n.Attr[i].Val = value
		}
	}
}

func remove(n *html.Node, name string) {
	kept := n.Attr[:0]
	for _, a := range n.Attr {
		if attrName(a) != name {
			kept = append(kept, a)
		}
	}
	n.Attr = kept
}
