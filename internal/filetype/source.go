package filetype

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
)

// CountingReader counts what is read from R.
type CountingReader struct {
	R io.Reader
	N int64
}

func (c *CountingReader) Read(p []byte) (int, error) {
	n, err := c.R.Read(p)
	c.N += int64(n)
	return n, err
}

// Images are judged by their structure: their type, whether they are complete,
// and how many pixels and bytes a viewer must handle. Pixels are not decoded
// here; the browser does that in a sandbox.

var (
	LittleEndian = binary.LittleEndian
	BigEndian    = binary.BigEndian
)

// CutShort returns the problem of an image with less data than its dimensions
// need.
func CutShort(t Type) *Problem {
	return Mismatch(ReasonDamaged, "The file begins like %s, but its picture is cut short or damaged. Export or upload it again.", t.Label)
}

// Source is the file under inspection. Parsers may treat a failed read as the
// end of the data: the first real failure is stored in err and takes precedence
// over their result.
type Source struct {
	R    io.ReaderAt
	Size int64
	Head []byte // the first HeadBytes, or the whole file
	Left int    // steps that walks through its parts may still take
	// Names refuses a member of a ZIP for a second name in another field.
	Names func(name string, dir bool) *Problem
	Work  *Account // shared by the whole inspection
	Depth int      // how many files it is within
	Err   error
}

// NewSource reads the head, and the last byte to check the size.
func NewSource(r io.ReaderAt, size int64) *Source {
	s := &Source{R: r, Size: size, Left: MaxSteps, Work: NewAccount(), Names: MemberName}
	s.Head = s.Bytes(0, HeadBytes)
	s.Bytes(size-1, 1)
	return s
}

// ReadAt reads within the stated size. If the file ends earlier, it returns a
// failure, not the end of the file.
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

// Bytes reads up to n bytes at off, fewer at the end of the file.
func (s *Source) Bytes(off int64, n int) []byte {
	if off < 0 || off >= s.Size {
		return nil
	}
	p := make([]byte, min(int64(n), s.Size-off))
	k, _ := s.ReadAt(p, off)
	return p[:k]
}

// Step counts a step of a walk and reports whether it may be taken.
func (s *Source) Step() bool {
	s.Left--
	return s.Left >= 0
}

// Within returns a source of bytes within s, in the same inspection.
func (s *Source) Within(p []byte) *Source {
	inner := NewSource(bytes.NewReader(p), int64(len(p)))
	inner.Work, inner.Depth = s.Work, s.Depth+1
	return inner
}

// Unfold returns a reader of a decompressed part of the file. It is bounded by
// most, and by the allowance of the whole inspection, because an archive may
// contain thousands of such files.
func (s *Source) Unfold(r io.Reader, most *Allowance, price Allowance) io.Reader {
	return s.Work.Unfolded.Reader(most.Reader(r, price), price)
}

// Scan returns a reader of up to n bytes from the start.
func (s *Source) Scan(n int64) io.Reader {
	return s.Work.Scanned.Reader(s.Section(0, n), KiB)
}

// Account holds the allowances of an inspection for all documents in a file, at
// any depth. A file that uses one up is held.
type Account struct {
	Unfolded Allowance // bytes unpacked from objects and streams, or read along sector chains
	Sampled  Allowance // bytes decompressed from PDF streams to search for bombs
	Lexed    Allowance // bytes of PDFs lexed beyond their own size
	Scanned  Allowance // bytes read as text or markup
	Named    Allowance // names in PDFs that may matter
	Matched  Allowance // bytes of pages matched with regular expressions
}

// NewAccount returns what inspecting one file may cost.
func NewAccount() *Account {
	return &Account{Unfolded: maxUnfolded, Sampled: maxSampled, Lexed: maxLexed, Named: maxNamed, Scanned: maxScanned,
		Matched: maxMatched}
}

// Used reports whether an allowance is used up.
func (a *Account) Used() bool {
	return a.Unfolded <= 0 || a.Sampled <= 0 || a.Lexed <= 0 || a.Named <= 0 || a.Scanned <= 0 || a.Matched <= 0
}

// Section returns a reader of up to n bytes at off.
func (s *Source) Section(off, n int64) *io.SectionReader {
	return io.NewSectionReader(s, off, n)
}

// Rest returns a reader from off to the end.
func (s *Source) Rest(off int64) *io.SectionReader {
	return io.NewSectionReader(s, off, s.Size-off)
}

// Allowance is the number of bytes that may still be decompressed.
type Allowance int64

// ErrAllowance is the error of readers whose allowance is used up.
var ErrAllowance = errors.New("more to decompress than inspection allows")

// Reader returns a reader of r that uses the allowance and fails when it is
// used up. Starting costs price, because a decompressor takes time to set up.
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

// Failing is a reader that only returns its error.
type Failing struct{ Err error }

func (f Failing) Read([]byte) (int, error) { return 0, f.Err }
