// Package ui renders pages: templates, components, styles and words that
// several pages share.
package ui

import (
	"compress/gzip"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"strconv"
	"sync"

	"vitrine/internal/web/httpx"
)

// Page is what the layout needs for every page.
type Page struct {
	Title string // of the window
	Nonce string // admits the page's own scripts and styles, and nothing else
	Icon  string // address of the icon of the tab
	Index bool   // search engines may list the page
	Sold  bool   // plans are sold; otherwise no page mentions plans
}

// NewChrome returns the data of a page. Its icon comes from the content origin,
// the only one that img-src admits.
func (s *Pages) NewChrome(title string) Page {
	return Page{Title: title, Nonce: httpx.NewNonce(),
		Icon: httpx.Origin(s.Server.ContentURL) + AssetPath("ui/icon.svg"), Sold: s.Server.Sold()}
}

// Page renders a handler for people. An error becomes a page that explains what
// happened and what to do.
func (s *Pages) Page(h httpx.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			s.errorPage(w, r, err)
		}
	})
}

// Render answers with a page of the table of templates, compressed if accepted;
// parts are as in [Template]. The only secrets on a page are its own view token
// and the addresses of a moderator's preview. Nothing from the request is on
// the same page, so its compressed size reveals nothing (BREACH).
func Render(w http.ResponseWriter, r *http.Request, status int, page string, data any,
	parts ...string) error {
	m, err := Make(r, page, data, parts...)
	if err == nil {
		m.Send(w, r, status)
	}
	return err
}

// Make returns the page with which Render answers. Its Send must be called.
func Make(r *http.Request, page string, data any, parts ...string) (*Made, error) {
	m := &Made{gzipped: httpx.AcceptsGzip(r)}
	err := m.make(Template(page, parts...), data)
	if err != nil {
		m.free()
		return nil, fmt.Errorf("render %s: %w", page, err)
	}
	return m, nil
}

// Made is a page in memory. Its pieces have the memory of pages that were sent,
// so that a page takes little more than its size, and nothing is left of it.
type Made struct {
	pieces  []*[pieceSize]byte
	size    int
	gzipped bool
}

const pieceSize = 16 << 10

var pieces = sync.Pool{New: func() any { return new([pieceSize]byte) }}

func (m *Made) make(t *template.Template, data any) error {
	if !m.gzipped {
		return t.Execute(m, data)
	}
	z := httpx.GzipWriters.Get().(*gzip.Writer)
	defer httpx.GzipWriters.Put(z)
	z.Reset(m)
	return errors.Join(t.Execute(z, data), z.Close())
}

// Write appends to the page.
func (m *Made) Write(b []byte) (n int, err error) {
	for n < len(b) {
		if m.size == len(m.pieces)*pieceSize {
			m.pieces = append(m.pieces, pieces.Get().(*[pieceSize]byte))
		}
		took := copy(m.pieces[len(m.pieces)-1][m.size%pieceSize:], b[n:])
		n, m.size = n+took, m.size+took
	}
	return n, nil
}

// Send answers with the page, once.
func (m *Made) Send(w http.ResponseWriter, r *http.Request, status int) {
	defer m.free()
	Begin(w, status, m.size, m.gzipped)
	for i, p := range m.pieces {
		if r.Method == http.MethodHead {
			return
		}
		if _, err := w.Write(p[:min(m.size-i*pieceSize, pieceSize)]); err != nil {
			return // the reader has gone away
		}
	}
}

func (m *Made) free() {
	for _, p := range m.pieces {
		pieces.Put(p)
	}
	m.pieces = nil
}

// Send answers with a page, uncompressed or as gzip.
func Send(w http.ResponseWriter, r *http.Request, status int, page []byte, gzipped bool) {
	Begin(w, status, len(page), gzipped)
	if r.Method != http.MethodHead {
		_, _ = w.Write(page) // the reader may have gone away
	}
}

// Begin begins an answer with a page of some bytes, which the caller writes,
// except to a HEAD request.
func Begin(w http.ResponseWriter, status, size int, gzipped bool) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Add("Vary", "Accept-Encoding")
	if gzipped {
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Content-Length", strconv.Itoa(size))
	w.WriteHeader(status)
}
