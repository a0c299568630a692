package entrypage

import (
	"embed"
	"sync/atomic"

	"vitrine/internal/auth"
	"vitrine/internal/web/ui"
)

// Handler serves the pages on which people get in.
type Handler struct {
	*ui.Pages
	Accounts *auth.Accounts
	Logins   *auth.Logins

	hasOwner atomic.Bool // there is an account
}

//go:embed *.html
var files embed.FS

var _ = ui.Folder("app/entrypage", files)
