package uploadpage

import (
	"vitrine/internal/links"
	"vitrine/internal/publish"
	"vitrine/internal/web/api"
	"vitrine/internal/web/app"
)

// Handler serves the page on which files are published, and what its scripts
// ask for.
type Handler struct {
	*app.Shell
	Uploads *publish.Uploads
	Links   *links.Service
	API     *api.Handler
}
