package keypage

import (
	"vitrine/internal/auth"
	"vitrine/internal/web/app"
)

// Handler serves the page of API keys.
type Handler struct {
	*app.Shell
	Keys *auth.Keys
}
