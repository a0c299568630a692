package web

import (
	"context"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/accept"
	"vitrine/internal/visitor"
	"vitrine/report"
)

// linkHandler answers for a link that the public may see.
type linkHandler func(w http.ResponseWriter, r *http.Request, l *vitrine.Link, a *vitrine.Account) error

// onLink finds the live link of a request's address. What no slug can look like
// is no link; a slug in another spelling, or one that was the link's before, is
// sent to the link's own address; and what a browser asks ahead of its reader
// is refused, so that it asks again once the reader really goes there: a page
// fetched ahead would be an open by nobody.
func (s *publicH) onLink(h linkHandler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Cache-Control", "private, no-store")
		w.Header().Set("X-Robots-Tag", "noindex")
		if speculative(r) {
			http.Error(w, "This page is not served ahead of its reader.", http.StatusServiceUnavailable)
			return nil
		}
		text := r.PathValue("slug")
		slug, err := vitrine.ParseSlug(text)
		if err != nil {
			return vitrine.Errorf(vitrine.CodeNotFound, "There is no link with this address.")
		}
		lead := func(own vitrine.Slug) error {
			to := *r.URL
			to.Path, to.RawPath = strings.Replace(to.Path, text, string(own), 1), ""
			http.Redirect(w, r, to.RequestURI(), http.StatusPermanentRedirect)
			return nil
		}
		if string(slug) != text {
			return lead(slug)
		}
		l, a, err := s.Links.Public(r.Context(), slug)
		if err != nil {
			return err
		}
		if l.Slug != slug {
			return lead(l.Slug)
		}
		return h(w, r, l, a)
	}
}

// speculative reports whether a browser asks ahead of its reader.
func speculative(r *http.Request) bool {
	h := r.Header
	return visitor.Speculative(h.Get("Sec-Purpose"), h.Get("Purpose"), h.Get("X-Purpose"), h.Get("X-Moz"))
}

// show answers with the public page of a link, in one of its forms. Only an
// answer of 200 to a GET is an open, and the open is durable before the page is
// sent: a page that was seen is in the log (analytics, Views).
func (s *publicH) show(f form) linkHandler {
	return func(w http.ResponseWriter, r *http.Request, l *vitrine.Link, a *vitrine.Account) error {
		d, err := s.document(r, l, f)
		if err != nil {
			return err
		}
		nonce := newNonce()
		w.Header().Set("Content-Security-Policy", s.policy(nonce, s.framers(r)))
		if r.Method == http.MethodHead {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			return nil
		}
		open, err := s.open(r, l, a)
		if err != nil {
			return err
		}
		token := s.Signer.ViewToken(vitrine.Viewed{Link: l.ID, Open: open, Kind: vitrine.ContentKindOf(l.Kind), Pages: l.Pages})
		return d.write(w, r, nonce, token)
	}
}

// errClientGone is the failure of a request whose client has left before it was
// answered: what it asked for is not counted. Nobody reads it.
var errClientGone = vitrine.Unavailable(nil)

// open writes that a link's page is being read, and by whom as far as the
// request tells.
func (s *publicH) open(r *http.Request, l *vitrine.Link, a *vitrine.Account) (vitrine.ViewID, error) {
	now := s.Now()
	o := &vitrine.OpenRecord{Account: a.ID, Open: s.pageLoad(r, a, s.PublicURL.Host, now)}
	o.Link = int64(l.ID)
	if accept.Gone(r.Context()) {
		return 0, errClientGone
	}
	return s.Views.OpenNext(r.Context(), s.ViewIDs, now, o)
}

// pageLoad is what a request for a page of an account says about its sender. A
// referrer from ownHost is none.
func (s *httpxH) pageLoad(r *http.Request, a *vitrine.Account, ownHost string, now time.Time) report.Open {
	addr := s.clientAddr(r)
	h := r.Header
	v := visitor.Classify(visitor.Request{
		UserAgent: r.UserAgent(), Referrer: r.Referer(), Addr: addr, Query: r.URL.Query(), OwnHost: ownHost, SecCHUA: h.Get("Sec-CH-UA"),
		SecPurpose: h.Get("Sec-Purpose"), Purpose: h.Get("Purpose"), XPurpose: h.Get("X-Purpose"), XMoz: h.Get("X-Moz"),
	})
	key := a.ViewerKey
	if h.Get("Sec-GPC") == "1" {
		key = visitor.DayKey(key, now.UTC().Format(time.DateOnly)) // counted today, unknown tomorrow
	}
	return report.Open{
		Viewer:  visitor.ViewerID(key, addr, r.UserAgent()),
		Country: v.Country, City: v.City, Referrer: v.Referrer, Source: v.Source, Device: v.Device, Browser: v.Browser, OS: v.OS,
		Bot: v.Bot, QR: v.QR,
	}
}

// clientAddr is whose request this is; the zero Addr when that cannot be told.
func (s *httpxH) clientAddr(r *http.Request) netip.Addr {
	remote, _ := netip.ParseAddrPort(r.RemoteAddr)
	forwarded := r.Header.Values("X-Forwarded-For")
	if visitor.UntrustedProxy(remote, forwarded, s.TrustedProxies) {
		s.proxyWarned.Do(func() {
			s.Log.Warn("requests come through a reverse proxy that is not trusted, so that everybody has one address: limits apply to all of them together, and viewers are not distinguished; set --trusted-proxy")
		})
	}
	return visitor.ClientAddr(remote, forwarded, s.TrustedProxies)
}

// download sends a file to keep. A link that is view-only has no such address.
// A download by anyone who opened the page counts once, however many ranges it
// is fetched in; without a view token, or with one that is no longer good, the
// bytes are served all the same.
func (s *publicH) download(w http.ResponseWriter, r *http.Request, l *vitrine.Link, _ *vitrine.Account) error {
	if !l.AllowDownload || !l.HasBytes {
		return errNoPage
	}
	if signer, ok := s.Blobs.(vitrine.GetSigner); ok && s.RedirectDownloads && r.Method == http.MethodGet {
		return s.redirectDownload(w, r, l, signer)
	}
	blob, err := s.blob(r, l)
	if err != nil {
		return err
	}
	defer blob.Close()
	if err := s.countDownload(r, l); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Security-Policy", fileCSP)
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Disposition", disposition("attachment", l.Name))
	sendBlob(w, r, l, blob)
	return nil
}

// redirectLife is how long the address of a download in storage is good for.
// Anyone who has it can pass it on, also after the link was taken down: it
// lives as long as a browser needs to follow it.
const redirectLife = time.Minute

// redirectDownload sends a reader to storage for the bytes. They are an
// attachment of no type there, so that nothing of a stranger's is ever shown on
// the origin of the bucket.
func (s *publicH) redirectDownload(w http.ResponseWriter, r *http.Request, l *vitrine.Link, signer vitrine.GetSigner) error {
	address, err := signer.SignGet(r.Context(), vitrine.GetGrant{Key: l.Upload, Type: "application/octet-stream",
		Disposition: disposition("attachment", l.Name), Expires: s.Now().Add(redirectLife)})
	if err != nil {
		return err
	}
	if err := s.countDownload(r, l); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Cache-Control", "private, no-store")
	h.Set("Referrer-Policy", "no-referrer")
	http.Redirect(w, r, address, http.StatusFound)
	return nil
}

// guarded cuts the answer of a handler off when the link is taken down.
func (s *publicH) guarded(h linkHandler) linkHandler {
	return func(w http.ResponseWriter, r *http.Request, l *vitrine.Link, a *vitrine.Account) error {
		shown := func(ctx context.Context) error { _, err := s.Links.PublicByID(ctx, l.ID); return err }
		return s.whileShown(w, r, shown, func() error { return h(w, r, l, a) })
	}
}

// countDownload writes a download event for the beginning of a transfer. It has
// the ID of its open: one open downloads once.
func (s *publicH) countDownload(r *http.Request, l *vitrine.Link) error {
	v, err := s.Signer.ParseViewToken(r.URL.Query().Get("v"), s.Now())
	if err != nil || v.Link != l.ID || r.Method != http.MethodGet || !fromStart(r.Header.Get("Range")) || r.Header.Get("If-None-Match") != "" {
		return nil
	}
	if accept.Gone(r.Context()) {
		return errClientGone
	}
	return s.Views.Download(r.Context(), &vitrine.Download{ID: v.Open, Link: l.ID, Open: v.Open})
}

// fromStart reports whether a Range header, or its absence, asks for a file's
// first byte.
func fromStart(ranges string) bool {
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
