// Package markup renders untrusted text as HTML for public pages. It runs on
// the server, so pages need no scripts. Its output is safe for any input.
// Functions are pure and have limits on time and output.
//
// The output contains no scripts, styles, event handlers or external resources.
// IDs begin with "doc-", so they cannot conflict with the page's IDs. Link
// targets are http, https, mailto or an anchor in the document. Wide tables and
// code are scrollable regions with a name, which keyboards can reach.
package markup

import (
	"html"
	"html/template"
	"strings"
	"unicode"

	"vitrine/report/part"
)

// Document is the rendered content of a file.
type Document struct {
	HTML template.HTML
	Cut  bool   // part of the text is omitted
	Note string // what a reader should know: "First 2,000 of 10,412 rows."; often ""
	// First is what a reader without scripts should know of a table whose other
	// rows a script fetches: "First 100 of 10,412 rows."; "" if all are there.
	First string
	// Outline has the sections of Markdown, or the fifths of a text without
	// headings. The elements that they begin with have data-part.
	Outline part.Outline
}

// Limits of the output.
const (
	maxMarkdown   = 256 << 10 // bytes; longer files are shown as text, because parsing hostile ones could be slow
	maxWritten    = 15_000    // lines of Markdown; likewise
	maxColored    = 256 << 10 // bytes with syntax colors
	maxNumbered   = 20_000    // lines with numbers
	maxRows       = 2_000
	maxFirst      = 100     // rows in the HTML of a table whose other rows a script fetches
	maxFirstCells = 1_500   // likewise
	maxEach       = 400_000 // rows that a script fetches; higher elements than these have are beyond some browsers
	maxColumns    = 100
	maxCells      = 200_000 // in all sheets
	maxCell       = 2_000   // bytes
	maxCellLines  = 50      // lines of a quoted cell; with more, the quotation mark is literal
	maxEntries    = 1_000
	maxTreeDepth  = 24
	maxName       = 255 // bytes of a path element
)

var lineFeeds = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x00", "\ufffd")

// clean returns valid text for HTML: UTF-8, line feeds only, no NUL.
func clean(src string) string {
	src = strings.TrimPrefix(strings.ToValidUTF8(src, "\ufffd"), "\ufeff")
	if strings.ContainsAny(src, "\r\x00") {
		src = lineFeeds.Replace(src)
	}
	return src
}

// name returns text for one line of the page. It makes invisible and
// direction-changing characters visible and truncates long text.
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

// shorten truncates text to a number of bytes and reports whether it did.
func shorten(s string, most int) (string, bool) {
	if len(s) <= most {
		return s, false
	}
	return strings.ToValidUTF8(s[:most], "") + "…", true
}

// page is a buffer for HTML.
type page struct{ strings.Builder }

// text writes escaped text. All untrusted text goes through it, except
// sanitized HTML.
func (p *page) text(s string) { p.WriteString(html.EscapeString(s)) }

// tags writes trusted HTML.
func (p *page) tags(parts ...string) {
	for _, s := range parts {
		p.WriteString(s)
	}
}

func (p *page) html() template.HTML { return template.HTML(p.String()) }
