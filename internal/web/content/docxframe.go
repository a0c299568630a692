package content

import (
	"net/http"
	"strings"

	"vitrine"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
	"vitrine/internal/web/viewer"
)

var docxTemplate = ui.Parse("docx.html")

type docxPage struct {
	Library string // directory of docx-preview
	Size    int64  // of the file, bytes
}

// DocxFrame is the viewer of a Word document for where no converter made pages
// of it: a document of an opaque origin, that is shown only in the link's page,
// and builds what the file says in the browser.
func (s *Handler) DocxFrame(w http.ResponseWriter, r *http.Request, l *vitrine.Link) error {
	if !viewer.DocxShown(l) {
		return httpx.ErrNoPage
	}
	if httpx.Navigated(r) {
		return s.toPage(w, r, l)
	}
	own := httpx.Origin(s.ContentURL) + httpx.AssetRoot
	// A Word document is its styles: the library writes them as inline styles
	// and style elements. Here alone they are admitted, since a style can reach
	// nothing from here: the origin is opaque, what it shows is the file's own
	// already, and nothing can be loaded but what the file itself holds
	// (img-src, font-src), so that it can tell nobody of anything.
	w.Header().Set("Content-Security-Policy", strings.Join([]string{
		"sandbox " + viewer.DocxSandbox,
		"default-src 'none'",
		"script-src " + own,
		"style-src 'unsafe-inline' " + own,
		"img-src blob: data:",
		"font-src blob: data:",
		"connect-src " + httpx.Origin(s.ContentURL) + httpx.ContentRoot,
		"base-uri 'none'",
		"form-action 'none'",
		"frame-ancestors " + s.Ancestors(r),
	}, "; "))
	w.Header().Set("X-DNS-Prefetch-Control", "off") // a link asks for nothing until it is followed
	return ui.Render(w, r, http.StatusOK, docxTemplate, docxPage{Library: ui.AssetPath("docx/"), Size: l.Size})
}
