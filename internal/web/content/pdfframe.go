package content

import (
	"net/http"

	"vitrine"
	"vitrine/internal/filetype"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
	"vitrine/internal/web/viewer"
)

type pdfPage struct {
	Library string // directory of pdf.js
	File    string // the bytes that it reads, relative to the frame's address
	Size    int64  // of these, bytes
}

// PdfFrame is the viewer of a PDF, and of documents that have been made one: a
// document of an opaque origin, that is shown only in the link's page.
func (s *Handler) PdfFrame(w http.ResponseWriter, r *http.Request, l *vitrine.Link) error {
	switch {
	case l.Kind == filetype.PDF && l.HasBytes:
		return s.pdfViewer(w, r, l, pdfPage{File: "file", Size: l.Size})
	case l.Parts.Has(vitrine.PartPages):
		pages, err := s.OpenPart(r, l, vitrine.PartPages)
		if err != nil {
			return err
		}
		defer pages.Close()
		return s.pdfViewer(w, r, l, pdfPage{File: "part/" + string(vitrine.PartPages), Size: pages.Size()})
	default:
		return httpx.ErrNoPage
	}
}

// pdfViewer answers with the viewer over some bytes of a link.
func (s *Handler) pdfViewer(w http.ResponseWriter, r *http.Request, l *vitrine.Link, p pdfPage) error {
	if httpx.Navigated(r) {
		return s.toPage(w, r, l)
	}
	s.SetPolicy(w, r, httpx.PDFFrame, "{sandbox}", viewer.PdfSandbox)
	p.Library = ui.AssetPath("pdfjs/")
	return ui.Render(w, r, http.StatusOK, pdfTemplate, p)
}
