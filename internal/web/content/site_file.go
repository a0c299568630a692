package content

import (
	"bufio"
	"compress/flate"
	"encoding/binary"
	"errors"
	"io"

	"vitrine/internal/filetype/inspect"
)

// framed reads bytes between two short pieces.
type framed struct {
	head []byte
	body *io.SectionReader
	tail []byte
}

// gzipOf returns a packed file of a website in gzip format, which uses the same
// compression.
func gzipOf(packed *io.SectionReader, f inspect.SiteFile) *io.SectionReader {
	tail := binary.LittleEndian.AppendUint32(nil, f.CRC32)
	tail = binary.LittleEndian.AppendUint32(tail, uint32(f.Size)) // modulo 2^32, as gzip has it
	z := framed{[]byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"), packed, tail}
	return io.NewSectionReader(z, 0, int64(len(z.head))+packed.Size()+int64(len(tail)))
}

// ReadAt implements [io.ReaderAt].
func (z framed) ReadAt(p []byte, off int64) (n int, err error) {
	for _, part := range []struct {
		r    io.ReaderAt
		size int64
	}{{bytesAt(z.head), int64(len(z.head))}, {z.body, z.body.Size()}, {bytesAt(z.tail), int64(len(z.tail))}} {
		if off >= part.size {
			off -= part.size
			continue
		}
		want := min(int64(len(p)-n), part.size-off)
		k, err := part.r.ReadAt(p[n:n+int(want)], off)
		n += k
		if int64(k) < want {
			return n, err
		}
		if off = 0; n == len(p) {
			return n, nil
		}
	}
	return n, io.EOF
}

type bytesAt []byte

func (b bytesAt) ReadAt(p []byte, off int64) (int, error) {
	n := copy(p, b[min(off, int64(len(b))):])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// unpackedFile reads a packed file of a website from any offset, by unpacking
// it from its beginning whenever it must go back.
type unpackedFile struct {
	packed *io.SectionReader
	size   int64

	to, at int64 // position of the next byte, and of r
	r      io.ReadCloser
}

var errSeek = errors.New("no such place in the file")

// Seek implements [io.Seeker].
func (u *unpackedFile) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += u.to
	case io.SeekEnd:
		offset += u.size
	}
	if offset < 0 {
		return 0, errSeek
	}
	u.to = offset
	return offset, nil
}

// Read implements [io.Reader]. The unpacked bytes end where the ZIP states; if
// they end earlier, Read returns an error.
func (u *unpackedFile) Read(p []byte) (int, error) {
	if u.to >= u.size {
		return 0, io.EOF
	}
	if u.r == nil || u.to < u.at {
		_ = u.Close()
		u.r, u.at = flate.NewReader(bufio.NewReader(io.NewSectionReader(u.packed, 0, u.packed.Size()))), 0
	}
	n, err := io.CopyN(io.Discard, u.r, u.to-u.at)
	u.at += n
	if err != nil {
		return 0, unexpected(err)
	}
	k, err := u.r.Read(p[:min(int64(len(p)), u.size-u.at)])
	u.at += int64(k)
	u.to = u.at
	if u.at < u.size {
		err = unexpected(err)
	} else if k > 0 {
		err = nil
	}
	return k, err
}

func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Close implements [io.Closer].
func (u *unpackedFile) Close() error {
	if u.r == nil {
		return nil
	}
	return u.r.Close()
}
