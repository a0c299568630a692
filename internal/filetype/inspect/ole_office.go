package inspect

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"errors"
	"io"
	"slices"
	"strings"

	"vitrine/internal/filetype"
	"vitrine/internal/filetype/archive"
)

// oleMain lists the streams that determine the kind of a document.
var oleMain = map[string][]string{
	"doc": {"worddocument"},
	"xls": {"workbook", "book"},
	"ppt": {"powerpoint document"},
}

// inspectOLE checks doc, xls and ppt for macros and packages (security, Files
// are checked by their bytes). A password-protected file of a newer format has
// this layout too, under any of the names.
func inspectOLE(s *filetype.Source, t filetype.Type, facts *filetype.Facts) *filetype.Problem {
	if !bytes.HasPrefix(s.Head, []byte(filetype.OleMagic)) {
		return filetype.NotThe(s, t)
	}
	c, ok := archive.OpenCompound(s)
	if !ok {
		return filetype.Damaged(t)
	}
	if p := c.Check(); p != nil {
		return p
	}
	if encryptedPackage(c) {
		return heldEncrypted(facts)
	}
	if p := objects(c, facts); p != nil {
		return p
	}
	return documents(c, s, t, facts)
}

// maxMainStreams is the most main streams in a file: its own, and those of
// embedded documents.
const maxMainStreams = 256

// mainStreams inspect the main streams of documents, by their names in lower
// case. Which one a program opens depends on the tree, and on how the program
// reads a damaged tree, so all are inspected.
var mainStreams = map[string]func(*archive.Compound, archive.StorageEntry, *filetype.Facts) *filetype.Problem{
	"worddocument": inspectWord,
	"workbook":     inspectExcel,
	"book":         inspectExcel,
}

// documents requires a main stream of the kind that the name implies. It
// inspects those of presentations, which contain objects; objects has inspected
// all others.
func documents(c *archive.Compound, s *filetype.Source, t filetype.Type, facts *filetype.Facts) *filetype.Problem {
	found := 0
	for _, e := range c.Storage {
		if e.Kind != 2 || !slices.Contains(oleMain[t.Ext], strings.ToLower(e.Name)) {
			continue
		}
		if found++; found > maxMainStreams {
			facts.HoldFor(filetype.HoldNotFullyInspected)
			break
		}
		if t.Ext != "ppt" {
			continue
		}
		if p := inspectPowerPoint(c, e, facts); p != nil {
			return p
		}
	}
	if found == 0 {
		return filetype.NotThe(s, t)
	}
	return nil
}

func heldEncrypted(facts *filetype.Facts) *filetype.Problem {
	facts.Encrypted = true
	facts.HoldFor(filetype.HoldEncryptedDocument)
	return nil
}

// encryptedPackage reports whether a file is a password-protected OOXML file.
func encryptedPackage(c *archive.Compound) bool {
	_, ok := mainStream(c, "encryptedpackage")
	return ok
}

// mainStream finds a stream by one of its names, in any storage.
func mainStream(c *archive.Compound, names ...string) (archive.StorageEntry, bool) {
	for _, e := range c.Storage {
		for _, name := range names {
			if e.Kind == 2 && strings.ToLower(e.Name) == name {
				return e, true
			}
		}
	}
	return archive.StorageEntry{}, false
}

// inspectWord reads the flags at the start of the file information block and
// searches for fields that start programs.
func inspectWord(c *archive.Compound, main archive.StorageEntry, facts *filetype.Facts) *filetype.Problem {
	r := c.Open(main)
	fib := make([]byte, 32)
	if _, err := io.ReadFull(r, fib); err != nil {
		return nil
	}
	if filetype.LittleEndian.Uint16(fib[10:])&0x0100 != 0 {
		facts.Encrypted = true // macros would be visible in the directory anyway
	}
	scan := fieldScan{facts: facts}
	io.Copy(&scan, io.LimitReader(r, filetype.MaxRecordScan))
	scan.judge()
	return scan.problem
}

// The record types of Excel and PowerPoint.
const (
	xlsEOF        = 0x000a
	xlsFilePass   = 0x002f
	xlsBoundSheet = 0x0085
	xlsSupBook    = 0x01ae

	pptVBAInfo   = 0x0400
	pptOLEObject = 0x1011
)

// inspectExcel walks the first records of a workbook. It searches for sheets of
// Excel 4 macros, which are outside Visual Basic, and for a password, which
// would hide them.
func inspectExcel(c *archive.Compound, main archive.StorageEntry, facts *filetype.Facts) *filetype.Problem {
	r := bufio.NewReader(io.LimitReader(c.Open(main), filetype.MaxRecordScan))
	head := make([]byte, 4)
	for {
		if _, err := io.ReadFull(r, head); err != nil {
			return nil
		}
		typ, length := filetype.LittleEndian.Uint16(head), int(filetype.LittleEndian.Uint16(head[2:]))
		switch typ {
		case xlsEOF:
			return nil
		case xlsFilePass:
			return heldEncrypted(facts)
		case xlsSupBook:
			if p, _ := r.Peek(min(length, filetype.KiB)); filetype.Shells.Match(linkedBook(p)) {
				return facts.CheckDDE(string(linkedBook(p)))
			}
		case xlsBoundSheet:
			if p, _ := r.Peek(6); len(p) == 6 && (p[5] == 1 || p[5] == 6) {
				return filetype.MacroProblem()
			}
		}
		if _, err := r.Discard(length); err != nil {
			return nil
		}
	}
}

// linkedBook returns what a link record names. A link to a running program has
// a service and a topic, with a mark between them.
func linkedBook(record []byte) []byte {
	record = record[min(len(record), 5):]
	if !bytes.Contains(record, []byte{3}) {
		return nil
	}
	record = bytes.ReplaceAll(record, []byte{0}, nil)
	return bytes.ReplaceAll(record, []byte{3}, []byte{' '})
}

// inspectPowerPoint walks the records of a presentation. It enters a container
// by not skipping it, so the walk needs no recursion.
func inspectPowerPoint(c *archive.Compound, main archive.StorageEntry, facts *filetype.Facts) *filetype.Problem {
	r := bufio.NewReader(io.LimitReader(c.Open(main), filetype.MaxRecordScan))
	head := make([]byte, 8)
	budget := filetype.Allowance(filetype.MaxEmbedded)
	macros, projects := false, 0
	for {
		if _, err := io.ReadFull(r, head); err != nil {
			if macros && projects != 1 {
				return filetype.MacroProblem()
			}
			return nil
		}
		version, typ, length := filetype.LittleEndian.Uint16(head), filetype.LittleEndian.Uint16(head[2:]),
			int64(filetype.LittleEndian.Uint32(head[4:]))
		if version&0xf == 0xf {
			continue
		}
		body := io.LimitReader(r, length)
		switch typ {
		case pptVBAInfo:
			p := make([]byte, 8)
			if _, err := io.ReadFull(body, p); err == nil && filetype.LittleEndian.Uint32(p[4:]) != 0 {
				macros = true
			}
		case pptOLEObject:
			object, size := unpackOLE(body, version>>4 == 1)
			n, p := slideObject(c, c.S.Unfold(object, &budget, filetype.OpenPrice), size, facts)
			if p != nil {
				return p
			}
			projects += n
		}
		io.Copy(io.Discard, body)
	}
}

// ole10Native is the UTF-16 name of the stream in which the packager stores any
// kind of file.
var ole10Native = []byte("\x01\x00O\x00l\x00e\x001\x000\x00N\x00a\x00t\x00i\x00v\x00e\x00")

// slideObject judges an embedded object of a presentation, and counts projects
// without a macro. An unreadable object is held. Some programs leave out the
// checksum behind a packed one: it is whole if it has its size.
func slideObject(c *archive.Compound, r io.Reader, size int64, facts *filetype.Facts) (projects int,
	problem *filetype.Problem) {
	p, err := io.ReadAll(io.LimitReader(r, filetype.MaxNested+1))
	if errors.Is(err, io.ErrUnexpectedEOF) && int64(len(p)) == size {
		err = nil
	}
	if err == nil && len(p) <= filetype.MaxNested {
		if object, ok := archive.OpenCompound(c.S.Within(p)); ok {
			if problem := object.Check(); problem != nil {
				return 0, problem
			}
			return object.Projects, objects(object, facts)
		}
	}
	if err != nil || len(p) > filetype.MaxNested || bytes.Contains(p, ole10Native) {
		facts.HoldFor(filetype.HoldEmbeddedObject)
	}
	return 0, nil
}

// unpackOLE reads an embedded object of PowerPoint. The size of a packed one
// comes first; that of any other is -1.
func unpackOLE(r io.Reader, compressed bool) (object io.Reader, size int64) {
	if !compressed {
		return r, -1
	}
	head := make([]byte, 4)
	io.ReadFull(r, head)
	z, err := zlib.NewReader(r)
	if err != nil {
		return filetype.Failing{Err: err}, -1
	}
	return z, int64(filetype.LittleEndian.Uint32(head))
}
