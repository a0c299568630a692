package filetype

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"unicode/utf8"
)

// inspectSVG wants XML whose root is svg. Entities are refused (security: "SVG for DOCTYPE entities"), since a few lines of them
// unfold to gigabytes. Scripts are not: an SVG is shown through <img>, where none runs (security, surfaces).
func inspectSVG(s *source, t Type, _ *Facts) *Problem {
	if p := checkText(s, t, nil); p != nil {
		return p
	}
	text, _ := textReader(s)
	if s.size > maxSVG {
		text = io.LimitReader(text, maxProlog)
	}
	d := xml.NewDecoder(text)
	d.CharsetReader = charsetReader
	if p := svgRoot(d, s, t); p != nil {
		return p
	}
	if s.size > maxSVG {
		return nil
	}
	for depth := 1; depth <= maxXMLDepth; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return damaged(t)
		}
		switch token.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		}
	}
	return unsafeFile("The SVG nests its elements more than %d deep.", maxXMLDepth)
}

// svgRoot reads up to the root element.
func svgRoot(d *xml.Decoder, s *source, t Type) *Problem {
	for {
		token, err := d.Token()
		if err != nil {
			return notThe(s, t)
		}
		switch token := token.(type) {
		case xml.Directive:
			if strings.Contains(strings.ToUpper(string(token)), "ENTITY") {
				return unsafeFile("The SVG defines entities. Save it again without a DOCTYPE.")
			}
		case xml.CharData:
			if len(bytes.TrimSpace(token)) > 0 {
				return notThe(s, t)
			}
		case xml.StartElement:
			if token.Name.Local != "svg" || token.Name.Space != "" && token.Name.Space != "http://www.w3.org/2000/svg" {
				return notThe(s, t)
			}
			return nil
		}
	}
}

// charsetReader makes any declared encoding readable for the sake of the markup, which is ASCII in all of them: bytes above it count
// as Latin-1. UTF-16 has been turned into UTF-8 by then.
func charsetReader(charset string, r io.Reader) (io.Reader, error) {
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
