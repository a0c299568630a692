package app

import (
	"context"
	"embed"

	"vitrine/internal/app/analytics"
	"vitrine/internal/app/moderation"
	"vitrine/internal/web/ui"
	"vitrine/internal/web/viewer"
)

// Shell is the shell of pages for signed-in people.
type Shell struct {
	*viewer.Viewers
	Moderation *moderation.Service
	Analytics  *analytics.Service
	// Notices, if set, returns messages for administrators.
	Notices func(context.Context) []Notice
}

//go:embed *.html *.js
var files embed.FS

var _ = ui.Folder("app", files)
