package web

import (
	"net/http"
	"strings"

	"vitrine"
	"vitrine/internal/filetype"
)

// pdfSandbox is what the PDF viewer may do: run, and open the web links of a
// document in a tab of their own.
const pdfSandbox = "allow-scripts allow-popups allow-popups-to-escape-sandbox"

type pdfPage struct {
	Library string // directory of pdf.js
	File    string // the bytes that it reads, relative to the frame's address
	Size    int64  // of these, bytes
}

// pdfFrame is the viewer of a PDF, and of documents that have been made one: a
// document of an opaque origin, that is shown only in the link's page.
func (s *contentH) pdfFrame(w http.ResponseWriter, r *http.Request, l *vitrine.Link) error {
	switch {
	case l.Kind == filetype.PDF && l.HasBytes:
		return s.pdfViewer(w, r, l, pdfPage{File: "file", Size: l.Size})
	case l.Parts.Has(vitrine.PartPages):
		pages, err := s.openPart(r, l, vitrine.PartPages)
		if err != nil {
			return err
		}
		defer pages.Close()
		return s.pdfViewer(w, r, l, pdfPage{File: "part/" + string(vitrine.PartPages), Size: pages.Size()})
	default:
		return errNoPage
	}
}

// pdfViewer answers with the viewer over some bytes of a link.
func (s *contentH) pdfViewer(w http.ResponseWriter, r *http.Request, l *vitrine.Link, p pdfPage) error {
	if navigated(r) {
		return s.toPage(w, r, l)
	}
	own := origin(s.ContentURL) + assetRoot
	// pdf.js compiles its image decoders from WebAssembly; its worker begins as
	// a blob, the one kind that an opaque origin may start.
	w.Header().Set("Content-Security-Policy", strings.Join([]string{
		"sandbox " + pdfSandbox,
		"default-src 'none'",
		"script-src " + own + " 'wasm-unsafe-eval'",
		"worker-src blob: " + own,
		"style-src " + own,
		"img-src blob: data:",
		"font-src data: " + own,
		"connect-src " + origin(s.ContentURL) + contentRoot + " " + own,
		"base-uri 'none'",
		"form-action 'none'",
		"frame-ancestors " + s.ancestors(r),
	}, "; "))
	p.Library = assetPath("pdfjs/")
	return render(w, r, http.StatusOK, pdfTemplate, p)
}
