package markup

import (
	"html/template"
	"strconv"
	"strings"
)

// Code renders a text file with line numbers and colors for its extension
// (json, xml, yaml, yml, log; any other text is txt). The style sheet generates
// the line numbers, so the text of the HTML equals the file, and copying
// excludes them. JSON with long lines is indented without changing names or
// numbers. Invalid JSON is shown unchanged with a note about the first error.
// If cut is set, an unexpected end is not an error.
func Code(src, ext string, cut bool) Document {
	var d Document
	src = clean(src)
	if ext == "json" {
		src, d.Note = showJSON(src, cut)
	}
	lex := lexers[ext]
	if len(src) > maxColored {
		lex = nil
	}
	lines := strings.Count(src, "\n")
	if src != "" && !strings.HasSuffix(src, "\n") {
		lines++
	}
	var p page
	switch {
	case ext == "txt" || lexers[ext] == nil && ext != "log":
		p.tags(`<pre class="words" dir="auto" tabindex="0" role="region" aria-label="Text of the file"><code>`)
		p.text(src)
	case lines > maxNumbered:
		p.tags(`<pre class="words" tabindex="0" role="region" aria-label="Text of the file"><code>`)
		p.text(src)
	default:
		p.tags(`<pre class="lines" tabindex="0" role="region" aria-label="Text of the file" data-digits="`,
			strconv.Itoa(len(strconv.Itoa(lines))), `"><code>`)
		p.rows(src, lex)
	}
	p.tags("</code></pre>")
	d.divide(p.String())
	return d
}

// Text renders a text file as it is.
func Text(src string) (d Document) {
	var p page
	p.tags(`<pre class="words" dir="auto" tabindex="0" aria-label="Text of the file">`, "\n")
	p.text(clean(src))
	p.tags("</pre>")
	d.divide(p.String())
	return d
}

// divide makes HTML without headings the content of a document, with its
// fifths.
func (d *Document) divide(doc string) {
	doc, d.Outline = fifths(doc)
	d.HTML = template.HTML(doc)
}

// rows writes lines. The element of each line includes its line feed.
func (p *page) rows(src string, lex lexer) {
	if src == "" {
		return
	}
	begun := false
	token := func(class, text string) {
		for line := range strings.Lines(text) {
			if !begun {
				p.tags("<span>")
				begun = true
			}
			p.token(class, strings.TrimSuffix(line, "\n"))
			p.tags(textIf(strings.HasSuffix(line, "\n"), "\n"))
			if strings.HasSuffix(line, "\n") {
				p.tags("</span>")
				begun = false
			}
		}
	}
	if lex == nil {
		token("", src)
	} else {
		lex(src, token)
	}
	if begun {
		p.tags("</span>")
	}
}

// token writes a token in the color of its class.
func (p *page) token(class, text string) {
	if class == "" || strings.TrimSpace(text) == "" {
		p.text(text)
		return
	}
	p.tags(`<b class="`, class, `">`)
	p.text(text)
	p.tags("</b>")
}
