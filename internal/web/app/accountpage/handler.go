package accountpage

import (
	"embed"
	"sync"

	"vitrine/internal/auth"
	"vitrine/internal/links"
	"vitrine/internal/publish"
	"vitrine/internal/sitestats"
	"vitrine/internal/web/app"
	"vitrine/internal/web/ui"
)

// Handler serves the page of one's own account.
type Handler struct {
	*app.Shell
	Accounts  *auth.Accounts
	Links     *links.Service
	Uploads   *publish.Uploads
	SiteStats *sitestats.Stats // nil if page loads of websites are not counted

	exporting sync.Map // accounts that are being exported, by AccountID
}

//go:embed *.html *.css *.js
var files embed.FS

var _ = ui.Folder("app/accountpage", files)
