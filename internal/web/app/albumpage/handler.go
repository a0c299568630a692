package albumpage

import (
	"vitrine/internal/collections"
	"vitrine/internal/links"
	"vitrine/internal/web/app"
)

// Handler serves the pages on which albums are managed.
type Handler struct {
	*app.Shell
	Albums *collections.Albums
	Links  *links.Service
}
