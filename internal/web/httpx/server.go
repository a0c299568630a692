package httpx

import (
	"log/slog"
	"net/netip"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"vitrine/internal/auth"
	"vitrine/internal/geo"
)

// Server holds what every surface needs to answer a request.
type Server struct {
	// PublicURL is the address of pages and API without a trailing slash; every
	// link is built from it, never from the Host of a request. ContentURL is
	// the origin of file bytes; equal to PublicURL on an instance with one
	// host.
	PublicURL, ContentURL *url.URL
	// SitesURL, whose host begins with "*.", has a host for each website. nil:
	// websites are below ContentURL, inside a sandbox.
	SitesURL *url.URL
	// StorageOrigin is where signed URLs lead when bytes go straight to a
	// bucket: scheme, host and port; else "".
	StorageOrigin string
	// UpgradeURL is where a larger plan is sold. "": plans are not sold; pages
	// show limits, and no plans.
	UpgradeURL     string
	TrustedProxies []netip.Prefix // whose X-Forwarded-For is believed
	Cities         *geo.File      // nil: cities are not known

	Sessions *auth.Sessions
	Now      func() time.Time
	Log      *slog.Logger

	BodyTime     time.Duration // for the body of a request, and 10 KiB of a file; 0: 30 s
	StallTime    time.Duration // in which a client takes nothing of an answer; 0: 5 min
	RecheckEvery time.Duration // between checks of a transfer that its link is still public; 0: 1 s

	bodies      sync.Map    // being read, by *timedBody
	ending      atomic.Bool // the server is about to stop
	proxyWarned sync.Once   // the log says that a proxy should be trusted
	refused     refusals    // requests whose views could not be written
}
