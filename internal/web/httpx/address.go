package httpx

import (
	"net/http"
	"net/url"
	"strings"
	"unicode"

	"vitrine"
)

// SiteReportRoot is the path for reporting websites. It is on the app's host,
// because the author of a website controls the website's host.
const SiteReportRoot = "/report/website/"

// AlbumRoot is the path of albums.
const AlbumRoot = "/a/"

// TrimTail removes what a text adds behind an address in it: slashes,
// punctuation, brackets, spaces and invisible characters. No address of ours
// ends with them.
func TrimTail(s string) string {
	return strings.TrimRightFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '-' && r != '_'
	})
}

// SlugOf returns the slug in the last part of an address.
func SlugOf(text string) (vitrine.Slug, error) {
	return vitrine.ParseSlug(strings.TrimRight(TrimTail(text), "-_"))
}

// AlbumURL returns the public address of an album.
func (s *Server) AlbumURL(slug vitrine.Slug) string {
	return s.PublicURL.String() + AlbumRoot + string(slug)
}

// APIRoot is the path of version 1 of the API (contract, Other decisions).
const APIRoot = "/api/v1"

// AgentPath is where agents use the tools.
const AgentPath = "/mcp"

// OAuthRoot begins the addresses by which programs get keys.
const OAuthRoot = "/oauth"

// challenge says how a request without a valid key gets one.
func (s *Server) challenge(r *http.Request) string {
	if r.URL.Path != AgentPath {
		return "Bearer"
	}
	wrong := ""
	if Bearer(r) != "" {
		wrong = `error="invalid_token", `
	}
	return "Bearer " + wrong + `resource_metadata="` + s.PublicURL.String() + "/.well-known/oauth-protected-resource" +
		AgentPath + `", scope="publish"`
}

// ContentRoot is the path of file bytes and viewer frames on the content host.
const ContentRoot = "/c/"

// embedRoute is the page of a link for frames on other sites.
const embedRoute = "GET /p/{slug}/embed"

// recipientEmbedRoute is that of a recipient's address.
const recipientEmbedRoute = "GET /p/{slug}/{recipient}/embed"

// EmbedQuery marks the address of a content frame whose page is itself in a
// frame.
const EmbedQuery = "?embed"

// ProviderRoot begins the addresses that lead to providers of sign-ins.
const ProviderRoot = SignInRoot + "/with/"

// ProviderCallback returns the address to which a provider sends its answer, on
// an instance.
func ProviderCallback(public, id string) string { return public + SignInRoot + "/from/" + id }

const signUpRoot = "/sign-up"

const resetRoot = "/reset"

const passwordRoot = "/password"

const setupRoot = "/setup"

// InsideRoot is where a sign-in leads without another target.
const InsideRoot = DashboardRoot

// InsideOr returns the address to which a sign-in leads.
func InsideOr(next string) string {
	if next = LocalPath(next); next == "" {
		return InsideRoot
	}
	return next
}

// LocalPath returns s if it is the path of a page on this host, except pages
// for signing in and out; otherwise "".
func LocalPath(s string) string {
	if len(s) > 2000 || !strings.HasPrefix(s, "/") || strings.HasPrefix(s, "//") ||
		strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == '\\' || r == 0x7f }) {
		return ""
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || u.Opaque != "" ||
		strings.HasPrefix(u.Path, "//") {
		return ""
	}
	for _, root := range []string{SignInRoot, signUpRoot, resetRoot, passwordRoot, setupRoot, "/sign-out"} {
		if u.Path == root || strings.HasPrefix(u.Path, root+"/") {
			return ""
		}
	}
	return s
}

// LoginRoot is the page on which a person confirms that a program gets an API
// key.
const LoginRoot = "/device"

// WithQuery returns a path with a query: q, and pairs of a name and a value, of
// which empty values are left out.
func WithQuery(path string, q url.Values, more ...string) string {
	for i := 0; i+1 < len(more); i += 2 {
		if more[i+1] != "" {
			q.Set(more[i], more[i+1])
		}
	}
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

// Redirect answers a form with the page that shows the result.
func Redirect(w http.ResponseWriter, r *http.Request, address string) error {
	http.Redirect(w, r, address, http.StatusSeeOther)
	return nil
}

// Origin returns scheme, host and port of an address.
func Origin(u *url.URL) string { return u.Scheme + "://" + u.Host }

// PlansRoute is the page of plans. API errors link to it if a plan does not
// allow something.
const PlansRoute = "/plans"

// SecurityTextRoute is the file that says where to report vulnerabilities (RFC
// 9116).
const SecurityTextRoute = "/.well-known/security.txt"

// Sold reports whether there are plans to choose from. If not, pages and errors
// mention the limits of an account but no plans.
func (s *Server) Sold() bool { return s.UpgradeURL != "" }

// plansURL returns the address of the page of plans.
func (s *Server) plansURL() string { return s.PublicURL.String() + PlansRoute }

// SeeOther sends a frame to another one of the same link, with the query that
// it has.
func SeeOther(w http.ResponseWriter, r *http.Request, name string) error {
	if r.URL.RawQuery != "" {
		name += "?" + r.URL.RawQuery
	}
	w.Header().Set("Location", name) // relative to the frame's address: http.Redirect would make it one of this host
	w.WriteHeader(http.StatusSeeOther)
	return nil
}

// LinkURL returns the public address of a link.
func (s *Server) LinkURL(slug vitrine.Slug) string { return LinkURL(s.PublicURL, slug) }

// AddressOf returns the public address at which a reader has a link.
func (s *Server) AddressOf(l *vitrine.Link) string { return s.PublicURL.String() + l.Path() }

// LinkURL returns the public address of a link on an instance.
func LinkURL(public *url.URL, slug vitrine.Slug) string {
	return public.String() + "/p/" + string(slug)
}

// Mailed is the parameter of the address of a link with which a reader comes
// from a mail of its email gate.
const Mailed = "mailed"

// MailedURL returns the address in a mail of the email gate of a link.
func MailedURL(public *url.URL, l *vitrine.Link, text string) string {
	return public.String() + l.Path() + "?" + Mailed + "=" + url.QueryEscape(text)
}

// tokenRoots maps purposes to the paths where tokens are used.
var tokenRoots = map[vitrine.TokenPurpose]string{
	vitrine.TokenSignIn:   SignInRoot,
	vitrine.TokenPassword: "/password",
	vitrine.TokenSignUp:   "/sign-up",
	vitrine.TokenInvite:   "/sign-up",
	vitrine.TokenEmail:    "/account/email",
	vitrine.TokenSetup:    "/setup",
}

// TokenURL returns the address where a token is used or, with "", where one is
// requested.
func TokenURL(public string, p vitrine.TokenPurpose, text vitrine.TokenText) string {
	if text == "" && p == vitrine.TokenPassword {
		return public + "/reset"
	}
	return strings.TrimSuffix(public+tokenRoots[p]+"/"+string(text), "/")
}

// SignInRoot is the path of the sign-in page.
const SignInRoot = "/sign-in"

// ModerationRoot is the path of the pages for moderators.
const ModerationRoot = "/moderation"

// SiteRoot is the path of websites on the content host, if they have no hosts
// of their own.
const SiteRoot = "/s/"

// SiteURL returns the public address of a website, with a trailing slash.
func (s *Server) SiteURL(slug vitrine.Slug) string {
	if s.SitesURL == nil {
		return Origin(s.ContentURL) + SiteRoot + string(slug) + "/"
	}
	return s.SitesURL.Scheme + "://" + string(slug) + strings.TrimPrefix(s.SitesURL.Host, "*") + "/"
}

// AssetRoot is the path of static files, on the hosts of pages and of file
// bytes.
const AssetRoot = "/assets/"

// DashboardRoot is the page to which a sign-in leads.
const DashboardRoot = "/dashboard"
