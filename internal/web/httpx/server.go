// Package httpx has what handlers share: who asks, reading and limiting
// requests, and writing answers and errors.
package httpx

import (
	"log/slog"
	"net/netip"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"vitrine/internal/app/auth"
	"vitrine/internal/visitor/geo"
)

// Server holds what every surface needs to answer a request.
type Server struct {
	// PublicURL is the address of pages and API without a trailing slash. All
	// links are built from it, never from a request's Host. ContentURL is the
	// origin of file bytes; it equals PublicURL on an instance with one host.
	PublicURL, ContentURL *url.URL
	// SitesURL, whose host begins with "*.", provides a host for each website.
	// If it is nil, websites are below ContentURL in a sandbox.
	SitesURL *url.URL
	// StorageOrigin is the origin of signed URLs if bytes go directly to a
	// bucket; otherwise "".
	StorageOrigin string
	// UpgradeURL is where larger plans are sold. If it is empty, plans are not
	// sold, and pages show limits but no plans.
	UpgradeURL     string
	TrustedProxies []netip.Prefix // whose X-Forwarded-For is trusted
	Cities         *geo.File      // nil if cities are not known

	Sessions *auth.Sessions
	Now      func() time.Time
	Log      *slog.Logger

	BodyTime     time.Duration // limit for the body of a request, and for each 10 KiB of a file; 0 means 30 s
	StallTime    time.Duration // how long a client may read nothing of an answer; 0 means 5 min
	RecheckEvery time.Duration // how often a transfer checks that its link is public; 0 means 1 s

	// Meter returns the meter of a route, which is a path with names in braces;
	// nil if answers are not counted.
	Meter func(route string) Meter

	bodies  sync.Map     // being read, by *timedBody
	ending  atomic.Bool  // the server is about to stop
	proxied atomic.Int64 // when a request last came through a proxy that is not trusted, in Unix seconds
	seldom  tallies
}
