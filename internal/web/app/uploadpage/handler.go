// Package uploadpage is the page for publishing files.
package uploadpage

import (
	"embed"

	"vitrine/internal/app/collections"
	"vitrine/internal/app/links"
	"vitrine/internal/app/publish"
	"vitrine/internal/web/api"
	"vitrine/internal/web/app"
	"vitrine/internal/web/ui"
)

// Handler serves the page for publishing files, and the requests of its
// scripts.
type Handler struct {
	*app.Shell
	Uploads *publish.Uploads
	Links   *links.Service
	Sites   *collections.Sites
	API     *api.Handler
}

//go:embed *.html *.css *.js
var files embed.FS

var _ = ui.Folder("app/uploadpage", files)
