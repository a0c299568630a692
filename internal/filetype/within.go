package filetype

import (
	"bytes"
	"compress/bzip2"
	"compress/flate"
	"errors"
	"io"
	"path"
	"strings"
)

// inspection is the inspection of one file with all that lies within it. What it may cost is shared by all depths.
type inspection struct {
	facts    *Facts
	work     *account
	tally    tally     // of all archives
	nested   allowance // what may still be unpacked to look inside
	streamed allowance // what may still be decompressed of streams, of which nothing is kept
	solid    allowance // what may still be unpacked of 7z archives
	verified allowance // what may still be unpacked to see that it is as long as said
	files    allowance // what may still be unpacked of a website's files to see that they are what is said
	embedded allowance // what may still be decompressed of embedded objects
	inflater io.ReadCloser
	head     [peekBytes]byte // of the member that is looked at
}

func newInspection(s *source, facts *Facts) *inspection {
	return &inspection{facts: facts, work: s.work, tally: tally{size: s.size}, nested: maxNestedTotal, streamed: maxInflated, solid: maxSolid, verified: maxVerified, files: maxSiteVerified, embedded: maxEmbedded}
}

// form is what a member is looked into as.
type form int

const (
	formOther form = iota // nothing that inspection looks into
	formZIP
	formOOXML
	formPackage
	formOLE
	formPDF
	formRTF
	formHTML
	formSVG
	formTar
	formGzip
	formBzip2
	form7z
	formRAR
	formSealed // an archive or disk image that inspection cannot read
	formCode   // a script of a website
	formXML    // a page of a website that is XML
)

// magics are the beginnings by which a member is known, whatever it is called.
var magics = []struct {
	magic string
	form  form
}{
	{zipLocal, formZIP}, {zipEnd, formZIP}, {oleMagic, formOLE}, {"%PDF-", formPDF}, {`{\rt`, formRTF},
	{"\x1f\x8b\x08", formGzip}, {"BZh", formBzip2}, {sevenMagic, form7z}, {rar4Magic, formRAR}, {rar5Magic, formRAR},
	{"MSCF\x00\x00\x00\x00", formSealed}, {"\xfd7zXZ\x00", formSealed}, {"\x28\xb5\x2f\xfd", formSealed}, {"\x04\x22\x4d\x18", formSealed},
	{"LZIP\x01", formSealed}, {"\x60\xea", formSealed}, {"vhdxfile", formSealed}, {"conectix", formSealed}, {"ISc(", formSealed},
	{"MSWIM\x00\x00\x00", formSealed}, {"\xe4\x52\x5c\x7b\x8c\xd8\xa7\x4d", formSealed}, // the last a notebook of OneNote, with any files in it
}

// sealedNames are archives and disk images that have no beginning of their own to be known by.
var sealedNames = extensionSet(`iso img udf vhd vhdx vmdk ace arj lzh lha cab xz txz zst lzma wim uue`)

// formOf says as what a member is looked into, by its first bytes, and by its name where bytes do not tell.
func formOf(name string, head []byte) form {
	t, _ := ByExt(name)
	for _, m := range magics {
		if !bytes.HasPrefix(head, []byte(m.magic)) {
			continue
		}
		switch {
		case m.magic == "\x60\xea" && (len(head) < 11 || head[10] > 2), m.form == formBzip2 && !bzipped(head):
			continue // two or three letters alone do not tell
		case m.form == formZIP:
			return zipForm(t.Ext)
		}
		return m.form
	}
	switch t.Ext {
	case "html", "htm":
		return formHTML
	case "svg":
		return formSVG
	case "pdf":
		if _, ok := pdfStart(head); ok {
			return formPDF
		}
	case "zip", "7z", "rar": // programs find these behind other data, too
		if len(head) > 0 {
			return map[string]form{"zip": formZIP, "7z": form7z, "rar": formRAR}[t.Ext]
		}
	}
	ext := foldExt(strings.TrimPrefix(path.Ext(name), "."))
	switch {
	case t.Ext == "tar" && tarHeader(head), len(head) > 262 && string(head[257:262]) == "ustar":
		return formTar
	case len(head) > 0 && sealedNames[ext], len(head) > 14 && string(head[7:14]) == "**ACE**":
		return formSealed
	}
	return formOther
}

func zipForm(ext string) form {
	switch ext {
	case "docx", "xlsx", "pptx":
		return formOOXML
	case "odt", "ods", "odp", "epub":
		return formPackage
	}
	return formZIP
}

func bzipped(head []byte) bool {
	return len(head) >= 10 && '1' <= head[3] && head[3] <= '9' && (string(head[4:10]) == "1AY&SY" || string(head[4:10]) == "\x17\x72\x45\x38\x50\x90")
}

// nestable tells members of documents that are opened.
func nestable(m *zipMember) bool {
	t, _ := ByExt(m.name)
	return zipForm(t.Ext) != formZIP || t.Ext == "zip" || t.Ext == "doc" || t.Ext == "xls" || t.Ext == "ppt"
}

// enter inspects what lies within the file under a name, and puts what that says of it under that name. A member that is not what its
// name says is the reader's trouble and no danger: only unsafe_file counts, and an archive or document that cannot be read is held.
func (z *inspection) enter(name string, what form, s *source, depth int) *Problem {
	outer := z.facts
	z.facts, s.work = new(Facts), z.work
	p := z.look(name, what, s, depth)
	if p == nil && (what == formPDF || what == formOLE || what == formRTF) {
		p = secondFormat(s, Type{Kind: Document}, z.facts)
	}
	inner := z.facts
	z.facts = outer
	switch {
	case p != nil && (p.Code == CodeUnsafeFile || p.Code == CodeMalware):
		return p.about(pathTo(name, p.Detail))
	case errors.Is(s.err, errAllowance):
		inner.hold(HoldNotFullyInspected)
	case p != nil && what.carries():
		inner.hold(HoldNotFullyInspected)
	}
	if inner.Hold != "" {
		outer.Encrypted = outer.Encrypted || inner.Encrypted
		outer.holdAbout(inner.Hold, pathTo(name, inner.Detail))
	}
	return nil
}

// pathTo is where something was found within a member.
func pathTo(name, within string) string {
	if within == "" {
		return name
	}
	return name + " > " + within
}

func (z *inspection) look(name string, what form, s *source, depth int) *Problem {
	if depth > maxDepth {
		return tooDeep()
	}
	t, ok := ByExt(name)
	as := func(ext string) Type { return byExt[ext] }
	switch what {
	case formZIP:
		return z.zip(s, as("zip"), depth)
	case formOOXML, formPackage:
		p := z.document(s, t, what, depth)
		if p != nil && p.Reason == ReasonOtherContent { // some other ZIP
			p = z.zip(s, as("zip"), depth)
		}
		return p
	case formOLE:
		if !ok || oleMain[t.Ext] == nil {
			return z.compound(s)
		}
		return inspectOLE(s, t, z.facts)
	case formPDF:
		return inspectPDF(s, as("pdf"), z.facts)
	case formRTF:
		return inspectRTF(s, as("rtf"), z.facts)
	case formHTML:
		return inspectHTML(s, as("html"), z.facts)
	case formSVG:
		return z.svg(s)
	case formTar:
		return z.tar(s.rest(0), s, as("tar"), depth)
	case formGzip:
		return z.gzip(s, as("gz"), depth)
	case formBzip2:
		packed := &countingReader{r: s.rest(0)}
		return z.stream(bzip2.NewReader(packed), packed, name, as("gz"), depth)
	case form7z:
		return z.sevenZip(s, as("7z"), depth)
	case formRAR:
		return z.rar(s, as("rar"), depth)
	case formCode:
		return z.code(s)
	case formXML:
		z.doctype(s)
		return inspectHTML(s, as("html"), z.facts)
	case formSealed:
		z.facts.hold(HoldNotFullyInspected)
	}
	return nil
}

// svg holds what is refused of an SVG that is shown here: drawing programs define harmless entities, for which nobody would have to
// unpack a folder of logos.
func (z *inspection) svg(s *source) *Problem {
	if p := inspectSVG(s, byExt["svg"], z.facts); p != nil && p.Code == CodeUnsafeFile {
		if p.Reason == ReasonScript {
			return p
		}
		z.facts.hold(HoldNotFullyInspected)
	}
	return nil
}

func (z *inspection) document(s *source, t Type, what form, depth int) *Problem {
	if what == formOOXML {
		return z.ooxml(s, t, depth)
	}
	return z.pack(s, t, depth)
}

// carries tells the forms that can hold programs or macros, so that one that cannot be read is not passed over.
func (f form) carries() bool {
	switch f {
	case formOther, formPDF, formRTF, formHTML, formSVG, formCode, formXML:
		return false
	}
	return true
}

// compound checks a compound file of no listed type: a message, a drawing, a database of thumbnails.
func (z *inspection) compound(s *source) *Problem {
	c, ok := openCompound(s)
	if !ok {
		return damaged(byExt["doc"])
	}
	if c.encryptedPackage() {
		return heldEncrypted(z.facts)
	}
	if p := c.refuse(); p != nil {
		return p
	}
	return c.objects(z.facts)
}

// suspect refuses a member that is known malware, or begins like a program or script under another name. Text is judged as text files
// are.
func suspect(name string, head []byte) *Problem {
	if p := malwareAt(name, head); p != nil {
		return p
	}
	what := surelyProgram(head)
	if t, ok := ByExt(name); ok && what == "" && (t.Kind == Text || t.Kind == HTML) {
		what = scriptIn(textHead(head), t.Ext == "md")
	}
	if what == "" {
		return nil
	}
	return unsafeFile(ReasonHiddenProgram, "The archive contains %s under another name. Remove it and pack again.", what).about(name)
}

// surelyProgram is programAt for data of which nobody said what it is: two letters alone do not convict random bytes.
func surelyProgram(head []byte) string {
	what := programName(head)
	switch {
	case bytes.HasPrefix(head, []byte("MZ")):
		if len(head) < 0x40 || le.Uint32(head[0x3c:]) < 0x40 || le.Uint32(head[0x3c:]) > 16*mib {
			return ""
		}
	case bytes.HasPrefix(head, []byte("#!")):
		if !bytes.HasPrefix(bytes.TrimLeft(head[2:], " \t"), []byte("/")) {
			return ""
		}
	}
	return what
}

// memory reads all of r on the inspection's account to look inside. ok is false when that does not suffice or r fails.
func (z *inspection) memory(r io.Reader) (s *source, ok bool) {
	p, err := io.ReadAll(z.nested.reader(io.LimitReader(r, maxNested+1), openPrice))
	if err != nil || len(p) == 0 || len(p) > maxNested {
		return nil, false
	}
	return newSource(bytes.NewReader(p), int64(len(p))), true
}

// rewound reads a stream at any place, by going on from where it is or beginning anew. It is for members too large for memory, which
// inspectors read mostly from their start to their end.
type rewound struct {
	open   func() io.Reader
	budget *allowance
	r      io.Reader
	at     int64
}

func (w *rewound) ReadAt(p []byte, off int64) (int, error) {
	if w.r == nil || off < w.at {
		w.r, w.at = w.budget.reader(w.open(), openPrice), 0
	}
	n, err := io.CopyN(io.Discard, w.r, off-w.at)
	w.at += n
	if err != nil {
		return 0, notEnd(err)
	}
	k, err := io.ReadFull(w.r, p)
	w.at += int64(k)
	return k, notEnd(err)
}

// notEnd makes whatever ends a member early the end of what may be read of it.
func notEnd(err error) error {
	if err == nil {
		return nil
	}
	return errAllowance
}

// inflate begins to decompress.
func (z *inspection) inflate(packed io.Reader) io.Reader {
	if z.inflater == nil {
		z.inflater = flate.NewReader(packed)
	}
	z.inflater.(flate.Resetter).Reset(packed, nil)
	return z.inflater
}
