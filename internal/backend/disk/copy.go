package disk

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"os"
)

const (
	copySize  = 256 << 10 // size of one write
	copyAhead = 4         // blocks of it in memory for each transfer
	flushSize = 8 << 20   // bytes between two starts of writing to the device, so that the last fsync is short
)

// copyTo copies a reader to a file, and returns how many bytes it has and their
// SHA-256. size is how many bytes are expected.
func copyTo(ctx context.Context, f *os.File, r io.Reader, size int64) (n int64, sum string, err error) {
	h := sha256.New()
	n, err = copyAt(ctx, f, 0, h, r, size)
	return n, hex.EncodeToString(h.Sum(nil)), err
}

// copyAt copies a reader to a file, from an offset on, and to a hash, which is
// computed while later bytes are read and written. It regularly starts writing
// to the device. After an error of the file, the hash has more than n bytes.
func copyAt(ctx context.Context, f *os.File, at int64, sum hash.Hash, r io.Reader, size int64) (n int64, err error) {
	h := startHash(sum, int(max(1, min(size, copySize))))
	defer h.end()
	var flushed int64
	for {
		if err := ctx.Err(); err != nil {
			return n, err
		}
		block := h.block()
		m, rerr := io.ReadFull(r, block)
		if m > 0 {
			h.full <- block[:m]
			if _, err := f.WriteAt(block[:m], at+n); err != nil {
				return n, err
			}
			n += int64(m)
			if n-flushed >= flushSize {
				beginFlush(f, at+flushed, n-flushed)
				flushed = n
			}
		}
		switch {
		case rerr == io.EOF || rerr == io.ErrUnexpectedEOF:
			return n, nil
		case rerr != nil:
			return n, errInterrupted(rerr, n)
		}
	}
}

// hashing computes a hash in a goroutine of its own, which ends with end. It
// has at most copyAhead blocks of memory.
type hashing struct {
	full, free chan []byte
	sum        hash.Hash
	ended      chan struct{}
	made, size int
}

func startHash(sum hash.Hash, size int) *hashing {
	h := &hashing{full: make(chan []byte, copyAhead), free: make(chan []byte, copyAhead), sum: sum,
		ended: make(chan struct{}), size: size}
	go h.run()
	return h
}

func (h *hashing) run() {
	defer close(h.ended)
	for block := range h.full {
		h.sum.Write(block)
		h.free <- block[:h.size]
	}
}

// block returns a block to fill, which then may be sent to full once. It waits
// while all of them are still to be hashed.
func (h *hashing) block() []byte {
	select {
	case b := <-h.free:
		return b
	default:
	}
	if h.made < copyAhead {
		h.made++
		return make([]byte, h.size)
	}
	return <-h.free
}

// end waits until all blocks are hashed.
func (h *hashing) end() {
	close(h.full)
	<-h.ended
}
