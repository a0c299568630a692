// Package api serves the API and the signed PUT.
package api

import (
	"context"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/app/auth"
	"vitrine/internal/app/collections"
	"vitrine/internal/app/links"
	"vitrine/internal/app/publish"
	"vitrine/internal/web/content"
	"vitrine/internal/web/viewer"
)

// Handler serves the API and the signed PUT.
type Handler struct {
	*viewer.Viewers
	Keys      *auth.Keys
	Logins    *auth.Logins
	Uploads   *publish.Uploads
	Links     *links.Service
	Versions  *links.Versions
	Sites     *collections.Sites
	Content   *content.Handler // reads the ZIPs of websites
	Captions  *publish.Captions
	Analytics *analytics.Service
	Receiver  vitrine.Receiver            // nil when signed URLs lead elsewhere
	Ready     func(context.Context) error // of the parts that the server is on
	Version   string
}
