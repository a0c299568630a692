package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"vitrine"
	"vitrine/internal/auth"
	"vitrine/internal/collections"
	"vitrine/internal/geo"
	"vitrine/internal/ingest"
	"vitrine/internal/lease"
	"vitrine/internal/mail"
	"vitrine/internal/moderation"
	"vitrine/internal/outbox"
	"vitrine/internal/ownviews"
	"vitrine/internal/preview"
	"vitrine/internal/publish"
	"vitrine/internal/sitestats"
	"vitrine/internal/terminal"
	"vitrine/internal/web"
	"vitrine/internal/web/httpx"
	"vitrine/internal/worker"
)

// Intervals of background work. Scans also start on demand.
const (
	scanEvery = 10 * time.Second
	// rescanEvery is the interval for links in review without a scan, and for
	// live files scanned with older signatures.
	rescanEvery = time.Minute
	// previewEvery is the interval for previews of links that became live after
	// their upload, by a scan or a moderator.
	previewEvery = 5 * time.Second
	sweepEvery   = 5 * time.Minute
	purgeEvery   = 5 * time.Minute
	expireEvery  = time.Minute
	// rollUpEvery is the interval of roll-ups. A day is rolled up after its
	// last beacons.
	rollUpEvery = 10 * time.Minute
	deleteEvery = time.Hour
	// evictEvery is the maximum time that a changed link stays in the cache. A
	// request for it removes it earlier.
	evictEvery = time.Minute
	// mailEvery is the interval for retries of mail. New mail is sent
	// immediately.
	mailEvery = 10 * time.Second
	// citiesEvery is the interval of checks for a replaced city file.
	citiesEvery = 2 * time.Second
	// choresEvery is the interval of attempts to get the lease for chores.
	choresEvery = 10 * time.Second
	// recordEvery is the interval for recording the position of the view log.
	// Losses after the last record are not detected (logowner).
	recordEvery = 10 * time.Second
)

// choresLease is the name of the lease for work that only one process of an
// instance does.
const choresLease = "chores"

// Limits of all connections. They do not include a timeout for whole requests,
// because uploads and downloads may take long. Package web has a timeout for
// each route.
const (
	headerTimeout  = 10 * time.Second
	idleTimeout    = 2 * time.Minute
	maxHeaderBytes = 64 << 10
)

// service is a configured server that is not started yet.
type service struct {
	instance *instance
	views    *ingest.Views
	spools   *spools
	scanner  *scanner
	outbox   *outbox.Outbox // nil without a mail server
	loops    []*worker.Loop
	http     *http.Server
	draining atomic.Bool // still serves, but is not ready
	log      *slog.Logger
}

// wire creates a server.
func (c *serveCmd) wire(in *instance, spools *spools, previewer vitrine.Previewer, scanner *scanner,
	sender *mail.Sender, cities *geo.File, public, content *url.URL, log *slog.Logger) *service {
	s := &service{instance: in, spools: spools, scanner: scanner, log: log}
	s.views = spools.views(in, log)
	s.views.Start()
	leases := leasesOf(in)
	var scan, previews *worker.Loop
	uploads := &publish.Uploads{Store: in.store, Blobs: in.blobs, Scanner: scanner, Plans: c.plans(), Now: in.now,
		Wake:    func() { scan.Wake(); previews.Wake() },
		Foreign: func(err error) { log.Warn("nothing is deleted from storage: " + otherPlace(err)) }}
	scans := &publish.Scans{Store: in.store, Blobs: in.blobs, Scanner: scanner, Now: in.now,
		Concurrency: c.concurrentScans(),
		Leases:      leases, Plans: c.plans(),
		Failed: func(l *vitrine.Link, err error) { log.Warn("scan failed", "link", l.Slug, "error", err) }}
	scan = worker.New("scan", scanEvery, log, scans.Pending)
	queue := &moderation.Watch{Service: in.moderation, Warn: func(text string) { log.Warn(text) }}
	in.abuse.Threshold = c.AbuseThreshold
	made := &publish.Previews{Store: in.store, Blobs: in.blobs, Previewer: previewer, Now: in.now, Leases: leases,
		Failed: func(l *vitrine.Link, err error) { log.Warn("preview failed", "link", l.Slug, "error", err) }}
	previews = worker.New("preview", previewEvery, log, made.Make)
	empty := worker.New("empty closed accounts", purgeEvery, log, in.accounts.PurgeClosed)
	in.accounts.Contents = collections.Contents{Store: in.store, Links: in.links, Now: in.now}
	in.accounts.Wake, in.accounts.Leases = empty.Wake, leases
	// All processes share work whose queue is in the store. One process does
	// the rest.
	s.loops = []*worker.Loop{empty, scan, previews, worker.New("evict links", evictEvery, log, in.links.DropStale),
		worker.New("city file", citiesEvery, log, cities.Refresh)}
	if sender != nil {
		s.outbox = &outbox.Outbox{Store: in.store, Mailer: sender, Now: in.now,
			Failed: func(err error, again bool) { log.Warn("a message was not sent", "error", err, "again", again) }}
		mail := worker.New("send mail", mailEvery, log, s.outbox.Send)
		s.outbox.Wake = mail.Wake
		s.loops = append(s.loops, mail)
	}
	c.apply(in.accounts, s.outbox, public)
	own := &ownviews.Service{Store: in.store, Log: in.log, Now: in.now}
	follow := worker.New("own views", scanEvery, log, own.Apply)
	own.Wake, s.loops = follow.Wake, append(s.loops, follow)
	viewIDs := vitrine.NewViewIDs()
	siteStats := sitestats.New(sitestats.Stats{Store: in.store, Log: in.log, Views: s.views, IDs: viewIDs, Now: in.now})
	all := append(chores(in, log), worker.New("purge websites", purgeEvery, log, siteStats.Purge),
		worker.New("rescan", rescanEvery, log, scans.Rescan),
		worker.New("review", moderation.WatchEvery, log, queue.Check),
		worker.New("sweep", sweepEvery, log, uploads.Sweep),
		worker.New("expire leases", deleteEvery, log, leases.Expire))
	s.loops = append(s.loops, worker.New(choresLease, choresEvery, log, func(ctx context.Context) error {
		_, err := leases.Hold(ctx, choresLease, nil, func(ctx context.Context) error {
			worker.RunAll(ctx, all...)
			return nil
		})
		return err
	}))
	in.links.ViewerKeyLife, in.links.Plans = c.ViewerKeyLife, c.plans()
	in.analytics.MaxViews, in.analytics.KeepMonths = c.MaxViews, c.KeepViews
	in.analytics.URL = func(slug vitrine.Slug) string { return httpx.LinkURL(public, slug) }
	app := c.app(s, uploads, made, siteStats, viewIDs, public, content)
	app.OwnViews, app.Cities = own, cities
	s.http = s.httpServer(app)
	return s
}

// leasesOf returns the leases of an instance, or nil for an embedded database,
// which has only one process.
func leasesOf(in *instance) *lease.Leases {
	if !in.places.shared() {
		return nil
	}
	return &lease.Leases{Store: in.store, Now: clock, Holder: lease.NewHolder()}
}

// chores returns the background work that only one process does and that needs
// only the instance.
func chores(in *instance, log *slog.Logger) []*worker.Loop {
	return []*worker.Loop{
		worker.New("purge", purgeEvery, log, in.links.Purge),
		worker.New("expire links", expireEvery, log, in.links.Expire),
		worker.New("roll up", rollUpEvery, log, in.analytics.RollUp),
		worker.New("expire views", deleteEvery, log, in.analytics.Expire),
		worker.New("expire abuse reports", deleteEvery, log, in.abuse.Expire),
		worker.New("expire sessions", deleteEvery, log, in.sessions.Expire),
		worker.New("record view log", recordEvery, log,
			func(ctx context.Context) error { return in.places.lossOf(in.logPair().Record(ctx)) }),
	}
}

// app returns the HTTP handler.
func (c *serveCmd) app(s *service, uploads *publish.Uploads, made *publish.Previews, siteStats *sitestats.Stats,
	viewIDs *vitrine.ViewIDs, public, content *url.URL) *web.Server {
	in := s.instance
	sites, _ := c.sites(public, content) // Validate has checked the errors
	return &web.Server{Gallery: c.Dev,
		PublicURL:         public,
		ContentURL:        content,
		SitesURL:          sites,
		TrustedProxies:    c.proxies(),
		Version:           version,
		SetupCommand:      terminal.Self() + " setup --data " + terminal.ShellWord(c.Data),
		Keys:              in.keys,
		Uploads:           uploads,
		Links:             in.links,
		Captions:          &publish.Captions{Store: in.store, Blobs: in.blobs, Now: time.Now},
		Albums:            &collections.Albums{Store: in.store, Now: in.now},
		SiteStats:         siteStats,
		Sites:             &collections.Sites{Store: in.store, Links: in.links, Plans: c.plans(), Now: in.now},
		Abuse:             in.abuse,
		Sessions:          in.sessions,
		Logins:            &auth.Logins{Store: in.store, Keys: in.keys, Signer: in.signer, Now: in.now},
		Moderation:        in.moderation,
		Accounts:          in.accounts,
		Notices:           s.scanner.notices,
		Analytics:         in.analytics,
		Views:             s.views,
		ViewIDs:           viewIDs,
		Blobs:             in.blobs,
		Previews:          made,
		Receiver:          in.receiver,
		StorageOrigin:     in.storageOrigin(),
		RedirectDownloads: c.RedirectDownloads,
		Signer:            in.signer,
		Ready:             s.ready,
		Now:               in.now,
		Log:               s.log,
		UpgradeURL:        c.UpgradeURL,
	}
}

// httpServer returns the HTTP server for a handler.
func (s *service) httpServer(app *web.Server) *http.Server {
	handler := app.Handler()
	server := &http.Server{
		Handler:           s.drained(handler),
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		// The messages contain client addresses, which must not be logged.
		// Package accept logs problems of the server.
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo),
	}
	server.RegisterOnShutdown(handler.EndStalled)
	return server
}

var errDraining = errors.New("this server is shutting down")

// ready returns an error if this server should not receive requests.
func (s *service) ready(ctx context.Context) error {
	if s.draining.Load() {
		return errDraining
	}
	if err := s.views.Ready(); err != nil {
		return err
	}
	return s.instance.ready(ctx)
}

// drained closes connections after the response during shutdown. So clients
// connect to another server before this one closes them.
func (s *service) drained(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.draining.Load() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// previewer returns a preview maker with the installed programs. Each preview
// runs in its own process.
func (c *serveCmd) previewer(log *slog.Logger) (*preview.Maker, error) {
	m, err := preview.New(preview.Options{Cache: filepath.Join(c.Data, "cache"), Temp: filepath.Join(c.Data, "temp"),
		Office: c.Office, FFmpeg: c.FFmpeg, Heif: c.Heif})
	if err != nil {
		return nil, err
	}
	m.Warn = func(what string) { log.Warn("preview: " + what) }
	if missing := m.Missing(); len(missing) > 0 {
		log.Info("some files have no preview: programs are not installed", "missing",
			strings.Join(missing, ", "))
	}
	return m, nil
}

func (c *serveCmd) proxies() []netip.Prefix {
	p := make([]netip.Prefix, len(c.TrustedProxy))
	for i, n := range c.TrustedProxy {
		p[i] = n.Prefix
	}
	return p
}
