// Package accountpage is the page of one's own account.
package accountpage

import (
	"embed"
	"sync"

	"vitrine/internal/app/auth"
	"vitrine/internal/app/collections"
	"vitrine/internal/app/links"
	"vitrine/internal/app/publish"
	"vitrine/internal/web/app"
	"vitrine/internal/web/ui"
)

// Handler serves the page of one's own account.
type Handler struct {
	*app.Shell
	Accounts  *auth.Accounts
	Links     *links.Service
	Uploads   *publish.Uploads
	SiteStats *collections.SiteStats // nil if page loads of websites are not counted

	exporting sync.Map // accounts that are being exported, by AccountID
}

//go:embed *.html *.css *.js
var files embed.FS

var _ = ui.Folder("app/accountpage", files)
