package main

import (
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"vitrine"
	"vitrine/internal/spool"
	"vitrine/internal/web"
	"vitrine/internal/worker"
)

// How often background work looks for something to do. Scans are woken, too, when there is something.
const (
	scanEvery  = 15 * time.Second
	sweepEvery = 5 * time.Minute
	purgeEvery = 5 * time.Minute
	// A day is settled once its last beacons have come.
	settleEvery = 10 * time.Minute
	forgetEvery = time.Hour
)

// Bounds of every connection. There is none on how long a whole request or answer takes: uploads and downloads are long, and web
// bounds each route by its nature.
const (
	headerTimeout  = 10 * time.Second
	idleTimeout    = 2 * time.Minute
	maxHeaderBytes = 64 << 10
)

// service is a server, put together and not yet running.
type service struct {
	instance *instance
	views    *vitrine.Views
	spool    *spool.Spool
	loops    []*worker.Loop
	http     *http.Server
	log      *slog.Logger
}

// wire puts a server together.
func (c *serveCmd) wire(in *instance, spool *spool.Spool, public, content *url.URL, log *slog.Logger) *service {
	s := &service{instance: in, spool: spool, log: log}
	s.views = &vitrine.Views{Log: in.log, Spool: spool, Notice: s.spooling}
	s.views.Start()
	var scan *worker.Loop
	uploads := &vitrine.Uploads{Store: in.store, Blobs: in.blobs, Scanner: vitrine.NoScanner{}, Plans: c.plans(), Now: in.now,
		Wake: func() { scan.Wake() }}
	scan = worker.New("scan", scanEvery, log, uploads.ScanPending)
	s.loops = []*worker.Loop{
		scan,
		worker.New("sweep", sweepEvery, log, uploads.Sweep),
		worker.New("purge", purgeEvery, log, in.links.Purge),
		worker.New("settle", settleEvery, log, in.analytics.Settle),
		worker.New("forget", forgetEvery, log, in.analytics.Forget),
	}
	in.links.ViewerKeyLife = c.ViewerKeyLife
	in.links.Pending = func() bool { return !spool.Empty() }
	in.analytics.MaxOpens, in.analytics.KeepMonths = c.MaxOpens, c.KeepOpens
	in.analytics.URL = func(slug vitrine.Slug) string { return web.LinkURL(public, slug) }
	app := &web.Server{
		PublicURL:      public,
		ContentURL:     content,
		TrustedProxies: c.proxies(),
		Version:        version,
		Keys:           in.keys,
		Uploads:        uploads,
		Links:          in.links,
		Analytics:      in.analytics,
		Views:          s.views,
		ViewIDs:        vitrine.NewViewIDs(),
		Blobs:          in.blobs,
		Receiver:       in.blobs,
		Signer:         in.signer,
		Ready:          in.ready,
		Now:            in.now,
		Log:            log,
	}
	s.http = &http.Server{
		Handler:           app.Handler(),
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		// What it would say is about single connections, with their addresses, which stand in no log.
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo),
	}
	return s
}

// spooling says how it stands with what the view log does not take.
func (s *service) spooling(err error) {
	if err != nil {
		s.log.Warn("the view log takes nothing: opens and beacons are kept in the spool", "spool_bytes", s.spool.Size(), "error", err)
	} else {
		s.log.Info("the spool is empty: all that was in it is in the view log")
	}
}

func (c *serveCmd) proxies() []netip.Prefix {
	p := make([]netip.Prefix, len(c.TrustedProxy))
	for i, n := range c.TrustedProxy {
		p[i] = n.Prefix
	}
	return p
}
