// Package albumpage has the pages on which albums are managed.
package albumpage

import (
	"embed"

	"vitrine/internal/app/collections"
	"vitrine/internal/app/links"
	"vitrine/internal/web/app"
	"vitrine/internal/web/ui"
)

// Handler serves the pages on which albums are managed.
type Handler struct {
	*app.Shell
	Albums *collections.Albums
	Links  *links.Service
}

//go:embed *.html *.css *.js
var files embed.FS

var _ = ui.Folder("app/albumpage", files)
