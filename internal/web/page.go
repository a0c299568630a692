package web

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"vitrine"

	"github.com/dustin/go-humanize"
)

//go:embed templates
var templateFiles embed.FS

// Templates: each page is the layout with the blocks of one file; the PDF viewer is a document of its own.
var (
	homeTemplate    = parse("layout.html", "icons.html", "home.html")
	linkTemplate    = parse("layout.html", "icons.html", "content.html", "link.html")
	embedTemplate   = parse("layout.html", "icons.html", "content.html", "embed.html")
	errorTemplate   = parse("layout.html", "icons.html", "error.html")
	reportTemplate  = parse("layout.html", "icons.html", "report.html")
	pdfTemplate     = parse("pdf.html")
	previewTemplate = parse("preview.html")
	examineTemplate = parse("examine.html")
	signInTemplate  = parse("layout.html", "icons.html", "signin.html")

	queueTemplate   = parse("layout.html", "icons.html", "moderation.html", "moderation_queue.html")
	caseTemplate    = parse("layout.html", "icons.html", "moderation.html", "moderation_case.html")
	accountTemplate = parse("layout.html", "icons.html", "moderation.html", "moderation_account.html")
	historyTemplate = parse("layout.html", "icons.html", "moderation.html", "moderation_history.html")
)

// speeds are those that a video or sound can be played at.
var speeds = []string{"0.5", "0.75", "1", "1.25", "1.5", "1.75", "2"}

func parse(names ...string) *template.Template {
	t := template.New(names[0]).Funcs(template.FuncMap{"asset": assetPath, "speeds": func() []string { return speeds }}).Funcs(wordFuncs)
	for i, name := range names {
		names[i] = "templates/" + name
	}
	return template.Must(t.ParseFS(templateFiles, names...))
}

// chrome is what the layout wants of every page.
type chrome struct {
	Title string // of the window
	Nonce string // admits the page's own scripts and styles, and nothing else
	Icon  string // address of the icon of the tab
	Index bool   // search engines may list the page
}

// newChrome begins a page. Its icon comes from the content origin, the one origin that img-src admits.
func (s *Server) newChrome(title string) chrome {
	return chrome{Title: title, Nonce: newNonce(), Icon: origin(s.ContentURL) + assetPath("icon.svg")}
}

func newNonce() string {
	var b [16]byte
	rand.Read(b[:])
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// origin is scheme, host and port of an address.
func origin(u *url.URL) string { return u.Scheme + "://" + u.Host }

// policy is the Content-Security-Policy of a page: own scripts and styles by nonce, file bytes from the content origin alone
// (security, public page). Origins are spelled out where the page that obeys them may have an opaque one.
func (s *Server) policy(nonce, ancestors string) string {
	content := origin(s.ContentURL)
	files := content + contentRoot
	return strings.Join([]string{
		"default-src 'none'",
		"script-src 'nonce-" + nonce + "'",
		"style-src 'nonce-" + nonce + "'",
		"img-src " + files + " " + content + assetRoot + " " + origin(s.PublicURL) + "/p/", // its QR code
		"media-src " + files,
		"frame-src " + files,
		"connect-src 'self'",
		"base-uri 'none'",
		"form-action 'none'",
		"frame-ancestors " + ancestors,
	}, "; ")
}

// page renders a handler for people: its failure becomes a page that says what happened and what to do.
func (s *Server) page(h handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			s.errorPage(w, r, err)
		}
	})
}

// errNoPage is the failure of an address that nothing is at.
var errNoPage = vitrine.Errorf(vitrine.CodeNotFound, "There is no page at this address.")

type errorPage struct {
	chrome
	Heading, Advice string
	Request         string // the request's id
	Again           string // address to try again; "" where that is of no use
	Start           string // address of the site's first page
	Framed          bool   // the page is in a frame of another
}

// headings say what happened, in the words of a display case.
var headings = map[vitrine.Code]string{
	vitrine.CodeNotFound:         "Nothing on display here",
	vitrine.CodeNotAvailable:     "Not on display yet",
	vitrine.CodeDisabled:         "No longer on display",
	vitrine.CodeURLExpired:       "This address has expired",
	vitrine.CodeInvalidSignature: "This address is incomplete",
	vitrine.CodeMethodNotAllowed: "Nothing to do here",
	vitrine.CodeRateLimited:      "Too many at once",
	vitrine.CodeUnavailable:      "Closed for a moment",
	vitrine.CodeInternal:         "Something went wrong",
}

// advice says what to do, where the failure's own sentence does not.
var advice = map[vitrine.Code]string{
	vitrine.CodeNotFound:         "Check the address for a typing mistake, or ask whoever sent it to you.",
	vitrine.CodeNotAvailable:     "If it stays so, ask whoever sent it to you.",
	vitrine.CodeDisabled:         "Ask whoever sent it to you for a new one.",
	vitrine.CodeURLExpired:       "Open the link’s page again.",
	vitrine.CodeInvalidSignature: "Open the link’s page again, or ask whoever sent it to you.",
	vitrine.CodeInternal:         "The fault is on our side. Try again in a moment; if it stays, tell whoever runs this site the number below.",
}

// transient are the failures that the same address may not have a moment later. No page asks again by itself: a tab that was left open
// would make an open of a link by nobody, as soon as there is something to see.
var transient = map[vitrine.Code]bool{
	vitrine.CodeNotAvailable: true, vitrine.CodeRateLimited: true, vitrine.CodeUnavailable: true, vitrine.CodeInternal: true,
}

// errorPage answers a failure. It is also shown inside the frame of a public page, whose content has gone meanwhile, and in an embed.
func (s *Server) errorPage(w http.ResponseWriter, r *http.Request, err error) {
	e, status := s.known(w, r, err)
	h := w.Header()
	// What the handler had said of the content that it then could not send.
	for _, name := range []string{"Content-Disposition", "Content-Encoding", "Content-Length", "ETag", "Last-Modified"} {
		h.Del(name)
	}
	retryAfter(w, e)
	framers := s.framers(r)
	p := errorPage{
		chrome: s.newChrome(cmp.Or(headings[e.Code], "This is not allowed")), Advice: adviceOn(e), Request: h.Get("X-Request-Id"),
		Start: s.PublicURL.String() + "/", Framed: framers != "'none'",
	}
	p.Heading = p.Title
	if transient[e.Code] && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		p.Again = r.URL.RequestURI()
	}
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", s.policy(p.Nonce, framers))
	if err := render(w, r, status, errorTemplate, p); err != nil {
		s.Log.Error("error page", "request", p.Request, "error", err)
		http.Error(w, fmt.Sprintf("%s (request %s)", p.Heading, p.Request), status)
	}
}

// adviceOn is what happened and what to do about it.
func adviceOn(e *vitrine.Error) string {
	switch e.Code {
	case vitrine.CodeInternal:
		return advice[e.Code] // its own sentence is for programs
	case vitrine.CodeRateLimited:
		if e.RetryAfter > 0 {
			return e.Message + " Try again in " + wait(e.RetryAfter) + "."
		}
	}
	return strings.TrimSpace(e.Message + " " + advice[e.Code])
}

// wait is a time for people, rounded up: whoever waits so long has waited long enough.
func wait(d time.Duration) string {
	n, unit := seconds(d), "second"
	switch {
	case n > 90*60:
		n, unit = (n+3599)/3600, "hour"
	case n > 90:
		n, unit = (n+59)/60, "minute"
	}
	if n != 1 {
		unit += "s"
	}
	return strconv.FormatInt(n, 10) + " " + unit
}

// seconds is a time in whole seconds, rounded up.
func seconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }

// retryAfter says when to ask again, where a failure tells.
func retryAfter(w http.ResponseWriter, e *vitrine.Error) {
	if e.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.FormatInt(seconds(e.RetryAfter), 10))
	}
}

// render answers with a page, compressed where that is accepted. The only secrets on any page are its own view token and
// the addresses of a moderator's preview, and nothing of the request stands beside them: its compressed size tells nothing (BREACH).
func render(w http.ResponseWriter, r *http.Request, status int, t *template.Template, data any) error {
	var b bytes.Buffer
	if err := t.Execute(&b, data); err != nil {
		return fmt.Errorf("render %s: %w", t.Name(), err)
	}
	if acceptsGzip(r) {
		send(w, r, status, compress(b.Bytes()), true)
	} else {
		send(w, r, status, b.Bytes(), false)
	}
	return nil
}

// send answers with a page as it is or in the form of gzip.
func send(w http.ResponseWriter, r *http.Request, status int, page []byte, gzipped bool) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Add("Vary", "Accept-Encoding")
	if gzipped {
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Content-Length", strconv.Itoa(len(page)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(page) // the reader may have gone away
	}
}

type homePage struct {
	chrome
	Base  string // address of the API
	Plans []planRow
}

// planRow is a plan's limits as people read them.
type planRow struct {
	Name, Links, File, Storage, Uploads string
	Pro                                 bool
}

func (s *Server) planRows() (rows []planRow) {
	bound := func(n int64, format func(int64) string) string {
		if n == 0 {
			return "unlimited"
		}
		return format(n)
	}
	count := func(n int64) string { return strconv.FormatInt(n, 10) }
	size := func(n int64) string { return humanize.Bytes(uint64(n)) }
	names := map[vitrine.Plan]string{vitrine.PlanFree: "Free", vitrine.PlanPro: "Pro", vitrine.PlanLifetime: "Lifetime"}
	for _, p := range []vitrine.Plan{vitrine.PlanFree, vitrine.PlanPro, vitrine.PlanLifetime} {
		l := s.Uploads.Plans[p]
		rows = append(rows, planRow{Name: names[p], Links: bound(l.Links, count), File: bound(l.FileBytes, size),
			Storage: bound(l.StorageBytes, size), Uploads: bound(l.HourlyUploads, count), Pro: p.Pro()})
	}
	return rows
}

func (s *Server) home(w http.ResponseWriter, r *http.Request) error {
	p := homePage{chrome: s.newChrome("Vitrine"), Base: s.PublicURL.String() + apiRoot, Plans: s.planRows()}
	p.Index = true
	h := w.Header()
	h.Set("Cache-Control", "no-cache")
	h.Set("Content-Security-Policy", s.policy(p.Nonce, "'none'"))
	return render(w, r, http.StatusOK, homeTemplate, p)
}
