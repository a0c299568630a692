package segment

import (
	"bytes"
	"testing"
)

func TestDeflate(t *testing.T) {
	for _, piece := range [][]byte{{}, {1}, {1, 2, 3}, append([]byte{1}, make([]byte, 1<<20)...),
		append([]byte{2}, bytes.Repeat([]byte("count"), 700)...)} {
		small := Deflate(piece)
		if len(small) > len(piece) || !bytes.Equal(Inflate(small), piece) {
			t.Errorf("a piece of %d bytes is not restored from %d bytes", len(piece), len(small))
		}
		if len(piece) > 1000 && len(small) > len(piece)/3 {
			t.Errorf("a piece of %d bytes is compressed to %d bytes", len(piece), len(small))
		}
	}
}

// FuzzInflate checks that any bytes are inflated to a piece or nil, with memory
// in proportion to their number.
func FuzzInflate(f *testing.F) {
	f.Add([]byte{1, 2, 3})
	f.Add(Deflate(make([]byte, 1000)))
	f.Add([]byte{deflated, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		if piece := Inflate(b); len(piece) > mostDeflated*len(b) {
			t.Errorf("%d bytes were inflated to %d", len(b), len(piece))
		}
	})
}
