package inspect

import (
	"bufio"
	"bytes"
	"io"
	"path"
	"strings"

	"vitrine/internal/filetype"
	"vitrine/internal/filetype/archive"
	"vitrine/internal/filetype/text"
)

// Parts of ZIP-based documents are judged by their bytes. Name, declared
// content type and relationship may disagree, and programs differ in which one
// they trust.

// family is the format of a ZIP-based document.
type family byte

const (
	familyOOXML family = iota
	familyODF
	familyEPUB
)

// part inspects a part of a document.
func (z *inspection) part(s *filetype.Source, m *archive.ZipMember, f family, depth int) *filetype.Problem {
	if m.Unpacked == 0 || m.Dir() {
		return nil
	}
	r := bufio.NewReaderSize(z.embedded.Reader(archive.Open(s, m), filetype.KiB), 4*filetype.KiB)
	head, err := r.Peek(filetype.PeekBytes)
	if err != nil && err != io.EOF {
		z.facts.HoldAbout(filetype.HoldNotFullyInspected, m.Name)
		return nil
	}
	switch {
	case bytes.HasPrefix(head, []byte(filetype.OleMagic)):
		return z.objectPart(r, m, f)
	case bytes.HasPrefix(head, []byte(filetype.ZipLocal)) && !nestable(m), bytes.HasPrefix(head, []byte(`{\rt`)):
		if inner, ok := z.memory(r); ok {
			return z.enter(m.Name, filetype.FormOf(m.Name, head), inner, depth+1)
		}
		z.facts.HoldAbout(filetype.HoldNotFullyInspected, m.Name)
		return nil
	case markupStart(head):
		return z.markupPart(r, m, f)
	}
	return nil // the walk through the ZIP searched for programs
}

// embeddedProgram refuses embedded content that is known malware or begins like
// a program.
func embeddedProgram(name string, head []byte) *filetype.Problem {
	if p := filetype.MalwareAt(name, head); p != nil {
		return p
	}
	if what := filetype.SurelyProgram(head); what != "" {
		return filetype.UnsafeFile(filetype.ReasonEmbeddedProgram,
			"The document contains %s. Remove it and save the document again.", what).SetContext(name)
	}
	return nil
}

// markupStart reports whether head begins like XML, in any encoding.
func markupStart(head []byte) bool {
	text := strings.TrimLeft(text.TextHead(head), " \t\r\n")
	return strings.HasPrefix(text, "<") || bytes.HasPrefix(head, []byte("<\x00")) ||
		bytes.HasPrefix(head, []byte("\x00<"))
}

// objectPart inspects an embedded compound file. If it is too large for memory,
// objectPart searches it for dangerous patterns.
func (z *inspection) objectPart(r io.Reader, m *archive.ZipMember, f family) *filetype.Problem {
	inner, ok := z.memory(r)
	if !ok {
		z.facts.HoldAbout(filetype.HoldNotFullyInspected, m.Name)
		return nil
	}
	inner.Work = z.work
	c, ok := archive.OpenCompound(inner)
	if !ok {
		if f == familyOOXML && path.Ext(strings.ToLower(m.Name)) == ".bin" {
			z.facts.HoldAbout(filetype.HoldEmbeddedObject, m.Name)
		}
		return nil
	}
	p := c.Check()
	z.macros.projects += c.Projects
	if p == nil {
		p = objects(c, z.facts)
	}
	return within(p, m.Name)
}

// within adds the name of the part to a problem.
func within(p *filetype.Problem, name string) *filetype.Problem {
	if p != nil {
		p.SetContext(pathTo(name, p.Detail))
	}
	return p
}

// markupPart reads an XML part as far as its root element requires.
func (z *inspection) markupPart(r io.Reader, m *archive.ZipMember, f family) *filetype.Problem {
	reader := &failureReader{r: r}
	w := partWatch{facts: z.facts, macros: &z.macros, family: f, name: m.Name}
	p := w.read(text.NewMarkup(reader))
	if p == nil && reader.failed {
		z.facts.HoldAbout(filetype.HoldNotFullyInspected, m.Name)
	}
	return within(p, m.Name)
}

// failureReader records whether a stream failed instead of ending.
type failureReader struct {
	r      io.Reader
	failed bool
}

func (f *failureReader) Read(p []byte) (int, error) {
	n, err := f.r.Read(p)
	f.failed = f.failed || err != nil && err != io.EOF
	return n, err
}

// partWatch inspects one XML part.
type partWatch struct {
	facts  *filetype.Facts
	macros *macroParts
	family family
	name   string
	root   string // of the part, without its prefix
	fields fieldStack
	text   bool // the following text belongs to a field's instruction
}

// read reads the part if its root element is of interest.
func (w *partWatch) read(m *text.Markup) *filetype.Problem {
	for {
		var p *filetype.Problem
		switch m.Next() {
		case text.MarkupEnd:
			return nil
		case text.MarkupDirective:
			if w.family != familyEPUB && text.Entities(m.Text) || text.IsEntityBomb(m.Text) {
				return filetype.UnsafeFile(filetype.ReasonEntities,
					"The document defines XML entities, which can unfold to gigabytes. Save it again from an office program.")
			}
		case text.MarkupText:
			if w.text {
				w.fields.text(resolveEntities(m.Text))
			}
		case text.MarkupClose:
			w.text = w.text && m.Tag.Name != "instrText"
			if m.Tag.Name == "fldSimple" {
				p = field(w.facts, w.fields.end())
			}
		case text.MarkupOpen:
			if w.root == "" {
				if w.root = m.Tag.Name; !w.relevant() {
					return nil
				}
			}
			p = w.element(&m.Tag)
		}
		if p != nil {
			return p
		}
	}
}

// resolveEntities returns text with resolved references.
func resolveEntities(words []byte) []byte {
	if bytes.IndexByte(words, '&') < 0 {
		return words
	}
	return []byte(text.Unescape(string(words)))
}

// relevant reports whether parts with this root element are read to the end.
// Sheets and shared strings, which may be huge, can do nothing that other parts
// do not declare.
func (w *partWatch) relevant() bool {
	switch w.root {
	case "worksheet", "sst", "styleSheet", "pivotCacheRecords", "calcChain", "styles", "numbering", "theme", "fonts",
		"svg":
		return false
	}
	return w.family != familyEPUB || w.root == "encryption"
}

func (w *partWatch) element(t *text.MarkupTag) *filetype.Problem {
	switch w.family {
	case familyOOXML:
		return w.officeElement(t)
	case familyODF:
		return w.openElement(t)
	}
	return w.bookElement(t)
}

// bookElement finds password-protected books. Fonts that are only obfuscated,
// so that they cannot be extracted, are common.
func (w *partWatch) bookElement(t *text.MarkupTag) *filetype.Problem {
	if t.Name != "EncryptionMethod" {
		return nil
	}
	switch t.Attr("Algorithm") {
	case "http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC":
		return nil
	}
	return heldEncrypted(w.facts)
}
