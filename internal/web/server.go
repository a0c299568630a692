// Package web is the only package that speaks HTTP: the API, the signed PUT,
// the public pages and their beacons, and the bytes of files. It parses
// requests into typed values, calls one service, and renders what comes back.
package web

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"runtime/debug"
	"strings"
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
)

// Server holds what the handlers need. All exported fields are required but for
// Receiver and those that say otherwise.
type Server struct {
	// PublicURL is the address of pages and API without a trailing slash; every
	// link is built from it, never from the Host of a request. ContentURL is
	// the origin of file bytes; equal to PublicURL on an install with one host.
	PublicURL, ContentURL *url.URL
	// SitesURL, whose host begins with "*.", has a host for each website. nil:
	// they stand below ContentURL, inside a sandbox.
	SitesURL       *url.URL
	TrustedProxies []netip.Prefix // whose X-Forwarded-For is believed
	Version        string

	Keys      *auth.Keys
	Uploads   *publish.Uploads
	Links     *links.Service
	Captions  *publish.Captions
	Albums    *collections.Albums
	Sites     *collections.Sites
	SiteStats *sitestats.Stats // nil: page loads of websites are not counted
	Abuse     *moderation.AbuseReports
	Analytics *analytics.Service
	Views     *ingest.Views
	ViewIDs   *vitrine.ViewIDs
	Blobs     vitrine.Blobs
	Previews  *publish.Previews
	Receiver  vitrine.Receiver // nil when signed URLs lead elsewhere: to StorageOrigin
	Signer    *signer.Signer
	Ready     func(context.Context) error // of the parts that the server is on
	Now       func() time.Time
	Log       *slog.Logger

	// RecheckEvery is how often a transfer checks that its link may still be
	// shown; 0 is each second.
	RecheckEvery time.Duration

	// StorageOrigin is where signed URLs lead when bytes go straight to a
	// bucket: scheme, host and port; else "".
	StorageOrigin string
	// RedirectDownloads has downloads fetched from storage itself, where Blobs
	// is a vitrine.GetSigner; else they come through this process.
	RedirectDownloads bool

	// UpgradeURL is where a larger plan is sold. "": plans are not sold; pages
	// tell of limits, and of no plans.
	UpgradeURL string

	// What people sign in for.
	Sessions   *auth.Sessions
	Logins     *auth.Logins
	Moderation *moderation.Service
	Accounts   *auth.Accounts
	// Notices, if set, are what an administrator must know. Each of these pages
	// shows them.
	Notices func(context.Context) []Notice

	// BodyTime is how long the body of a request may take to arrive, and 10 KiB
	// of a file; 0: 30 s.
	BodyTime time.Duration

	// StallTime is how long a client may take nothing of an answer; 0: 5 min.
	StallTime time.Duration
}

// A Handler answers every request to a server.
type Handler struct {
	http.Handler
	common *httpxH
}

// Handler returns the whole of the server: routes, and around them what holds
// for every request.
func (s *Server) Handler() *Handler {
	mux := http.NewServeMux()
	h := s.handlers()
	h.routes(mux)
	return &Handler{h.shell.around(h.content.siteHosts(h.content.apart(mux))), h.shell.httpxH}
}

// EndStalled ends transfers to this server that make no progress, and those to
// come that make none. It is for a server that is about to stop.
func (h *Handler) EndStalled() { h.common.EndStalled() }

// handlers are the surfaces of the server.
type handlers struct {
	shell      *appH
	api        *apiH
	public     *publicH
	content    *contentH
	front      *frontH
	entry      *entryH
	upload     *uploadH
	links      *linksH
	keys       *keysH
	account    *accountH
	people     *peopleH
	albums     *albumsH
	websites   *websitesH
	analytics  *analyticsH
	moderation *moderationH
}

func (s *Server) handlers() *handlers {
	common := &httpxH{PublicURL: s.PublicURL, ContentURL: s.ContentURL, SitesURL: s.SitesURL, StorageOrigin: s.StorageOrigin,
		UpgradeURL: s.UpgradeURL, TrustedProxies: s.TrustedProxies, Sessions: s.Sessions, Now: s.Now, Log: s.Log, BodyTime: s.BodyTime,
		StallTime: s.StallTime, RecheckEvery: s.RecheckEvery}
	pages := &uiH{httpxH: common, Scanned: s.Uploads.Scanner.Name() != vitrine.NoScanner{}.Name()}
	view := &viewerH{uiH: pages, Blobs: s.Blobs, Previews: s.Previews, Signer: s.Signer}
	shell := &appH{viewerH: view, Moderation: s.Moderation, Notices: s.Notices}
	h := &handlers{
		shell: shell,
		api: &apiH{viewerH: view, Keys: s.Keys, Logins: s.Logins, Uploads: s.Uploads, Links: s.Links, Captions: s.Captions,
			Analytics: s.Analytics, Receiver: s.Receiver, Ready: s.Ready, Version: s.Version},
		public: &publicH{viewerH: view, Links: s.Links, Albums: s.Albums, Sites: s.Sites, Abuse: s.Abuse, Views: s.Views,
			ViewIDs: s.ViewIDs, RedirectDownloads: s.RedirectDownloads},
		content:    &contentH{viewerH: view, Links: s.Links, Sites: s.Sites, SiteStats: s.SiteStats, Abuse: s.Abuse},
		front:      &frontH{uiH: pages, Accounts: s.Accounts, Uploads: s.Uploads, Bucket: s.Receiver == nil},
		entry:      &entryH{uiH: pages, Accounts: s.Accounts, Logins: s.Logins},
		links:      &linksH{appH: shell, Links: s.Links, Uploads: s.Uploads, Captions: s.Captions},
		keys:       &keysH{appH: shell, Keys: s.Keys},
		account:    &accountH{appH: shell, Accounts: s.Accounts, Links: s.Links, Uploads: s.Uploads, Analytics: s.Analytics, SiteStats: s.SiteStats},
		people:     &peopleH{appH: shell, Accounts: s.Accounts},
		albums:     &albumsH{appH: shell, Albums: s.Albums, Links: s.Links},
		analytics:  &analyticsH{appH: shell, Analytics: s.Analytics, Links: s.Links, Sites: s.Sites, SiteStats: s.SiteStats},
		moderation: &moderationH{appH: shell, Accounts: s.Accounts, Links: s.Links, Sites: s.Sites},
	}
	h.upload = &uploadH{appH: shell, Uploads: s.Uploads, Links: s.Links, API: h.api}
	h.websites = &websitesH{appH: shell, Sites: s.Sites, Uploads: s.Uploads, Content: h.content}
	return h
}

// around gives every request an id and every answer the common headers, and
// catches panics.
func (s *uiH) around(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var b [8]byte
		rand.Read(b[:])
		id := hex.EncodeToString(b[:])
		h := w.Header()
		h.Set("X-Request-Id", id)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "strict-origin-when-cross-origin")
		if s.PublicURL.Scheme == "https" {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		defer func() {
			if p := recover(); p != nil {
				if p == http.ErrAbortHandler {
					panic(p)
				}
				s.Log.Error("panic", "request", id, "panic", p, "stack", string(debug.Stack()))
				err := vitrine.Errorf(vitrine.CodeInternal, "Something went wrong on our side. Request id: %s.", id)
				if strings.Contains(r.Header.Get("Accept"), "text/html") { // a person looks at it
					s.errorPage(w, r, err)
				} else {
					s.writeError(w, r, err)
				}
			}
		}()
		if b := s.timeBody(w, r); b != nil {
			defer b.end()
		}
		paced := s.pace(w)
		next.ServeHTTP(paced, r)
		paced.move() // what is buffered is sent after this, however long the request took
	})
}

// handler is a handler that returns its failure; a renderer for its kind of
// surface answers it.
type handler func(w http.ResponseWriter, r *http.Request) error

// statusOf is the one table of codes and statuses (contract, Errors).
var statusOf = map[vitrine.Code]int{
	vitrine.CodeInvalidJSON:           http.StatusBadRequest,
	vitrine.CodeInvalidRequest:        http.StatusBadRequest,
	vitrine.CodeInvalidName:           http.StatusBadRequest,
	vitrine.CodeUnsupportedType:       http.StatusBadRequest,
	vitrine.CodeTypeMismatch:          http.StatusBadRequest,
	vitrine.CodeInvalidSize:           http.StatusBadRequest,
	vitrine.CodeInvalidSlug:           http.StatusBadRequest,
	vitrine.CodeSlugTaken:             http.StatusBadRequest,
	vitrine.CodeInvalidIdempotencyKey: http.StatusBadRequest,
	vitrine.CodeIdempotencyMismatch:   http.StatusBadRequest,
	vitrine.CodeUploadNotFound:        http.StatusBadRequest,
	vitrine.CodeUploadIncomplete:      http.StatusBadRequest,
	vitrine.CodeSizeMismatch:          http.StatusBadRequest,
	vitrine.CodeContentMismatch:       http.StatusBadRequest,
	vitrine.CodeUnsafeFile:            http.StatusBadRequest,
	vitrine.CodeMalware:               http.StatusBadRequest,
	vitrine.CodeBadRange:              http.StatusBadRequest,
	vitrine.CodeUnauthorized:          http.StatusUnauthorized,
	vitrine.CodeBanned:                http.StatusForbidden,
	vitrine.CodeProRequired:           http.StatusForbidden,
	vitrine.CodeLinkLimit:             http.StatusForbidden,
	vitrine.CodeFileTooLarge:          http.StatusForbidden,
	vitrine.CodeStorageLimit:          http.StatusForbidden,
	vitrine.CodeInvalidSignature:      http.StatusForbidden,
	vitrine.CodeURLExpired:            http.StatusForbidden,
	vitrine.CodeCrossOrigin:           http.StatusForbidden,
	vitrine.CodeNotFound:              http.StatusNotFound,
	vitrine.CodeNotAvailable:          http.StatusNotFound,
	vitrine.CodeMethodNotAllowed:      http.StatusMethodNotAllowed,
	vitrine.CodeURLUsed:               http.StatusConflict,
	vitrine.CodeUploadInProgress:      http.StatusConflict,
	vitrine.CodeDisabled:              http.StatusGone,
	vitrine.CodeRateLimited:           http.StatusTooManyRequests,
	vitrine.CodeInternal:              http.StatusInternalServerError,
	vitrine.CodeUnavailable:           http.StatusServiceUnavailable,
}

// known turns any failure into an Error and its status. What is not an Error is
// logged with the request's id, and its text stays here; so does the cause of
// an Error that has one.
func (s *httpxH) known(w http.ResponseWriter, r *http.Request, err error) (*vitrine.Error, int) {
	id := w.Header().Get("X-Request-Id")
	var e *vitrine.Error
	switch {
	case !errors.As(err, &e):
		if r.Context().Err() != nil {
			e = vitrine.Unavailable(err) // the caller went away; nobody reads this
			break
		}
		s.Log.Error("internal error", "request", id, "route", r.Pattern, "error", withoutAddress(err))
		e = vitrine.Errorf(vitrine.CodeInternal, "Something went wrong on our side. Request id: %s.", id)
	case errors.Is(e.Err, vitrine.ErrNotSpooled): // of every page, so not of each
		if n := s.refused.add(s.Now()); n > 0 {
			s.Log.Warn("views cannot be written, so requests are refused", "refused", n, "request", id, "route", r.Pattern, "error", withoutAddress(e.Err))
		}
	case e.Err != nil:
		s.Log.Warn(string(e.Code), "request", id, "route", r.Pattern, "error", withoutAddress(e.Err))
	}
	if e.Code == vitrine.CodeProRequired && !s.sold() {
		told := *e
		told.Message = notEnabled(e)
		e = &told
	}
	status, ok := statusOf[e.Code]
	if !ok {
		status = http.StatusInternalServerError
	}
	return e, status
}

// withoutAddress is what may be logged of an error: a failure of the caller's
// connection names the caller's address (promise 10).
func withoutAddress(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		return fmt.Errorf("%s %s: %w", op.Op, op.Net, op.Err)
	}
	return err
}

// linkURL is the public address of a link.
func (s *httpxH) linkURL(slug vitrine.Slug) string { return LinkURL(s.PublicURL, slug) }

// LinkURL is the public address of a link on an instance.
func LinkURL(public *url.URL, slug vitrine.Slug) string {
	return public.String() + "/p/" + string(slug)
}

// tokenRoots are where tokens are used.
var tokenRoots = map[vitrine.TokenPurpose]string{
	vitrine.TokenSignIn:   signInRoot,
	vitrine.TokenPassword: "/password",
	vitrine.TokenSignUp:   "/sign-up",
	vitrine.TokenInvite:   "/sign-up",
	vitrine.TokenEmail:    "/account/email",
	vitrine.TokenSetup:    "/setup",
}

// TokenURL is the address of an instance at which a token is used; without one,
// at which one asks for one.
func TokenURL(public string, p vitrine.TokenPurpose, text vitrine.TokenText) string {
	if text == "" && p == vitrine.TokenPassword {
		return public + "/reset"
	}
	return strings.TrimSuffix(public+tokenRoots[p]+"/"+string(text), "/")
}
