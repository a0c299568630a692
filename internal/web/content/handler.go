package content

import (
	"embed"

	"vitrine/internal/collections"
	"vitrine/internal/links"
	"vitrine/internal/moderation"
	"vitrine/internal/sitestats"
	"vitrine/internal/web/ui"
	"vitrine/internal/web/viewer"
)

// Handler serves the bytes of files, the frames of viewers, and websites.
type Handler struct {
	*viewer.Viewer
	Links     *links.Service
	Sites     *collections.Sites
	SiteStats *sitestats.Stats // nil: page loads of websites are not counted
	Abuse     *moderation.AbuseReports
}

var pdfTemplate = ui.Parse("pdf.html")

var previewTemplate = ui.Parse("preview.html")

var examineTemplate = ui.Parse("examine.html")

//go:embed *.html *.css *.js pdf
var files embed.FS

var _ = ui.Folder("content", files)
