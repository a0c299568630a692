package filetype

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"path"
	"strings"

	"github.com/gabriel-vasile/mimetype"
)

const (
	OleMagic  = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
	OleHeader = 512
	OleMini   = 64         // size of a small sector
	OleCutoff = 4096       // smaller streams are stored in small sectors
	OleLast   = 0xfffffffa // larger sector numbers are marks
)

// Some features of PDF are neither held nor refused. JavaScript as used in
// forms, XFA forms, submitting forms and links to embedded PDF documents do
// nothing in the reader used here (security, surfaces), and other readers ask
// first. Pages of any size are shown reduced.

// PdfStart finds the header of a PDF: in the first 1024 bytes, and not after
// anything that another program takes for its own file. A header after such a
// file has a lead, but PdfStart reports false.
func PdfStart(head []byte) (lead int, ok bool) {
	if pdfHeader(head) {
		return 0, true
	}
	head = head[:min(len(head), 1024)]
	lead = bytes.Index(head, []byte("%PDF-"))
	if lead < 0 {
		return 0, false
	}
	if m := mimetype.Detect(head[:lead]); !m.Is(Unknown) && !m.Is("text/plain") ||
		FormOf("", head[:lead]) != FormOther || OtherText(head[:lead]) != "" {
		return lead, false
	}
	return lead, pdfHeader(head[lead:])
}

// pdfHeader reports whether a header comes first, apart from white space and a
// byte order mark.
func pdfHeader(head []byte) bool {
	head = bytes.TrimPrefix(head[:min(len(head), 1024)], []byte("\xef\xbb\xbf"))
	head = bytes.TrimLeft(head, " \t\r\n\f\x00")
	return len(head) >= 8 && bytes.HasPrefix(head, []byte("%PDF-")) && '1' <= head[5] && head[5] <= '9'
}

// PdfInteger reads a whole number of a PDF, with or without a sign.
func PdfInteger(p []byte) (n int64, ok bool) {
	negative := len(p) > 0 && p[0] == '-'
	if negative || len(p) > 0 && p[0] == '+' {
		p = p[1:]
	}
	for _, c := range p {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	if negative {
		n = -n
	}
	return n, 0 < len(p) && len(p) <= 18
}

const (
	Rar4Magic = "Rar!\x1a\x07\x00"
	Rar5Magic = "Rar!\x1a\x07\x01\x00"
)

// SevenMagic is how a 7z file begins.
const SevenMagic = "7z\xbc\xaf\x27\x1c"

// TarBlock is the size of a block of a tar file, in bytes.
const TarBlock = 512

// TarHeader reports whether a file is a tar: by the checksum of its first
// header, which even the oldest format has, or two blocks of zeros for an empty
// tar.
func TarHeader(head []byte) bool {
	if len(head) < TarBlock {
		return false
	}
	_, err := tar.NewReader(bytes.NewReader(head[:TarBlock])).Next()
	empty := len(head) >= 2*TarBlock && len(bytes.Trim(head[:2*TarBlock], "\x00")) == 0
	return err == nil || errors.Is(err, io.ErrUnexpectedEOF) || empty
}

// OtherText returns the name of a text-based format that is not meant to be
// read as text, or "".
func OtherText(head []byte) string {
	if pdfHeader(head) {
		return "a PDF document"
	}
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	for _, f := range []struct{ magic, what string }{
		{"%!PS", "a PostScript program"}, {"%FDF-", "a PDF form"}, {`{\rtf`, "an RTF document"},
	} {
		if bytes.HasPrefix(head, []byte(f.magic)) {
			return f.what
		}
	}
	return ""
}

// Form is how a member is inspected.
type Form int

const (
	FormOther Form = iota // not inspected further
	FormZIP
	FormOOXML
	FormPackage
	FormOLE
	FormPDF
	FormRTF
	FormHTML
	FormSVG
	FormTar
	FormGzip
	FormBzip2
	Form7z
	FormRAR
	FormSealed // an archive or disk image that cannot be inspected
	FormCode   // a script of a website
	FormXML    // an XML page of a website
)

// magics are the first bytes by which a member is recognized, regardless of its
// name.
var magics = []struct {
	magic string
	form  Form
}{
	{ZipLocal, FormZIP}, {ZipEnd, FormZIP}, {OleMagic, FormOLE}, {"%PDF-", FormPDF}, {`{\rt`, FormRTF},
	{"\x1f\x8b\x08", FormGzip}, {"BZh", FormBzip2}, {SevenMagic, Form7z}, {Rar4Magic, FormRAR}, {Rar5Magic, FormRAR},
	{"MSCF\x00\x00\x00\x00", FormSealed}, {"\xfd7zXZ\x00", FormSealed}, {"\x28\xb5\x2f\xfd", FormSealed},
	{"\x04\x22\x4d\x18", FormSealed},
	{"LZIP\x01", FormSealed}, {"\x60\xea", FormSealed}, {"vhdxfile", FormSealed}, {"conectix", FormSealed},
	{"ISc(", FormSealed},
	{"MSWIM\x00\x00\x00", FormSealed}, {"\xe4\x52\x5c\x7b\x8c\xd8\xa7\x4d", FormSealed},
	// The last one is a OneNote notebook, which may contain any files.
}

// sealedNames are extensions of archives and disk images without a recognizable
// beginning.
var sealedNames = ExtensionSet(`iso img udf vhd vhdx vmdk ace arj lzh lha cab xz txz zst lzma wim uue`)

// FormOf returns how to inspect a member, from its first bytes or, if they do
// not tell, its name.
func FormOf(name string, head []byte) Form {
	t, _ := ByExt(name)
	for _, m := range magics {
		if !bytes.HasPrefix(head, []byte(m.magic)) {
			continue
		}
		switch {
		case m.magic == "\x60\xea" && (len(head) < 11 || head[10] > 2), m.form == FormBzip2 && !isBzip2(head):
			continue // two or three letters are not enough
		case m.form == FormZIP:
			return ZipForm(t.Ext)
		}
		return m.form
	}
	switch t.Ext {
	case "html":
		return FormHTML
	case "svg":
		return FormSVG
	case "pdf":
		if _, ok := PdfStart(head); ok {
			return FormPDF
		}
	case "zip", "7z", "rar": // programs find these after other data too
		if len(head) > 0 {
			return map[string]Form{"zip": FormZIP, "7z": Form7z, "rar": FormRAR}[t.Ext]
		}
	}
	ext := FoldExt(strings.TrimPrefix(path.Ext(name), "."))
	switch {
	case t.Ext == "tar" && TarHeader(head), len(head) > 262 && string(head[257:262]) == "ustar":
		return FormTar
	case len(head) > 0 && sealedNames[ext], len(head) > 14 && string(head[7:14]) == "**ACE**":
		return FormSealed
	}
	return FormOther
}

// ZipForm returns what kind of ZIP file an extension stands for.
func ZipForm(ext string) Form {
	switch ext {
	case "docx", "xlsx", "pptx":
		return FormOOXML
	case "odt", "ods", "odp", "epub":
		return FormPackage
	}
	return FormZIP
}

func isBzip2(head []byte) bool {
	return len(head) >= 10 && '1' <= head[3] && head[3] <= '9' &&
		(string(head[4:10]) == "1AY&SY" || string(head[4:10]) == "\x17\x72\x45\x38\x50\x90")
}

const (
	ZipLocal    = "PK\x03\x04"
	ZipEntry    = "PK\x01\x02"
	ZipEnd      = "PK\x05\x06"
	Zip64End    = "PK\x06\x06"
	Zip64Finder = "PK\x06\x07"
)
