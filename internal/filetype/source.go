package filetype

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
)

type CountingReader struct {
	R io.Reader
	N int64
}

func (c *CountingReader) Read(p []byte) (int, error) {
	n, err := c.R.Read(p)
	c.N += int64(n)
	return n, err
}

// Images are judged by their structure: what they are, that they are whole, how
// many pixels a viewer must hold, and what it must unpack for them. Pixels are
// not decoded. That is left to the browser, which does it in a sandbox.

var (
	LittleEndian = binary.LittleEndian
	BigEndian    = binary.BigEndian
)

// CutShort says that what the image's dimensions need is not there.
func CutShort(t Type) *Problem {
	return Mismatch(ReasonDamaged, "The file begins like %s, but its picture is cut short or damaged. Export or upload it again.", t.Label)
}

// Source is the file under inspection. Parsers may treat a failed read as the
// end of the data: the first real failure is kept in err and outranks whatever
// they conclude.
type Source struct {
	R    io.ReaderAt
	Size int64
	Head []byte // the first HeadBytes, or all there is
	Left int    // steps that walks through its parts may still take, together
	// names refuses members of a ZIP for what another field than their own name
	// calls them.
	Names func(name string, dir bool) *Problem
	Work  *Account // of the inspection as a whole, shared with all that lies within
	Err   error
}

// NewSource reads the head, and the last byte to see that the file is as long
// as said.
func NewSource(r io.ReaderAt, size int64) *Source {
	s := &Source{R: r, Size: size, Left: MaxSteps, Work: NewAccount(), Names: MemberName}
	s.Head = s.Bytes(0, HeadBytes)
	s.Bytes(size-1, 1)
	return s
}

// ReadAt reads within the stated size. A file that ends before it is a failure,
// not an end.
func (s *Source) ReadAt(p []byte, off int64) (int, error) {
	if s.Err != nil {
		return 0, s.Err
	}
	if off < 0 || off >= s.Size {
		return 0, io.EOF
	}
	want := min(int64(len(p)), s.Size-off)
	n, err := s.R.ReadAt(p[:want], off)
	if int64(n) < want {
		if err == nil || errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		s.Err = err
		return n, err
	}
	if want < int64(len(p)) {
		return n, io.EOF
	}
	return n, nil
}

// Bytes reads up to n bytes at off; fewer, or none, where the file ends.
func (s *Source) Bytes(off int64, n int) []byte {
	if off < 0 || off >= s.Size {
		return nil
	}
	p := make([]byte, min(int64(n), s.Size-off))
	k, _ := s.ReadAt(p, off)
	return p[:k]
}

// Step counts one part of a walk and tells whether it may be taken.
func (s *Source) Step() bool {
	s.Left--
	return s.Left >= 0
}

// Within is the source of bytes that lie within s, at the expense of the same
// inspection.
func (s *Source) Within(p []byte) *Source {
	inner := NewSource(bytes.NewReader(p), int64(len(p)))
	inner.Work = s.Work
	return inner
}

// Unfold reads what is decompressed of the file's own parts, of which most is
// theirs, on the account of the whole inspection as well: there may be
// thousands of such files in an archive.
func (s *Source) Unfold(r io.Reader, most *Allowance, price Allowance) io.Reader {
	return s.Work.Unfolded.Reader(most.Reader(r, price), price)
}

// Scan reads up to n bytes from the start, for a parser of text or markup.
func (s *Source) Scan(n int64) io.Reader {
	return s.Work.Scanned.Reader(s.Section(0, n), KiB)
}

// Account is what one inspection may still spend on documents, however many lie
// within the file and however deep. A file that has used up any of it is held.
type Account struct {
	Unfolded Allowance // bytes that are unfolded of objects and streams, or read along chains of sectors
	Sampled  Allowance // bytes that are decompressed of PDF streams in search of bombs
	Lexed    Allowance // bytes that are lexed of PDFs beyond their own sizes
	Scanned  Allowance // bytes that are read as text or markup
	Named    Allowance // names of PDFs that may matter, and what is behind them
	Matched  Allowance // bytes of pages that are compared with regular expressions
}

func NewAccount() *Account {
	return &Account{Unfolded: maxUnfolded, Sampled: maxSampled, Lexed: maxLexed, Named: maxNamed, Scanned: maxScanned,
		Matched: maxMatched}
}

func (a *Account) Used() bool {
	return a.Unfolded <= 0 || a.Sampled <= 0 || a.Lexed <= 0 || a.Named <= 0 || a.Scanned <= 0 || a.Matched <= 0
}

// Section reads up to n bytes from off on.
func (s *Source) Section(off, n int64) *io.SectionReader {
	return io.NewSectionReader(s, off, n)
}

// Rest reads from off to the end.
func (s *Source) Rest(off int64) *io.SectionReader {
	return io.NewSectionReader(s, off, s.Size-off)
}

// Allowance is how many bytes may still be decompressed.
type Allowance int64

var ErrAllowance = errors.New("more to decompress than inspection allows")

// Reader reads r on the account of a, and fails when that is used up. To begin
// has a price of its own, for setting up a decompressor costs as well.
func (a *Allowance) Reader(r io.Reader, price Allowance) io.Reader {
	*a -= price
	return &meteredReader{r, a}
}

type meteredReader struct {
	r io.Reader
	a *Allowance
}

func (m *meteredReader) Read(p []byte) (int, error) {
	if *m.a <= 0 {
		return 0, ErrAllowance
	}
	n, err := m.r.Read(p[:min(int64(len(p)), int64(*m.a))])
	*m.a -= Allowance(n)
	return n, err
}

// Failing is a reader of nothing but its error.
type Failing struct{ Err error }

func (f Failing) Read([]byte) (int, error) { return 0, f.Err }
