package pdf

import (
	"bytes"
	"strings"

	"vitrine/internal/filetype"
)

// pdfScan is one pass over a PDF. If several revisions of an object exist, the
// last one counts.
type pdfScan struct {
	s     *filetype.Source
	lexed filetype.Allowance // bytes that may still be lexed on the file's own account

	objects  int
	root     occurrence           // the trailer's /Root
	catalogs map[int64]occurrence // catalog → its /Pages
	counts   map[int64]occurrence // page tree node → its /Count
	linear   int64                // /N of a linearized file: its pages when it was created
	streams  []pdfObjectStream
	named    int // number of occurrences of the object stream type

	encrypted bool
	encrypt   occurrence           // the trailer's /Encrypt
	crypts    map[int64]Encryption // candidates for the object to which it refers
	id        string               // the trailer's /ID

	launch     bool   // a launch action
	attachment bool   // an embedded file
	program    bool   // an embedded file or a file name is a program's
	network    string // a file on another computer
	script     bool   // a script does what forms do not need
	flash      bool
	unread     bool // some objects could not be read

	referred     map[int64]pdfPurpose // objects to inspect in the second pass
	sampler      pdfUnpacker          // unpacks streams to search for bombs
	sampleBuffer []byte
	problem      *filetype.Problem // why the file is refused
}

// occurrence is a number and its position in the file.
type occurrence struct{ at, value int64 }

func (p *pdfScan) note(m map[int64]occurrence, object, at, value int64) {
	if old, ok := m[object]; ok && old.at > at {
		return
	} else if !ok && len(m) >= filetype.MaxPDFNodes {
		p.unread = true
		return
	}
	m[object] = occurrence{at, value}
}

func newPDFScan(s *filetype.Source) *pdfScan {
	return &pdfScan{
		s:        s,
		lexed:    filetype.Allowance(s.Size),
		catalogs: map[int64]occurrence{},
		counts:   map[int64]occurrence{},
		crypts:   map[int64]Encryption{},
		referred: map[int64]pdfPurpose{},
	}
}

const (
	PdfWindow      = filetype.MiB
	PdfLookbehind  = 64 // for the numbers before "obj"
	pdfObjectPrice = 16 // what an object counts for besides its dictionary: "1 0 obj" and "endobj", which no object does without
)

// scanFile examines every byte once as a possible start, with enough context
// before and after it.
func (p *pdfScan) scanFile() {
	buf := make([]byte, min(p.s.Size, PdfLookbehind+PdfWindow+filetype.PdfLookahead))
	for off := int64(0); off < p.s.Size; off += PdfWindow {
		base := max(0, off-PdfLookbehind)
		n, _ := p.s.ReadAt(buf, base)
		from := int(off - base)
		to := min(n, from+PdfWindow)
		p.names(buf[:n], from, to)
		p.dictionaries(buf[:n], from, to, base)
		if p.s.Err != nil {
			return
		}
	}
}

// pdfInitials are the first letters of names that matter; "#" can begin any,
// escaped.
var pdfInitials = []byte("LEOFUJ#")

// names searches for names that matter anywhere between from and to, so that no
// structure can hide them.
func (p *pdfScan) names(data []byte, from, to int) {
	for i := from; i < to; i++ {
		k := bytes.IndexByte(data[i:to], '/')
		if k < 0 {
			return
		}
		i += k
		if i+1 >= len(data) || !bytes.Contains(pdfInitials, data[i+1:i+2]) {
			continue
		}
		if p.s.Work.Named--; p.s.Work.Named <= 0 {
			return // the file is then held
		}
		l := Lexer{P: data[:min(len(data), i+filetype.MaxPDFScript)], I: i + 1}
		switch l.name() {
		case "Launch":
			p.launch = true
		case "EF", "EmbeddedFile", "EmbeddedFiles":
			p.attachment = true
		case "ObjStm":
			p.named++
		case "F", "UF":
			p.fileName(&l)
		case "JS":
			p.scriptValue(&l)
		case "Flash":
			p.flash = true
		}
	}
}

func (p *pdfScan) fileName(l *Lexer) {
	l.skipSpace()
	if l.I >= len(l.P) || !p.countLexed(0) {
		return
	}
	start := l.I
	t := l.Next()
	if t.Kind == PdfInt {
		p.rememberObject(l.reference(t.N), pdfForFile)
	}
	p.countLexed(min(l.I-start, filetype.PdfLookahead))
	if t.Kind == pdfString {
		p.s.Work.Named -= 8
		name := pdfText(t.Text)
		if host := filetype.RemoteHost(name); host != "" &&
			strings.HasPrefix(strings.ReplaceAll(name, `\`, "/"), "//") {
			p.network = name
		}
		name = name[strings.LastIndexAny(name, `/\`)+1:]
		p.program = p.program || filetype.ProgramExt(strings.TrimRight(name, ". ")) != ""
	}
}

// countLexed counts n lexed bytes and reports whether more may follow. Lexing
// beyond the file's own size uses the allowance of the whole inspection.
func (p *pdfScan) countLexed(n int) bool {
	over := max(0, filetype.Allowance(n)-max(0, p.lexed))
	p.lexed -= filetype.Allowance(n)
	p.s.Work.Lexed -= over
	if !p.lexable() {
		p.unread = true
	}
	return p.lexable()
}

func (p *pdfScan) lexable() bool { return p.lexed >= -filetype.PdfLexSlack && p.s.Work.Lexed > 0 }

// dictionaries searches for objects and trailers.
func (p *pdfScan) dictionaries(data []byte, from, to int, base int64) {
	p.each(data, from, to, "obj", func(i int) {
		if object, gen, ok := objectNumber(data[:i]); ok {
			p.object(data, i+len("obj"), base, object, gen)
		}
	})
	p.each(data, from, to, "trailer", func(i int) {
		l := Lexer{P: data, I: i + len("trailer")}
		if d, ok := p.dict(&l); ok {
			p.trailer(d, base+int64(i))
		}
	})
}

func (p *pdfScan) each(data []byte, from, to int, word string, f func(i int)) {
	for i := from; i < to && p.lexable(); i += len(word) {
		k := bytes.Index(data[i:min(len(data), to+len(word)-1)], []byte(word))
		if k < 0 {
			return
		}
		i += k
		f(i)
	}
}

// objectNumber parses the two numbers at the end of data.
func objectNumber(data []byte) (object, gen int64, ok bool) {
	gen, data, ok = lastNumber(data)
	if !ok {
		return 0, 0, false
	}
	object, _, ok = lastNumber(data)
	return object, gen, ok
}

func lastNumber(data []byte) (n int64, before []byte, ok bool) {
	data = data[max(0, len(data)-PdfLookbehind/2):]
	data = bytes.TrimRight(data, " \t\r\n\f\x00")
	start := len(data)
	for start > 0 && '0' <= data[start-1] && data[start-1] <= '9' {
		start--
	}
	n, ok = filetype.PdfInteger(data[start:])
	return n, data[:start], ok
}

// dict lexes a dictionary on the account of the scan.
func (p *pdfScan) dict(l *Lexer) (pdfDict, bool) {
	start := l.I
	l.P = l.P[:min(len(l.P), start+filetype.PdfLookahead)]
	d, ok := l.Dict()
	p.countLexed(l.I - start)
	return d, ok
}

// object handles an indirect object whose content begins at data[i].
func (p *pdfScan) object(data []byte, i int, base, object, gen int64) {
	l := Lexer{P: data, I: i}
	d, ok := p.dict(&l)
	p.objects++
	p.countLexed(pdfObjectPrice)
	if !ok {
		p.stringObject(data, i)
		return
	}
	at := base + int64(i)
	p.register(d, object, at)
	if d.typ == "XRef" {
		p.trailer(d, at)
	}
	start, ok := l.streamStart(data)
	if !ok {
		return
	}
	p.refuseBombs(&d, base+int64(start))
	if d.n <= 0 || d.first <= 0 {
		return
	}
	if len(p.streams) >= filetype.MaxPDFNodes {
		p.unread = true
		return
	}
	p.streams = append(p.streams, pdfObjectStream{base + int64(start), object, gen, d.n, d.first, d.length, d.codec()})
}

// streamStart returns where the bytes of a stream begin, after its dictionary.
func (l *Lexer) streamStart(data []byte) (start int, ok bool) {
	l.skipSpace()
	if !bytes.HasPrefix(l.P[l.I:], []byte("stream")) {
		return 0, false
	}
	start = l.I + len("stream")
	if start < len(data) && data[start] == '\r' {
		start++
	}
	if start < len(data) && data[start] == '\n' {
		start++
	}
	return start, true
}

// register records what an object, direct or from an object stream, states
// about pages and encryption.
func (p *pdfScan) register(d pdfDict, object, at int64) {
	switch {
	case d.typ == "Catalog" && d.pages > 0:
		p.note(p.catalogs, object, at, d.pages)
	case d.typ == "Pages" && d.count >= 0:
		p.note(p.counts, object, at, d.count)
	case d.linearized && p.linear == 0:
		p.linear = d.n
	case d.Crypt.version > 0 && d.Crypt.user != "" && len(p.crypts) < filetype.MaxPDFCrypts:
		p.crypts[object] = d.Crypt
	}
}

func (p *pdfScan) trailer(d pdfDict, at int64) {
	if d.root > 0 && at >= p.root.at {
		p.root = occurrence{at, d.root}
	}
	if d.encrypted {
		p.encrypted = true
		p.encrypt = occurrence{at, d.encrypt}
	}
	if d.id != "" {
		p.id = d.id
	}
}

// hasRoot reports whether the file has a document.
func (p *pdfScan) hasRoot() bool {
	return p.objects > 0 && (p.root.value > 0 || len(p.catalogs) > 0)
}

// pages follows root, catalog and page tree to the count, or 0 if unknown.
func (p *pdfScan) pages() int {
	root := p.root.value
	if root == 0 && len(p.catalogs) == 1 { // a file without a trailer
		for root = range p.catalogs {
		}
	}
	if catalog, ok := p.catalogs[root]; ok {
		if count, ok := p.counts[catalog.value]; ok {
			return plausiblePages(count.value)
		}
	}
	return plausiblePages(p.linear)
}

func plausiblePages(pages int64) int {
	if pages < 1 || pages > filetype.MaxPages {
		return 0
	}
	return int(pages)
}
