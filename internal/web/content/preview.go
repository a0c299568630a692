package content

import (
	"compress/gzip"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
	"vitrine/internal/web/viewer"
)

// shownParts maps the parts that viewers read directly to their Content-Types.
var shownParts = map[vitrine.Part]string{
	vitrine.PartPages:   "application/pdf",
	vitrine.PartImage:   "image/jpeg",
	vitrine.PartPicture: "image/jpeg",
	vitrine.PartFirst:   "image/jpeg",
}

// Part sends a part's bytes to its viewer.
func (s *Handler) Part(w http.ResponseWriter, r *http.Request, l *vitrine.Link) error {
	p := vitrine.Part(r.PathValue("part"))
	contentType, ok := shownParts[p]
	if !ok || !l.Parts.Has(p) {
		return httpx.ErrNoPage
	}
	if httpx.Navigated(r) {
		return s.toPage(w, r, l)
	}
	blob, err := s.Viewers.OpenPart(r, l, p)
	if err != nil {
		return err
	}
	defer blob.Close()
	h := w.Header()
	h.Set("Access-Control-Expose-Headers", "Accept-Ranges, Content-Range, Content-Length, ETag")
	s.Server.SetPolicy(w, r, httpx.FileBytes)
	h.Set("Content-Type", contentType)
	h.Set("Content-Disposition", "inline")
	sendPart(w, r, l, p, blob)
	return nil
}

// Rows sends all rows of a table, one a line, for the script that shows those
// in view.
func (s *Handler) Rows(w http.ResponseWriter, r *http.Request, l *vitrine.Link) error {
	v := s.Viewers.Of(l)
	table, err := strconv.Atoi(r.PathValue("table"))
	if err != nil || v.Rows == nil {
		return httpx.ErrNoPage
	}
	if httpx.Navigated(r) {
		return s.toPage(w, r, l)
	}
	send, err := v.Rows(s.Viewers, r, l, table)
	if err != nil {
		return err
	}
	h := w.Header()
	s.Server.SetPolicy(w, r, httpx.FileBytes)
	h.Set("Content-Type", "application/x-ndjson")
	h.Set("Vary", "Accept-Encoding")
	if !httpx.AcceptsGzip(r) {
		err = send(w)
	} else {
		h.Set("Content-Encoding", "gzip")
		z := httpx.GzipWriters.Get().(*gzip.Writer)
		defer httpx.GzipWriters.Put(z)
		z.Reset(w)
		err = errors.Join(send(z), z.Close())
	}
	if err != nil {
		panic(http.ErrAbortHandler) // the script must not mistake some rows for all
	}
	return nil
}

// awaited are the parts that a frame waits for and then shows itself.
var awaited = []vitrine.Part{vitrine.PartSheets, vitrine.PartEntries, vitrine.PartImage}

// Preview answers with the frame of a page whose parts do not exist yet. The
// frame waits for them and then shows them. Other files have no such frame.
func (s *Handler) Preview(w http.ResponseWriter, r *http.Request, l *vitrine.Link) error {
	if httpx.Navigated(r) {
		return s.toPage(w, r, l)
	}
	v := s.Viewers.Of(l)
	if v.Frame != nil && !v.Waits {
		return httpx.SeeOther(w, r, v.Frame.Path)
	}
	if v.Inert != "" && !slices.ContainsFunc(awaited, l.Parts.Has) {
		return httpx.ErrNoPage
	}
	p, err := s.inertPage(v, r, l)
	if err != nil {
		return err
	}
	switch {
	case v.Waits:
		w.Header().Set("Refresh", previewRefresh)
		p.Message = "A preview is being made. It will be here in a moment."
	case v.Inert == "":
		p.Message = viewer.Card.FallbackText(l)
	default:
		p.Scripts = []string{p.Styles + ui.AssetPath("viewer/html/frame.js")}
	}
	w.Header().Set("Cache-Control", "private, no-store")
	s.Server.SetPolicy(w, r, httpx.PreviewFrame, "sandbox", viewer.FrameSandbox)
	return s.writeInert(w, r, v.Inert, p)
}

// previewRefresh is the number of seconds after which a waiting frame tries
// again.
const previewRefresh = "2"

// inertPage is a frame with content but without its viewer's script.
type inertPage struct {
	Title   string
	Styles  string   // origin of the styles
	Sheets  []string // styles of the viewer
	Scripts []string // addresses of those that report how far it was read, and the like
	Message string   // shown instead of content
	viewer.Content
}

// inertPage collects what a viewer shows without scripts. Addresses are
// relative to the frame.
func (s *Handler) inertPage(v *viewer.Viewer, r *http.Request, l *vitrine.Link) (p inertPage, err error) {
	p.Title, p.Styles, p.Sheets = l.Title, httpx.Origin(s.Server.ContentURL), v.Styles
	if v.Inert != "" {
		p.Content, err = s.Viewers.ContentOf(v, r, l, func(what string) string {
			if strings.HasPrefix(what, "entry/") || strings.HasPrefix(what, "rows/") {
				return "" // no frame is needed, and no script would fetch rows
			}
			return what
		})
	}
	return p, err
}

func (s *Handler) writeInert(w http.ResponseWriter, r *http.Request, template string, p inertPage) error {
	if p.Message != "" {
		return ui.Render(w, r, http.StatusOK, "inert.html", p)
	}
	return ui.Render(w, r, http.StatusOK, "inert.html", p, template)
}

// sendPart sends a part, whole or in ranges. A part is derived from bytes that
// never change, and can be made again.
func sendPart(w http.ResponseWriter, r *http.Request, l *vitrine.Link, p vitrine.Part, b vitrine.Blob) {
	w.Header().Set("ETag", fmt.Sprintf(`"%.16s-%s-%d"`, l.SHA256, p, b.Size()))
	http.ServeContent(w, r, "", time.Time{}, b)
}
