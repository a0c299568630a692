// Package versionpage is the page on which the owner of a link replaces its
// file, and restores and deletes earlier versions.
package versionpage

import (
	"embed"

	"vitrine/internal/publish"
	"vitrine/internal/versions"
	"vitrine/internal/web/app"
	"vitrine/internal/web/ui"
)

// Handler serves the page of a link's versions.
type Handler struct {
	*app.Shell
	Versions *versions.Service
	Uploads  *publish.Uploads
}

//go:embed *.html *.css *.js
var files embed.FS

var _ = ui.Folder("app/versionpage", files)
