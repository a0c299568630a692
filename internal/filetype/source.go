package filetype

import (
	"bytes"
	"errors"
	"io"
)

// source is the file under inspection. Parsers may treat a failed read as the end of the data: the first real failure is kept in
// err and outranks whatever they conclude.
type source struct {
	r    io.ReaderAt
	size int64
	head []byte // the first headBytes, or all there is
	left int    // steps that walks through its parts may still take, together
	// names refuses members of a ZIP for what another field than their own name calls them.
	names func(name string, dir bool) *Problem
	work  *account // of the inspection as a whole, shared with all that lies within
	err   error
}

// newSource reads the head, and the last byte to see that the file is as long as said.
func newSource(r io.ReaderAt, size int64) *source {
	s := &source{r: r, size: size, left: maxSteps, work: newAccount(), names: memberName}
	s.head = s.bytes(0, headBytes)
	s.bytes(size-1, 1)
	return s
}

// ReadAt reads within the stated size. A file that ends before it is a failure, not an end.
func (s *source) ReadAt(p []byte, off int64) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	if off < 0 || off >= s.size {
		return 0, io.EOF
	}
	want := min(int64(len(p)), s.size-off)
	n, err := s.r.ReadAt(p[:want], off)
	if int64(n) < want {
		if err == nil || errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		s.err = err
		return n, err
	}
	if want < int64(len(p)) {
		return n, io.EOF
	}
	return n, nil
}

// bytes reads up to n bytes at off; fewer, or none, where the file ends.
func (s *source) bytes(off int64, n int) []byte {
	if off < 0 || off >= s.size {
		return nil
	}
	p := make([]byte, min(int64(n), s.size-off))
	k, _ := s.ReadAt(p, off)
	return p[:k]
}

// step counts one part of a walk and tells whether it may be taken.
func (s *source) step() bool {
	s.left--
	return s.left >= 0
}

// within is the source of bytes that lie within s, at the expense of the same inspection.
func (s *source) within(p []byte) *source {
	inner := newSource(bytes.NewReader(p), int64(len(p)))
	inner.work = s.work
	return inner
}

// unfold reads what is decompressed of the file's own parts, of which most is theirs, on the account of the whole inspection as well:
// there may be thousands of such files in an archive.
func (s *source) unfold(r io.Reader, most *allowance, price allowance) io.Reader {
	return s.work.unfolded.reader(most.reader(r, price), price)
}

// scan reads up to n bytes from the start, for a parser of text or markup.
func (s *source) scan(n int64) io.Reader {
	return s.work.scanned.reader(s.section(0, n), kib)
}

// account is what one inspection may still spend on documents, however many lie within the file and however deep. A file that has
// used up any of it is held.
type account struct {
	unfolded allowance // bytes that are unfolded of objects and streams, or read along chains of sectors
	sampled  allowance // bytes that are decompressed of PDF streams in search of bombs
	lexed    allowance // bytes that are lexed of PDFs beyond their own sizes
	scanned  allowance // bytes that are read as text or markup
	named    allowance // names of PDFs that may matter, and what is behind them
	matched  allowance // bytes of pages that are compared with regular expressions
}

func newAccount() *account {
	return &account{unfolded: maxUnfolded, sampled: maxSampled, lexed: maxLexed, named: maxNamed, scanned: maxScanned, matched: maxMatched}
}

func (a *account) used() bool {
	return a.unfolded <= 0 || a.sampled <= 0 || a.lexed <= 0 || a.named <= 0 || a.scanned <= 0 || a.matched <= 0
}

// section reads up to n bytes from off on.
func (s *source) section(off, n int64) *io.SectionReader {
	return io.NewSectionReader(s, off, n)
}

// rest reads from off to the end.
func (s *source) rest(off int64) *io.SectionReader {
	return io.NewSectionReader(s, off, s.size-off)
}

// allowance is how many bytes may still be decompressed.
type allowance int64

var errAllowance = errors.New("more to decompress than inspection allows")

// reader reads r on the account of a, and fails when that is used up. To begin has a price of its own, for setting up a
// decompressor costs as well.
func (a *allowance) reader(r io.Reader, price allowance) io.Reader {
	*a -= price
	return &meteredReader{r, a}
}

type meteredReader struct {
	r io.Reader
	a *allowance
}

func (m *meteredReader) Read(p []byte) (int, error) {
	if *m.a <= 0 {
		return 0, errAllowance
	}
	n, err := m.r.Read(p[:min(int64(len(p)), int64(*m.a))])
	*m.a -= allowance(n)
	return n, err
}

// failing is a reader of nothing but its error.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
