// Package moderator has the pages of moderators: the queue, cases and accounts.
package moderator

import (
	"embed"

	"vitrine/internal/app/auth"
	"vitrine/internal/app/collections"
	"vitrine/internal/app/links"
	"vitrine/internal/app/moderation"
	"vitrine/internal/web/app"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
	"vitrine/internal/web/viewer"
)

// Handler serves the pages of moderators.
type Handler struct {
	Server     *httpx.Server
	Viewers    *viewer.Viewers
	Shell      *app.Shell
	Moderation *moderation.Service
	Accounts   *auth.Accounts
	Links      *links.Service
	Sites      *collections.Sites
}

//go:embed *.html *.css *.js
var files embed.FS

var _ = ui.Folder("moderator", files)
