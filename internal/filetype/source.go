package filetype

import (
	"errors"
	"io"
)

// source is the file under inspection. Parsers may treat a failed read as the end of the data: the first real failure is kept in
// err and outranks whatever they conclude.
type source struct {
	r     io.ReaderAt
	size  int64
	head  []byte // the first headBytes, or all there is
	left  int    // steps that walks through its parts may still take, together
	inner bool   // it lies within another file
	err   error
}

// newSource reads the head, and the last byte to see that the file is as long as said.
func newSource(r io.ReaderAt, size int64) *source {
	s := &source{r: r, size: size, left: maxSteps}
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

// unfold is what may be decompressed of the file's own parts: most, or for a member of an archive what honest ones take at most, since
// there may be thousands of them.
func (s *source) unfold(most allowance) allowance {
	if s.inner {
		return min(most, allowance(8*s.size+mib))
	}
	return most
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
