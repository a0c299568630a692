package filetype

import (
	"bufio"
	"bytes"
	"io"
	"path"
	"strings"
)

// Parts of documents that are ZIPs are judged by their bytes: a name, a declared content type and a relationship may each say another
// thing, and programs differ in which they believe.

// family is the format of a document that is a ZIP.
type family byte

const (
	familyOOXML family = iota
	familyODF
	familyEPUB
)

// part looks into one part of a document.
func (z *inspection) part(s *source, m *zipMember, f family, depth int) *Problem {
	if m.unpacked == 0 || m.dir() {
		return nil
	}
	r := bufio.NewReaderSize(z.embedded.reader(s.open(m), kib), 4*kib)
	head, err := r.Peek(peekBytes)
	if err != nil && err != io.EOF {
		z.facts.holdAbout(HoldNotFullyInspected, m.name)
		return nil
	}
	switch {
	case bytes.HasPrefix(head, []byte(oleMagic)):
		return z.objectPart(r, m, f)
	case bytes.HasPrefix(head, []byte(zipLocal)) && !nestable(m), bytes.HasPrefix(head, []byte(`{\rt`)):
		if inner, ok := z.memory(r); ok {
			return z.enter(m.name, formOf(m.name, head), inner, depth+1)
		}
		z.facts.holdAbout(HoldNotFullyInspected, m.name)
		return nil
	case markupStart(head):
		return z.markupPart(r, m, f)
	}
	return nil // the walk through the ZIP has looked for programs
}

// embeddedProgram refuses what a document carries that is known malware, or begins like a program.
func embeddedProgram(name string, head []byte) *Problem {
	if p := malwareAt(name, head); p != nil {
		return p
	}
	if what := surelyProgram(head); what != "" {
		return unsafeFile(ReasonEmbeddedProgram, "The document contains %s. Remove it and save the document again.", what).about(name)
	}
	return nil
}

// markupStart tells XML by its first characters, in any of its encodings.
func markupStart(head []byte) bool {
	text := strings.TrimLeft(textHead(head), " \t\r\n")
	return strings.HasPrefix(text, "<") || bytes.HasPrefix(head, []byte("<\x00")) || bytes.HasPrefix(head, []byte("\x00<"))
}

// objectPart looks into an embedded compound file. One that is too large for memory is searched for what makes it dangerous.
func (z *inspection) objectPart(r io.Reader, m *zipMember, f family) *Problem {
	inner, ok := z.memory(r)
	if !ok {
		z.facts.holdAbout(HoldNotFullyInspected, m.name)
		return nil
	}
	inner.work = z.work
	c, ok := openCompound(inner)
	if !ok {
		if f == familyOOXML && path.Ext(strings.ToLower(m.name)) == ".bin" {
			z.facts.holdAbout(HoldEmbeddedObject, m.name)
		}
		return nil
	}
	p := c.refuse()
	if p == nil {
		p = c.objects(z.facts)
	}
	return within(p, m.name)
}

// within says in which part a problem was found.
func within(p *Problem, name string) *Problem {
	if p != nil {
		p.about(pathTo(name, p.Detail))
	}
	return p
}

// markupPart reads a part of XML as far as its root element needs.
func (z *inspection) markupPart(r io.Reader, m *zipMember, f family) *Problem {
	reader := &failureReader{r: r}
	w := partWatch{facts: z.facts, family: f, name: m.name}
	p := w.read(newMarkup(reader))
	if p == nil && reader.failed {
		z.facts.holdAbout(HoldNotFullyInspected, m.name)
	}
	return within(p, m.name)
}

// failureReader notes that a stream did not end by itself.
type failureReader struct {
	r      io.Reader
	failed bool
}

func (f *failureReader) Read(p []byte) (int, error) {
	n, err := f.r.Read(p)
	f.failed = f.failed || err != nil && err != io.EOF
	return n, err
}

// partWatch looks through one XML part.
type partWatch struct {
	facts  *Facts
	family family
	name   string
	root   string // of the part, without a prefix
	fields fieldStack
	text   bool // what follows belongs to a field's instruction
}

// read goes through the part while its root element is one of interest.
func (w *partWatch) read(m *markup) *Problem {
	for {
		var p *Problem
		switch m.next() {
		case markupEnd:
			return nil
		case markupDirective:
			if w.family != familyEPUB && entities(m.text) || unfolding(m.text) {
				return unsafeFile(ReasonEntities, "The document defines XML entities, which can unfold to gigabytes. Save it again from an office program.")
			}
		case markupText:
			if w.text {
				w.fields.text(resolved(m.text))
			}
		case markupClose:
			w.text = w.text && m.tag.name != "instrText"
			if m.tag.name == "fldSimple" {
				p = w.facts.field(w.fields.end())
			}
		case markupOpen:
			if w.root == "" {
				if w.root = m.tag.name; !w.interesting() {
					return nil
				}
			}
			p = w.element(&m.tag)
		}
		if p != nil {
			return p
		}
	}
}

// resolved is text with its references resolved.
func resolved(text []byte) []byte {
	if bytes.IndexByte(text, '&') < 0 {
		return text
	}
	return []byte(unescape(string(text)))
}

// interesting tells the roots of parts that are read to their end. Sheets and shared strings, which may be enormous, can do nothing
// that is not declared in another part.
func (w *partWatch) interesting() bool {
	switch w.root {
	case "worksheet", "sst", "styleSheet", "pivotCacheRecords", "calcChain", "styles", "numbering", "theme", "fonts", "svg":
		return false
	}
	return w.family != familyEPUB || w.root == "encryption"
}

func (w *partWatch) element(t *markupTag) *Problem {
	switch w.family {
	case familyOOXML:
		return w.officeElement(t)
	case familyODF:
		return w.openElement(t)
	}
	return w.bookElement(t)
}

// bookElement finds books under a password. Fonts that are merely garbled, so that they cannot be taken out, are usual.
func (w *partWatch) bookElement(t *markupTag) *Problem {
	if t.name != "EncryptionMethod" {
		return nil
	}
	switch t.attr("Algorithm") {
	case "http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC":
		return nil
	}
	return heldEncrypted(w.facts)
}
