package segment

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"io"
	"sync"
)

// deflated begins the compressed form of a piece of a tally: the length of the
// piece and the piece, deflated. No piece begins with it.
const deflated = 0xdf

// mostDeflated is more than the highest ratio of compression: a byte takes a
// bit or more.
const mostDeflated = 9

// The compressor and the decompressor have much memory, so they are reused. In
// a piece, numbers repeat, but hardly any sequences of them.
var (
	deflaters = sync.Pool{New: func() any {
		w, _ := flate.NewWriter(nil, flate.HuffmanOnly) // this level is valid
		return w
	}}
	inflaters = sync.Pool{New: func() any { return flate.NewReader(nil) }}
)

// Deflate returns the compressed form of a piece, or the piece itself if that
// is shorter.
func Deflate(piece []byte) []byte {
	small := bytes.NewBuffer(binary.AppendUvarint([]byte{deflated}, uint64(len(piece))))
	w := deflaters.Get().(*flate.Writer)
	defer deflaters.Put(w)
	w.Reset(small)
	_, err := w.Write(piece)
	if err == nil {
		err = w.Close()
	}
	if err != nil || small.Len() >= len(piece) {
		return piece
	}
	return small.Bytes()
}

// Inflate returns the piece that Deflate got, or nil if the compressed form is
// damaged. Any other piece is returned as it is. The caller checks the piece.
func Inflate(b []byte) []byte {
	if len(b) == 0 || b[0] != deflated {
		return b
	}
	b = b[1:]
	n, size := binary.Uvarint(b)
	if size <= 0 || n > uint64(len(b))*mostDeflated {
		return nil
	}
	r := inflaters.Get().(io.ReadCloser)
	defer inflaters.Put(r)
	if err := r.(flate.Resetter).Reset(bytes.NewReader(b[size:]), nil); err != nil {
		return nil
	}
	piece := make([]byte, n)
	if _, err := io.ReadFull(r, piece); err != nil {
		return nil
	}
	return piece
}
