package markup

import (
	"html/template"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/filetype/text"
	"vitrine/report/part"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// fewestWords is how many words a text without headings needs to have parts.
const fewestWords = 200

var fifthLabels = [...]string{"First fifth", "Second fifth", "Third fifth", "Fourth fifth", "Last fifth"}

// fifths divides a text without headings, which is HTML of this package, into
// five parts with as many words each, and one word more or less. It returns the
// text with a mark at the first word of each, and its outline. A text of few
// words is returned as it is. What is inside <details> is not always shown, and
// in no part.
func fifths(doc string) (string, part.Outline) {
	all := 0 // in halves of words
	eachText(doc, func([]byte) {}, func(raw []byte) {
		for w := range text.EachWord(html.UnescapeString(string(raw))) {
			all += w.Halves
		}
	})
	if all < 2*fewestWords {
		return doc, ""
	}
	const n = len(fifthLabels)
	var b strings.Builder
	var halves [n]int
	seen, begun := 0, 0
	eachText(doc, func(raw []byte) { b.Write(raw) }, func(raw []byte) {
		shown, written := html.UnescapeString(string(raw)), 0
		for w := range text.EachWord(shown) {
			if begun < n && seen >= all*begun/n {
				begun++
				b.WriteString(html.EscapeString(shown[written:w.From]) + `<span data-part="` + strconv.Itoa(begun) + `">` +
					html.EscapeString(shown[w.From:w.To]) + "</span>")
				written = w.To
			}
			halves[begun-1] += w.Halves
			seen += w.Halves
		}
		if written == 0 {
			b.Write(raw)
			return
		}
		b.WriteString(html.EscapeString(shown[written:]))
	})
	parts := make([]part.Part, n)
	for i, label := range fifthLabels {
		parts[i] = part.Part{Label: label, Words: (halves[i] + 1) / 2}
	}
	return b.String(), part.NewOutline(part.Section, parts)
}

// eachText reads HTML, and calls shown with each text that is always shown, and
// other with everything else, in their order.
func eachText(doc string, other, shown func(raw []byte)) {
	z := html.NewTokenizer(strings.NewReader(doc))
	details := 0
	for t := z.Next(); t != html.ErrorToken; t = z.Next() {
		raw := z.Raw()
		if t == html.TextToken && details == 0 {
			shown(raw)
			continue
		}
		other(raw)
		if name, _ := z.TagName(); atom.Lookup(name) == atom.Details {
			switch t {
			case html.StartTagToken:
				details++
			case html.EndTagToken:
				details--
			}
		}
	}
}

// Divide returns the HTML of each part of a document, or nil without parts. An
// element in which a part begins is in both. Texts of the file are without line
// numbers.
func Divide(d Document) []template.HTML {
	var parts []template.HTML
	if d.Outline.Len() == 0 {
		return nil
	}
	var b page
	var open []html.Token // the elements around
	z := html.NewTokenizer(strings.NewReader(string(d.HTML)))
	for t := z.Next(); t != html.ErrorToken; t = z.Next() {
		token := z.Token()
		if token.DataAtom == atom.Pre {
			token.Attr = nil
		}
		if t == html.StartTagToken || t == html.SelfClosingTagToken {
			if n, _ := strconv.Atoi(attribute(token, "data-part")); n > 1 {
				for _, around := range slices.Backward(open) {
					b.tags("</", around.Data, ">")
				}
				parts = append(parts, b.html())
				b = page{}
				for _, around := range open {
					b.tags(around.String())
				}
			}
		}
		switch {
		case t == html.StartTagToken:
			around := token
			around.Attr = slices.DeleteFunc(slices.Clone(token.Attr), func(a html.Attribute) bool {
				return a.Key == "id" || a.Key == "data-part"
			})
			open = append(open, around)
		case t == html.EndTagToken && len(open) > 0:
			open = open[:len(open)-1]
		}
		b.tags(token.String())
	}
	return append(parts, b.html())
}

// attribute returns the value of an attribute of a tag, or "".
func attribute(tag html.Token, key string) string {
	for _, a := range tag.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}
