package uploadpage

import (
	"embed"

	"vitrine/internal/links"
	"vitrine/internal/publish"
	"vitrine/internal/web/api"
	"vitrine/internal/web/app"
	"vitrine/internal/web/ui"
)

// Handler serves the page on which files are published, and what its scripts
// ask for.
type Handler struct {
	*app.Shell
	Uploads *publish.Uploads
	Links   *links.Service
	API     *api.Handler
}

//go:embed *.html *.css *.js
var files embed.FS

var _ = ui.Folder("app/uploadpage", files)
