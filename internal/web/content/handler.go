// Package content serves the bytes of files, the frames of viewers, and
// websites, from the host for content.
package content

import (
	"embed"
	"log/slog"
	"time"

	"vitrine"
	"vitrine/internal/app/collections"
	"vitrine/internal/app/links"
	"vitrine/internal/app/moderation"
	"vitrine/internal/base/signer"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
	"vitrine/internal/web/viewer"
)

// Handler serves the bytes of files, the frames of viewers, and websites.
type Handler struct {
	Server    *httpx.Server
	Pages     *ui.Pages
	Viewers   *viewer.Viewers
	Blobs     vitrine.Blobs
	Signer    *signer.Signer
	Now       func() time.Time
	Log       *slog.Logger
	Links     *links.Service
	Sites     *collections.Sites
	SiteStats *collections.SiteStats // nil if page loads of websites are not counted
	Abuse     *moderation.AbuseReports
}

//go:embed *.html
var files embed.FS

var _ = ui.Folder("content", files)
