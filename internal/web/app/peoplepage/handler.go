// Package peoplepage is the owner's page of the accounts of an instance.
package peoplepage

import (
	"embed"

	"vitrine/internal/app/auth"
	"vitrine/internal/web/app"
	"vitrine/internal/web/ui"
)

// Handler serves the owner's page of the accounts of an instance.
type Handler struct {
	*app.Shell
	Accounts *auth.Accounts
}

//go:embed *.html
var files embed.FS

var _ = ui.Folder("app/peoplepage", files)
