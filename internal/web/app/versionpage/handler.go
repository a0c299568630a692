// Package versionpage is the page on which the owner of a link replaces its
// file, and restores and deletes earlier versions.
package versionpage

import (
	"embed"

	"vitrine/internal/app/links"
	"vitrine/internal/app/publish"
	"vitrine/internal/web/app"
	"vitrine/internal/web/ui"
)

// Handler serves the page of a link's versions.
type Handler struct {
	*app.Shell
	Versions *links.Versions
	Uploads  *publish.Uploads
}

//go:embed *.html *.css *.js
var files embed.FS

var _ = ui.Folder("app/versionpage", files)
