// Package api serves the API and the signed PUT.
package api

import (
	"context"
	"log/slog"
	"time"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/app/auth"
	"vitrine/internal/app/collections"
	"vitrine/internal/app/events"
	"vitrine/internal/app/links"
	"vitrine/internal/app/notify"
	"vitrine/internal/app/publish"
	"vitrine/internal/app/recipients"
	"vitrine/internal/app/webhooks"
	"vitrine/internal/base/signer"
	"vitrine/internal/web/content"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/viewer"
)

// Handler serves the API and the signed PUT.
type Handler struct {
	Server     *httpx.Server
	Viewers    *viewer.Viewers
	Signer     *signer.Signer
	Now        func() time.Time
	Log        *slog.Logger
	Keys       *auth.Keys
	Logins     *auth.Logins
	Grants     *auth.Grants
	Uploads    *publish.Uploads
	Links      *links.Service
	Versions   *links.Versions
	Sites      *collections.Sites
	Content    *content.Handler // reads the ZIPs of websites
	Captions   *publish.Captions
	Analytics  *analytics.Service
	Recipients *recipients.Service
	EventLog   *events.Service
	Webhooks   *webhooks.Service
	Notify     *notify.Service
	Receiver   vitrine.Receiver            // nil when signed URLs lead elsewhere
	Ready      func(context.Context) error // of the parts that the server is on
	Version    string
}
