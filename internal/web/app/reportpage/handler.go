// Package reportpage shows the reports of a link, a website and an account.
package reportpage

import (
	"embed"
	"time"

	"vitrine/internal/app/analytics"
	"vitrine/internal/app/collections"
	"vitrine/internal/app/links"
	"vitrine/internal/app/recipients"
	"vitrine/internal/web/api"
	"vitrine/internal/web/app"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
	"vitrine/internal/web/viewer"
)

// Handler serves the pages of numbers.
type Handler struct {
	Server     *httpx.Server
	Pages      *ui.Pages
	Viewers    *viewer.Viewers
	Shell      *app.Shell
	Analytics  *analytics.Service
	Now        func() time.Time
	Links      *links.Service
	Sites      *collections.Sites
	Shared     *analytics.Sharing
	Versions   *links.Versions
	Recipients *recipients.Service
	Albums     *collections.Albums
	API        *api.Handler
	OwnViews   *analytics.OwnViews
	SiteStats  *collections.SiteStats // nil if page loads of websites are not counted
}

//go:embed *.html *.css *.js
var files embed.FS

var _ = ui.Folder("app/reportpage", files)
