// Package web serves HTTP. It has the server, its routes and its handlers; each
// parses a request into typed values, calls one service, and renders what comes
// back. They are in the packages below it:
//
//	api, agent           the API and the signed PUT; tools for AI agents
//	public, viewer       public pages and their beacons; what shows each kind of file
//	content              bytes of files, frames of viewers, websites
//	app, moderator       pages for members and for moderators
//	front                home page, documentation, plans
//	ui, chart, markup    templates, components, styles; numbers as SVG; text as HTML
//	httpx                what handlers share
package web

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"vitrine"
	"vitrine/internal/app/services"
	"vitrine/internal/visitor/geo"
	"vitrine/internal/web/agent"
	"vitrine/internal/web/app"
	"vitrine/internal/web/httpx"
)

// Server holds what the handlers need. All exported fields are required, except
// Receiver and those that note an exception.
type Server struct {
	*services.Services

	// PublicURL is the address of pages and API without a trailing slash. All
	// links are built from it, never from a request's Host. ContentURL is the
	// origin of file bytes; it equals PublicURL on an instance with one host.
	PublicURL, ContentURL *url.URL
	// SitesURL, whose host begins with "*.", provides a host for each website.
	// If it is nil, websites are below ContentURL in a sandbox.
	SitesURL       *url.URL
	TrustedProxies []netip.Prefix // whose X-Forwarded-For is trusted
	Cities         *geo.File      // nil if cities are not known
	Version        string

	Receiver vitrine.Receiver            // nil when signed URLs lead elsewhere: to StorageOrigin
	Ready    func(context.Context) error // of the parts that the server is on
	Log      *slog.Logger

	// RecheckEvery is how often a transfer checks that its link is public; 0
	// means each second.
	RecheckEvery time.Duration

	// StorageOrigin is the origin of signed URLs if bytes go directly to a
	// bucket; otherwise "".
	StorageOrigin string
	// RedirectDownloads redirects downloads to storage if Blobs is a
	// vitrine.Bucket; otherwise they go through this process.
	RedirectDownloads bool

	// SetupCommand prints the address at which the first account is created, on
	// the server's machine. "" means "vitrine admin setup".
	SetupCommand string

	// UpgradeURL is where larger plans are sold. If it is empty, plans are not
	// sold, and pages show limits but no plans.
	UpgradeURL string

	// SecurityContact is the address for reports about security, with its
	// scheme. "" means that there is no security.txt.
	SecurityContact string

	// Gallery serves the page of all components, /dev/gallery.
	Gallery bool

	// Notices, if set, returns messages for administrators. Each page of the
	// app shows them.
	Notices func(context.Context) []app.Notice

	// BodyTime is how long the body of a request may take, and each 10 KiB of a
	// file; 0 means 30 s.
	BodyTime time.Duration

	// StallTime is how long a client may read nothing of an answer; 0 means 5
	// min.
	StallTime time.Duration
	// Meter, if set, returns the meter of a route.
	Meter func(route string) httpx.Meter
	// StorageTime is how long a reader waits for a bucket to answer; 0 means 3
	// seconds.
	StorageTime time.Duration
}

// A Handler answers every request to a server.
type Handler struct {
	http.Handler
	server *httpx.Server
}

// Handler returns the handler of the whole server: the routes, and what applies
// to every request.
func (s *Server) Handler() *Handler {
	mux := http.NewServeMux()
	h := s.handlers()
	var all http.Handler
	h.agents = agent.New(s.PublicURL, s.ContentURL, func() http.Handler { return all }, s.Version, s.Now)
	h.routes(mux)
	all = h.pages.Around(h.content.SiteHosts(h.content.SeparateOrigins(mux)))
	return &Handler{all, h.server}
}

// EndStalled ends transfers without progress, now and from now on. It is for a
// server that is about to stop.
func (h *Handler) EndStalled() { h.server.EndStalled() }
