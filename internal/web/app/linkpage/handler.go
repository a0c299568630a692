// Package linkpage has the list of links, and the page of each.
package linkpage

import (
	"embed"

	"vitrine/internal/app/collections"
	"vitrine/internal/app/links"
	"vitrine/internal/app/publish"
	"vitrine/internal/web/app"
	"vitrine/internal/web/ui"
)

// Handler serves the list of links, and the page of each.
type Handler struct {
	*app.Shell
	Links    *links.Service
	Uploads  *publish.Uploads
	Captions *publish.Captions
	Albums   *collections.Albums
	Sites    *collections.Sites
}

//go:embed *.html *.css
var files embed.FS

var _ = ui.Folder("app/linkpage", files)
