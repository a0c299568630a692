package scan

import (
	"fmt"
	"os"
)

// room is where the piles of one goroutine are: in memory and, beyond that, in
// a temporary file. A nil room is memory without end.
type room struct {
	most int // bytes in memory, except of piles with less than a thousandth
	held int
	file *os.File
	end  int64 // of what is in the file
	err  error // the first error of the file
}

// heldBytes is the memory of the piles of a goroutine.
const heldBytes = 16 << 20

const (
	firstChunk = 128
	largeChunk = 16 << 10
)

// filed is a chunk in a file.
type filed struct {
	at   int64
	size int
}

// pile is a list of values, in bytes.
type pile struct {
	filed  []filed  // the oldest values
	chunks [][]byte // all but the last one are full
}

// chunk returns the chunk to append a value of at most n bytes to.
func (p *pile) chunk(n int, in *room) *[]byte {
	last, size := len(p.chunks)-1, firstChunk
	if last >= 0 {
		if b := &p.chunks[last]; cap(*b)-len(*b) >= n {
			return b
		}
		size = min(2*cap(p.chunks[last]), largeChunk)
	}
	if in != nil {
		if in.held += size; in.held > in.most && last >= 0 && cap(p.chunks[last]) >= in.most/1024 {
			p.file(in)
			return &p.chunks[0]
		}
	}
	p.chunks = append(p.chunks, make([]byte, 0, size))
	return &p.chunks[last+1]
}

// file moves all values to the file, and leaves an empty chunk.
func (p *pile) file(in *room) {
	for _, b := range p.chunks {
		in.write(b)
		p.filed = append(p.filed, filed{in.end - int64(len(b)), len(b)})
		in.held -= cap(b)
	}
	p.chunks = append(p.chunks[:0], p.chunks[len(p.chunks)-1][:0])
}

// each calls f with all values, chunk by chunk. Several goroutines may do so at
// once for piles of one room.
func (p *pile) each(in *room, f func([]byte)) error {
	var b []byte
	for _, c := range p.filed {
		if in.err != nil {
			return roomError(in.err)
		}
		if b == nil {
			b = make([]byte, largeChunk)
		}
		if _, err := in.file.ReadAt(b[:c.size], c.at); err != nil {
			return roomError(err)
		}
		f(b[:c.size])
	}
	for _, b := range p.chunks {
		f(b)
	}
	return nil
}

// write appends a chunk to the file, unless writing has failed.
func (in *room) write(b []byte) {
	if in.err == nil && in.file == nil {
		in.file, in.err = os.CreateTemp("", "vitrine-report-*")
	}
	if in.err == nil {
		_, in.err = in.file.WriteAt(b, in.end)
	}
	in.end += int64(len(b))
}

func roomError(err error) error {
	return fmt.Errorf("the temporary file of a report in %s (set TMPDIR for another directory): %w", os.TempDir(), err)
}

// close deletes the file.
func (in *room) close() {
	if in.file != nil {
		_ = in.file.Close()
		_ = os.Remove(in.file.Name())
	}
}
