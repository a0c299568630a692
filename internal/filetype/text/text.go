// Package text inspects text, HTML and SVG, reads markup in bounded memory, and
// finds the encoding of a text ([Decode]).
package text

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"regexp"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"vitrine/internal/filetype"

	"github.com/gabriel-vasile/mimetype"
)

// pattern returns an expression that is compiled when it is first used: most
// runs of the program inspect nothing.
func pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// InspectText accepts any text for every text extension: a JSON file with
// comments, an incomplete XML or a ragged CSV is shown as plain text, as its
// owner intends. Only JSON and XML must begin accordingly.
//
// Text-direction characters, with which source code can look different from
// what runs, are allowed: Arabic and Hebrew text needs them.
func InspectText(s *filetype.Source, t filetype.Type, facts *filetype.Facts) *filetype.Problem {
	w := textWatch{facts: facts, ext: t.Ext}
	if p := checkText(s, t, w.scanFunc(s.Head)); p != nil {
		return p
	}
	if w.problem != nil {
		return w.problem
	}
	start := strings.TrimSpace(TextHead(s.Head))
	switch t.Ext {
	case "json":
		if !jsonStart().MatchString(start) {
			return filetype.NotThe(s, t)
		}
	case "xml":
		if !strings.HasPrefix(start, "<") {
			return filetype.NotThe(s, t)
		}
	}
	return nil
}

// jsonStart matches the beginning of a JSON value, or a comment, which many
// settings files have.
var jsonStart = pattern(`^([{\["]|-?[0-9]|true\b|false\b|null\b|//|/\*)`)

// checkText validates up to filetype.MaxTextScan bytes: UTF-8, UTF-16 or UTF-32
// with or without a byte order mark, or a legacy 8-bit or multi-byte encoding,
// which is recognized only by the absence of control characters. visit, if set,
// receives the text in chunks, with UTF-16 and UTF-32 converted to UTF-8.
func checkText(s *filetype.Source, t filetype.Type, visit func(chunk []byte)) *filetype.Problem {
	if what := filetype.OtherText(s.Head); what != "" {
		return filetype.Mismatch(filetype.ReasonOtherContent, "The name says %s, but the content is %s.", t.Label, what)
	}
	if what := ScriptIn(strings.ReplaceAll(TextHead(s.Head), "\x00", ""), t.Ext == "md"); what != "" {
		return filetype.UnsafeFile(filetype.ReasonScript,
			"The file is %s. Programs and scripts are not accepted.", what)
	}
	wide := WideOf(s.Head)
	marked := wide.Mark > 0
	r := TextReader(s)
	c := TextCheck{sparse: sparseText[t.Ext] && filetype.FormOf("", s.Head) == filetype.FormOther &&
		!filetype.TarHeader(s.Head)}
	buf := make([]byte, filetype.ChunkBytes)
	for {
		n, err := r.Read(buf)
		c.Add(buf[:n])
		if visit != nil {
			visit(buf[:n])
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil || c.refused() {
			return notText(s, t, &c)
		}
	}
	if s.Size <= filetype.MaxTextScan {
		c.End()
	}
	// Browsers do not decode UTF-32, nor UTF-16 without a mark.
	decoded := wide.Width == 0 || wide.Width == 2 && marked
	if !c.Valid(marked) || !decoded && (t.Kind != filetype.Text || c.control && !marked) {
		return notText(s, t, &c)
	}
	return nil
}

func notText(s *filetype.Source, t filetype.Type, c *TextCheck) *filetype.Problem {
	if m := mimetype.Detect(s.Head); !m.Is(filetype.Unknown) && !descendsFrom(m, "text/plain") {
		return filetype.NotThe(s, t)
	}
	found := "characters that do not decode"
	switch {
	case c.nuls > 0:
		found = "zero bytes"
	case c.control:
		found = "control characters"
	}
	return filetype.Mismatch(filetype.ReasonNotText,
		"The name says %s, but the content is not readable text: it has %s, as binary files do.", t.Label, found)
}

func descendsFrom(m *mimetype.MIME, family string) bool {
	for ; m != nil; m = m.Parent() {
		if m.Is(family) {
			return true
		}
	}
	return false
}

// TextCheck decides in one pass whether bytes are UTF-8, and whether they could
// be a legacy encoding.
type TextCheck struct {
	sparse   bool // a few runs of NULs are allowed
	nuls     int  // runs of NULs
	last     byte
	control  bool   // a control character that legacy text does not have
	notUTF8  bool   //
	leftover []byte // an incomplete character at the end of the last chunk
}

// sparseText are the extensions of text that may have runs of NULs: a crash or
// a rotation leaves them in logs. Programs that calculate or parse might read
// past them what inspection does not find.
var sparseText = filetype.ExtensionSet("txt log md yaml")

// maxNULs is the most runs of NULs in a text. Binary files have more.
const maxNULs = 16

func (c *TextCheck) refused() bool { return c.nuls > maxNULs || c.nuls > 0 && (!c.sparse || c.control) }

// Add looks at the next bytes of the file.
func (c *TextCheck) Add(p []byte) {
	for i, b := range p {
		if b >= ' ' || textControl[b] {
			continue
		}
		before := c.last
		if i > 0 {
			before = p[i-1]
		} else if c.nuls == 0 {
			before = ' '
		}
		if b != 0 {
			c.control = true
		} else if before != 0 {
			c.nuls++
		}
	}
	if len(p) > 0 {
		c.last = p[len(p)-1]
	}
	if c.notUTF8 {
		return
	}
	if len(c.leftover) > 0 {
		p = append(c.leftover, p...)
	}
	whole := wholeRunes(p)
	c.notUTF8 = !utf8.Valid(p[:whole])
	c.leftover = bytes.Clone(p[whole:])
}

// End marks the end of the text: an incomplete character is now invalid.
func (c *TextCheck) End() { c.notUTF8 = c.notUTF8 || len(c.leftover) > 0 }

// Valid returns the verdict. Control characters other than NUL occur in UTF-8
// logs and protocols (SOH, ESC, mIRC's colours); in an unknown encoding they
// indicate binary data, and beside NULs too. Text that was decoded for its byte
// order mark is valid, or was an error before.
func (c *TextCheck) Valid(decoded bool) bool {
	return !c.refused() && (c.nuls == 0 || !c.notUTF8) && (decoded || !c.notUTF8 || !c.control)
}

// textControl marks the C0 characters of legacy text: BEL to CR, SUB (the DOS
// end of file), ESC (terminal colours, ISO 2022).
var textControl = [' ']bool{7: true, 8: true, 9: true, 10: true, 11: true, 12: true, 13: true, 0x1a: true, 0x1b: true}

// wholeRunes returns the length of p without an incomplete character at its
// end.
func wholeRunes(p []byte) int {
	for i := len(p) - 1; i >= 0 && i >= len(p)-utf8.UTFMax; i-- {
		if utf8.RuneStart(p[i]) {
			if !utf8.FullRune(p[i:]) {
				return i
			}
			break
		}
	}
	return len(p)
}

// byteOrder reads the 16-bit units of UTF-16.
type byteOrder func(p []byte) uint16

func bigEndian(p []byte) uint16    { return uint16(p[0])<<8 | uint16(p[1]) }
func littleEndian(p []byte) uint16 { return uint16(p[1])<<8 | uint16(p[0]) }

// OrderOf returns the byte order of UTF-16 with a byte order mark, or nil for
// any other encoding.
func OrderOf(head []byte) byteOrder {
	switch {
	case bytes.HasPrefix(head, []byte("\xfe\xff")):
		return bigEndian
	case bytes.HasPrefix(head, []byte("\xff\xfe")):
		return littleEndian
	}
	return nil
}

// unitsOf returns the byte order of a form of UTF-16 or UTF-32.
func unitsOf(w Wide) byteOrder {
	if w.Big {
		return bigEndian
	}
	return littleEndian
}

// TextReader returns a reader of the file as text: UTF-16 and UTF-32 become
// UTF-8, a byte order mark is removed, everything else is unchanged.
func TextReader(s *filetype.Source) io.Reader {
	raw := s.Scan(filetype.MaxTextScan)
	w := WideOf(s.Head)
	if w.Width == 0 {
		if bytes.HasPrefix(s.Head, []byte("\xef\xbb\xbf")) {
			io.CopyN(io.Discard, raw, 3)
		}
		return raw
	}
	io.CopyN(io.Discard, raw, int64(w.Mark))
	return &utf16Reader{r: bufio.NewReaderSize(raw, filetype.ChunkBytes), order: unitsOf(w), long: w.Width == 4}
}

var errNotUTF16 = errors.New("not UTF-16")

// utf16Reader converts UTF-16, or UTF-32, to UTF-8. It fails on half a unit or
// half a surrogate pair.
type utf16Reader struct {
	r     *bufio.Reader
	order byteOrder
	long  bool // units have four bytes
}

func (u *utf16Reader) Read(p []byte) (int, error) {
	n := 0
	for n+utf8.UTFMax <= len(p) {
		r, err := u.rune()
		if err != nil {
			return n, err
		}
		n += utf8.EncodeRune(p[n:], r)
	}
	return n, nil
}

func (u *utf16Reader) rune() (rune, error) {
	if u.long {
		return u.longUnit()
	}
	hi, err := u.unit()
	if err != nil || !utf16.IsSurrogate(rune(hi)) {
		return rune(hi), err
	}
	lo, err := u.unit()
	if err != nil {
		return 0, errNotUTF16
	}
	r := utf16.DecodeRune(rune(hi), rune(lo))
	if r == utf8.RuneError {
		return 0, errNotUTF16
	}
	return r, nil
}

func (u *utf16Reader) unit() (uint16, error) {
	p, err := u.r.Peek(2)
	if len(p) < 2 {
		if len(p) == 1 {
			return 0, errNotUTF16
		}
		return 0, err
	}
	v := u.order(p)
	u.r.Discard(2)
	return v, nil
}

// longUnit reads a character of UTF-32.
func (u *utf16Reader) longUnit() (rune, error) {
	p, err := u.r.Peek(4)
	if len(p) < 4 {
		if len(p) > 0 {
			return 0, errNotUTF16
		}
		return 0, err
	}
	low, high := u.order(p), u.order(p[2:])
	if u.order([]byte{0, 1}) == 1 { // big-endian
		low, high = high, low
	}
	u.r.Discard(4)
	r := rune(high)<<16 | rune(low)
	if !utf8.ValidRune(r) {
		return 0, errNotUTF16
	}
	return r, nil
}

// TextHead returns the beginning of a text as UTF-8, without its byte order
// mark.
func TextHead(head []byte) string {
	w := WideOf(head)
	if w.Width == 0 {
		return string(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")))
	}
	r := &utf16Reader{r: bufio.NewReader(bytes.NewReader(head[w.Mark:])), order: unitsOf(w), long: w.Width == 4}
	text := make([]byte, 2*len(head))
	n, _ := r.Read(text)
	return string(text[:n])
}
