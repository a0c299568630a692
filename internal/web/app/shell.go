package app

import (
	"context"
	"embed"

	"vitrine/internal/moderation"
	"vitrine/internal/web/ui"
	"vitrine/internal/web/viewer"
)

// Shell is the shell of the pages that people sign in for.
type Shell struct {
	*viewer.Viewers
	Moderation *moderation.Service
	// Notices, if set, are what an administrator must know.
	Notices func(context.Context) []Notice
}

//go:embed *.html *.js
var files embed.FS

var _ = ui.Folder("app", files)
