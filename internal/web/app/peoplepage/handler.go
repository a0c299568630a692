package peoplepage

import (
	"vitrine/internal/auth"
	"vitrine/internal/web/app"
)

// Handler serves the owner's page of the accounts of an instance.
type Handler struct {
	*app.Shell
	Accounts *auth.Accounts
}
