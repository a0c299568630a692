package inspect

import (
	"bytes"
	"compress/bzip2"
	"compress/flate"
	"errors"
	"io"

	"vitrine/internal/filetype"
	"vitrine/internal/filetype/archive"
	"vitrine/internal/filetype/pdf"
	"vitrine/internal/filetype/text"
)

// inspection inspects one file and everything in it. All levels share its
// allowances.
type inspection struct {
	facts    *filetype.Facts
	work     *filetype.Account
	tally    tally              // of all archives
	nested   filetype.Allowance // bytes that may still be unpacked to inspect members
	streamed filetype.Allowance // bytes that may still be decompressed from streams without storing them
	solid    filetype.Allowance // bytes that may still be unpacked from 7z archives
	verified filetype.Allowance // bytes that may still be unpacked to verify sizes
	files    filetype.Allowance // bytes that may still be unpacked to verify a website's files
	embedded filetype.Allowance // bytes that may still be decompressed from embedded objects
	macros   macroParts         // of the current package
	inflater io.ReadCloser
	head     [filetype.PeekBytes]byte // of the current member
}

func newInspection(s *filetype.Source, facts *filetype.Facts) *inspection {
	return &inspection{facts: facts, work: s.Work, tally: tally{size: s.Size}, nested: filetype.MaxNestedTotal,
		streamed: filetype.MaxInflated, solid: filetype.MaxSolid, verified: filetype.MaxVerified,
		files: filetype.MaxSiteVerified, embedded: filetype.MaxEmbedded}
}

// nestable reports whether a member of a document is opened.
func nestable(m *archive.ZipMember) bool {
	t, _ := filetype.ByExt(m.Name)
	return filetype.ZipForm(t.Ext) != filetype.FormZIP || t.Ext == "zip" || t.Ext == "doc" || t.Ext == "xls" ||
		t.Ext == "ppt"
}

// enter inspects content under a name and reports what it finds with that name.
// A member whose content does not match its name is not dangerous: only
// unsafe_file counts, and an unreadable archive or document is held.
func (z *inspection) enter(name string, what filetype.Form, s *filetype.Source, depth int) *filetype.Problem {
	outer := z.facts
	z.facts, s.Work = new(filetype.Facts), z.work
	p := z.look(name, what, s, depth)
	if p == nil && (what == filetype.FormPDF || what == filetype.FormOLE || what == filetype.FormRTF) {
		p = secondFormat(s, filetype.Type{Kind: filetype.Document}, z.facts)
	}
	inner := z.facts
	z.facts = outer
	switch {
	case p != nil && (p.Code == filetype.CodeUnsafeFile || p.Code == filetype.CodeMalware):
		return p.SetContext(pathTo(name, p.Detail))
	case errors.Is(s.Err, filetype.ErrAllowance):
		inner.HoldFor(filetype.HoldNotFullyInspected)
	case p != nil && mayCarryPrograms(what):
		inner.HoldFor(filetype.HoldNotFullyInspected)
	}
	if inner.Hold != "" {
		outer.Encrypted = outer.Encrypted || inner.Encrypted
		outer.HoldAbout(inner.Hold, pathTo(name, inner.Detail))
	}
	return nil
}

// pathTo returns the path of a finding within a member.
func pathTo(name, within string) string {
	if within == "" {
		return name
	}
	return name + " > " + within
}

func (z *inspection) look(name string, what filetype.Form, s *filetype.Source, depth int) *filetype.Problem {
	if depth > filetype.MaxDepth {
		return tooDeep()
	}
	t, ok := filetype.ByExt(name)
	as := func(ext string) filetype.Type { return filetype.TypesByExt[ext] }
	switch what {
	case filetype.FormZIP:
		return z.zip(s, as("zip"), depth)
	case filetype.FormOOXML, filetype.FormPackage:
		p := z.document(s, t, what, depth)
		if p != nil && p.Reason == filetype.ReasonOtherContent { // another kind of ZIP
			p = z.zip(s, as("zip"), depth)
		}
		return p
	case filetype.FormOLE:
		if !ok || oleMain[t.Ext] == nil {
			return z.compound(s)
		}
		return inspectOLE(s, t, z.facts)
	case filetype.FormPDF:
		return pdf.Inspect(s, as("pdf"), z.facts)
	case filetype.FormRTF:
		return inspectRTF(s, as("rtf"), z.facts)
	case filetype.FormHTML:
		return text.InspectHTML(s, as("html"), z.facts)
	case filetype.FormSVG:
		return z.svg(s)
	case filetype.FormTar:
		return z.tar(s.Rest(0), s, as("tar"), depth)
	case filetype.FormGzip:
		return z.gzip(s, as("gz"), depth)
	case filetype.FormBzip2:
		packed := &filetype.CountingReader{R: s.Rest(0)}
		return z.stream(bzip2.NewReader(packed), packed, name, as("gz"), depth)
	case filetype.Form7z:
		return z.sevenZip(s, as("7z"), depth)
	case filetype.FormRAR:
		return z.rar(s, as("rar"), depth)
	case filetype.FormCode:
		return z.code(s)
	case filetype.FormXML:
		z.doctype(s)
		return text.InspectHTML(s, as("html"), z.facts)
	case filetype.FormSealed:
		z.facts.HoldFor(filetype.HoldNotFullyInspected)
	}
	return nil
}

// svg refuses an SVG within an archive only for scripts and otherwise holds it:
// drawing programs define harmless entities, and nobody would unpack a folder
// of logos because of them.
func (z *inspection) svg(s *filetype.Source) *filetype.Problem {
	if p := text.InspectSVG(s, filetype.TypesByExt["svg"], z.facts); p != nil && p.Code == filetype.CodeUnsafeFile {
		if p.Reason == filetype.ReasonScript {
			return p
		}
		z.facts.HoldFor(filetype.HoldNotFullyInspected)
	}
	return nil
}

func (z *inspection) document(s *filetype.Source, t filetype.Type, what filetype.Form, depth int) *filetype.Problem {
	if what == filetype.FormOOXML {
		return z.ooxml(s, t, depth)
	}
	return z.pack(s, t, depth)
}

// mayCarryPrograms reports whether a form can contain programs or macros, so
// that an unreadable file of it must not be ignored.
func mayCarryPrograms(f filetype.Form) bool {
	switch f {
	case filetype.FormOther, filetype.FormPDF, filetype.FormRTF, filetype.FormHTML, filetype.FormSVG, filetype.FormCode,
		filetype.FormXML:
		return false
	}
	return true
}

// compound checks a compound file of an unsupported type, such as a message, a
// drawing or a thumbnail database.
func (z *inspection) compound(s *filetype.Source) *filetype.Problem {
	c, ok := archive.OpenCompound(s)
	if !ok {
		return filetype.Damaged(filetype.TypesByExt["doc"])
	}
	if encryptedPackage(c) {
		return heldEncrypted(z.facts)
	}
	if p := c.Check(); p != nil {
		return p
	}
	return objects(c, z.facts)
}

// refuseHidden refuses a member that is known malware, or begins like a program
// or script under another name. Text is judged like a text file.
func refuseHidden(name string, head []byte) *filetype.Problem {
	if p := filetype.MalwareAt(name, head); p != nil {
		return p
	}
	what := filetype.SurelyProgram(head)
	if t, ok := filetype.ByExt(name); ok && what == "" && (t.Kind == filetype.Text || t.Kind == filetype.HTML) {
		what = text.ScriptIn(text.TextHead(head), t.Ext == "md")
	}
	if what == "" {
		return nil
	}
	return filetype.UnsafeFile(filetype.ReasonHiddenProgram,
		"The archive contains %s under another name. Remove it and pack again.", what).SetContext(name)
}

// memory reads all of r into memory, on the allowance of the inspection. It
// reports false if the allowance is used up or r fails.
func (z *inspection) memory(r io.Reader) (s *filetype.Source, ok bool) {
	p, err := io.ReadAll(z.nested.Reader(io.LimitReader(r, filetype.MaxNested+1), filetype.OpenPrice))
	if err != nil || len(p) == 0 || len(p) > filetype.MaxNested {
		return nil, false
	}
	return filetype.NewSource(bytes.NewReader(p), int64(len(p))), true
}

// rewound gives random access to a stream by reading on or starting again. It
// is for members too large for memory, which inspectors read mostly in order.
type rewound struct {
	open   func() io.Reader
	budget *filetype.Allowance
	r      io.Reader
	at     int64
}

func (w *rewound) ReadAt(p []byte, off int64) (int, error) {
	if w.r == nil || off < w.at {
		w.r, w.at = w.budget.Reader(w.open(), filetype.OpenPrice), 0
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

// notEnd returns ErrAllowance for an error, so that the rest of a member counts
// as not inspected.
func notEnd(err error) error {
	if err == nil {
		return nil
	}
	return filetype.ErrAllowance
}

// inflate returns a decompressor.
func (z *inspection) inflate(packed io.Reader) io.Reader {
	if z.inflater == nil {
		z.inflater = flate.NewReader(packed)
	}
	z.inflater.(flate.Resetter).Reset(packed, nil)
	return z.inflater
}
