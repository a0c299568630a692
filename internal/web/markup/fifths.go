package markup

import (
	"html/template"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

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
	const n, step = len(fifthLabels), 1024
	var near []word // each of so many words
	all, words := 0, 0
	eachWord(doc, word{}, func(w word) bool {
		if words%step == 0 {
			near = append(near, w)
		}
		words++
		all = w.before + w.halves
		return true
	})
	if all < 2*fewestWords {
		return doc, ""
	}
	var first [n + 1]word // of each part
	for i := range n {
		want := all * i / n
		after := sort.Search(len(near), func(i int) bool { return near[i].before > want })
		eachWord(doc, near[after-1], func(w word) bool {
			first[i] = w
			return w.before < want
		})
	}
	first[n].before = all
	var b strings.Builder
	b.Grow(len(doc) + n*len(`<span data-part="1"></span>`))
	parts, written := make([]part.Part, n), 0
	for i, label := range fifthLabels {
		w := first[i]
		b.WriteString(doc[written:w.from] + `<span data-part="` + strconv.Itoa(i+1) + `">` +
			doc[w.from:w.to] + "</span>")
		written = w.to
		parts[i] = part.Part{Label: label, Words: (first[i+1].before - w.before + 1) / 2}
	}
	b.WriteString(doc[written:])
	return b.String(), part.NewOutline(part.Section, parts)
}

// word is a word of a document.
type word struct {
	from, to int // bytes of the HTML
	halves   int // 2, or 1 for a letter that counts as half of a word
	before   int // halves of the words before it
}

// quiet are the characters that change nothing, outside words and inside.
var quiet = func() (are [2][256]bool) {
	for r := range rune(utf8.RuneSelf) {
		class := text.ClassOf(r)
		tag := r == '<' || r == '&'
		are[0][r] = !tag && class != text.Begin
		are[1][r] = !tag && class != text.Space
	}
	return are
}()

// eachWord calls f with each word of a document that is always shown, from one
// of them on, until f returns false. Elements end a word.
func eachWord(doc string, after word, f func(word) bool) {
	w, inside, details := word{before: after.before}, 0, 0
	found := func(to int) bool {
		w.to, inside = to, 0
		more := f(w)
		w.before += w.halves
		return more
	}
	for i := after.from; i < len(doc); {
		for of := &quiet[inside]; i < len(doc) && of[doc[i]]; {
			i++ // most characters, in a loop that is fast
		}
		if i == len(doc) {
			break
		}
		r, size := utf8.DecodeRuneInString(doc[i:])
		class := text.ClassOf(r)
		switch {
		case r == '<':
			class = text.Space
			size = max(strings.IndexByte(doc[i:], '>')+1, 1)
			switch tag := doc[i : i+size]; {
			case strings.HasPrefix(tag, "<details"):
				details++
			case tag == "</details>":
				details--
			}
		case details > 0:
			class = text.Space
		case r == '&': // all of them are punctuation
			size = max(strings.IndexByte(doc[i:], ';')+1, 1)
		}
		if inside == 1 && (class == text.Space || class == text.Alone) && !found(i) {
			return
		}
		switch {
		case class == text.Alone:
			w.from, w.halves = i, 1
			if !found(i + size) {
				return
			}
		case class == text.Begin && inside == 0:
			w.from, w.halves, inside = i, 2, 1
		}
		i += size
	}
	if inside == 1 {
		found(len(doc))
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
