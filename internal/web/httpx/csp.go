package httpx

import (
	"crypto/rand"
	"encoding/base64"
	"net/http"
	"strings"
)

// A Surface is a kind of answer with its own Content-Security-Policy.
type Surface int

// The surfaces.
const (
	Data          Surface = iota // answers for programs
	FileBytes                    // bytes of a file or of its parts
	PublicPage                   // pages of links and albums, and errors instead of them
	ReportForm                   // the form that reports a link or a website
	FrontPage                    // pages about Vitrine
	EntryPage                    // pages on which people get in
	AppPage                      // pages that people sign in for
	ModeratorPage                // pages of moderators, with a file in a frame
	PDFFrame                     // the viewer of PDF
	DocxFrame                    // the viewer of Word documents
	PreviewFrame                 // shows parts of a file, or waits for them
	HTMLFrame                    // a published web page
	ExamineFrame                 // a file as a moderator sees it
	ExamineHTML                  // a web page as a moderator sees it
	ExamineSite                  // a website as a moderator sees it
	SitePage                     // a file of a website without a host of its own
	SiteFailure                  // error instead of a website
	SharedReport                 // a report at a shared address
	EmbeddedChart                // the chart of a shared report, on any site
)

// policies has a row for each surface. {nonce} admits the page's own scripts
// and styles; {assets} and {files} are addresses on the content origin; {links}
// are public pages and {public} is the public origin; {storage} is the target
// of signed URLs if it is another origin; {framers} may show the answer in a
// frame. Addresses are explicit where the page may have an opaque origin.
//
// A Word document needs inline styles and style elements, because its library
// writes them. They are admitted only there: the origin is opaque, the frame
// shows only the file, and nothing but the file can be loaded. pdf.js compiles
// its image decoders from WebAssembly; its worker begins as a blob, the only
// kind that an opaque origin may start.
//
// A website without a host of its own has no origin either, and so no storage,
// cookies or service workers. It cannot send forms, because the address that
// visitors see is not the website's.
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

// The common ends of policies. Text can never become markup on pages of the
// app.
const (
	ownForms = "base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
	noForms  = "base-uri 'none'; form-action 'none'; frame-ancestors {framers}"
)

// SetPolicy sets the Content-Security-Policy of an answer. fills are pairs of a
// placeholder, such as "{nonce}", and its value.
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

// SetPagePolicy sets the policy of a page whose scripts and styles have a
// nonce.
func (s *Server) SetPagePolicy(w http.ResponseWriter, r *http.Request, of Surface, nonce string) {
	s.SetPolicy(w, r, of, "{nonce}", "'nonce-"+nonce+"'")
}

// Navigated reports whether a browser wants to show the answer as a page of its
// own.
func Navigated(r *http.Request) bool { return r.Header.Get("Sec-Fetch-Dest") == "document" }

// ancestors returns who may show a content frame: the link's own page, and
// other sites if the page is in one of their frames. A moderator's frame is
// never on another site's page.
func (s *Server) ancestors(r *http.Request) string {
	if r.URL.Query().Has("embed") && !examined(r) {
		return "*"
	}
	return Origin(s.PublicURL)
}

// Framers returns who may show the answer in a frame, in the syntax of
// frame-ancestors.
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

// SameOriginOnly keeps other sites from opening or measuring a page that
// depends on the reader.
func SameOriginOnly(h http.Header) {
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
}

// NewNonce returns the nonce of a page.
func NewNonce() string {
	var b [16]byte
	rand.Read(b[:])
	return base64.RawURLEncoding.EncodeToString(b[:])
}
