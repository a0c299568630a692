package web

import (
	"context"
	"log/slog"
	"net/netip"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
	"vitrine"
	"vitrine/internal/analytics"
	"vitrine/internal/auth"
	"vitrine/internal/collections"
	"vitrine/internal/ingest"
	"vitrine/internal/links"
	"vitrine/internal/moderation"
	"vitrine/internal/publish"
	"vitrine/internal/signer"
	"vitrine/internal/sitestats"

	"golang.org/x/sync/singleflight"
)

// httpxH holds what every surface needs to answer a request.
type httpxH struct {
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

// uiH renders pages.
type uiH struct {
	*httpxH
	Scanned bool // a malware scanner is configured
}

// viewerH knows how the content of links is shown, and where its bytes are.
type viewerH struct {
	*uiH
	Blobs    vitrine.Blobs
	Previews *publish.Previews
	Signer   *signer.Signer
}

// apiH serves the API and the signed PUT.
type apiH struct {
	*viewerH
	Keys      *auth.Keys
	Logins    *auth.Logins
	Uploads   *publish.Uploads
	Links     *links.Service
	Captions  *publish.Captions
	Analytics *analytics.Service
	Receiver  vitrine.Receiver            // nil when signed URLs lead elsewhere
	Ready     func(context.Context) error // of the parts that the server is on
	Version   string
}

// publicH serves the public pages of links and albums, and what they send
// back.
type publicH struct {
	*viewerH
	Links             *links.Service
	Albums            *collections.Albums
	Sites             *collections.Sites
	Abuse             *moderation.AbuseReports
	Views             *ingest.Views
	ViewIDs           *vitrine.ViewIDs
	RedirectDownloads bool // downloads come from storage itself, where it can sign addresses

	documents documentCache
	rendering singleflight.Group // of documents
}

// contentH serves the bytes of files, the frames of viewers, and websites.
type contentH struct {
	*viewerH
	Links     *links.Service
	Sites     *collections.Sites
	SiteStats *sitestats.Stats // nil: page loads of websites are not counted
	Abuse     *moderation.AbuseReports
}

// appH is the shell of the pages that people sign in for.
type appH struct {
	*viewerH
	Moderation *moderation.Service
	// Notices, if set, are what an administrator must know.
	Notices func(context.Context) []Notice
}

// entryH serves the pages on which people get in.
type entryH struct {
	*uiH
	Accounts *auth.Accounts
	Logins   *auth.Logins

	hasOwner atomic.Bool // there is an account
}

// uploadH serves the page on which files are published, and what its scripts
// ask for.
type uploadH struct {
	*appH
	Uploads *publish.Uploads
	Links   *links.Service
	API     *apiH
}

// linksH serves the list of links, and the page of each.
type linksH struct {
	*appH
	Links    *links.Service
	Uploads  *publish.Uploads
	Captions *publish.Captions
}

// keysH serves the page of API keys.
type keysH struct {
	*appH
	Keys *auth.Keys
}

// accountH serves the page of one's own account.
type accountH struct {
	*appH
	Accounts  *auth.Accounts
	Links     *links.Service
	Uploads   *publish.Uploads
	Analytics *analytics.Service
	SiteStats *sitestats.Stats // nil: page loads of websites are not counted

	exporting sync.Map // accounts that are being exported, by AccountID
}

// peopleH serves the owner's page of the accounts of an instance.
type peopleH struct {
	*appH
	Accounts *auth.Accounts
}

// albumsH serves the pages on which albums are managed.
type albumsH struct {
	*appH
	Albums *collections.Albums
	Links  *links.Service
}

// websitesH serves the pages on which websites are managed.
type websitesH struct {
	*appH
	Sites   *collections.Sites
	Uploads *publish.Uploads
	Content *contentH
}

// analyticsH serves the pages of numbers.
type analyticsH struct {
	*appH
	Analytics *analytics.Service
	Links     *links.Service
	Sites     *collections.Sites
	SiteStats *sitestats.Stats // nil: page loads of websites are not counted
}

// frontH serves the pages about Vitrine itself.
type frontH struct {
	*uiH
	Accounts *auth.Accounts
	Uploads  *publish.Uploads
	Bucket   bool // signed URLs lead to a bucket
}

// moderationH serves the pages of moderators.
type moderationH struct {
	*appH
	Accounts *auth.Accounts
	Links    *links.Service
	Sites    *collections.Sites
}
