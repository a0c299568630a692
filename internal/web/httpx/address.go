package httpx

import (
	"net/http"
	"net/url"
	"strings"

	"vitrine"
)

// SiteReportRoot is where readers report websites: on the app's own host, for a
// website's host is its author's alone.
const SiteReportRoot = "/report/website/"

const AlbumRoot = "/a/"

// AlbumURL is the public address of an album.
func (s *Server) AlbumURL(slug vitrine.Slug) string {
	return s.PublicURL.String() + AlbumRoot + string(slug)
}

// APIRoot is where the API of version 1 is below the public address
// (contract, Other decisions).
const APIRoot = "/api/v1"

// ContentRoot is where file bytes and viewer frames stand, on the content host.
const ContentRoot = "/c/"

// embedRoute is the page of a link as other sites show it in a frame.
const embedRoute = "GET /p/{slug}/embed"

// EmbedQuery is the end of the address of a content frame whose page is in a
// frame itself.
const EmbedQuery = "?embed"

const signUpRoot = "/sign-up"

const resetRoot = "/reset"

const passwordRoot = "/password"

const setupRoot = "/setup"

// InsideRoot is where one is led who has signed in and was on the way to
// nowhere.
const InsideRoot = DashboardRoot

// InsideOr is the address that a sign-in leads to.
func InsideOr(next string) string {
	if next = LocalPath(next); next == "" {
		return InsideRoot
	}
	return next
}

// LocalPath accepts the address of a page of this very site, from its root; ""
// of anything else, and of the pages on which one gets in and out.
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

// DeviceRoot is the page on which a person confirms that a program gets an API
// key (decision 0026).
const DeviceRoot = "/device"

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

// Redirect answers a form with the page that shows what came of it.
func Redirect(w http.ResponseWriter, r *http.Request, address string) error {
	http.Redirect(w, r, address, http.StatusSeeOther)
	return nil
}

// Origin is scheme, host and port of an address.
func Origin(u *url.URL) string { return u.Scheme + "://" + u.Host }

// PlansRoute is the page of the plans, which answers of the API lead to where a
// plan does not allow something.
const PlansRoute = "/plans"

// Sold reports whether there are plans to choose from. Without that pages and
// errors tell of the limits of an account, and of no plans.
func (s *Server) Sold() bool { return s.UpgradeURL != "" }

// plansURL is the address of that page: the one place that says how to get a
// larger plan.
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

// LinkURL is the public address of a link.
func (s *Server) LinkURL(slug vitrine.Slug) string { return LinkURL(s.PublicURL, slug) }

// LinkURL is the public address of a link on an instance.
func LinkURL(public *url.URL, slug vitrine.Slug) string {
	return public.String() + "/p/" + string(slug)
}

// tokenRoots are where tokens are used.
var tokenRoots = map[vitrine.TokenPurpose]string{
	vitrine.TokenSignIn:   SignInRoot,
	vitrine.TokenPassword: "/password",
	vitrine.TokenSignUp:   "/sign-up",
	vitrine.TokenInvite:   "/sign-up",
	vitrine.TokenEmail:    "/account/email",
	vitrine.TokenSetup:    "/setup",
}

// TokenURL is the address of an instance at which a token is used; without one,
// at which one asks for one.
func TokenURL(public string, p vitrine.TokenPurpose, text vitrine.TokenText) string {
	if text == "" && p == vitrine.TokenPassword {
		return public + "/reset"
	}
	return strings.TrimSuffix(public+tokenRoots[p]+"/"+string(text), "/")
}

const SignInRoot = "/sign-in"

const ModerationRoot = "/moderation"

// SiteRoot is where websites stand, on the content host, of an instance that
// has no host for each.
const SiteRoot = "/s/"

// SiteURL is the public address of a website, with a slash at its end.
func (s *Server) SiteURL(slug vitrine.Slug) string {
	if s.SitesURL == nil {
		return Origin(s.ContentURL) + SiteRoot + string(slug) + "/"
	}
	return s.SitesURL.Scheme + "://" + string(slug) + strings.TrimPrefix(s.SitesURL.Host, "*") + "/"
}

// AssetRoot is where static files are served, on the hosts of pages and of file
// bytes alike.
const AssetRoot = "/assets/"

const DashboardRoot = "/dashboard"
