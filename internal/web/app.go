package web

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"vitrine"
)

// The shell: what all pages have that someone signs in for, moderation's apart.

// memberHandler answers someone who is signed in, as their account is now.
type memberHandler func(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error

// asMember admits who is signed in. Anyone who is not, is asked to sign in
// first and comes back, unless something was being sent.
func (s *appH) asMember(h memberHandler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		me, err := s.Sessions.Authenticate(r.Context(), s.session(r))
		if vitrine.CodeOf(err) == vitrine.CodeUnauthorized {
			next := r.URL.RequestURI()
			if r.Method != http.MethodGet && r.Method != http.MethodHead {
				next = r.URL.Path
			}
			return redirect(w, r, withQuery(signInRoot, url.Values{}, "next", next))
		}
		if err != nil {
			return err
		}
		return h(w, r, me)
	}
}

// withSession admits a script of the app for anyone who is signed in. Unlike a
// page it answers 401 to others.
func (s *appH) withSession(h memberHandler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
		me, err := s.Sessions.Authenticate(r.Context(), s.session(r))
		if err != nil {
			return err
		}
		return forSite(h(w, r, me))
	}
}

// appPage is what each of these pages has.
type appPage struct {
	chrome
	Me      *vitrine.Account
	Section string // of the navigation, or ""
	Waiting int64  // links in review, for moderators
	Notices []Notice
	Said    string // what came of the form that led here
	Wrong   Wrong  // what is wrong with the form, on a page that shows it again
	now     time.Time
}

// Wrong is what is wrong with a form: a sentence by the name of its field, ""
// for what is about all of it.
type Wrong map[string]string

// wrongWith reads the failure of a form that the person who filled it in can
// mend; nil of any other failure, and of none.
func wrongWith(err error) Wrong {
	var e *vitrine.Error
	if !errors.As(err, &e) || statusOf[e.Code] >= http.StatusInternalServerError {
		return nil
	}
	return Wrong{e.Field: inSiteWords(e.Message)}
}

// siteWords are what the website calls what programs know by other names:
// people read of a slug under the label of their field, Address.
var siteWords = strings.NewReplacer("A slug has", "An address has", "letters a-z", "letters a–z", "This slug is", "This address is",
	"Custom slugs are", "Addresses of your own are", "with that slug", "with that address")

// inSiteWords is the sentence of an error as the website says it.
func inSiteWords(message string) string { return siteWords.Replace(message) }

// forSite is a failure as the website tells it: its code and its field stay.
func forSite(err error) error {
	var e *vitrine.Error
	if !errors.As(err, &e) || inSiteWords(e.Message) == e.Message {
		return err
	}
	told := *e
	told.Message = inSiteWords(e.Message)
	return &told
}

// Ago is how long ago something was.
func (p *appPage) Ago(t time.Time) string { return span(p.now.Sub(t)) }

// sayings are what is said of a form that was carried out, by the code in the
// address of the page that it leads to. Nothing of a request is ever repeated
// on a page as if it had happened.
var sayings = map[string]string{
	"password":       "Your password is changed. All other browsers are signed out.",
	"email":          "Your address is changed.",
	"email-asked":    "We have sent a link to the new address. Open it in this browser to confirm it.",
	"session-ended":  "That browser is signed out.",
	"sessions-ended": "All other browsers are signed out.",
	"key-revoked":    "The key is revoked.",
	"withdrawn":      "The invitation is withdrawn.",
	"person":         "The account is changed.",

	"link-deleted":  "The link was deleted.",
	"renamed":       "The title is changed.",
	"moved":         "The address is changed. The one before leads here for 90 days.",
	"with-file":     "Readers can download the file.",
	"view-only":     "Readers can view the file, and not download it.",
	"off-display":   "The link is disabled.",
	"on-display":    "The link is enabled.",
	"captioned":     "The captions are there.",
	"captions-gone": "The captions are removed.",
	"saved":         "Saved.",

	"website-made": "The website is made. Drop its files below.",
	"deployed":     "Deployed. Visitors see this version from now on.",
	"deploy-held":  "The files have arrived, and a person must look at them first.",
	"restored":     "Visitors see this version again.",
	"site-deleted": "The website was deleted.",
	"version-gone": "The version was deleted.",
	"album-made":   "The album is made. Add links to it.",
	"album-gone":   "The album was deleted.",
	"added":        "Added to the album.",
	"removed":      "Taken out of the album. The link itself stays.",
	"arranged":     "The order is changed.",
	"signed-out":   "You are signed out.",
}

// said is the address of the page that says what was done.
func said(address, code string) string {
	u, err := url.Parse(address)
	if err != nil {
		panic(err) // made by this package
	}
	q := u.Query()
	q.Set("said", code)
	u.RawQuery = q.Encode()
	return u.String()
}

// newAppPage begins a page of a section.
func (s *appH) newAppPage(r *http.Request, me *vitrine.Account, title, section string) appPage {
	p := appPage{chrome: s.newChrome(title + " · Vitrine"), Me: me, Section: section, Said: sayings[r.URL.Query().Get("said")], now: s.Now()}
	if !me.Moderates() {
		return p
	}
	// What moderators see beside is no reason to fail.
	if counts, err := s.Moderation.Counts(r.Context()); err == nil {
		for _, n := range counts {
			p.Waiting += n
		}
	}
	if s.Notices != nil && section == "people" { // where the owner looks after the site
		p.Notices = s.Notices(r.Context())
	}
	return p
}

// shellPolicy is the Content-Security-Policy of these pages (security,
// dashboard): own scripts and styles by nonce, text that can become no markup,
// pictures of links and their QR codes, and bytes sent to where signed URLs
// lead.
func (s *httpxH) shellPolicy(nonce string) string {
	content, public := origin(s.ContentURL), origin(s.PublicURL)
	connect := "connect-src 'self'"
	if s.StorageOrigin != "" {
		connect += " " + s.StorageOrigin
	}
	return strings.Join([]string{
		"default-src 'none'",
		"script-src 'nonce-" + nonce + "'",
		"style-src 'nonce-" + nonce + "'",
		"img-src " + content + assetRoot + " " + content + contentRoot + " " + public + "/p/",
		connect,
		"base-uri 'none'",
		"form-action 'self'",
		"frame-ancestors 'none'",
		"require-trusted-types-for 'script'",
		"trusted-types 'none'",
	}, "; ")
}

// writeApp answers with one of these pages.
func (s *appH) writeApp(w http.ResponseWriter, r *http.Request, status int, t pageTemplate, nonce string, page any) error {
	w.Header().Set("Content-Security-Policy", s.shellPolicy(nonce))
	return render(w, r, status, t, page)
}

// parseApp reads the template of a page in the shell: it defines "main", and
// "head" if it wants more there.
func parseApp(names ...string) pageTemplate {
	return parse(append([]string{"layout.html", "icons.html", "app.html"}, names...)...)
}
