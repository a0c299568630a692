// Package markup turns untrusted text into HTML for a public page. It runs on
// the server, so that pages need no scripts, and its output is safe whatever
// the text is. Its functions are pure, and limited in time and output.
//
// The output has no script, style, event handler or resource to load. Its IDs
// begin with "doc-", so that none is an ID of the page around it. Addresses are
// http, https, mailto, or a place within the document. Tables and code that may
// be wider than a screen are scrollable regions with a name that keyboards can
// reach.
package markup

import (
	"html"
	"html/template"
	"strings"
	"unicode"
)

// Document is the content of a file for its page.
type Document struct {
	HTML template.HTML
	Cut  bool   // part of the text is not shown
	Note string // what a reader should know: "First 2,000 of 10,412 rows."; often ""
}

// Limits of what is shown.
const (
	maxMarkdown  = 256 << 10 // bytes; longer files are shown as text, because a hostile one could make the parser slow
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

// clean returns text that HTML carries unchanged: UTF-8, line feeds only, no
// NUL.
func clean(src string) string {
	src = strings.TrimPrefix(strings.ToValidUTF8(src, "\ufffd"), "\ufeff")
	if strings.ContainsAny(src, "\r\x00") {
		src = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x00", "\ufffd").Replace(src)
	}
	return src
}

// name returns text for one line of the page. It makes characters visible that
// have no width or change the direction of text, and cuts what is too long.
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

// shorten cuts text to a number of bytes and reports whether it did.
func shorten(s string, most int) (string, bool) {
	if len(s) <= most {
		return s, false
	}
	return strings.ToValidUTF8(s[:most], "") + "…", true
}

// page builds HTML.
type page struct{ strings.Builder }

// text writes escaped text. It is the only way for untrusted text into HTML
// that is not sanitized.
func (p *page) text(s string) { p.WriteString(html.EscapeString(s)) }

// tags writes HTML of our own.
func (p *page) tags(parts ...string) {
	for _, s := range parts {
		p.WriteString(s)
	}
}

func (p *page) html() template.HTML { return template.HTML(p.String()) }
