// Package web serves HTTP: the API, the signed PUT,
// the public pages and their beacons, and the bytes of files. It parses
// requests into typed values, calls one service, and renders what comes back.
package web

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/app/auth"
	"vitrine/internal/app/classes"
	"vitrine/internal/app/collections"
	"vitrine/internal/app/ingest"
	"vitrine/internal/app/links"
	"vitrine/internal/app/moderation"
	"vitrine/internal/app/publish"

	"vitrine/internal/base/signer"
	"vitrine/internal/visitor/geo"
	"vitrine/internal/web/agent"
	"vitrine/internal/web/api"
	"vitrine/internal/web/app"
	"vitrine/internal/web/app/reportpage"
	"vitrine/internal/web/content"
	"vitrine/internal/web/front"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/moderator"
	"vitrine/internal/web/public"
	"vitrine/internal/web/ui"
	"vitrine/internal/web/viewer"
)

// Server holds what the handlers need. All exported fields are required, except
// Receiver and those that note an exception.
type Server struct {
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

	Keys      *auth.Keys
	Uploads   *publish.Uploads
	Links     *links.Service
	Captions  *publish.Captions
	Albums    *collections.Albums
	Sites     *collections.Sites
	SiteStats *collections.SiteStats // nil if page loads of websites are not counted
	Abuse     *moderation.AbuseReports
	Analytics *analytics.Service
	OwnViews  *classes.OwnViews
	Views     *ingest.Views
	ViewIDs   *vitrine.ViewIDs
	Blobs     vitrine.Blobs
	Previews  *publish.Previews
	Receiver  vitrine.Receiver // nil when signed URLs lead elsewhere: to StorageOrigin
	Signer    *signer.Signer
	Ready     func(context.Context) error // of the parts that the server is on
	Now       func() time.Time
	Log       *slog.Logger

	// RecheckEvery is how often a transfer checks that its link is public; 0
	// means each second.
	RecheckEvery time.Duration

	// StorageOrigin is the origin of signed URLs if bytes go directly to a
	// bucket; otherwise "".
	StorageOrigin string
	// RedirectDownloads redirects downloads to storage if Blobs is a
	// vitrine.GetSigner; otherwise they go through this process.
	RedirectDownloads bool

	// SetupCommand prints the address at which the first account is created, on
	// the server's machine. "" means "vitrine admin setup".
	SetupCommand string

	// UpgradeURL is where larger plans are sold. If it is empty, plans are not
	// sold, and pages show limits but no plans.
	UpgradeURL string

	// Gallery serves the page of all components, /dev/gallery.
	Gallery bool

	// What people sign in for.
	Sessions   *auth.Sessions
	Logins     *auth.Logins
	Moderation *moderation.Service
	Accounts   *auth.Accounts
	// Notices, if set, returns messages for administrators. Each page of the
	// app shows them.
	Notices func(context.Context) []app.Notice

	// BodyTime is how long the body of a request may take, and each 10 KiB of a
	// file; 0 means 30 s.
	BodyTime time.Duration

	// StallTime is how long a client may read nothing of an answer; 0 means 5
	// min.
	StallTime time.Duration
	// StorageTime is how long a reader waits for a bucket to answer; 0 means 3
	// seconds.
	StorageTime time.Duration
}

// A Handler answers every request to a server.
type Handler struct {
	http.Handler
	common *httpx.Server
}

// Handler returns the handler of the whole server: the routes, and what applies
// to every request.
func (s *Server) Handler() *Handler {
	mux := http.NewServeMux()
	h := s.handlers()
	var all http.Handler
	h.agents = agent.New(s.PublicURL, s.ContentURL, func() http.Handler { return all }, s.Version, s.Now)
	h.routes(mux)
	all = h.shell.Around(h.content.SiteHosts(h.content.SeparateOrigins(mux)))
	return &Handler{all, h.shell.Server}
}

// EndStalled ends transfers without progress, now and from now on. It is for a
// server that is about to stop.
func (h *Handler) EndStalled() { h.common.EndStalled() }

// handlers holds the surfaces of the server.
type handlers struct {
	gallery    bool // the page of all components is served
	shell      *app.Shell
	api        *api.Handler
	agents     *agent.Handler
	public     *public.Handler
	content    *content.Handler
	front      *front.Handler
	entry      *app.EntryPages
	upload     *app.UploadPages
	links      *app.LinkPages
	versions   *app.VersionPages
	keys       *app.KeyPages
	account    *app.AccountPages
	people     *app.PeoplePages
	albums     *app.AlbumPages
	websites   *app.WebsitePages
	analytics  *reportpage.Handler
	moderation *moderator.Handler
}

func (s *Server) handlers() *handlers {
	common := &httpx.Server{PublicURL: s.PublicURL, ContentURL: s.ContentURL, SitesURL: s.SitesURL,
		StorageOrigin: s.StorageOrigin,
		UpgradeURL:    s.UpgradeURL, TrustedProxies: s.TrustedProxies, Cities: s.Cities, Sessions: s.Sessions,
		Now: s.Now, Log: s.Log,
		BodyTime:  s.BodyTime,
		StallTime: s.StallTime, RecheckEvery: s.RecheckEvery}
	pages := &ui.Pages{Server: common, Scanned: s.Uploads.Scanner.Name() != vitrine.NoScanner{}.Name()}
	view := &viewer.Viewers{Pages: pages, Blobs: s.Blobs, Previews: s.Previews, Signer: s.Signer,
		StorageTime: s.StorageTime}
	shell := &app.Shell{Viewers: view, Moderation: s.Moderation, Analytics: s.Analytics, Notices: s.Notices}
	kept := &links.Versions{Store: s.Links.Store, Plans: s.Uploads.Plans, Now: s.Now, PurgeLink: s.Links.PurgeLink}
	shared := &analytics.Sharing{Store: s.Links.Store, Signer: s.Signer, Now: s.Now}
	served := &content.Handler{Viewers: view, Links: s.Links, Sites: s.Sites, SiteStats: s.SiteStats, Abuse: s.Abuse}
	h := &handlers{
		shell: shell, gallery: s.Gallery, content: served,
		api: &api.Handler{Viewers: view, Keys: s.Keys, Logins: s.Logins, Uploads: s.Uploads, Links: s.Links,
			Versions: kept, Sites: s.Sites, Content: served, Captions: s.Captions,
			Analytics: s.Analytics, Receiver: s.Receiver, Ready: s.Ready, Version: s.Version},
		public: &public.Handler{Viewers: view, Links: s.Links, Albums: s.Albums, Sites: s.Sites, Abuse: s.Abuse,
			Views:   s.Views,
			ViewIDs: s.ViewIDs, RedirectDownloads: s.RedirectDownloads},
		front: &front.Handler{Pages: pages, Accounts: s.Accounts, Uploads: s.Uploads, Bucket: s.Receiver == nil},
		entry: &app.EntryPages{Pages: pages, Accounts: s.Accounts, Logins: s.Logins,
			SetupCommand: s.SetupCommand},
		links: &app.LinkPages{Shell: shell, Links: s.Links, Uploads: s.Uploads, Captions: s.Captions,
			Albums: s.Albums, Sites: s.Sites},
		keys: &app.KeyPages{Shell: shell, Keys: s.Keys},
		account: &app.AccountPages{Shell: shell, Accounts: s.Accounts, Links: s.Links, Uploads: s.Uploads,
			SiteStats: s.SiteStats},
		people: &app.PeoplePages{Shell: shell, Accounts: s.Accounts},
		albums: &app.AlbumPages{Shell: shell, Albums: s.Albums, Links: s.Links},
		analytics: &reportpage.Handler{Shell: shell, Links: s.Links, Sites: s.Sites,
			SiteStats: s.SiteStats, Shared: shared, Versions: kept, OwnViews: s.OwnViews},
		moderation: &moderator.Handler{Shell: shell, Accounts: s.Accounts, Links: s.Links, Sites: s.Sites},
	}
	h.versions = &app.VersionPages{Shell: shell, Versions: kept, Uploads: s.Uploads}
	h.analytics.API = h.api
	h.upload = &app.UploadPages{Shell: shell, Uploads: s.Uploads, Links: s.Links, Sites: s.Sites,
		API: h.api}
	h.websites = &app.WebsitePages{Shell: shell, Sites: s.Sites, Uploads: s.Uploads, Content: served}
	return h
}
