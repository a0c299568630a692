package content

import (
	"net/http"

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
	s.SetPolicy(w, r, httpx.DocxFrame, "{sandbox}", viewer.DocxSandbox)
	w.Header().Set("X-DNS-Prefetch-Control", "off") // a link asks for nothing until it is followed
	return ui.Render(w, r, http.StatusOK, docxTemplate, docxPage{Library: ui.AssetPath("docx/"), Size: l.Size})
}
