// Package entrypage has the pages on which people get in: sign-in, sign-up,
// setup, new passwords, and the login of a program.
package entrypage

import (
	"embed"
	"sync/atomic"

	"vitrine/internal/app/auth"
	"vitrine/internal/web/ui"
)

// Handler serves the pages on which people get in.
type Handler struct {
	*ui.Pages
	Accounts *auth.Accounts
	Logins   *auth.Logins
	// SetupCommand prints the address at which the first account is made.
	SetupCommand string

	hasOwner atomic.Bool // there is an account
}

//go:embed *.html
var files embed.FS

var _ = ui.Folder("app/entrypage", files)
