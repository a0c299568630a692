package main

import (
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"vitrine"
	"vitrine/internal/web"
	"vitrine/internal/worker"
)

// How often background work looks for something to do. Scans are woken, too, when there is something.
const (
	scanEvery  = 15 * time.Second
	sweepEvery = 5 * time.Minute
	purgeEvery = 5 * time.Minute
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
	loops    []*worker.Loop
	http     *http.Server
	log      *slog.Logger
}

// wire puts a server together.
func (c *serveCmd) wire(in *instance, public, content *url.URL, log *slog.Logger) *service {
	s := &service{instance: in, views: vitrine.NewViews(in.log), log: log}
	var scan *worker.Loop
	uploads := &vitrine.Uploads{Store: in.store, Blobs: in.blobs, Scanner: vitrine.NoScanner{}, Plans: c.plans(), Now: in.now,
		Wake: func() { scan.Wake() }}
	scan = worker.New("scan", scanEvery, log, uploads.ScanPending)
	s.loops = []*worker.Loop{
		scan,
		worker.New("sweep", sweepEvery, log, uploads.Sweep),
		worker.New("purge", purgeEvery, log, in.links.Purge),
	}
	in.links.ViewerKeyLife = c.ViewerKeyLife
	app := &web.Server{
		PublicURL:      public,
		ContentURL:     content,
		TrustedProxies: c.proxies(),
		Version:        version,
		Keys:           in.keys,
		Uploads:        uploads,
		Links:          in.links,
		Analytics: &vitrine.Analytics{Store: in.store, Log: in.log, Signer: in.signer, Now: in.now, MaxOpens: c.MaxOpens,
			URL: func(slug vitrine.Slug) string { return web.LinkURL(public, slug) }},
		Views:    s.views,
		ViewIDs:  vitrine.NewViewIDs(),
		Blobs:    in.blobs,
		Receiver: in.blobs,
		Signer:   in.signer,
		Ready:    in.ready,
		Now:      in.now,
		Log:      log,
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

func (c *serveCmd) proxies() []netip.Prefix {
	p := make([]netip.Prefix, len(c.TrustedProxy))
	for i, n := range c.TrustedProxy {
		p[i] = n.Prefix
	}
	return p
}
