package serve

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"vitrine"
	"vitrine/internal/app/fleet"
	"vitrine/internal/app/ingest"
	"vitrine/internal/app/services"
	"vitrine/internal/backend/mail"
	"vitrine/internal/backend/preview"
	"vitrine/internal/base/notation"
	"vitrine/internal/base/outbound"
	"vitrine/internal/cli/instance"
	"vitrine/internal/cli/terminal"
	"vitrine/internal/visitor/geo"
	"vitrine/internal/web"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/viewer"
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
	// finishEvery is the interval of attempts to finish what a process that
	// died had begun. With the time until its lease ends and that of
	// choresEvery it is less than a minute (promise 21).
	finishEvery = 20 * time.Second
	expireEvery = time.Minute
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
	// excessEvery is how long excess views wait for being counted. A process
	// that is killed loses them.
	excessEvery = 10 * time.Second
	// choresEvery is the interval of attempts to get the lease for chores.
	choresEvery = 10 * time.Second
	// recordEvery is the interval for recording the position of the view log.
	// Losses after the last record are not detected (ownership.Pair).
	recordEvery = 10 * time.Second
	// tellEvery is the interval of looking for news of which events are made.
	tellEvery = 10 * time.Second
	// webhooksEvery is the pause before webhooks are sent again after the store
	// failed.
	webhooksEvery = 5 * time.Second
	// weeklyEvery is the interval of looking for accounts whose week is over.
	weeklyEvery = 5 * time.Minute
)

// providersEvery is the interval of looking for people about whom a provider
// must be asked again.
const providersEvery = time.Minute

// choresLease is the name of the lease for work that only one process of an
// instance does.
const choresLease = "chores"

// Limits of all connections. They do not include a timeout for whole requests,
// because uploads and downloads may take long. Package web ends a body or an
// answer that stalls.
const (
	headerTimeout  = 10 * time.Second
	idleTimeout    = 2 * time.Minute
	maxHeaderBytes = 64 << 10
)

// service is a configured server that is not started yet.
type service struct {
	instance *instance.Instance
	views    *ingest.Views
	spools   *instance.Spools
	scanner  *scanner
	outbox   *fleet.Outbox // nil without a mail server
	loops    []*fleet.Loop
	http     *http.Server
	draining atomic.Bool // still serves, but is not ready
	log      *slog.Logger
}

// wire creates a server.
func (c *serveCmd) wire(in *instance.Instance, spools *instance.Spools, previewer vitrine.Previewer, scanner *scanner,
	sender *mail.Sender, cities *geo.File, public, content *url.URL, log *slog.Logger) *service {
	s := &service{instance: in, spools: spools, scanner: scanner, log: log}
	leases := leasesOf(in)
	s.views = startViews(in, spools, c.watched.ports(in, scanner, &previewer), log)
	in.Make(services.Ports{Views: s.views, ViewIDs: vitrine.NewViewIDs(), Scanner: scanner, Previewer: previewer,
		Plans: c.Plans(), Leases: leases, Outline: viewer.Outline})
	in.Scans.Concurrency = c.concurrentScans()
	in.Scans.Failed = func(l *vitrine.Link, err error) { log.Warn("scan failed", "link", l.Slug, "error", err) }
	in.Previews.Failed = func(l *vitrine.Link, err error) { log.Warn("preview failed", "link", l.Slug, "error", err) }
	in.Uploads.Foreign = func(err error) { log.Warn("nothing is deleted from storage: " + instance.OtherOwner(err)) }
	scan := fleet.NewLoop("scan", scanEvery, log, in.Scans.Pending)
	previews := fleet.NewLoop("preview", previewEvery, log, in.Previews.Make)
	in.Uploads.Wake = func() { scan.Wake(); previews.Wake() }
	queue := &queueWatch{service: in.Moderation, warn: func(text string) { log.Warn(text) }}
	in.Abuse.Threshold = c.AbuseThreshold
	in.Events.Log = in.Log
	empty := fleet.NewLoop("empty closed accounts", finishEvery, log, in.Accounts.PurgeClosed)
	in.Accounts.Wake = empty.Wake
	// All processes share work whose queue is in the store. One process does
	// the rest.
	own, shared := c.problemLoops(s)
	evict := fleet.NewLoop("evict links", evictEvery, log, in.Links.DropStale)
	s.loops = []*fleet.Loop{empty, scan, previews, own, evict,
		fleet.NewLoop("city file", citiesEvery, log, cities.Refresh),
		fleet.NewLoop("count excess views", excessEvery, log, s.views.Limits.Write),
		fleet.NewLoop("count gates", excessEvery, log, in.Gates.WriteCounts)}
	if sender != nil {
		s.outbox = &fleet.Outbox{Store: in.Store, Mailer: c.watched.mailer(sender), Now: in.Now,
			Failed: func(err error, again bool) { log.Warn("a message was not sent", "error", err, "again", again) }}
		mail := fleet.NewLoop("send mail", mailEvery, log, s.outbox.Send)
		s.outbox.Wake = mail.Wake
		s.loops = append(s.loops, mail)
	}
	c.apply(in.Accounts, s.outbox, public)
	c.sendWebhooks(s, public)
	in.Gates.Mail, in.Gates.Site = s.outbox, public.Host
	in.Notify.Outbox, in.Notify.Public = s.outbox, strings.TrimSuffix(public.String(), "/")
	in.Gates.Address = func(l *vitrine.Link, mailed string) string { return httpx.MailedURL(public, l, mailed) }
	follow := fleet.NewLoop("own views", scanEvery, log, in.OwnViews.Apply)
	in.OwnViews.Wake, s.loops = follow.Wake, append(s.loops, follow)
	all := append(chores(in, log), fleet.NewLoop("purge websites", purgeEvery, log, in.SiteStats.Purge),
		fleet.NewLoop("rescan", rescanEvery, log, in.Scans.Rescan),
		fleet.NewLoop("events", tellEvery, log, in.Events.Tell),
		fleet.NewLoop("weekly reports", weeklyEvery, log, in.Events.Weekly),
		fleet.NewLoop("review", queueEvery, log, queue.check),
		fleet.NewLoop("mails about reviews", queueEvery, log, in.Notify.Review), shared,
		fleet.NewLoop("sweep", sweepEvery, log, in.Uploads.Sweep),
		fleet.NewLoop("expire leases", deleteEvery, log, leases.Expire))
	s.loops = append(s.loops, c.copyViews(in, leases, log)...)
	s.loops = append(s.loops, oneProcess(choresLease, leases, log, all...))
	c.watched.service(c, s, leases)
	in.Links.ViewerKeyLife = c.ViewerKeyLife
	in.Analytics.MaxViews, in.Analytics.KeepMonths = c.MaxViews, c.KeepViews
	in.Analytics.URL = func(slug vitrine.Slug) string { return httpx.LinkURL(public, slug) }
	app := c.app(s, public, content)
	app.Cities = cities
	s.http = s.httpServer(app)
	return s
}

// sendWebhooks makes each process send the messages of webhooks.
func (c *serveCmd) sendWebhooks(s *service, public *url.URL) {
	w := s.instance.Webhooks
	w.Guard = &outbound.Guard{Networks: c.Networks, Ports: c.Ports}
	s.instance.Grants.Guard, s.instance.Grants.Register = w.Guard, c.OAuthRegistration
	w.Mail, w.Site = s.outbox, public.Host
	w.Warn = func(err error) { s.log.Warn("webhook not sent", "error", err) }
	s.loops = append(s.loops, fleet.NewLoop("webhooks", webhooksEvery, s.log, w.Run))
}

// leasesOf returns the leases of an instance, or nil for an embedded database,
// which has only one process.
func leasesOf(in *instance.Instance) *fleet.Leases {
	if !in.Places.Shared() {
		return nil
	}
	return &fleet.Leases{Store: in.Store, Now: in.Places.Now, Holder: fleet.NewHolder()}
}

// oneProcess returns a loop that runs loops in one process of an instance: the
// one that has the lease.
func oneProcess(name string, leases *fleet.Leases, log *slog.Logger, loops ...*fleet.Loop) *fleet.Loop {
	return fleet.NewLoop(name, choresEvery, log, func(ctx context.Context) error {
		_, err := leases.Hold(ctx, name, nil, func(ctx context.Context) error {
			fleet.RunAll(ctx, loops...)
			return nil
		})
		return err
	}).Containing(loops...)
}

// chores returns the background work that only one process does and that needs
// only the instance.
func chores(in *instance.Instance, log *slog.Logger) []*fleet.Loop {
	return []*fleet.Loop{
		fleet.NewLoop("purge", finishEvery, log, in.Links.Purge),
		fleet.NewLoop("expire links", expireEvery, log, in.Links.Expire),
		fleet.NewLoop("roll up", rollUpEvery, log, in.Analytics.RollUp),
		fleet.NewLoop("expire views", deleteEvery, log, in.Analytics.Expire),
		fleet.NewLoop("expire abuse reports", deleteEvery, log, in.Abuse.Expire),
		fleet.NewLoop("drop changes", deleteEvery, log, dropChanges(in, log)),
		fleet.NewLoop("expire known readers", deleteEvery, log, in.Gates.ExpireReaders),
		fleet.NewLoop("expire events", deleteEvery, log, in.Events.Expire),
		fleet.NewLoop("expire deliveries", deleteEvery, log, in.Webhooks.Expire),
		fleet.NewLoop("expire sessions", deleteEvery, log, in.Sessions.Expire),
		fleet.NewLoop("check providers", providersEvery, log, in.Providers.Check),
		fleet.NewLoop("record view log", recordEvery, log,
			func(ctx context.Context) error { return in.Places.ExplainLoss(in.LogPair().Record(ctx)) }),
	}
}

// app returns the HTTP handler.
func (c *serveCmd) app(s *service, public, content *url.URL) *web.Server {
	sites, _ := c.sites(public, content) // Validate has checked the errors
	c.applyProviders(s.instance.Providers, public, s.log)
	return &web.Server{Services: s.instance.Services, Gallery: c.Dev,
		PublicURL:         public,
		ContentURL:        content,
		SitesURL:          sites,
		TrustedProxies:    c.TrustedProxy,
		Version:           c.version,
		SetupCommand:      terminal.Self() + " admin setup --data " + notation.ShellWord(c.Data),
		Notices:           s.scanner.notices,
		Receiver:          s.instance.Receiver,
		StorageOrigin:     s.instance.StorageOrigin(),
		RedirectDownloads: c.RedirectDownloads,
		Ready:             s.ready,
		Log:               s.log,
		UpgradeURL:        c.UpgradeURL,
		SecurityContact:   string(c.Security),
		Meter:             c.watched.meter(),
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
		// throttle.Listen logs problems of the server.
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
	return s.instance.Ready(ctx)
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
