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

// Intervals of background work. Scans also start when there is something to
// scan.
const (
	scanEvery = 10 * time.Second
	// Links in review that wait for a scan, and live files that were scanned
	// with older signatures.
	rescanEvery = time.Minute
	// Links that became live later than their upload, by a scan or a moderator,
	// wait this long for a preview.
	previewEvery = 5 * time.Second
	sweepEvery   = 5 * time.Minute
	purgeEvery   = 5 * time.Minute
	expireEvery  = time.Minute
	// A day is rolled up after its last beacons have arrived.
	settleEvery = 10 * time.Minute
	forgetEvery = time.Hour
	// Cached links that have changed are removed when they are requested, and
	// at the latest after this time.
	dropEvery = time.Minute
	// Messages are sent when they are written. Messages that could not be sent
	// are tried again at most this long after they are due.
	lettersEvery = 10 * time.Second
	// A replaced city file is noticed within this time.
	citiesEvery = 2 * time.Second
	// The time between attempts to become the process that does the chores.
	choresEvery = 10 * time.Second
	// A view log that loses what was written after the last record is not
	// noticed (logowner).
	recordEvery = 10 * time.Second
)

// choresLease is the lease of work that only one process of an instance does.
const choresLease = "chores"

// Limits of every connection. The time of a whole request or answer is not
// limited here: uploads and downloads take long, and web limits each route on
// its own.
const (
	headerTimeout  = 10 * time.Second
	idleTimeout    = 2 * time.Minute
	maxHeaderBytes = 64 << 10
)

// service is a server that is configured but not running.
type service struct {
	instance *instance
	views    *ingest.Views
	spools   *spools
	scanner  *scanner
	outbox   *outbox.Outbox // nil if no mail is sent
	loops    []*worker.Loop
	http     *http.Server
	draining atomic.Bool // still answers requests, but they should go elsewhere
	log      *slog.Logger
}

// wire builds a server.
func (c *serveCmd) wire(in *instance, spools *spools, previewer vitrine.Previewer, scanner *scanner,
	sender *mail.Sender, cities *geo.File, public, content *url.URL, log *slog.Logger) *service {
	s := &service{instance: in, spools: spools, scanner: scanner, log: log}
	s.views = spools.views(in, log)
	s.views.Start()
	leases := leasesOf(in)
	var scan, previews *worker.Loop
	uploads := &publish.Uploads{Store: in.store, Blobs: in.blobs, Scanner: scanner, Plans: c.plans(), Now: in.now,
		Wake:    func() { scan.Wake(); previews.Wake() },
		Foreign: func(err error) { log.Warn("nothing is removed from storage: " + otherPlace(err)) }}
	scans := &publish.Scans{Store: in.store, Blobs: in.blobs, Scanner: scanner, Now: in.now, AtOnce: c.atOnce(),
		Leases: leases, Plans: c.plans(),
		Failed: func(l *vitrine.Link, err error) { log.Warn("scan failed", "link", l.Slug, "error", err) }}
	scan = worker.New("scan", scanEvery, log, scans.Pending)
	queue := &watch{moderation: in.moderation, warn: func(text string) { log.Warn(text) }}
	in.abuse.Threshold = c.AbuseThreshold
	made := &publish.Previews{Store: in.store, Blobs: in.blobs, Previewer: previewer, Now: in.now, Leases: leases,
		Failed: func(l *vitrine.Link, err error) { log.Warn("preview failed", "link", l.Slug, "error", err) }}
	previews = worker.New("preview", previewEvery, log, made.Make)
	empty := worker.New("empty closed accounts", purgeEvery, log, in.accounts.PurgeClosed)
	in.accounts.Contents = collections.Contents{Store: in.store, Links: in.links, Now: in.now}
	in.accounts.Wake, in.accounts.Leases = empty.Wake, leases
	// All processes share the work whose queue is the state of links and
	// accounts. One process does the rest.
	s.loops = []*worker.Loop{empty, scan, previews, worker.New("drop stale", dropEvery, log, in.links.DropStale),
		worker.New("city file", citiesEvery, log, cities.Refresh)}
	if sender != nil {
		s.outbox = &outbox.Outbox{Store: in.store, Mailer: sender, Now: in.now,
			Failed: func(err error, again bool) { log.Warn("a message was not sent", "error", err, "again", again) }}
		letters := worker.New("letters", lettersEvery, log, s.outbox.Send)
		s.outbox.Wake = letters.Wake
		s.loops = append(s.loops, letters)
	}
	c.apply(in.accounts, s.outbox, public)
	own := &ownviews.Service{Store: in.store, Log: in.log, Now: in.now}
	follow := worker.New("own views", scanEvery, log, own.Apply)
	own.Wake, s.loops = follow.Wake, append(s.loops, follow)
	viewIDs := vitrine.NewViewIDs()
	siteStats := sitestats.New(sitestats.Stats{Store: in.store, Log: in.log, Views: s.views, IDs: viewIDs, Now: in.now})
	all := append(chores(in, log), worker.New("purge websites", purgeEvery, log, siteStats.Purge),
		worker.New("rescan", rescanEvery, log, scans.Rescan),
		worker.New("review", watchEvery, log, queue.look), worker.New("sweep", sweepEvery, log, uploads.Sweep),
		worker.New("forget leases", forgetEvery, log, leases.Expire))
	s.loops = append(s.loops, worker.New(choresLease, choresEvery, log, func(ctx context.Context) error {
		_, err := leases.Hold(ctx, choresLease, nil, func(ctx context.Context) error {
			worker.RunAll(ctx, all...)
			return nil
		})
		return err
	}))
	in.links.ViewerKeyLife, in.links.Plans = c.ViewerKeyLife, c.plans()
	in.analytics.MaxViews, in.analytics.KeepMonths = c.MaxOpens, c.KeepOpens
	in.analytics.URL = func(slug vitrine.Slug) string { return httpx.LinkURL(public, slug) }
	app := c.app(s, uploads, made, siteStats, viewIDs, public, content)
	app.OwnViews, app.Cities = own, cities
	s.http = s.httpServer(app)
	return s
}

// leasesOf returns the leases by which the processes of an instance share work,
// or nil for an embedded database, which has only this process.
func leasesOf(in *instance) *lease.Leases {
	if !in.places.shared() {
		return nil
	}
	return &lease.Leases{Store: in.store, Now: clock, Holder: lease.NewHolder()}
}

// chores returns the work of one process that needs only the instance.
func chores(in *instance, log *slog.Logger) []*worker.Loop {
	return []*worker.Loop{
		worker.New("purge", purgeEvery, log, in.links.Purge),
		worker.New("expire links", expireEvery, log, in.links.Expire),
		worker.New("settle", settleEvery, log, in.analytics.RollUp),
		worker.New("forget", forgetEvery, log, in.analytics.Expire),
		worker.New("forget reports", forgetEvery, log, in.abuse.Expire),
		worker.New("forget sessions", forgetEvery, log, in.sessions.Expire),
		worker.New("record view log", recordEvery, log,
			func(ctx context.Context) error { return in.places.lossOf(in.pair().Record(ctx)) }),
	}
}

// app returns the handler of requests.
func (c *serveCmd) app(s *service, uploads *publish.Uploads, made *publish.Previews, siteStats *sitestats.Stats,
	viewIDs *vitrine.ViewIDs, public, content *url.URL) *web.Server {
	in := s.instance
	sites, _ := c.sites(public, content) // Validate has reported errors
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

// httpServer returns the server of an app.
func (s *service) httpServer(app *web.Server) *http.Server {
	handler := app.Handler()
	server := &http.Server{
		Handler:           s.drained(handler),
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		// Its messages are about single connections and contain their
		// addresses, which no log may. Package accept logs problems of the
		// server.
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo),
	}
	server.RegisterOnShutdown(handler.EndStalled)
	return server
}

var errDraining = errors.New("this server is about to end")

// ready reports whether this server should get requests.
func (s *service) ready(ctx context.Context) error {
	if s.draining.Load() {
		return errDraining
	}
	if err := s.views.Ready(); err != nil {
		return err
	}
	return s.instance.ready(ctx)
}

// drained makes a server that is shutting down close each connection after its
// answer. The client then connects to another server and does not meet a
// connection that is being closed.
func (s *service) drained(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.draining.Load() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// previewer returns a maker of previews with the programs of this machine. Each
// runs in a process of its own.
func (c *serveCmd) previewer(log *slog.Logger) (*preview.Maker, error) {
	m, err := preview.New(preview.Options{Cache: filepath.Join(c.Data, "cache"), Temp: filepath.Join(c.Data, "temp"),
		Office: c.Office, FFmpeg: c.FFmpeg, Heif: c.Heif})
	if err != nil {
		return nil, err
	}
	m.Warn = func(what string) { log.Warn("preview: " + what) }
	if missing := m.Missing(); len(missing) > 0 {
		log.Info("some files are shown with less: programs that are not installed", "missing",
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
