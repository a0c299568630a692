package text

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"vitrine/internal/filetype"
)

// InspectSVG requires XML with the root svg. Entities are refused (security,
// Files are checked by their bytes), because a few lines of them can expand to
// gigabytes; short texts without references, as drawing programs define for
// namespaces and styles, are allowed. Scripts and web pages inside are held: an
// SVG is shown through <img>, where they do nothing (security, surfaces), but a
// person who downloads it opens it in a browser, where they run. External
// pictures, styles and links pass: they can only inform another host that a
// copy was opened.
func InspectSVG(s *filetype.Source, t filetype.Type, facts *filetype.Facts) *filetype.Problem {
	references := 0
	count := func(chunk []byte) { references += bytes.Count(chunk, []byte("&")) }
	if p := checkText(s, t, count); p != nil {
		return p
	}
	if p := wellFormedSVG(s, t, references); p != nil {
		return p
	}
	return watchSVG(s, facts, references)
}

func wellFormedSVG(s *filetype.Source, t filetype.Type, references int) *filetype.Problem {
	text := TextReader(s)
	if s.Size > filetype.MaxSVG {
		text = io.LimitReader(text, filetype.MaxProlog)
	}
	d := xml.NewDecoder(text)
	d.CharsetReader = CharsetReader
	if p := svgRoot(d, s, t, references); p != nil {
		return p
	}
	if s.Size > filetype.MaxSVG {
		return nil
	}
	for depth := 1; depth <= filetype.MaxXMLDepth; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return filetype.Damaged(t)
		}
		switch token.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		}
	}
	return filetype.UnsafeFile(filetype.ReasonDeepMarkup, "The SVG nests its elements more than %d deep.",
		filetype.MaxXMLDepth)
}

// svgRoot reads up to the root element.
func svgRoot(d *xml.Decoder, s *filetype.Source, t filetype.Type, references int) *filetype.Problem {
	for {
		token, err := d.Token()
		if err != nil {
			return filetype.NotThe(s, t)
		}
		switch token := token.(type) {
		case xml.Directive:
			entities, ok := plainEntities(token, references)
			if !ok {
				return svgEntities()
			}
			d.Entity = entities
		case xml.CharData:
			if len(bytes.TrimSpace(token)) > 0 {
				return filetype.NotThe(s, t)
			}
		case xml.StartElement:
			if token.Name.Local != "svg" || token.Name.Space != "" && token.Name.Space != "http://www.w3.org/2000/svg" {
				return filetype.NotThe(s, t)
			}
			return nil
		}
	}
}

func svgEntities() *filetype.Problem {
	return filetype.UnsafeFile(filetype.ReasonEntities,
		"The SVG defines entities that can unfold to much more. Save it again without a DOCTYPE.")
}

const (
	// maxEntity is the longest entity of a drawing, and maxEntityText the most
	// bytes that all references may expand to.
	maxEntity     = 512
	maxEntityText = filetype.MiB
)

// plainEntity matches the definition of an entity that is text without markup
// and references.
var plainEntity = pattern(`<!ENTITY\s+([A-Za-z_][A-Za-z0-9_.-]*)\s+(?:"([^"<&%]*)"|'([^'<&%]*)')\s*>`)

// plainEntities returns the entities that a directive defines. It reports false
// if one is more than a short text, or if the references of the document, at
// most as many as stated, could expand to more than maxEntityText.
func plainEntities(directive []byte, references int) (entities map[string]string, ok bool) {
	if !bytes.Contains(bytes.ToUpper(directive), []byte("ENTITY")) {
		return nil, true
	}
	entities = map[string]string{}
	for _, m := range plainEntity().FindAllSubmatch(directive, -1) {
		value := string(m[2]) + string(m[3])
		if len(value) > maxEntity || len(value)*references > maxEntityText {
			return nil, false
		}
		entities[string(m[1])] = value
	}
	rest := plainEntity().ReplaceAll(directive, nil)
	return entities, !bytes.Contains(bytes.ToUpper(rest), []byte("ENTITY")) && len(directive) < MaxMarkupText
}

// watchSVG reads a whole SVG of any size and finds what runs or shows a page
// when it is opened in a browser.
func watchSVG(s *filetype.Source, facts *filetype.Facts, references int) *filetype.Problem {
	m := NewMarkup(s.Scan(filetype.MaxTextScan))
	for {
		switch m.Next() {
		case MarkupEnd:
			return nil
		case MarkupDirective:
			entities, ok := plainEntities(m.Text, references)
			if !ok {
				return svgEntities()
			}
			m.Entities = entities
		case markupInstruction:
			if text := strings.ToLower(string(m.Text)); strings.HasPrefix(text, "?xml-stylesheet") &&
				strings.Contains(text, "xsl") {
				facts.HoldAbout(filetype.HoldSVGScript, "xml-stylesheet")
			}
		case MarkupOpen:
			svgElement(&m.Tag, facts)
		}
	}
}

// svgElement judges an element: its name, its event handlers, and addresses
// that are scripts or pages.
func svgElement(t *MarkupTag, facts *filetype.Facts) {
	switch strings.ToLower(t.Name) {
	case "script", "handler", "listener":
		facts.HoldAbout(filetype.HoldSVGScript, t.Name)
	case "iframe", "frame", "object", "embed", "applet", "form", "input", "textarea", "button", "meta", "base":
		facts.HoldAbout(filetype.HoldSVGPage, t.Name)
	}
	for _, a := range t.Attrs {
		name := strings.ToLower(a.name)
		switch {
		case strings.HasPrefix(name, "on") && len(name) > 4 && strings.TrimSpace(a.Value) != "",
			name == "attributename" && strings.HasPrefix(strings.ToLower(strings.TrimSpace(a.Value)), "on"):
			facts.HoldAbout(filetype.HoldSVGScript, a.name)
		case scriptAddress(a.Value):
			facts.HoldAbout(filetype.HoldSVGScript, a.Value)
		}
	}
}

// scriptAddress reports whether an address is a script or a page. Browsers
// ignore control characters and white space in the scheme.
func scriptAddress(value string) bool {
	if !strings.Contains(value, ":") {
		return false
	}
	value = strings.ToLower(strings.Map(func(r rune) rune {
		if r <= ' ' {
			return -1
		}
		return r
	}, value[:min(len(value), 256)]))
	for part := range strings.SplitSeq(value, ";") { // "values" of an animation lists several
		if strings.HasPrefix(part, "javascript:") || strings.HasPrefix(part, "vbscript:") {
			return true
		}
	}
	return strings.HasPrefix(value, "data:text/html") || strings.HasPrefix(value, "data:application/xhtml") ||
		strings.HasPrefix(value, "data:text/xml") || strings.HasPrefix(value, "data:application/xml")
}

// CharsetReader decodes any declared encoding well enough to read the markup,
// which is ASCII: other bytes count as Latin-1. UTF-16 is already decoded.
func CharsetReader(charset string, r io.Reader) (io.Reader, error) {
	if strings.HasPrefix(strings.ToLower(charset), "utf") {
		return r, nil
	}
	return &latin1Reader{r: r}, nil
}

type latin1Reader struct {
	r   io.Reader
	raw [1024]byte
}

func (l *latin1Reader) Read(p []byte) (int, error) {
	if len(p) < utf8.UTFMax {
		return 0, io.ErrShortBuffer
	}
	n, err := l.r.Read(l.raw[:min(len(l.raw), len(p)/2)])
	out := p[:0]
	for _, b := range l.raw[:n] {
		out = utf8.AppendRune(out, rune(b))
	}
	return len(out), err
}
