// Package moderator has the pages of moderators: the queue, cases and accounts.
package moderator

import (
	"embed"

	"vitrine/internal/app/auth"
	"vitrine/internal/app/collections"
	"vitrine/internal/app/links"
	"vitrine/internal/web/app"
	"vitrine/internal/web/ui"
)

// Handler serves the pages of moderators.
type Handler struct {
	*app.Shell
	Accounts *auth.Accounts
	Links    *links.Service
	Sites    *collections.Sites
}

//go:embed *.html *.css *.js
var files embed.FS

var _ = ui.Folder("moderator", files)
