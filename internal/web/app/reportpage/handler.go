package reportpage

import (
	"embed"

	"vitrine/internal/collections"
	"vitrine/internal/links"
	"vitrine/internal/ownviews"
	"vitrine/internal/sharedreport"
	"vitrine/internal/sitestats"
	"vitrine/internal/versions"
	"vitrine/internal/web/api"
	"vitrine/internal/web/app"
	"vitrine/internal/web/ui"
)

// Handler serves the pages of numbers.
type Handler struct {
	*app.Shell
	Links     *links.Service
	Sites     *collections.Sites
	Shared    *sharedreport.Service
	Versions  *versions.Service
	API       *api.Handler
	OwnViews  *ownviews.Service
	SiteStats *sitestats.Stats // nil if page loads of websites are not counted
}

//go:embed *.html *.css *.js
var files embed.FS

var _ = ui.Folder("app/reportpage", files)
