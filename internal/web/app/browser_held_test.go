package app_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"vitrine"
	"vitrine/internal/backend/s3"
)

// holding makes a page count how many bytes of a file its scripts hold at once,
// and how many it sends from the file itself, which the browser reads in
// pieces.
const holding = `{
	window.held = window.sent = 0;
	const hold = (prototype, name, size) => {
		const f = prototype[name];
		prototype[name] = function (...args) {
			window.held = Math.max(window.held, size.call(this, ...args));
			return f.apply(this, args);
		};
	};
	for (const name of ["arrayBuffer", "bytes", "stream", "text"]) if (Blob.prototype[name]) hold(Blob.prototype, name,
		function () { return this.size });
	for (const name of ["readAsArrayBuffer", "readAsBinaryString", "readAsDataURL",
		"readAsText"]) hold(FileReader.prototype, name, (blob) => blob.size);
	const send = XMLHttpRequest.prototype.send;
	XMLHttpRequest.prototype.send = function (body) {
		if (body instanceof Blob) window.sent += body.size;
		return send.call(this, body);
	};
}`

// largest is the size of the largest single read. Code that collects bytes in
// memory reads ever larger pieces.
type largest struct{ atomic.Int64 }

func (l *largest) of(n int) {
	for old := l.Load(); int64(n) > old && !l.CompareAndSwap(old, int64(n)); old = l.Load() {
	}
}

// bodies returns a handler that counts the bytes of request bodies and records
// the largest read.
func (l *largest) bodies(next http.Handler, total *atomic.Int64) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = watchedBody{r.Body, l, total}
		next.ServeHTTP(w, r)
	})
}

type watchedBody struct {
	io.ReadCloser
	largest *largest
	total   *atomic.Int64
}

func (b watchedBody) Read(p []byte) (int, error) {
	b.largest.of(len(p))
	n, err := b.ReadCloser.Read(p)
	b.total.Add(int64(n))
	return n, err
}

// watchedBlobs records the largest read from a bucket.
type watchedBlobs struct {
	*s3.Blobs
	largest *largest
}

func (b watchedBlobs) Open(ctx context.Context, k vitrine.UploadID) (vitrine.Blob, error) {
	blob, err := b.Blobs.Open(ctx, k)
	return watchedBlob{blob, b.largest}, err
}

type watchedBlob struct {
	vitrine.Blob
	largest *largest
}

func (b watchedBlob) Read(p []byte) (int, error) {
	b.largest.of(len(p))
	return b.Blob.Read(p)
}

func (b watchedBlob) ReadAt(p []byte, at int64) (int, error) {
	b.largest.of(len(p))
	return b.Blob.ReadAt(p, at)
}

// largeText writes a file of at least the given size and returns its path and
// size.
func largeText(t *testing.T, name string, least int) (path string, size int) {
	t.Helper()
	line := []byte("a line of an unremarkable text, again and again\n")
	text := bytes.Repeat(line, least/len(line)+1)
	path = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path, len(text)
}

// paced is a body that returns one piece, and another one for each value of
// more.
type paced struct {
	io.ReadCloser
	piece, left int
	more        <-chan struct{}
	gone        context.Context
}

func (b *paced) Read(p []byte) (int, error) {
	if b.left == 0 {
		select {
		case <-b.more:
			b.left = b.piece
		case <-b.gone.Done():
			return 0, b.gone.Err()
		}
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
