package app

import (
	"context"

	"vitrine/internal/moderation"
	"vitrine/internal/web/viewer"
)

// Shell is the shell of the pages that people sign in for.
type Shell struct {
	*viewer.Viewer
	Moderation *moderation.Service
	// Notices, if set, are what an administrator must know.
	Notices func(context.Context) []Notice
}
