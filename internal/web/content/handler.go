// Package content serves the bytes of files, the frames of viewers, and
// websites, from the host for content.
package content

import (
	"embed"

	"vitrine/internal/app/collections"
	"vitrine/internal/app/links"
	"vitrine/internal/app/moderation"

	"vitrine/internal/web/ui"
	"vitrine/internal/web/viewer"
)

// Handler serves the bytes of files, the frames of viewers, and websites.
type Handler struct {
	*viewer.Viewers
	Links     *links.Service
	Sites     *collections.Sites
	SiteStats *collections.SiteStats // nil if page loads of websites are not counted
	Abuse     *moderation.AbuseReports
}

//go:embed *.html
var files embed.FS

var _ = ui.Folder("content", files)
