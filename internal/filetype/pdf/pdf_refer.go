package pdf

import (
	"bytes"
	"io"
	"regexp"
	"slices"

	"vitrine/internal/filetype"
	"vitrine/internal/filetype/archive"
	"vitrine/internal/filetype/text"
)

// pdfPurpose is the purpose of a referenced object.
type pdfPurpose byte

const (
	pdfForFile   pdfPurpose = iota + 1 // an embedded file
	pdfForScript                       // JavaScript
)

// rememberObject remembers an object for the second pass; 0 is none.
func (p *pdfScan) rememberObject(object int64, purpose pdfPurpose) {
	if object <= 0 || p.referred[object] == pdfForScript {
		return
	}
	if len(p.referred) < filetype.MaxReferred {
		p.referred[object] = purpose
	}
}

// attacks are functions of Acrobat's JavaScript that save attachments or were
// used to attack readers, and marks of code written into memory, in lower case
// without white space. Forms compute, check and print without them.
var attacks = [][]byte{
	[]byte("exportdataobject"), []byte("collectemailinfo"), []byte("collab.geticon"), []byte("media.newplayer"),
	[]byte("customdictionaryopen"),
	[]byte("util.printf(\"%45"), []byte("util.printf('%45"), []byte("%u9090%u"), []byte("%u0c0c%u"), []byte("%u0d0d%u"),
	[]byte("%u4141%u"), []byte(`\u9090\u9090`),
	[]byte("launchurl(\"file"), []byte("launchurl('file"), []byte(`launchurl("\\`), []byte(`launchurl('\\`),
}

// garbled together with eval indicates an obfuscated script: garbled text is
// turned into code.
var (
	obfuscated = [][]byte{[]byte("unescape("), []byte("fromcharcode")}
	evaluated  = regexp.MustCompile(`\beval\b`)
)

func (p *pdfScan) scriptText(words string) {
	if p.script {
		return
	}
	script := text.Lower([]byte(words))
	if text.ContainsAny(script, obfuscated) && evaluated.Match(script) {
		p.script = true
	}
	script = slices.DeleteFunc(script, func(c byte) bool { return c <= ' ' })
	p.script = p.script || text.ContainsAny(script, attacks)
}

// scriptValue handles the value of /JS: a text, or a reference to an object.
func (p *pdfScan) scriptValue(l *Lexer) {
	if !p.countLexed(0) {
		return
	}
	start := l.I
	l.keep = filetype.MaxPDFScript
	t := l.Next()
	switch t.Kind {
	case PdfInt:
		p.rememberObject(l.reference(t.N), pdfForScript)
	case pdfString:
		p.s.Work.Named -= 8
		p.scriptText(pdfText(t.Text))
	}
	p.countLexed(l.I - start)
}

// stringObject checks an object that is only a text, as scripts may be stored.
func (p *pdfScan) stringObject(data []byte, i int) {
	l := Lexer{P: data[:min(len(data), i+filetype.MaxPDFScript)], I: i, keep: filetype.MaxPDFScript}
	l.skipSpace()
	if l.I < len(l.P) && (l.P[l.I] == '(' || l.P[l.I] == '<') && p.countLexed(0) {
		start := l.I
		if t := l.Next(); t.Kind == pdfString {
			p.scriptText(pdfText(t.Text))
		}
		p.countLexed(l.I - start)
	}
}

// scanReferred reads the file again for referenced scripts and embedded files,
// if there are any.
func (p *pdfScan) scanReferred() {
	if len(p.referred) == 0 || p.problem != nil {
		return
	}
	c, u := p.cipher(), &pdfUnpacker{s: p.s, left: filetype.MaxObjectStreams}
	looked := 0
	buf := make([]byte, min(p.s.Size, PdfLookbehind+PdfWindow+filetype.PdfLookahead))
	for off := int64(0); off < p.s.Size; off += PdfWindow {
		base := max(0, off-PdfLookbehind)
		n, _ := p.s.ReadAt(buf, base)
		from := int(off - base)
		p.each(buf[:n], from, min(n, from+PdfWindow), "obj", func(i int) {
			object, gen, ok := objectNumber(buf[:i])
			purpose := p.referred[object]
			if !ok || purpose == 0 {
				return
			}
			l := Lexer{P: buf[:n], I: i + len("obj")}
			d, ok := p.dict(&l)
			start, isStream := l.streamStart(buf[:n])
			if !ok || !isStream {
				return
			}
			if looked++; looked > filetype.MaxReferred {
				p.unread = true
				return
			}
			st := pdfObjectStream{at: base + int64(start), object: object, gen: gen, length: d.length, codec: d.codec()}
			if r, readable := c.stream(st); readable {
				if purpose == pdfForScript && len(d.filters) == 0 {
					st.codec = pdfPlain // a script's length in another object does not matter
				}
				p.content(u, r, st.codec, purpose)
			}
		})
		if p.s.Err != nil {
			return
		}
	}
}

// content judges a script or an embedded file.
func (p *pdfScan) content(u *pdfUnpacker, r io.Reader, codec pdfCodec, purpose pdfPurpose) {
	if purpose == pdfForScript {
		r = io.LimitReader(r, filetype.MaxPDFScript)
	}
	content, ok := u.unpack(r, codec)
	if purpose == pdfForScript {
		p.script = p.script || codec == pdfOther // such packing only serves to hide a script
		p.scriptText(pdfText(string(content[:min(len(content), filetype.MaxPDFScript)])))
		return
	}
	if len(content) == 0 || !p.attachment {
		return
	}
	if p.problem == nil {
		p.problem = filetype.MalwareAt("", content)
	}
	if filetype.SurelyProgram(content) != "" {
		p.program = true
		return
	}
	switch {
	case bytes.HasPrefix(content, []byte(filetype.ZipLocal)):
		p.program = p.program || bytes.Contains(content, []byte("vbaProject.bin"))
	case bytes.HasPrefix(content, []byte(filetype.OleMagic)) && ok:
		if c, ok := archive.OpenCompound(p.s.Within(content)); ok {
			p.program = p.program || c.Check() != nil
		}
	}
}
