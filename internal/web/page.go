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
	"sync"
)

//go:embed templates
var templateFiles embed.FS

// Templates: each page is the layout with the blocks of one file; the PDF
// viewer is a document of its own.
var (
	linkTemplate    = parse("layout.html", "icons.html", "content.html", "link.html")
	embedTemplate   = parse("layout.html", "icons.html", "content.html", "embed.html")
	reportTemplate  = parse("layout.html", "icons.html", "report.html")
	pdfTemplate     = parse("pdf.html")
	previewTemplate = parse("preview.html")
	examineTemplate = parse("examine.html")

	queueTemplate   = parse("layout.html", "icons.html", "moderation.html", "moderation_queue.html")
	caseTemplate    = parse("layout.html", "icons.html", "moderation.html", "moderation_case.html")
	accountTemplate = parse("layout.html", "icons.html", "moderation.html", "moderation_account.html")
	historyTemplate = parse("layout.html", "icons.html", "moderation.html", "moderation_history.html")
)

// speeds are those that a video or sound can be played at.
var speeds = []string{"0.5", "0.75", "1", "1.25", "1.5", "1.75", "2"}

// A pageTemplate returns the template of a page. It is parsed on first use, so
// that the start of the program, of a subcommand too, does not wait for pages
// that it does not serve.
type pageTemplate func() *template.Template

// pageTemplates are all that parse has returned.
var pageTemplates []pageTemplate

// parse returns the template of the first file, with the blocks of the others.
// It panics on first use if one of them cannot be parsed.
func parse(names ...string) pageTemplate {
	t := sync.OnceValue(func() *template.Template {
		funcs := template.FuncMap{"asset": assetPath, "speeds": func() []string { return speeds }}
		t := template.New(names[0]).Funcs(funcs).Funcs(wordFuncs)
		files := make([]string, len(names))
		for i, name := range names {
			files[i] = "templates/" + name
		}
		return template.Must(t.ParseFS(templateFiles, files...))
	})
	pageTemplates = append(pageTemplates, t)
	return t
}

// chrome is what the layout wants of every page.
type chrome struct {
	Title string // of the window
	Nonce string // admits the page's own scripts and styles, and nothing else
	Icon  string // address of the icon of the tab
	Index bool   // search engines may list the page
	Sold  bool   // plans are sold: without that no page tells of plans
}

// newChrome begins a page. Its icon comes from the content origin, the one
// origin that img-src admits.
func (s *uiH) newChrome(title string) chrome {
	return chrome{Title: title, Nonce: newNonce(), Icon: origin(s.ContentURL) + assetPath("icon.svg"), Sold: s.sold()}
}

func newNonce() string {
	var b [16]byte
	rand.Read(b[:])
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// origin is scheme, host and port of an address.
func origin(u *url.URL) string { return u.Scheme + "://" + u.Host }

// policy is the Content-Security-Policy of a page: own scripts and styles by
// nonce, file bytes from the content origin alone (security, public page).
// Origins are spelled out where the page that obeys them may have an opaque
// one.
func (s *httpxH) policy(nonce, ancestors string) string {
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

// page renders a handler for people: its failure becomes a page that says what
// happened and what to do.
func (s *uiH) page(h handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			s.errorPage(w, r, err)
		}
	})
}

// render answers with a page, compressed where that is accepted. The only
// secrets on any page are its own view token and the addresses of a moderator's
// preview, and nothing of the request is beside them: its compressed size tells
// nothing (BREACH).
func render(w http.ResponseWriter, r *http.Request, status int, t pageTemplate, data any) error {
	var b bytes.Buffer
	if err := t().Execute(&b, data); err != nil {
		return fmt.Errorf("render %s: %w", t().Name(), err)
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
