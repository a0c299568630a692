package content

import (
	"fmt"
	"html/template"
	"net/http"
	"time"

	"vitrine"
	"vitrine/internal/markup"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
	"vitrine/internal/web/viewer"
)

// shownParts are the parts that viewers read as they are, and what they are.
var shownParts = map[vitrine.Part]string{
	vitrine.PartPages: "application/pdf",
	vitrine.PartImage: "image/jpeg",
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
	blob, err := s.OpenPart(r, l, p)
	if err != nil {
		return err
	}
	defer blob.Close()
	h := w.Header()
	h.Set("Access-Control-Expose-Headers", "Accept-Ranges, Content-Range, Content-Length, ETag")
	s.SetPolicy(w, r, httpx.FileBytes)
	h.Set("Content-Type", contentType)
	h.Set("Content-Disposition", "inline")
	sendPart(w, r, l, p, blob)
	return nil
}

// Preview is the frame of a page that was opened before the parts of its file
// were made: it waits for them, and then shows them, as a page does that is
// opened later.
func (s *Handler) Preview(w http.ResponseWriter, r *http.Request, l *vitrine.Link) error {
	if httpx.Navigated(r) {
		return s.toPage(w, r, l)
	}
	p := previewPage{Page: s.NewChrome(l.Title), Script: httpx.Origin(s.ContentURL) + ui.AssetPath("content/frame.js"), Styles: httpx.Origin(s.ContentURL)}
	show := s.ShowOf(l)
	var err error
	switch show {
	case viewer.ShowPDF:
		return httpx.SeeOther(w, r, "view")
	case viewer.ShowDocx:
		return httpx.SeeOther(w, r, "docx")
	case viewer.ShowImage:
		p.Image = viewer.ImageOf(l)
	case viewer.ShowSheets, viewer.ShowTree:
		var d markup.Document
		d, err = s.Derived(r, l, show)
		p.HTML, p.Note = d.HTML, d.Note
	case viewer.ShowSoon:
		w.Header().Set("Refresh", previewRefresh)
		p.Message = "A preview is being made. It will be here in a moment."
	default:
		p.Message = viewer.Unshown(viewer.ShowCard, l)
	}
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Cache-Control", "private, no-store")
	s.SetPolicy(w, r, httpx.PreviewFrame, "{sandbox}", viewer.PdfSandbox)
	return ui.Render(w, r, http.StatusOK, previewTemplate, p)
}

// previewRefresh is after how many seconds a frame looks again whether what it
// waits for is there.
const previewRefresh = "2"

type previewPage struct {
	ui.Page
	Script, Styles string // addresses: of the script that tells how far it was read, of the origin of styles
	Message        string // what is here in the place of content
	Image          string // address, relative to the frame's
	HTML           template.HTML
	Note           string
}

// sendPart answers with a part, whole or in ranges. It is made once of bytes
// that never change, and in doubt made again of them.
func sendPart(w http.ResponseWriter, r *http.Request, l *vitrine.Link, p vitrine.Part, b vitrine.Blob) {
	w.Header().Set("ETag", fmt.Sprintf(`"%.16s-%s-%d"`, l.SHA256, p, b.Size()))
	http.ServeContent(w, r, "", time.Time{}, b)
}
