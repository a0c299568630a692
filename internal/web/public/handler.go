// Package public serves the public pages of links and albums, and receives what
// they send back.
package public

import (
	"embed"
	"log/slog"
	"time"

	"vitrine"
	"vitrine/internal/app/collections"
	"vitrine/internal/app/ingest"
	"vitrine/internal/app/links"
	"vitrine/internal/app/moderation"
	"vitrine/internal/base/signer"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
	"vitrine/internal/web/viewer"

	"golang.org/x/sync/singleflight"
)

// Handler serves the public pages of links and albums, and receives what they
// send back.
type Handler struct {
	Server            *httpx.Server
	Pages             *ui.Pages
	Viewers           *viewer.Viewers
	Blobs             vitrine.Blobs
	Signer            *signer.Signer
	Now               func() time.Time
	Log               *slog.Logger
	Links             *links.Service
	Albums            *collections.Albums
	Sites             *collections.Sites
	Abuse             *moderation.AbuseReports
	Views             *ingest.Views
	ViewIDs           *vitrine.ViewIDs
	RedirectDownloads bool // downloads come directly from storage if it can sign addresses

	documents documentCache
	rendering singleflight.Group // of documents
}

//go:embed *.html *.css *.js
var files embed.FS

var _ = ui.Folder("public", files)
