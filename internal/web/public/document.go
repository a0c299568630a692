package public

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"html/template"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"vitrine"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
	"vitrine/internal/web/viewer"
)

// document is the page of a link without what differs between views: the nonce,
// the view token and the owner's bar. Everything is escaped already, so a
// view's page is written by copying.
type document struct {
	link   vitrine.Link // as the page shows it
	form   form
	pieces []piece
	size   int

	packing sync.Once
	packed  packed
}

// piece is a part of a page that is the same for every view, followed by a gap.
type piece struct {
	text []byte
	then byte // the gap after it: nonceGap, tokenGap, barGap; 0 at the end
}

// The gaps of a document. In the template's output each is a mark and one of
// these letters.
const (
	nonceGap byte = 'n'
	tokenGap byte = 'v'
	barGap   byte = 'b'
)

// filling is the content of the gaps for one view. The bar is HTML for the
// link's owner, and "" for everyone else.
type filling struct{ nonce, token, bar string }

func (f filling) of(gap byte) string {
	switch gap {
	case nonceGap:
		return f.nonce
	case tokenGap:
		return f.token
	case barGap:
		return f.bar
	}
	return ""
}

// document renders the page of a link in one of its forms, or finds it
// rendered.
func (s *Handler) document(r *http.Request, l *vitrine.Link, f form) (*document, error) {
	if viewer.PassesDiffer(l) { // readers have addresses of their own
		p, err := s.linkPage(r, l, f)
		if err != nil {
			return nil, err
		}
		return newDocument(l, p)
	}
	hour := s.Now().Truncate(time.Hour) // content addresses on the page are of this hour
	if d := s.documents.of(hour, l, f); d != nil && !ui.Developing() {
		return d, nil
	}
	// Concurrent requests share one rendering, even if the first of them is
	// cancelled.
	v, err, _ := s.rendering.Do(fmt.Sprint(l.ID, l.Through, f), func() (any, error) {
		p, err := s.linkPage(r.WithContext(context.WithoutCancel(r.Context())), l, f)
		if err != nil {
			return nil, err
		}
		d, err := newDocument(l, p)
		if err == nil && !p.Passing {
			s.documents.keep(hour, d)
		}
		return d, err
	})
	if err != nil {
		return nil, err
	}
	if d := v.(*document); d.link == *l {
		return d, nil
	}
	return s.document(r, l, f) // the shared rendering was made before the link changed
}

// newDocument renders a page once, with placeholders where values of a view go.
// The placeholders are random, so no title or text can contain them.
func newDocument(l *vitrine.Link, p *linkPage) (*document, error) {
	mark := httpx.NewNonce()
	p.Nonce = mark + string(nonceGap)
	p.Bar = template.HTML(mark + string(barGap))
	p.identify(mark + string(tokenGap))
	var b bytes.Buffer
	if err := p.template().Execute(&b, p); err != nil {
		return nil, fmt.Errorf("render the page of a link: %w", err)
	}
	return &document{link: *l, form: p.Form, pieces: cut(bytes.Clone(b.Bytes()), mark), size: b.Len()}, nil
}

// cut divides a page at its marks.
func cut(page []byte, mark string) (pieces []piece) {
	for {
		text, rest, more := bytes.Cut(page, []byte(mark))
		if !more {
			return append(pieces, piece{text: text})
		}
		pieces = append(pieces, piece{text, rest[0]})
		page = rest[1:]
	}
}

// write answers with the page of one view.
func (d *document) write(w http.ResponseWriter, r *http.Request, f filling) error {
	// The content of gaps is not escaped, so it must not need escaping.
	if !plain(f.nonce) || !plain(f.token) {
		return fmt.Errorf("nonce %q or view token %q cannot stand on a page", f.nonce, f.token)
	}
	gzipped := httpx.AcceptsGzip(r)
	if !gzipped && d.size > maxRoom {
		d.stream(w, r, f)
		return nil
	}
	room := rooms.Get().(*[]byte)
	page := (*room)[:0]
	if gzipped {
		page = d.compressed(page, f)
	} else {
		page = d.fill(page, f)
	}
	ui.Send(w, r, http.StatusOK, page, gzipped)
	if cap(page) <= maxRoom {
		*room = page
		rooms.Put(room)
	}
	return nil
}

// rooms have the memory of pages that were sent, up to maxRoom each, for the
// next ones.
var rooms = sync.Pool{New: func() any { return new([]byte) }}

const maxRoom = 64 << 10

// stream answers with the page of one view piece by piece, so that a large page
// is in memory once for all views.
func (d *document) stream(w http.ResponseWriter, r *http.Request, f filling) {
	size := 0
	for _, p := range d.pieces {
		size += len(p.text) + len(f.of(p.then))
	}
	ui.Begin(w, http.StatusOK, size, false)
	if r.Method == http.MethodHead {
		return
	}
	for _, p := range d.pieces {
		if _, err := w.Write(p.text); err != nil {
			return // the reader has gone away
		}
		_, _ = io.WriteString(w, f.of(p.then))
	}
}

// fill appends the page of one view.
func (d *document) fill(page []byte, f filling) []byte {
	page = slices.Grow(page, d.size+len(d.pieces)*len(f.token)+len(f.bar))
	for _, p := range d.pieces {
		page = append(append(page, p.text...), f.of(p.then)...)
	}
	return page
}

// plain reports whether a text is literal in an attribute and in the
// query of an address.
func plain(s string) bool {
	return strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.") == ""
}

// packed is a document compressed once for all views: compressed pieces,
// between which the gaps are inserted as uncompressed blocks. Later pieces
// refer back to earlier ones across gaps of a fixed length.
type packed struct {
	texts        [][]byte // nil if it cannot be had
	nonce, token int      // lengths
}

func (d *document) pack(f filling) packed {
	k := packed{nonce: len(f.nonce), token: len(f.token)}
	// During compression the gaps contain a byte that no text has, so that
	// nothing refers to a gap.
	empty := filling{nonce: strings.Repeat("\x00", k.nonce), token: strings.Repeat("\x00", k.token)}
	z := httpx.GzipWriters.Get().(*gzip.Writer)
	defer httpx.GzipWriters.Put(z)
	var b bytes.Buffer
	z.Reset(&b)
	next := func(text []byte) []byte {
		b.Reset()
		_, _ = z.Write(text) // into memory
		_ = z.Flush()
		return b.Bytes()
	}
	for _, p := range d.pieces {
		if bytes.IndexByte(p.text, 0) >= 0 {
			return packed{}
		}
		k.texts = append(k.texts, bytes.Clone(next(p.text)))
		next([]byte(empty.of(p.then)))
	}
	return k
}

// compressed appends the page of one view in gzip format, or returns it in
// other memory.
func (d *document) compressed(z []byte, f filling) []byte {
	if f.bar != "" {
		return httpx.Compress(d.fill(nil, f))
	}
	d.packing.Do(func() { d.packed = d.pack(f) })
	if d.packed.texts == nil || len(f.nonce) != d.packed.nonce || len(f.token) != d.packed.token {
		return httpx.Compress(d.fill(nil, f))
	}
	var sum, size uint32
	for i, p := range d.pieces {
		gap := f.of(p.then)
		z = append(z, d.packed.texts[i]...)
		z = appendStored(z, gap, i == len(d.pieces)-1)
		sum = crc32.Update(sum, crc32.IEEETable, p.text)
		sum = crc32.Update(sum, crc32.IEEETable, z[len(z)-len(gap):])
		size += uint32(len(p.text) + len(gap))
	}
	z = binary.LittleEndian.AppendUint32(z, sum)
	return binary.LittleEndian.AppendUint32(z, size) // RFC 1952: the end of a member
}

// appendStored adds a block with uncompressed text (RFC 1951, non-compressed
// blocks).
func appendStored(z []byte, text string, last bool) []byte {
	head := byte(0)
	if last {
		head = 1
	}
	n := uint16(len(text))
	z = append(z, head)
	z = binary.LittleEndian.AppendUint16(z, n)
	z = binary.LittleEndian.AppendUint16(z, ^n)
	return append(z, text...)
}

// documentBytes bounds the cached pages; their compressed forms may take as
// much again.
const documentBytes = 48 << 20

// maxDocument is the largest page that is cached.
const maxDocument = documentBytes / 8

// documentCache caches the pages of one hour, by the state of their link.
type documentCache struct {
	mu    sync.Mutex
	hour  time.Time
	pages map[documentKey]*document
	size  int
}

type documentKey struct {
	link vitrine.LinkID
	to   vitrine.RecipientID
	form form
}

func (d *document) key() documentKey { return documentKey{d.link.ID, d.link.Through.Recipient, d.form} }

// of finds the page of a link in one of its forms.
func (c *documentCache) of(hour time.Time, l *vitrine.Link, f form) *document {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.hour.Equal(hour) {
		c.hour, c.pages, c.size = hour, map[documentKey]*document{}, 0
	}
	if d := c.pages[documentKey{l.ID, l.Through.Recipient, f}]; d != nil && d.link == *l {
		return d
	}
	return nil
}

// keep adds a page that was rendered in an hour, and removes others if there is
// no room. It ignores large pages.
func (c *documentCache) keep(hour time.Time, d *document) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.hour.Equal(hour) || d.size > maxDocument {
		return
	}
	c.drop(c.pages[d.key()])
	for _, other := range c.pages { // in no order
		if c.size+d.size <= documentBytes {
			break
		}
		c.drop(other)
	}
	c.pages[d.key()] = d
	c.size += d.size
}

func (c *documentCache) drop(d *document) {
	if d != nil {
		delete(c.pages, d.key())
		c.size -= d.size
	}
}
