package httpx

import (
	"crypto/rand"
	"encoding/base64"
	"net/http"
	"strings"
)

// A Surface is a kind of answer with a Content-Security-Policy of its own.
type Surface int

// The surfaces.
const (
	Data          Surface = iota // answers for programs
	FileBytes                    // bytes of a file, and of what was made of it
	PublicPage                   // pages of links and albums, and what is shown in their place
	ReportForm                   // the form that reports a link or a website
	FrontPage                    // pages about Vitrine
	EntryPage                    // pages on which people get in
	AppPage                      // pages that people sign in for
	ModeratorPage                // pages of moderators, with a file in a frame
	PDFFrame                     // the viewer of PDF
	DocxFrame                    // the viewer of Word documents
	PreviewFrame                 // what was made of a file, or will be
	HTMLFrame                    // a published web page
	ExamineFrame                 // a file as a moderator sees it
	ExamineHTML                  // a web page as a moderator sees it
	ExamineSite                  // a website as a moderator sees it
	SitePage                     // a file of a website that has no host of its own
	SiteFailure                  // what is shown in the place of a website
	SharedReport                 // a report that is read at an address of its own
	EmbeddedChart                // the chart of a shared report, on any site
)

// policies has a row for each surface. {nonce} admits the page's own scripts
// and styles; {assets} and {files} are addresses on the content origin, {links}
// of public pages on the public one, {public}, {storage} is where signed URLs
// lead when that is elsewhere, and {framers} whose pages may show the answer in
// a frame. Addresses are spelled out where the page that obeys them may have an
// opaque origin.
//
// A Word document is its styles: the library writes them as inline styles and
// style elements. There alone they are admitted, since a style can reach
// nothing from there: the origin is opaque, what it shows is the file's own
// already, and nothing can be loaded but what the file itself holds. pdf.js
// compiles its image decoders from WebAssembly; its worker begins as a blob,
// the one kind that an opaque origin may start.
//
// A website without a host of its own has no origin of its own either, and so
// no storage, no cookies and no service workers. Its forms are sent nowhere:
// the address that visitors see is not the website's.
var policies = map[Surface]string{
	Data:      "default-src 'none'; frame-ancestors 'none'",
	FileBytes: "default-src 'none'; sandbox",
	PublicPage: "default-src 'none'; script-src {nonce}; style-src {nonce}; img-src {files} {assets} {links}; media-src {files}; " +
		"frame-src {files}; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors {framers}",
	ReportForm: "default-src 'none'; style-src {nonce}; img-src {assets}; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
	FrontPage:  "default-src 'none'; script-src {nonce}; style-src {nonce}; img-src {assets}; " + ownForms,
	EntryPage:  "default-src 'none'; script-src {nonce}; style-src {nonce}; img-src {assets}; " + ownForms,
	AppPage: "default-src 'none'; script-src {nonce}; style-src {nonce}; img-src {assets} {files} {links} {public}/links/; " +
		"connect-src 'self'{storage}; " + ownForms,
	ModeratorPage: "default-src 'none'; script-src {nonce}; style-src {nonce}; img-src {assets}; frame-src {files}; " +
		ownForms,
	PDFFrame: "sandbox {sandbox}; default-src 'none'; script-src {assets} 'wasm-unsafe-eval'; worker-src blob: {assets}; style-src {assets}; " +
		"img-src blob: data: {files}; font-src data: {assets}; connect-src {files} {assets}; " + noForms,
	DocxFrame: "sandbox {sandbox}; default-src 'none'; script-src {assets}; style-src 'unsafe-inline' {assets}; img-src blob: data:; " +
		"font-src blob: data:; connect-src {files}; " + noForms,
	PreviewFrame: "sandbox {sandbox}; default-src 'none'; script-src {assets}; style-src {assets}; img-src {files}; " +
		noForms,
	HTMLFrame: "sandbox {sandbox}; form-action 'none'; frame-ancestors {framers}",
	ExamineFrame: "sandbox {sandbox}; default-src 'none'; style-src {assets}; img-src {files}; media-src {files}; " +
		noForms,
	ExamineHTML: "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; " + noForms,
	ExamineSite: "sandbox; default-src 'none'; img-src {base} data:; style-src {base} 'unsafe-inline'; font-src {base}; media-src {base}; " +
		noForms,
	SharedReport: "default-src 'none'; script-src {nonce}; style-src {nonce}; img-src {assets} {public}/r/; " +
		ownForms,
	EmbeddedChart: "default-src 'none'; script-src {nonce}; style-src {nonce}; img-src {assets}; base-uri 'none'; form-action 'none'; " +
		"frame-ancestors *; require-trusted-types-for 'script'; trusted-types 'none'",
	SitePage:    "sandbox {sandbox}; form-action 'none'",
	SiteFailure: "sandbox allow-top-navigation-by-user-activation allow-popups; default-src 'none'; style-src {assets}; base-uri 'none'; form-action 'none'",
}

// What is at the end of several policies. Text can become no markup on pages
// of the app.
const (
	ownForms = "base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
	noForms  = "base-uri 'none'; form-action 'none'; frame-ancestors {framers}"
)

// SetPolicy sets the Content-Security-Policy of an answer. fills are pairs of
// what else its row has gaps for, such as "{nonce}", and what fills them.
func (s *Server) SetPolicy(w http.ResponseWriter, r *http.Request, of Surface, fills ...string) {
	public, content, storage := Origin(s.PublicURL), Origin(s.ContentURL), ""
	if s.StorageOrigin != "" {
		storage = " " + s.StorageOrigin
	}
	fills = append(fills, "{assets}", content+AssetRoot, "{files}", content+ContentRoot, "{links}", public+"/p/",
		"{public}", public,
		"{storage}", storage, "{framers}", s.Framers(r), "sandbox ;", "sandbox;")
	w.Header().Set("Content-Security-Policy", strings.NewReplacer(fills...).Replace(policies[of]))
}

// SetPagePolicy is SetPolicy for a page whose scripts and styles have a nonce.
func (s *Server) SetPagePolicy(w http.ResponseWriter, r *http.Request, of Surface, nonce string) {
	s.SetPolicy(w, r, of, "{nonce}", "'nonce-"+nonce+"'")
}

// Navigated reports whether a browser wants to show what it asked for as a page
// of its own.
func Navigated(r *http.Request) bool { return r.Header.Get("Sec-Fetch-Dest") == "document" }

// ancestors tells whose pages may show a content frame: the link's own page,
// and strangers' where that is in a frame of theirs. A moderator's frame is on
// no stranger's page.
func (s *Server) ancestors(r *http.Request) string {
	if r.URL.Query().Has("embed") && !examined(r) {
		return "*"
	}
	return Origin(s.PublicURL)
}

// Framers tells, in the words of frame-ancestors, whose pages may show in a
// frame what is at a request's address.
func (s *Server) Framers(r *http.Request) string {
	switch {
	case strings.HasPrefix(r.URL.Path, ContentRoot):
		return s.ancestors(r)
	case r.Pattern == embedRoute:
		return "*"
	default:
		return "'none'"
	}
}

// Examining marks the context of a request that came with an examine token.
type Examining struct{}

func examined(r *http.Request) bool { return r.Context().Value(Examining{}) != nil }

// SameOriginOnly keeps a page, which differs for who is signed in, from being
// opened or measured by another site.
func SameOriginOnly(h http.Header) {
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
}

// NewNonce makes the nonce of a page.
func NewNonce() string {
	var b [16]byte
	rand.Read(b[:])
	return base64.RawURLEncoding.EncodeToString(b[:])
}
