package disk

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
)

const (
	copySize  = 256 << 10 // size of one write
	copyAhead = 4         // blocks of it in memory for each transfer
	flushSize = 8 << 20   // bytes between two starts of writing to the device, so that the last fsync is short
)

// copyTo copies a reader to a file, and returns how many bytes it has and their
// SHA-256, which it computes while later bytes are read and written. It
// regularly starts writing to the device. size is how many bytes are expected.
func copyTo(ctx context.Context, f *os.File, r io.Reader, size int64) (n int64, sum string, err error) {
	h := startHash(int(max(1, min(size, copySize))))
	defer func() { sum = h.end() }()
	var flushed int64
	for {
		if err := ctx.Err(); err != nil {
			return n, "", err
		}
		block := h.block()
		m, rerr := io.ReadFull(r, block)
		if m > 0 {
			h.full <- block[:m]
			if _, err := f.WriteAt(block[:m], n); err != nil {
				return n, "", err
			}
			n += int64(m)
			if n-flushed >= flushSize {
				beginFlush(f, flushed, n-flushed)
				flushed = n
			}
		}
		switch {
		case rerr == io.EOF || rerr == io.ErrUnexpectedEOF:
			return n, "", nil
		case rerr != nil:
			return n, "", errInterrupted(rerr, n)
		}
	}
}

// hashing computes a SHA-256 in a goroutine of its own, which ends with end. It
// has at most copyAhead blocks of memory.
type hashing struct {
	full, free chan []byte
	sum        chan string
	made, size int
}

func startHash(size int) *hashing {
	h := &hashing{full: make(chan []byte, copyAhead), free: make(chan []byte, copyAhead), sum: make(chan string),
		size: size}
	go h.run()
	return h
}

func (h *hashing) run() {
	sum := sha256.New()
	for block := range h.full {
		sum.Write(block)
		h.free <- block[:h.size]
	}
	h.sum <- hex.EncodeToString(sum.Sum(nil))
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

// end waits until all blocks are hashed. It returns the SHA-256 in hexadecimal.
func (h *hashing) end() string {
	close(h.full)
	return <-h.sum
}
