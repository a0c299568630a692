package linkpage

import (
	"vitrine/internal/links"
	"vitrine/internal/publish"
	"vitrine/internal/web/app"
)

// Handler serves the list of links, and the page of each.
type Handler struct {
	*app.Shell
	Links    *links.Service
	Uploads  *publish.Uploads
	Captions *publish.Captions
}
