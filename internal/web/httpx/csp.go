package httpx

import (
	"crypto/rand"
	"encoding/base64"
	"net/http"
	"strings"
)

// ShellPolicy is the Content-Security-Policy of these pages (security,
// dashboard): own scripts and styles by nonce, text that can become no markup,
// pictures of links and their QR codes, and bytes sent to where signed URLs
// lead.
func (s *Server) ShellPolicy(nonce string) string {
	content, public := Origin(s.ContentURL), Origin(s.PublicURL)
	connect := "connect-src 'self'"
	if s.StorageOrigin != "" {
		connect += " " + s.StorageOrigin
	}
	return strings.Join([]string{
		"default-src 'none'",
		"script-src 'nonce-" + nonce + "'",
		"style-src 'nonce-" + nonce + "'",
		"img-src " + content + AssetRoot + " " + content + ContentRoot + " " + public + "/p/",
		connect,
		"base-uri 'none'",
		"form-action 'self'",
		"frame-ancestors 'none'",
		"require-trusted-types-for 'script'",
		"trusted-types 'none'",
	}, "; ")
}

// FileCSP makes bytes inert that a browser shows by themselves: an opaque
// origin, nothing loaded, nothing run (security, surfaces).
const FileCSP = "default-src 'none'; sandbox"

// Navigated reports whether a browser wants to show what it asked for as a page
// of its own.
func Navigated(r *http.Request) bool { return r.Header.Get("Sec-Fetch-Dest") == "document" }

// Ancestors tells whose pages may show a content frame: the link's own page,
// and strangers' where that is in a frame of theirs. A moderator's frame is on
// no stranger's page.
func (s *Server) Ancestors(r *http.Request) string {
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
		return s.Ancestors(r)
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

// FrontPolicy is the Content-Security-Policy of these pages: they show nothing
// of anybody's, and what a visitor chose leaves them by the browser's own
// store.
func (s *Server) FrontPolicy(nonce string) string {
	return strings.Join([]string{
		"default-src 'none'",
		"script-src 'nonce-" + nonce + "'",
		"style-src 'nonce-" + nonce + "'",
		"img-src " + Origin(s.ContentURL) + AssetRoot,
		"base-uri 'none'",
		"form-action 'self'",
		"frame-ancestors 'none'",
		"require-trusted-types-for 'script'",
		"trusted-types 'none'",
	}, "; ")
}

func NewNonce() string {
	var b [16]byte
	rand.Read(b[:])
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// Policy is the Content-Security-Policy of a page: own scripts and styles by
// nonce, file bytes from the content origin alone (security, public page).
// Origins are spelled out where the page that obeys them may have an opaque
// one.
func (s *Server) Policy(nonce, ancestors string) string {
	content := Origin(s.ContentURL)
	files := content + ContentRoot
	return strings.Join([]string{
		"default-src 'none'",
		"script-src 'nonce-" + nonce + "'",
		"style-src 'nonce-" + nonce + "'",
		"img-src " + files + " " + content + AssetRoot + " " + Origin(s.PublicURL) + "/p/", // its QR code
		"media-src " + files,
		"frame-src " + files,
		"connect-src 'self'",
		"base-uri 'none'",
		"form-action 'none'",
		"frame-ancestors " + ancestors,
	}, "; ")
}

// AppPolicy is the Content-Security-Policy of those pages: own scripts and
// styles by nonce, text that can become no markup, and in frames nothing but
// the content origin.
func (s *Server) AppPolicy(nonce string) string {
	content := Origin(s.ContentURL)
	return strings.Join([]string{
		"default-src 'none'",
		"script-src 'nonce-" + nonce + "'",
		"style-src 'nonce-" + nonce + "'",
		"img-src " + content + AssetRoot,
		"frame-src " + content + ContentRoot,
		"base-uri 'none'",
		"form-action 'self'",
		"frame-ancestors 'none'",
		"require-trusted-types-for 'script'",
		"trusted-types 'none'",
	}, "; ")
}
