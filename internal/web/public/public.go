package public

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/base/throttle"
	"vitrine/internal/visitor"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/viewer"
	"vitrine/report"
)

// LinkHandler answers for a public link.
type LinkHandler func(w http.ResponseWriter, r *http.Request, l *vitrine.Link, a *vitrine.Account) error

// OnLink finds the live link of a request, of a reader who needs no pass or has
// one; others get the gate, which is no view. An invalid slug is unknown;
// another spelling, a former slug, or an address with what a text adds behind
// it redirects to the link's address. Prefetching is refused, so that the
// browser asks again when the reader really navigates: a prefetched page would
// be a view without a reader.
func (s *Handler) OnLink(h LinkHandler) httpx.HandlerFunc {
	return s.onLink(h, func(w http.ResponseWriter, r *http.Request, g *access.Gate) error {
		if g.Place && r.URL.Path == g.Link.Path() {
			return s.givePlace(w, r, g, h)
		}
		s.countShown(r, g.Link)
		return s.askPass(w, r, g, http.StatusForbidden, "", nil)
	})
}

// onLink is OnLink with another answer for readers without a pass.
func (s *Handler) onLink(h LinkHandler,
	gated func(http.ResponseWriter, *http.Request, *access.Gate) error) httpx.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Cache-Control", "private, no-store")
		w.Header().Set("X-Robots-Tag", "noindex")
		if httpx.Speculative(r) {
			http.Error(w, "This page is not served to prefetch requests.", http.StatusServiceUnavailable)
			return nil
		}
		text, ending := r.PathValue("slug"), ""
		named, isText := strings.CutSuffix(httpx.TrimTail(text), textSuffix)
		if isText && strings.TrimRight(r.URL.Path, "/") == "/p/"+text {
			ending = textSuffix
		} else {
			named = text
		}
		slug, err := httpx.SlugOf(named)
		if err != nil {
			return vitrine.ErrNoLink
		}
		lead := func(own vitrine.Slug) error {
			to := *r.URL
			to.Path, to.RawPath = strings.TrimRight(strings.Replace(to.Path, text, string(own)+ending, 1), "/"), ""
			if named := r.PathValue(recipientPart); named != "" {
				token, _, _ := recipientOf(r)
				to.Path = strings.Replace(to.Path, "/"+named, "/"+string(token), 1)
			}
			http.Redirect(w, r, to.RequestURI(), http.StatusPermanentRedirect)
			return nil
		}
		token, exact, err := recipientOf(r)
		if err != nil {
			return err
		}
		if string(slug)+ending != text || !exact || strings.HasSuffix(r.URL.Path, "/") {
			return lead(slug)
		}
		l, a, err := s.Links.PublicTo(r.Context(), slug, token, s.Viewers.Reader(r))
		if g := (*access.Gate)(nil); errors.As(err, &g) {
			if g.Link.Slug != slug {
				return lead(g.Link.Slug)
			}
			return gated(w, r, g)
		}
		if err != nil {
			return s.forOwner(r, slug, err)
		}
		if l.Slug != slug {
			return lead(l.Slug)
		}
		if r.Method == http.MethodGet && r.URL.Query().Has(httpx.Mailed) {
			return toPage(w, r, l)
		}
		return h(w, r, l, a)
	}
}

// recipientPart is the part of a route that has the token of a recipient.
const recipientPart = "recipient"

// recipientOf returns the token in the address of a request, "" for the plain
// address of a link, and whether it is written as in the recipient's address.
func recipientOf(r *http.Request) (token vitrine.RecipientToken, exact bool, err error) {
	text := r.PathValue(recipientPart)
	if text == "" {
		return "", true, nil
	}
	token, ok := vitrine.ParseRecipientToken(httpx.TrimTail(text))
	if !ok {
		return "", false, httpx.ErrNoPage
	}
	return token, string(token) == text, nil
}

// Show answers with the public page of a link in one of its forms, or with its
// text, to who prefers that and may have it. Only a GET answered with 200 is a
// view, and the view is durable before the page is sent: every page that was
// seen is in the log (analytics, Views).
func (s *Handler) Show(f form) LinkHandler {
	text := s.EndWhenDisabled(s.sendText)
	return func(w http.ResponseWriter, r *http.Request, l *vitrine.Link, a *vitrine.Account) error {
		if f == OwnPage {
			w.Header().Add("Vary", "Accept")
			if asksText(r) && viewer.HasReading(l) {
				return text(w, r, l, a)
			}
		}
		d, err := s.document(r, l, f)
		if err != nil {
			return err
		}
		nonce := httpx.NewNonce()
		s.Server.SetPagePolicy(w, r, httpx.PublicPage, nonce)
		if r.Method == http.MethodHead {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			return nil
		}
		own := s.Server.SignedInAs(r, a.ID)
		view, err := s.storeView(r, l, a, own)
		if err != nil {
			return err
		}
		fills := filling{nonce: nonce, token: s.Signer.ViewToken(view)}
		if own {
			fills.bar = ownBar(l, a.CountOwn)
		}
		return d.write(w, r, fills)
	}
}

// storeView stores a view with what the request reveals, and returns what the
// page's beacons are about.
func (s *Handler) storeView(r *http.Request, l *vitrine.Link, a *vitrine.Account, own bool) (v vitrine.Viewed,
	err error) {
	view := s.viewOf(r, l, a)
	if view.Album, err = s.openedFrom(r, l); err != nil {
		return v, err
	}
	network, reason := visitor.Network(s.Server.ClientAddr(r))
	view.Open(network, reason, own, a.CountOwn)
	v = vitrine.Viewed{Link: l.ID, Kind: report.ContentOf(l.Kind), Pages: l.Pages,
		Recipient: l.Through.Recipient}
	if v.Kind == report.ContentScroll {
		v.Pages = l.Outline.Len()
	}
	v.View, err = s.add(r, l, view)
	if v.View == 0 { // it is only counted, and so are no beacons of it
		v.Link, v.View = 0, vitrine.ViewIDAt(s.Now().UnixMilli(), 0)
	}
	return v, err
}

// viewOf returns a view with what a request reveals.
func (s *Handler) viewOf(r *http.Request, l *vitrine.Link, a *vitrine.Account) *vitrine.ViewRecord {
	v := &vitrine.ViewRecord{Account: a.ID, View: s.Server.PageLoad(r, a, s.Server.PublicURL.Host, s.Now())}
	v.Link, v.Version, v.Recipient = int64(l.ID), l.Version, int64(l.Through.Recipient)
	return v
}

// add stores a view. The ID is 0 if it is only counted.
func (s *Handler) add(r *http.Request, l *vitrine.Link, v *vitrine.ViewRecord) (vitrine.ViewID, error) {
	if throttle.ClientGone(r.Context()) {
		return 0, httpx.ErrClientGone
	}
	now := s.Now()
	id, err := s.Views.AddNext(r.Context(), s.ViewIDs, now, throttle.Subscriber(s.Server.LimitedAddr(r)), v)
	if err == nil && report.DayOf(now.UnixMilli()) < report.DayOf(l.CreatedAt.UnixMilli()) { // the clock was set back
		if err := s.Links.DateBack(r.Context(), l.ID, now); err != nil {
			s.Log.Warn("a link is younger than its first view", "link", l.Slug, "error", err)
		}
	}
	return id, err
}

// Download sends a file as a download. A view-only link has no such address. A
// download after a view counts once, in however many ranges it is fetched;
// without a valid view token it counts separately.
func (s *Handler) Download(w http.ResponseWriter, r *http.Request, l *vitrine.Link, a *vitrine.Account) error {
	if !l.AllowDownload || !l.HasBytes {
		return httpx.ErrNoPage
	}
	if bucket, ok := s.Blobs.(vitrine.Bucket); ok && s.RedirectDownloads && r.Method == http.MethodGet {
		return s.redirectDownload(w, r, l, a, bucket)
	}
	blob, err := s.Viewers.Blob(r, l)
	if err != nil {
		return err
	}
	defer blob.Close()
	if err := s.countDownload(r, l, a); err != nil {
		return err
	}
	h := w.Header()
	s.Server.SetPolicy(w, r, httpx.FileBytes)
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Disposition", httpx.Disposition("attachment", l.Name))
	viewer.SendBlob(w, r, l, blob)
	return nil
}

// redirectLife is how long the address of a download in storage is valid.
// Anyone can pass it on, even after the link is disabled, so it lasts only as
// long as a browser needs to follow it.
const redirectLife = time.Minute

// redirectDownload redirects a reader to storage. The bytes are an attachment
// without a type there, so that nothing is ever shown on the origin of the
// bucket.
func (s *Handler) redirectDownload(w http.ResponseWriter, r *http.Request, l *vitrine.Link, a *vitrine.Account,
	bucket vitrine.Bucket) error {
	address, err := bucket.SignGet(r.Context(), vitrine.GetGrant{Key: l.Upload, Type: "application/octet-stream",
		Disposition: httpx.Disposition("attachment", l.Name), Expires: s.Now().Add(redirectLife)})
	if err != nil {
		return err
	}
	if err := errors.Join(s.Viewers.Fetches(r, l, s.Viewers.PassOf(r, l)), s.countDownload(r, l, a)); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Cache-Control", "private, no-store")
	h.Set("Referrer-Policy", "no-referrer")
	http.Redirect(w, r, address, http.StatusFound)
	return nil
}

// EndWhenDisabled ends the answer of a handler when the link is disabled, or
// the version that is sent is gone.
func (s *Handler) EndWhenDisabled(h LinkHandler) LinkHandler {
	return func(w http.ResponseWriter, r *http.Request, l *vitrine.Link, a *vitrine.Account) error {
		shown := func(ctx context.Context) error {
			_, err := s.Links.PublicVersion(ctx, l.ID, l.Version, l.Through.Recipient, s.Viewers.Reader(r))
			return err
		}
		return s.Server.StopWhenNotPublic(w, r, shown, func() error { return h(w, r, l, a) })
	}
}

// countDownload stores a download event when a transfer begins. With a view
// token, the event has the ID of its view, so a view counts one download.
// Without one, a viewer's downloads of a link within half an hour count once,
// because a restarted transfer is not another copy.
func (s *Handler) countDownload(r *http.Request, l *vitrine.Link, a *vitrine.Account) error {
	if r.Method != http.MethodGet || !FromStart(r.Header.Get("Range")) || r.Header.Get("If-None-Match") != "" {
		return nil
	}
	d, now := &vitrine.Download{Link: l.ID, Recipient: l.Through.Recipient}, s.Now()
	v, err := s.Signer.ParseViewToken(r.URL.Query().Get("v"), now)
	ofView := err == nil && v.Link == l.ID
	if ofView {
		d.ID, d.View = v.View, v.View
	} else if d.ID, d.Account = s.downloadID(r, a), a.ID; d.ID == 0 || err == nil && v.Link == 0 {
		return nil
	}
	if throttle.ClientGone(r.Context()) {
		return httpx.ErrClientGone
	}
	if ofView {
		return s.Views.Download(r.Context(), d)
	}
	return s.Views.DownloadAlone(r.Context(), now, throttle.Subscriber(s.Server.LimitedAddr(r)), d)
}

const (
	// downloadTime is the time within which a viewer's transfers are one
	// download. It divides the hours of almost every time zone.
	downloadTime = 30 * time.Minute
	// The counters of download IDs without a view begin where those of views
	// are rare.
	downloadCounter, downloadCounters = 1 << 20, 1 << 20
)

// downloadID returns the ID of a download without a view, or 0 if it is a bot's
// or the owner's and does not count. Programs such as curl count, because
// people use them.
func (s *Handler) downloadID(r *http.Request, a *vitrine.Account) vitrine.ViewID {
	now := s.Now()
	v := s.Server.PageLoad(r, a, s.Server.PublicURL.Host, now)
	counts := v.Bot == "" || v.Bot == report.BotClientLibrary || v.Bot == report.BotNotShown // a file is fetched, not shown
	if !counts || visitor.MailNetwork(s.Server.ClientAddr(r)) != "" {
		return 0
	}
	if s.Server.SignedInAs(r, a.ID) {
		return 0
	}
	return vitrine.ViewIDAt(now.Truncate(downloadTime).UnixMilli(), downloadCounter+int(v.Viewer%downloadCounters))
}

// FromStart reports whether a Range header, or its absence, asks for a file's
// first byte.
func FromStart(ranges string) bool {
	rest, ok := strings.CutPrefix(ranges, "bytes=")
	if !ok {
		return true // none, or of another unit: the whole file is sent
	}
	for part := range strings.SplitSeq(rest, ",") {
		first, _, _ := strings.Cut(strings.TrimSpace(part), "-")
		if n, err := strconv.ParseUint(strings.TrimSpace(first), 10, 64); err == nil && n == 0 {
			return true
		}
	}
	return false
}
