package s3

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/test/vitrinetest"
)

// random returns n bytes, the same on each call.
func random(n int) []byte {
	p := make([]byte, n)
	r := rand.NewChaCha8([32]byte{1})
	_, _ = r.Read(p)
	return p
}

// TestReads checks the number of requests and of transferred bytes for several
// ways of reading.
func TestReads(t *testing.T) {
	f := newFlaky(t)
	text := random(3 << 20)
	k := f.sealed(string(text))
	var sent atomic.Int64
	f.proxy.set(func(w http.ResponseWriter, r *http.Request) bool {
		f.proxy.to.ServeHTTP(&counting{w, &sent}, r)
		return true
	})
	for _, test := range []struct {
		name     string
		requests int // at most, including that of Open
		bytes    int64
		read     func(io.ReadSeeker, io.ReaderAt) error
	}{
		{"whole", 3, int64(len(text)), func(r io.ReadSeeker, _ io.ReaderAt) error { return same(r, text) }},
		{"whole, byte by byte", 3, int64(len(text)), func(r io.ReadSeeker,
			_ io.ReaderAt) error {
			return same(bufio.NewReaderSize(r, 16), text)
		}},
		{"whole, at places", 3, int64(len(text)), func(_ io.ReadSeeker, at io.ReaderAt) error {
			return same(io.NewSectionReader(at, 0, int64(len(text))), text)
		}},
		{"the beginning", 1, 64 << 10, func(r io.ReadSeeker,
			_ io.ReaderAt) error {
			return same(io.LimitReader(r, 1000), text[:1000])
		}},
		{"nothing, but its size", 1, 64 << 10, func(r io.ReadSeeker, _ io.ReaderAt) error {
			n, err := r.Seek(0, io.SeekEnd)
			if n != int64(len(text)) {
				return errors.New("another size")
			}
			return err
		}},
		{"like a browser's range", 2, 128 << 10, func(r io.ReadSeeker, _ io.ReaderAt) error {
			_, _ = r.Seek(0, io.SeekEnd)
			_, _ = r.Seek(1<<20, io.SeekStart)
			return same(io.LimitReader(r, 64<<10), text[1<<20:1<<20+64<<10])
		}},
		{"like a ZIP's directory", 3, 3 * 64 << 10, func(_ io.ReadSeeker, at io.ReaderAt) error {
			p := make([]byte, 30)
			for i := range 2000 { // alternately at two places
				from := len(text) - 50_000 + i*20
				if i%2 == 1 {
					from = 1_000_000 + i*10
				}
				if _, err := at.ReadAt(p, int64(from)); err != nil || !bytes.Equal(p, text[from:from+30]) {
					return errors.Join(errors.New("other bytes"), err)
				}
			}
			return nil
		}},
	} {
		f.proxy.mu.Lock()
		f.proxy.seen = nil
		sent.Store(0)
		f.proxy.mu.Unlock()
		blob, err := f.far.Open(ctx, k)
		if err != nil {
			t.Fatal(err)
		}
		err = test.read(blob, blob)
		if err := blob.Close(); err != nil {
			t.Error(err)
		}
		if n := f.proxy.count("GET"); err != nil || n > test.requests || sent.Load() > test.bytes {
			t.Errorf("%s: %v after %d requests (at most %d) and %d bytes (at most %d)", test.name, err, n,
				test.requests, sent.Load(), test.bytes)
		}
		if _, err := blob.Read(make([]byte, 1)); !errors.Is(err, errClosed) {
			t.Errorf("%s: Read after Close = %v, want errClosed", test.name, err)
		}
	}
}

// counting counts the bytes of bodies.
type counting struct {
	http.ResponseWriter
	n *atomic.Int64
}

func (c *counting) Write(p []byte) (int, error) {
	c.n.Add(int64(len(p)))
	return c.ResponseWriter.Write(p)
}

func same(r io.Reader, want []byte) error {
	got, err := io.ReadAll(r)
	if err == nil && !bytes.Equal(got, want) {
		err = errors.New("other bytes")
	}
	return err
}

// TestServeContent serves a blob as the web server does and compares it with
// the same bytes in memory.
func TestServeContent(t *testing.T) {
	server := vitrinetest.S3(t)
	b := opened(t, server.Address(server.Bucket(t), ""))
	text := random(1 << 20)
	k := putGrant.Key
	if err := b.Import(ctx, k, int64(len(text)), bytes.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	for _, ranges := range []string{"", "bytes=0-0", "bytes=5-5000", "bytes=500000-", "bytes=-1", "bytes=65535-65536",
		"bytes=0-10,70000-70010,1000000-", "bytes=2000000-"} {
		answer := func(r io.ReadSeeker) *httptest.ResponseRecorder {
			q := httptest.NewRequest(http.MethodGet, "/", nil)
			q.Header.Set("Range", ranges)
			w := httptest.NewRecorder()
			w.Header().Set("Content-Type", octets)
			http.ServeContent(w, q, "", time.Time{}, r)
			return w
		}
		blob, err := b.Open(ctx, k)
		if err != nil {
			t.Fatal(err)
		}
		got, want := answer(blob), answer(bytes.NewReader(text))
		blob.Close()
		if got.Code != want.Code || got.Header().Get("Content-Range") != want.Header().Get("Content-Range") ||
			got.Body.Len() != want.Body.Len() || want.Header().Get("Content-Range") != "" &&
			!bytes.Equal(got.Body.Bytes(), want.Body.Bytes()) {
			t.Errorf("%s: status %d, %d bytes, want %d, %d", ranges, got.Code, got.Body.Len(), want.Code,
				want.Body.Len())
		}
	}
}
