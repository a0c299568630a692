// Package markup turns the text of strangers into HTML for a public page: on
// the server, so that it is read without scripts, and safe whatever the text
// is. Its functions are pure, and bounded in time and in what they make.
//
// What they make has no script, style, event handler or resource to load. Ids
// begin with "doc-", so that none is an id of the page around it. Addresses are
// http, https, mailto, or a place within the document. Tables and code that may
// be wider than a screen are regions that scroll, with a name and a place in
// the order of keys.
package markup

import (
	"html"
	"html/template"
	"strings"
	"unicode"
)

// Document is what a page shows of a file.
type Document struct {
	HTML template.HTML
	Cut  bool   // not all of what was given is shown
	Note string // what a reader should know: "First 2,000 of 10,412 rows."; often ""
}

// Bounds of what is shown.
const (
	maxMarkdown  = 256 << 10 // bytes; more is shown as text: on what is made to be slow, a parser is
	maxWritten   = 15_000    // lines of Markdown; likewise
	maxColored   = 256 << 10 // bytes with syntax colors
	maxNumbered  = 20_000    // lines with numbers
	maxRows      = 2_000
	maxPart      = 100 // rows that are shown at a time
	maxColumns   = 100
	maxCells     = 200_000 // of all sheets
	maxCell      = 2_000   // bytes
	maxCellLines = 50      // of a quoted cell; more is taken for a stray quotation mark
	maxEntries   = 1_000
	maxTreeDepth = 24
	maxName      = 255 // bytes of a part of a path
)

// clean makes text that HTML carries unchanged: UTF-8, line feeds alone, no
// NUL.
func clean(src string) string {
	src = strings.TrimPrefix(strings.ToValidUTF8(src, "\ufffd"), "\ufeff")
	if strings.ContainsAny(src, "\r\x00") {
		src = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x00", "\ufffd").Replace(src)
	}
	return src
}

// name makes text that is in one line among the page's own: what has no width
// or turns the direction of text is made visible, and what is too long is cut.
func name(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' ||
			r == '\ufeff' {
			return '\ufffd'
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
	s, _ = shorten(s, most)
	return s
}

// shorten cuts text to a number of bytes, and tells whether it did.
func shorten(s string, most int) (string, bool) {
	if len(s) <= most {
		return s, false
	}
	return strings.ToValidUTF8(s[:most], "") + "…", true
}

// page is HTML being written.
type page struct{ strings.Builder }

// text writes text, escaped: the one way by which what strangers wrote comes
// into HTML that is not sanitized.
func (p *page) text(s string) { p.WriteString(html.EscapeString(s)) }

// tags writes HTML of our own.
func (p *page) tags(parts ...string) {
	for _, s := range parts {
		p.WriteString(s)
	}
}

func (p *page) html() template.HTML { return template.HTML(p.String()) }
