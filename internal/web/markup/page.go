package markup

import (
	"cmp"
	"io"
	"strings"

	"vitrine/internal/filetype/text"
	"vitrine/report/part"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Limits of reading the outline of a web page. What is beyond them begins no
// section.
const (
	maxPage     = 16 << 20 // bytes
	maxToken    = 8 << 20  // bytes of an element's tag, or of a script
	maxHeadings = 10_000
	maxTitle    = 400 // bytes of a heading; more is text below it
)

// Page returns the outline of a web page, from its bytes alone: its sections,
// each with the place of its heading, or the fifths of its height. decode
// returns the text of bytes of the page, whose encoding must have ASCII as it
// is.
// Headings in tables, lists, quotations and details begin no section, as in
// Markdown.
func Page(page io.Reader, decode func([]byte) string) part.Outline {
	z := html.NewTokenizer(io.LimitReader(page, maxPage))
	z.SetMaxBuf(maxToken)
	s := pageOutliner{decode: decode}
	at := int64(0)
	for t := z.Next(); t != html.ErrorToken; t = z.Next() {
		switch t {
		case html.TextToken:
			s.text(z.Raw())
		case html.StartTagToken:
			s.start(z, at)
		case html.EndTagToken:
			s.end(z)
		}
		at += int64(len(z.Raw()))
	}
	s.endTitle()
	all := 0
	for _, p := range s.list {
		all += p.title + p.Words
	}
	var parts []part.Part
	for _, p := range chosen(s.list) {
		parts = append(parts, p.Part)
	}
	return cmp.Or(part.NewOutline(part.Section, parts), evenly(all))
}

// evenly returns the outline of a page without headings, whose text is not
// marked: the fifths of its height.
func evenly(words int) part.Outline {
	if words < fewestWords {
		return ""
	}
	var parts []part.Part
	for i, label := range fifthLabels {
		parts = append(parts, part.Part{Label: label, Words: words*(i+1)/5 - words*i/5})
	}
	return part.NewOutline(part.Section, parts)
}

// pageOutliner collects the sections of a page from its tokens.
type pageOutliner struct {
	outliner
	decode  func([]byte) string
	unseen  int // elements around that show no text
	inner   int // elements around in which no section begins
	inTitle bool
	title   strings.Builder
}

// text counts the words of a text, or adds it to the current heading.
func (s *pageOutliner) text(raw []byte) {
	if s.unseen > 0 {
		return
	}
	shown := html.UnescapeString(s.decode(raw))
	if !s.inTitle {
		if words := text.Words(shown); words > 0 {
			s.words(words, nil)
		}
		return
	}
	rest := ""
	if room := maxTitle - s.title.Len(); len(shown) > room {
		shown, rest = strings.ToValidUTF8(shown[:room], ""), shown[room:]
	}
	s.title.WriteString(shown)
	if rest != "" {
		s.endTitle()
		s.words(text.Words(rest), nil)
	}
}

// start reads a start tag, which begins at a byte of the page.
func (s *pageOutliner) start(z *html.Tokenizer, at int64) {
	name, _ := z.TagName()
	switch tag := atom.Lookup(name); {
	case unseen[tag]:
		s.unseen++
	case inner[tag]:
		s.inner++
	case s.unseen > 0 || s.inner > 0:
	case headings[tag] != 0 && len(s.list) < maxHeadings:
		s.endTitle()
		s.list = append(s.list, section{Part: part.Part{At: at + int64(len("<h1"))}, level: headings[tag]})
		s.inTitle = true
	}
}

func (s *pageOutliner) end(z *html.Tokenizer) {
	name, _ := z.TagName()
	switch tag := atom.Lookup(name); {
	case unseen[tag]:
		s.unseen = max(s.unseen-1, 0)
	case inner[tag]:
		s.inner = max(s.inner-1, 0)
	case headings[tag] != 0:
		s.endTitle()
	}
}

// endTitle ends the current heading, if there is one.
func (s *pageOutliner) endTitle() {
	if s.inTitle {
		last := &s.list[len(s.list)-1]
		last.Label = s.title.String()
		last.title = text.Words(last.Label)
		s.inTitle = false
		s.title.Reset()
	}
}

var (
	headings = map[atom.Atom]byte{atom.H1: 1, atom.H2: 2, atom.H3: 3, atom.H4: 4, atom.H5: 5, atom.H6: 6}
	// inner are elements in which no section begins. Lists are meant by li,
	// whose end tag may be left out.
	inner = map[atom.Atom]bool{atom.Details: true, atom.Table: true, atom.Blockquote: true, atom.Ul: true,
		atom.Ol: true, atom.Menu: true}
	// unseen are elements whose text is not shown, or not as text of the page.
	unseen = map[atom.Atom]bool{atom.Script: true, atom.Style: true, atom.Template: true, atom.Noscript: true,
		atom.Title: true, atom.Textarea: true, atom.Select: true, atom.Svg: true, atom.Math: true, atom.Iframe: true,
		atom.Object: true, atom.Noembed: true, atom.Noframes: true}
)
