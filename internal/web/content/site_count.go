package content

import (
	"net/http"
	"net/url"
	"strings"

	"vitrine"
	"vitrine/internal/base/throttle"
	"vitrine/internal/filetype/inspect"
	"vitrine/internal/web/httpx"
)

// sourceInside is the source of page loads from another page of the same
// website.
const sourceInside = "Within the website"

// isPage reports whether a file of a website is a page, so that its loads
// count.
func isPage(f inspect.SiteFile) bool {
	return f.Type == "text/html" || f.Type == "application/xhtml+xml"
}

// isLoad reports whether a request is a page load by a browser: a GET of the
// whole file to show it, not a range or a fetch by a script. Requests with
// If-Match, which no browser sends for a load, may be answered without the
// page.
func isLoad(r *http.Request) bool {
	h := r.Header
	mode := h.Get("Sec-Fetch-Mode")
	return r.Method == http.MethodGet && h.Get("Range") == "" && h.Get("If-Match") == "" &&
		(mode == "" || mode == "navigate")
}

// countLoad counts the load of a page of a website. It is durable when
// countLoad returns nil.
func (s *Handler) countLoad(r *http.Request, q siteRequest, version *vitrine.Link, owner *vitrine.Account,
	path string) error {
	if s.SiteStats == nil {
		return nil
	}
	load := s.Server.PageLoad(r, owner, r.Host, s.Now())
	if load.Bot == "" && s.fromInside(r, q) {
		load.Source, load.Referrer = sourceInside, ""
	}
	if throttle.ClientGone(r.Context()) {
		return httpx.ErrClientGone
	}
	return s.SiteStats.Count(r.Context(), version.Site, path, throttle.Subscriber(s.Server.LimitedAddr(r)), load)
}

// fromInside reports whether a request was referred by a page of the same
// website.
func (s *Handler) fromInside(r *http.Request, q siteRequest) bool {
	from, err := url.Parse(r.Referer())
	if err != nil || !strings.EqualFold(from.Host, r.Host) || from.Host == "" {
		return false
	}
	return q.own || strings.HasPrefix(from.Path, httpx.SiteRoot+string(q.slug)+"/")
}
