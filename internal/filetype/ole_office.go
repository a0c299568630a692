package filetype

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"io"
	"slices"
	"strings"
)

// oleMain are the streams that make a compound file a document of its kind.
var oleMain = map[string][]string{
	"doc": {"worddocument"},
	"xls": {"workbook", "book"},
	"ppt": {"powerpoint document"},
}

// macroStorages hold Visual Basic code, of the document or of one embedded in it.
var macroStorages = map[string]bool{"macros": true, "_vba_project": true, "_vba_project_cur": true, "vba": true}

// installerClass is the class of Windows installer databases (msi, msp).
var installerClass = []byte("\x84\x10\x0c\x00\x00\x00\x00\x00\xc0\x00\x00\x00\x00\x00\x00\x46")

// inspectOLE checks doc, xls and ppt (security: "office files for macros and OLE packages"). A file that was protected with a
// password in the newer formats has this layout as well, under any of the names.
func inspectOLE(s *source, t Type, facts *Facts) *Problem {
	if !bytes.HasPrefix(s.head, []byte(oleMagic)) {
		return notThe(s, t)
	}
	c, ok := openCompound(s)
	if !ok {
		return damaged(t)
	}
	if p := c.refuse(); p != nil {
		return p
	}
	if c.encryptedPackage() {
		return heldEncrypted(facts)
	}
	if p := c.objects(facts); p != nil {
		return p
	}
	return c.documents(s, t, facts)
}

// maxMainStreams is how many streams of a document's kind one file may have: its own, and those of documents embedded in it.
const maxMainStreams = 256

// documents inspects all streams of the kind that the name says. Which of them a program opens depends on where in the tree they stand,
// and that on how it reads a damaged tree.
func (c *compound) documents(s *source, t Type, facts *Facts) *Problem {
	found := 0
	for _, e := range c.storage {
		if e.kind != 2 || !slices.Contains(oleMain[t.Ext], strings.ToLower(e.name)) {
			continue
		}
		if found++; found > maxMainStreams {
			facts.hold(HoldNotFullyInspected)
			break
		}
		var p *Problem
		switch t.Ext {
		case "doc":
			p = c.inspectWord(e, facts)
		case "xls":
			p = c.inspectExcel(e, facts)
		default:
			p = c.inspectPowerPoint(e, facts)
		}
		if p != nil {
			return p
		}
	}
	if found == 0 {
		return notThe(s, t)
	}
	return nil
}

func heldEncrypted(facts *Facts) *Problem {
	facts.Encrypted = true
	facts.hold(HoldEncryptedDocument)
	return nil
}

// refuse finds what is refused in any compound file: macros and installers.
func (c *compound) refuse() *Problem {
	class := c.storage[0].clsid
	if bytes.HasSuffix(class[:], installerClass[4:]) && (class[0] == 0x84 || class[0] == 0x86) && class[1] == 0x10 {
		return unsafeFile(ReasonInstaller, "The file is a Windows installer. Executables and scripts are not accepted under any name.")
	}
	for _, e := range c.storage {
		if macroStorages[strings.ToLower(e.name)] {
			return macroProblem()
		}
	}
	return nil
}

func macroProblem() *Problem {
	return unsafeFile(ReasonMacros, "The document contains macros. Save a copy without them and upload that.")
}

// encryptedPackage tells an OOXML file under a password.
func (c *compound) encryptedPackage() bool {
	_, ok := c.stream("encryptedpackage")
	return ok
}

// stream finds a stream by one of its names, in any storage.
func (c *compound) stream(names ...string) (storageEntry, bool) {
	for _, e := range c.storage {
		for _, name := range names {
			if e.kind == 2 && strings.ToLower(e.name) == name {
				return e, true
			}
		}
	}
	return storageEntry{}, false
}

// inspectWord reads the flags at the start of the file information block, and looks for fields that start programs.
func (c *compound) inspectWord(main storageEntry, facts *Facts) *Problem {
	r := c.open(main)
	fib := make([]byte, 32)
	if _, err := io.ReadFull(r, fib); err != nil {
		return nil
	}
	if le.Uint16(fib[10:])&0x0100 != 0 {
		facts.Encrypted = true // macros would show in the directory all the same
	}
	scan := fieldScan{facts: facts}
	io.Copy(&scan, io.LimitReader(r, maxRecordScan))
	scan.judge()
	return scan.problem
}

// Record types of Excel and PowerPoint.
const (
	xlsEOF        = 0x000a
	xlsFilePass   = 0x002f
	xlsBoundSheet = 0x0085
	xlsSupBook    = 0x01ae

	pptVBAInfo   = 0x0400
	pptOLEObject = 0x1011
)

// inspectExcel walks the workbook's first records for sheets of Excel 4 macros, which live outside of Visual Basic, and for a
// password, behind which they cannot be seen.
func (c *compound) inspectExcel(main storageEntry, facts *Facts) *Problem {
	r := bufio.NewReader(io.LimitReader(c.open(main), maxRecordScan))
	head := make([]byte, 4)
	for {
		if _, err := io.ReadFull(r, head); err != nil {
			return nil
		}
		typ, length := le.Uint16(head), int(le.Uint16(head[2:]))
		switch typ {
		case xlsEOF:
			return nil
		case xlsFilePass:
			return heldEncrypted(facts)
		case xlsSupBook:
			if p, _ := r.Peek(min(length, kib)); shells.Match(linkedBook(p)) {
				return facts.dde(string(linkedBook(p)))
			}
		case xlsBoundSheet:
			if p, _ := r.Peek(6); len(p) == 6 && (p[5] == 1 || p[5] == 6) {
				return macroProblem()
			}
		}
		if _, err := r.Discard(length); err != nil {
			return nil
		}
	}
}

// linkedBook is what a record of a link names: of a link to a running program its service and topic, with a mark between them.
func linkedBook(record []byte) []byte {
	record = record[min(len(record), 5):]
	if !bytes.Contains(record, []byte{3}) {
		return nil
	}
	record = bytes.ReplaceAll(record, []byte{0}, nil)
	return bytes.ReplaceAll(record, []byte{3}, []byte{' '})
}

// inspectPowerPoint walks the records of the presentation. Containers are entered by not skipping them, so that the walk is flat.
func (c *compound) inspectPowerPoint(main storageEntry, facts *Facts) *Problem {
	r := bufio.NewReader(io.LimitReader(c.open(main), maxRecordScan))
	head := make([]byte, 8)
	budget := allowance(maxEmbedded)
	for {
		if _, err := io.ReadFull(r, head); err != nil {
			return nil
		}
		version, typ, length := le.Uint16(head), le.Uint16(head[2:]), int64(le.Uint32(head[4:]))
		if version&0xf == 0xf {
			continue
		}
		body := io.LimitReader(r, length)
		switch typ {
		case pptVBAInfo:
			p := make([]byte, 8)
			if _, err := io.ReadFull(body, p); err == nil && le.Uint32(p[4:]) != 0 {
				return macroProblem()
			}
		case pptOLEObject:
			if p := c.slideObject(c.s.unfold(unpackOLE(body, version>>4 == 1), &budget, openPrice), facts); p != nil {
				return p
			}
		}
		io.Copy(io.Discard, body)
	}
}

// ole10Native is the name, in UTF-16, of the stream in which the packager puts a file of any sort.
var ole10Native = []byte("\x01\x00O\x00l\x00e\x001\x000\x00N\x00a\x00t\x00i\x00v\x00e\x00")

// slideObject judges an embedded object of a presentation. What cannot be read is held.
func (c *compound) slideObject(r io.Reader, facts *Facts) *Problem {
	p, err := io.ReadAll(io.LimitReader(r, maxNested+1))
	if err == nil && len(p) <= maxNested {
		if object, ok := openCompound(c.s.within(p)); ok {
			if problem := object.refuse(); problem != nil {
				return problem
			}
			return object.objects(facts)
		}
	}
	if err != nil || len(p) > maxNested || bytes.Contains(p, ole10Native) {
		facts.hold(HoldEmbeddedObject)
	}
	return nil
}

// unpackOLE reads an embedded object of PowerPoint, behind the unpacked size that comes first.
func unpackOLE(r io.Reader, compressed bool) io.Reader {
	if !compressed {
		return r
	}
	io.CopyN(io.Discard, r, 4)
	z, err := zlib.NewReader(r)
	if err != nil {
		return failing{err: err}
	}
	return z
}
