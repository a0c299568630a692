package web

import (
	"net/http"
	"strings"

	"vitrine"
	"vitrine/internal/filetype"
)

// docxSandbox is what the viewer of Word documents may do, as that of PDF: run,
// and open the web links of a document in a tab of their own.
const docxSandbox = "allow-scripts allow-popups allow-popups-to-escape-sandbox"

var docxTemplate = parse("docx.html")

type docxPage struct {
	Library string // directory of docx-preview
	Size    int64  // of the file, bytes
}

// docxShown reports whether a link's file is one that docxFrame reads.
func docxShown(l *vitrine.Link) bool {
	t, ok := filetype.ByExt(l.Name)
	return ok && t.Ext == "docx" && l.HasBytes
}

// docxFrame is the viewer of a Word document for where no converter made pages
// of it: a document of an opaque origin, that is shown only in the link's page,
// and builds what the file says in the browser.
func (s *contentH) docxFrame(w http.ResponseWriter, r *http.Request, l *vitrine.Link) error {
	if !docxShown(l) {
		return errNoPage
	}
	if navigated(r) {
		return s.toPage(w, r, l)
	}
	own := origin(s.ContentURL) + assetRoot
	// A Word document is its styles: the library writes them as inline styles
	// and style elements. Here alone they are admitted, since a style can reach
	// nothing from here: the origin is opaque, what it shows is the file's own
	// already, and nothing can be loaded but what the file itself holds
	// (img-src, font-src), so that it can tell nobody of anything.
	w.Header().Set("Content-Security-Policy", strings.Join([]string{
		"sandbox " + docxSandbox,
		"default-src 'none'",
		"script-src " + own,
		"style-src 'unsafe-inline' " + own,
		"img-src blob: data:",
		"font-src blob: data:",
		"connect-src " + origin(s.ContentURL) + contentRoot,
		"base-uri 'none'",
		"form-action 'none'",
		"frame-ancestors " + s.ancestors(r),
	}, "; "))
	w.Header().Set("X-DNS-Prefetch-Control", "off") // a link asks for nothing until it is followed
	return render(w, r, http.StatusOK, docxTemplate, docxPage{Library: assetPath("docx/"), Size: l.Size})
}
