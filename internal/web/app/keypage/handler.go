// Package keypage is the page of API keys.
package keypage

import (
	"embed"

	"vitrine/internal/app/auth"
	"vitrine/internal/web/app"
	"vitrine/internal/web/ui"
)

// Handler serves the page of API keys.
type Handler struct {
	*app.Shell
	Keys *auth.Keys
}

//go:embed *.html *.js
var files embed.FS

var _ = ui.Folder("app/keypage", files)
