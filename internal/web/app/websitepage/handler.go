package websitepage

import (
	"vitrine/internal/collections"
	"vitrine/internal/publish"
	"vitrine/internal/web/app"
	"vitrine/internal/web/content"
)

// Handler serves the pages on which websites are managed.
type Handler struct {
	*app.Shell
	Sites   *collections.Sites
	Uploads *publish.Uploads
	Content *content.Handler
}
