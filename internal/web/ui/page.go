// Package ui renders pages: templates, components, styles and words that
// several pages share.
package ui

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"

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
	body, gzipped, err := Make(r, page, data, parts...)
	if err == nil {
		Send(w, r, status, body, gzipped)
	}
	return err
}

// Make returns the page with which Render answers, for [Send].
func Make(r *http.Request, page string, data any, parts ...string) (body []byte, gzipped bool, err error) {
	var b bytes.Buffer
	if err := Template(page, parts...).Execute(&b, data); err != nil {
		return nil, false, fmt.Errorf("render %s: %w", page, err)
	}
	if httpx.AcceptsGzip(r) {
		return httpx.Compress(b.Bytes()), true, nil
	}
	return b.Bytes(), false, nil
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
