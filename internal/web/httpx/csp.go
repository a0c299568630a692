package httpx

import (
	"crypto/rand"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
)

// A Surface is a kind of answer. Its value is the answer's
// Content-Security-Policy.
//
// {nonce} admits the page's own scripts and styles; {assets} and {files} are
// addresses on the content origin; {links} are public pages and {public} is the
// public origin; {storage} is the target of signed URLs if it is another
// origin; {framers} may show the answer in a frame. Addresses are explicit
// where the page may have an opaque origin.
type Surface string

// The surfaces. The frame of a viewer has a policy of its own in viewer.Table.
//
// A website without a host of its own has no origin either, and so no storage,
// cookies or service workers. It cannot send forms, because the address that
// visitors see is not the website's.
const (
	// Answers for programs.
	Data Surface = "default-src 'none'; frame-ancestors 'none'"
	// Bytes of a file or of its parts.
	FileBytes Surface = "default-src 'none'; sandbox"
	// Pages of links and albums, and errors instead of them.
	PublicPage Surface = "default-src 'none'; script-src {nonce}; style-src {nonce}; font-src 'self'; img-src {files} {assets} {links}; media-src {files}; " +
		"frame-src {files}; connect-src 'self' {files}; base-uri 'none'; form-action 'none'; frame-ancestors {framers}"
	// The form that reports a link or a website.
	ReportForm Surface = "default-src 'none'; style-src {nonce}; font-src 'self'; img-src {assets}; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
	// Pages about Vitrine.
	FrontPage Surface = "default-src 'none'; script-src {nonce}; style-src {nonce}; font-src 'self'; img-src {assets}; connect-src 'self'; " + ownForms
	// Pages on which people get in.
	EntryPage Surface = "default-src 'none'; script-src {nonce}; style-src {nonce}; font-src 'self'; img-src {assets}; " + ownForms
	// Pages that people sign in for.
	AppPage Surface = "default-src 'none'; script-src {nonce}; style-src {nonce}; font-src 'self'; img-src {assets} {files} {links} {public}/links/; " +
		"connect-src 'self'{storage}; " + ownForms
	// Pages of moderators, with a file in a frame.
	ModeratorPage Surface = "default-src 'none'; script-src {nonce}; style-src {nonce}; font-src 'self'; img-src {assets}; frame-src {files}; " +
		ownForms
	// Shows parts of a file, or waits for them.
	PreviewFrame Surface = "sandbox {sandbox}; default-src 'none'; script-src {assets}; style-src {assets}; img-src {files}; " +
		"media-src {files}; " + NoForms
	// A published web page.
	HTMLFrame Surface = "sandbox {sandbox}; form-action 'none'; frame-ancestors {framers}"
	// A file as a moderator sees it.
	ExamineFrame Surface = "sandbox {sandbox}; default-src 'none'; style-src {assets}; img-src {files}; media-src {files}; " +
		NoForms
	// A web page as a moderator sees it.
	ExamineHTML Surface = "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; " + NoForms
	// A website as a moderator sees it.
	ExamineSite Surface = "sandbox; default-src 'none'; img-src {base} data:; style-src {base} 'unsafe-inline'; font-src {base}; media-src {base}; " +
		NoForms
	// A report at a shared address.
	SharedReport Surface = "default-src 'none'; script-src {nonce}; style-src {nonce}; font-src 'self'; img-src {assets} {public}/r/; " +
		ownForms
	// The chart of a shared report, on any site.
	EmbeddedChart Surface = "default-src 'none'; script-src {nonce}; style-src {nonce}; font-src 'self'; img-src {assets}; base-uri 'none'; form-action 'none'; " +
		"frame-ancestors *; require-trusted-types-for 'script'; trusted-types 'none'"
	// A file of a website without a host of its own.
	SitePage Surface = "sandbox {sandbox}; form-action 'none'"
	// Error instead of a website.
	SiteFailure Surface = "sandbox allow-top-navigation-by-user-activation allow-popups; default-src 'none'; style-src {assets}; font-src {assets}; base-uri 'none'; form-action 'none'"
)

// The common ends of policies: of pages of the app, where text can never become
// markup, and of frames.
const (
	ownForms = "base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
	NoForms  = "base-uri 'none'; form-action 'none'; frame-ancestors {framers}"
)

// SetPolicy sets the Content-Security-Policy of an answer. fills are pairs of a
// placeholder, such as "nonce", and its value.
func (s *Server) SetPolicy(w http.ResponseWriter, r *http.Request, of Surface, fills ...string) {
	b := make([]byte, 0, 3*len(of))
	for rest := string(of); ; {
		text, after, found := strings.Cut(rest, "{")
		b = append(b, text...)
		if !found {
			break
		}
		name, after, _ := strings.Cut(after, "}")
		b = s.appendFill(b, r, name, fills)
		rest = after
	}
	w.Header().Set("Content-Security-Policy", string(b))
}

// appendFill appends the value of a placeholder, without its braces. It is
// called for each answer, so it prepares nothing.
func (s *Server) appendFill(b []byte, r *http.Request, name string, fills []string) []byte {
	switch name {
	case "assets":
		return append(appendOrigin(b, s.ContentURL), AssetRoot...)
	case "files":
		return append(appendOrigin(b, s.ContentURL), ContentRoot...)
	case "links":
		return append(appendOrigin(b, s.PublicURL), "/p/"...)
	case "public":
		return appendOrigin(b, s.PublicURL)
	case "framers":
		return append(b, s.Framers(r)...)
	case "storage":
		if s.StorageOrigin != "" {
			b = append(append(b, ' '), s.StorageOrigin...)
		}
		return b
	}
	for i := 0; i < len(fills); i += 2 {
		if fills[i] == name {
			return append(b, fills[i+1]...)
		}
	}
	panic("policy without a value of {" + name + "}")
}

func appendOrigin(b []byte, u *url.URL) []byte {
	return append(append(append(b, u.Scheme...), "://"...), u.Host...)
}

// SetPagePolicy sets the policy of a page whose scripts and styles have a
// nonce.
func (s *Server) SetPagePolicy(w http.ResponseWriter, r *http.Request, of Surface, nonce string) {
	s.SetPolicy(w, r, of, "nonce", "'nonce-"+nonce+"'")
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
	case r.Pattern == embedRoute, r.Pattern == recipientEmbedRoute:
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
