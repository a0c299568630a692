// Package websitepage has the pages on which websites are managed.
package websitepage

import (
	"embed"

	"vitrine/internal/app/collections"
	"vitrine/internal/app/publish"
	"vitrine/internal/web/app"
	"vitrine/internal/web/content"
	"vitrine/internal/web/ui"
)

// Handler serves the pages on which websites are managed.
type Handler struct {
	*app.Shell
	Sites   *collections.Sites
	Uploads *publish.Uploads
	Content *content.Handler
}

//go:embed *.html *.css *.js
var files embed.FS

var _ = ui.Folder("app/websitepage", files)
