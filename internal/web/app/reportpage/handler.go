package reportpage

import (
	"vitrine/internal/analytics"
	"vitrine/internal/collections"
	"vitrine/internal/links"
	"vitrine/internal/sitestats"
	"vitrine/internal/web/app"
)

// Handler serves the pages of numbers.
type Handler struct {
	*app.Shell
	Analytics *analytics.Service
	Links     *links.Service
	Sites     *collections.Sites
	SiteStats *sitestats.Stats // nil: page loads of websites are not counted
}
