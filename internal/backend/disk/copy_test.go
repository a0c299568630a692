package disk

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"testing/iotest"
	"testing/synctest"
)

// TestCopy checks bodies of every length around the edges of blocks, in reads
// of any size.
func TestCopy(t *testing.T) {
	body := make([]byte, 3*copyAhead*copySize)
	_, _ = rand.NewChaCha8([32]byte{}).Read(body)
	for _, size := range []int{0, 1, 1000, copySize - 1, copySize, copySize + 1, copyAhead * copySize,
		copyAhead*copySize + 1, len(body)} {
		for name, r := range map[string]io.Reader{
			"whole": bytes.NewReader(body[:size]),
			"short": iotest.HalfReader(bytes.NewReader(body[:size])),
			"end":   iotest.DataErrReader(bytes.NewReader(body[:size])),
		} {
			synctest.Test(t, func(t *testing.T) { // which fails if a goroutine remains
				f := newFile(t)
				n, sum, err := copyTo(t.Context(), f, r, int64(size))
				got, err2 := os.ReadFile(f.Name())
				if want := sha256.Sum256(body[:size]); err != nil || err2 != nil || n != int64(size) ||
					sum != hex.EncodeToString(want[:]) || !bytes.Equal(got, body[:size]) {
					t.Errorf("%s reads of %d bytes: %d bytes with %s, %v", name, size, n, sum, errors.Join(err, err2))
				}
			})
		}
	}
}

// TestCopyFails checks that nothing of a copy remains at work when it fails.
func TestCopyFails(t *testing.T) {
	body := make([]byte, 2*copyAhead*copySize)
	for name, run := range map[string]func(t *testing.T, f *os.File) error{
		"a reader that fails": func(t *testing.T, f *os.File) error {
			_, _, err := copyTo(t.Context(), f, io.MultiReader(bytes.NewReader(body), iotest.ErrReader(io.ErrClosedPipe)),
				1<<40)
			return err
		},
		"a file that cannot be written": func(t *testing.T, f *os.File) error {
			f.Close()
			_, _, err := copyTo(t.Context(), f, bytes.NewReader(body), int64(len(body)))
			return err
		},
		"a context that ends": func(t *testing.T, f *os.File) error {
			ctx, cancel := context.WithCancel(t.Context())
			ends := readerFunc(func(p []byte) (int, error) { cancel(); return len(p), nil })
			_, _, err := copyTo(ctx, f, io.MultiReader(bytes.NewReader(body), ends), 1<<40)
			return err
		},
		"a reader that panics": func(t *testing.T, f *os.File) (err error) {
			defer func() { err, _ = recover().(error) }()
			_, _, _ = copyTo(t.Context(), f, io.MultiReader(bytes.NewReader(body),
				readerFunc(func([]byte) (int, error) { panic(io.ErrNoProgress) })), 1<<40)
			return nil
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			if err := run(t, newFile(t)); err == nil {
				t.Errorf("%s: no error", name)
			}
		})
	}
}

// TestHashingIsBounded checks that a body that arrives faster than it is hashed
// waits, and takes no more memory.
func TestHashingIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &hashing{full: make(chan []byte, copyAhead), free: make(chan []byte, copyAhead), sum: sha256.New(),
			ended: make(chan struct{}), size: 8}
		for range copyAhead {
			h.full <- h.block()
		}
		got := make(chan []byte)
		go func() { got <- h.block() }()
		synctest.Wait()
		select {
		case <-got:
			t.Errorf("there is a block beside the %d that are not hashed yet", copyAhead)
		default:
		}
		go h.run()
		if b := <-got; len(b) != 8 {
			t.Errorf("a block of %d bytes is left, want 8", len(b))
		}
		h.end()
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func newFile(t *testing.T) *os.File {
	f, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}
