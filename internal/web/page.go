package web

import (
	"bytes"
	"crypto/rand"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"vitrine"

	"github.com/dustin/go-humanize"
)

//go:embed templates
var templateFiles embed.FS

// Templates: each page is the layout with the blocks of one file; the PDF viewer is a document of its own.
var (
	homeTemplate  = parse("layout.html", "icons.html", "home.html")
	linkTemplate  = parse("layout.html", "icons.html", "link.html")
	errorTemplate = parse("layout.html", "icons.html", "error.html")
	pdfTemplate   = parse("pdf.html")
)

func parse(names ...string) *template.Template {
	t := template.New(names[0]).Funcs(template.FuncMap{"asset": assetPath})
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
}

// headings say what happened, in the words of a display case.
var headings = map[vitrine.Code]string{
	vitrine.CodeNotFound:         "Nothing on display here",
	vitrine.CodeNotAvailable:     "Not on display yet",
	vitrine.CodeDisabled:         "No longer on display",
	vitrine.CodeURLExpired:       "This address has expired",
	vitrine.CodeInvalidSignature: "This address is incomplete",
	vitrine.CodeMethodNotAllowed: "Nothing to do here",
	vitrine.CodeUnavailable:      "Closed for a moment",
}

// advice says what to do, where the failure's own sentence does not.
var advice = map[vitrine.Code]string{
	vitrine.CodeNotFound:         "Check the address for a typing mistake, or ask whoever sent it to you.",
	vitrine.CodeNotAvailable:     "If it stays so, ask whoever sent it to you.",
	vitrine.CodeDisabled:         "Ask whoever sent it to you for a new one.",
	vitrine.CodeInvalidSignature: "Open the link's page again, or ask whoever sent it to you.",
}

// errorPage answers a failure. It is also shown inside the frame of a public page, whose content has gone meanwhile.
func (s *Server) errorPage(w http.ResponseWriter, r *http.Request, err error) {
	e, status := s.known(w, r, err)
	h := w.Header()
	// What the handler had said of the content that it then could not send.
	for _, name := range []string{"Content-Disposition", "Content-Encoding", "Content-Length", "ETag", "Last-Modified"} {
		h.Del(name)
	}
	if e.RetryAfter > 0 {
		h.Set("Retry-After", strconv.FormatInt(int64(e.RetryAfter.Seconds()+0.999), 10))
	}
	p := errorPage{Heading: headings[e.Code], Request: h.Get("X-Request-Id"), Advice: e.Message}
	if p.Heading == "" {
		p.Heading = "Something went wrong"
	}
	if e.Code == vitrine.CodeInternal {
		p.Advice = "The fault is on our side. Try again in a moment; if it stays, tell whoever runs this site the number below."
	}
	if a := advice[e.Code]; a != "" {
		p.Advice += " " + a
	}
	p.chrome = s.newChrome(p.Heading)
	h.Set("Cache-Control", "no-store")
	ancestors := "'none'"
	if strings.HasPrefix(r.URL.Path, contentRoot) {
		ancestors = origin(s.PublicURL)
	}
	h.Set("Content-Security-Policy", s.policy(p.Nonce, ancestors))
	if err := render(w, r, status, errorTemplate, p); err != nil {
		s.Log.Error("error page", "request", p.Request, "error", err)
		http.Error(w, fmt.Sprintf("%s (request %s)", p.Heading, p.Request), status)
	}
}

// render answers with a page, compressed where that is accepted. The only secret on any page is its own view token, and nothing of
// the request stands beside it: its compressed size tells nothing (BREACH).
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
