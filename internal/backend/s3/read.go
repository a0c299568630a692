package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"vitrine"
)

const (
	firstWindow = 64 << 10 // size of the first request; sequential reads request windowGrow times more, then the rest
	windowGrow  = 8
	allFrom     = 32 << 20 // a window of this size reads to the end
	pageSize    = 64 << 10 // size of a cached page for small reads
	pagesKept   = 4
	smallRead   = 16 << 10
	idleStreams = 2 // responses kept open for sequential reads
	readTries   = 3 // attempts without progress
)

var errClosed = errors.New("read of a blob that is closed")

// Open opens a sealed blob. Reads fail when ctx ends. If the blob is deleted,
// reads fail; they never return other bytes.
func (b *Blobs) Open(ctx context.Context, k vitrine.UploadID) (vitrine.Blob, error) {
	if err := valid(k); err != nil {
		return nil, err
	}
	return b.open(ctx, b.path(k))
}

func (b *Blobs) open(ctx context.Context, key string) (vitrine.Blob, error) {
	ctx, cancel := context.WithCancel(ctx)
	body, o, err := b.get(ctx, key, "", 0, firstWindow)
	if err != nil {
		cancel()
		return nil, err
	}
	r := &reader{b: b, ctx: ctx, cancel: cancel, key: key, object: o}
	r.idle = []*stream{{r: r, body: body, end: min(o.size, firstWindow), window: firstWindow * windowGrow}}
	return r, nil
}

// reader implements [vitrine.Blob] for one version of an object.
type reader struct {
	object
	b      *Blobs
	ctx    context.Context
	cancel context.CancelFunc
	key    string

	mu     sync.Mutex
	off    int64     // offset of Read
	idle   []*stream // most recently used last
	pages  []page    // most recently used last
	closed bool
}

// page is a cached range of the object.
type page struct {
	at      int64
	content []byte
}

func (r *reader) Size() int64 { return r.size }

func (r *reader) Read(p []byte) (int, error) {
	r.mu.Lock()
	at, closed := r.off, r.closed
	r.mu.Unlock()
	switch {
	case closed:
		return 0, errClosed
	case at >= r.size:
		return 0, io.EOF
	}
	n, err := r.readSome(p, at)
	r.mu.Lock()
	r.off = at + int64(n)
	r.mu.Unlock()
	return n, err
}

func (r *reader) Seek(offset int64, whence int) (int64, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		offset += r.off
	case io.SeekEnd:
		offset += r.size
	default:
		return 0, fmt.Errorf("seek: whence is %d", whence)
	}
	if offset < 0 {
		return 0, errors.New("seek: before the beginning")
	}
	r.off = offset
	return offset, nil
}

// ReadAt implements [io.ReaderAt]. It is safe for concurrent use.
func (r *reader) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, errors.New("read: before the beginning")
	}
	for n < len(p) && off+int64(n) < r.size && err == nil {
		var m int
		m, err = r.readSome(p[n:], off+int64(n))
		n += m
	}
	if n < len(p) && err == nil {
		err = io.EOF
	}
	return n, err
}

// readSome reads at least one byte at an offset inside the object.
func (r *reader) readSome(p []byte, off int64) (int, error) {
	p = p[:min(int64(len(p)), r.size-off)]
	if len(p) == 0 {
		return 0, nil
	}
	if n, err := r.kept(p, off); n > 0 || err != nil {
		return n, err
	}
	if len(p) >= smallRead {
		return r.stream(p, off)
	}
	pg := page{at: off, content: r.newPage()}
	if !r.streamAt(off) {
		pg.at -= off % pageSize // the next read may be just before this one
	}
	pg.content = pg.content[:min(pageSize, r.size-pg.at)]
	for n := 0; n < len(pg.content); {
		m, err := r.stream(pg.content[n:], pg.at+int64(n))
		if err != nil {
			return 0, err
		}
		n += m
	}
	n := copy(p, pg.content[off-pg.at:])
	r.keep(pg)
	return n, nil
}

// kept reads from a cached page. It returns 0 if no page has the offset.
func (r *reader) kept(p []byte, off int64) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return 0, errClosed
	}
	for i, pg := range r.pages {
		if off >= pg.at && off < pg.at+int64(len(pg.content)) {
			r.pages = append(append(r.pages[:i], r.pages[i+1:]...), pg)
			return copy(p, pg.content[off-pg.at:]), nil
		}
	}
	return 0, nil
}

// newPage returns an empty buffer for a page. It reuses the least recently used
// page if the cache is full.
func (r *reader) newPage() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.pages) < pagesKept {
		return make([]byte, min(pageSize, r.size))[:0]
	}
	pg := r.pages[0]
	r.pages = append(r.pages[:0], r.pages[1:]...)
	return pg.content[:0]
}

func (r *reader) keep(pg page) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.pages) < pagesKept {
		r.pages = append(r.pages, pg) // cached pages are read under the lock until room reuses them
	}
}

// stream continues an open response at off, or sends a new request.
func (r *reader) stream(p []byte, off int64) (int, error) {
	s, err := r.take(off)
	if err != nil {
		return 0, err
	}
	n, err := s.read(p)
	if err != nil {
		s.close()
		return n, err
	}
	r.putBack(s)
	return n, nil
}

// streamAt reports whether an open response is at off.
func (r *reader) streamAt(off int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.idle, func(s *stream) bool { return s.at == off })
}

func (r *reader) take(off int64) (*stream, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, errClosed
	}
	for i, s := range r.idle {
		if s.at == off {
			r.idle = append(r.idle[:i], r.idle[i+1:]...)
			return s, nil
		}
	}
	return &stream{r: r, at: off, end: off, window: firstWindow}, nil
}

func (r *reader) putBack(s *stream) {
	r.mu.Lock()
	r.idle = append(r.idle, s)
	var drop *stream
	if r.closed || len(r.idle) > idleStreams {
		drop, r.idle = r.idle[0], r.idle[1:]
	}
	r.mu.Unlock()
	if drop != nil {
		drop.close()
	}
}

// Close closes all streams.
func (r *reader) Close() error {
	r.mu.Lock()
	idle := r.idle
	r.idle, r.pages, r.closed = nil, nil, true
	r.mu.Unlock()
	for _, s := range idle {
		s.close()
	}
	r.cancel()
	return nil
}

// stream is a position in an object with the open response for it.
type stream struct {
	r       *reader
	body    io.ReadCloser // nil if no response is open
	at, end int64         // offsets of the next byte and of the end of the response
	window  int64         // size of the next request
}

// read reads at least one byte. If a response is interrupted, it requests the
// rest.
func (s *stream) read(p []byte) (int, error) {
	for try := 1; ; try++ {
		if err := s.begin(int64(len(p))); err != nil { // begin has already retried
			if isNotFound(err) || refusedToReplace(err) {
				err = s.r.b.fault("read", s.r.key, fmt.Errorf("deleted or replaced while it was open: %w", err))
			}
			return 0, err
		}
		n, err := s.body.Read(p[:min(int64(len(p)), s.end-s.at)])
		s.at += int64(n)
		if s.at == s.end {
			s.close()
		} else if err != nil {
			s.body.Close()
			s.body = nil
		}
		if n > 0 {
			return n, nil
		}
		if err == io.EOF || err == nil {
			err = io.ErrUnexpectedEOF
		}
		if try == readTries || s.r.ctx.Err() != nil {
			return 0, s.r.b.fault("read", s.r.key, err)
		}
		pause(s.r.ctx, min(50*time.Millisecond<<try, s.r.b.limits.pause))
	}
}

// begin requests bytes from the stream's position, unless a response is open.
func (s *stream) begin(want int64) error {
	if s.body != nil {
		return nil
	}
	window := max(s.window, want)
	if window >= allFrom {
		window = s.r.size
	}
	end := min(s.at+window, s.r.size)
	body, o, err := s.r.b.get(s.r.ctx, s.r.key, s.r.etag, s.at, end)
	if err != nil {
		return err
	}
	if o.size != s.r.size || o.etag != s.r.etag {
		body.Close()
		return s.r.b.fault("read", s.r.key, errors.New("replaced while it was open"))
	}
	s.body, s.end = body, end
	s.window = min(window*windowGrow, allFrom)
	return nil
}

// close closes the response. It drains a short rest to reuse the connection.
func (s *stream) close() {
	if s.body == nil {
		return
	}
	if s.end-s.at <= firstWindow {
		_, _ = io.Copy(io.Discard, io.LimitReader(s.body, firstWindow+1))
	}
	s.body.Close()
	s.body = nil
}

func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}
