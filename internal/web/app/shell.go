package app

import (
	"context"
	"embed"
	"time"

	"vitrine/internal/app/analytics"
	"vitrine/internal/app/auth"
	"vitrine/internal/app/moderation"
	"vitrine/internal/app/recipients"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
	"vitrine/internal/web/viewer"
)

// Shell is the shell of pages for signed-in people.
type Shell struct {
	Server     *httpx.Server
	Pages      *ui.Pages
	Viewers    *viewer.Viewers
	Sessions   *auth.Sessions
	Now        func() time.Time
	Moderation *moderation.Service
	Analytics  *analytics.Service
	Recipients *recipients.Service
	// SendsMail reports whether the instance sends mail; nil means no.
	SendsMail func() bool
	// Notices, if set, returns messages for administrators.
	Notices func(context.Context) []Notice
}

// Each page has a folder with its templates, styles and scripts.
//
//go:embed *.html *.js account album entry event hook key link people upload version website
var files embed.FS

var _ = ui.Folder("app", files)
