// Package app has the pages of the app: those on which people get in, and those
// for members. It also has what all of them share: their frame, their forms,
// and who may see them.
package app

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
)

// MemberHandler answers a signed-in person. me is the current account.
type MemberHandler func(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error

// AsMember admits signed-in people. Anyone else is asked to sign in and then
// comes back, unless the request sends something.
func (s *Shell) AsMember(h MemberHandler) httpx.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		me, err := s.Sessions.Authenticate(r.Context(), s.Server.Session(r))
		if vitrine.CodeOf(err) == vitrine.CodeUnauthorized {
			next := r.URL.RequestURI()
			if r.Method != http.MethodGet && r.Method != http.MethodHead {
				next = r.URL.Path
			}
			return httpx.Redirect(w, r, httpx.WithQuery(httpx.SignInRoot, url.Values{}, "next", next))
		}
		if err != nil {
			return err
		}
		return h(w, r, me)
	}
}

// WithSession admits scripts of signed-in people. It answers 401 to others.
func (s *Shell) WithSession(h MemberHandler) httpx.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
		me, err := s.Sessions.Authenticate(r.Context(), s.Server.Session(r))
		if err != nil {
			return err
		}
		return h(w, r, me)
	}
}

// Page is the common data of these pages.
type Page struct {
	ui.Page
	Me      *vitrine.Account
	Section string // of the navigation, or ""
	Waiting int64  // links in review, for moderators
	Notices []Notice
	Said    string            // message about the form that led here
	Wrong   httpx.FieldErrors // errors of the form, if it is shown again
	now     time.Time
}

// Ago returns the time since t.
func (p *Page) Ago(t time.Time) string { return ui.Span(p.now.Sub(t)) }

// ZoneName is the name of the zone.
func (p *Page) ZoneName() string { return strings.ReplaceAll(p.Me.Zone().String(), "_", " ") }

// When is how long ago something was, and from a day on its date.
func (p *Page) When(t time.Time) string {
	if p.now.Sub(t) < 24*time.Hour {
		return p.Past(t)
	}
	return ui.ShortDate(t, p.Me.Zone(), p.now)
}

// Day returns the date of a time in the account's zone.
func (p *Page) Day(t time.Time) string { return t.In(p.Me.Zone()).Format("2 Jan 2006") }

// FormMessages maps codes in addresses to messages about completed forms. A
// page never repeats text from the request, so no address can make it claim
// something.
var FormMessages = map[string]string{
	"password":           "Password changed. All other browsers are signed out.",
	"two-step-off":       "Two-step sign-in is off.",
	"passkey-added":      "Passkey added.",
	"app-added":          "Authenticator app added.",
	"factor-removed":     "Removed. The rest of your second step stays.",
	"connected":          "Connected. You can sign in with it from now on.",
	"disconnected":       "Removed. It does not open your account any more.",
	"email":              "E-mail address changed.",
	"email-asked":        "We sent a link to the new address. Open it in this browser to confirm the address.",
	"session-ended":      "Browser signed out.",
	"sessions-ended":     "All other browsers signed out.",
	"share-revoked":      "Address revoked. The report can no longer be seen there.",
	"key-revoked":        "Key revoked.",
	"hook-made":          "Webhook added.",
	"hook-on":            "Turned on. Events from now on are sent.",
	"hook-off":           "Turned off. Nothing is sent.",
	"hook-tested":        "The test is on its way. The log shows the answer.",
	"hook-resent":        "The message is on its way. The log shows the answer.",
	"hook-gone":          "Webhook deleted.",
	"invitation-revoked": "Invitation revoked.",
	"person":             "Account changed.",

	"person-two-step-off": "Two-step sign-in is off. The person is signed out everywhere.",

	"link-deleted":  "Link deleted for good.",
	"link-trashed":  "Link deleted. You can restore it from the trash for 30 days.",
	"link-restored": "Link restored. Its address works again.",
	"link-purged":   "Link deleted for good.",
	"renamed":       "Title changed.",
	"slug-changed":  "Saved. The old address keeps working for 90 days.",
	"link-disabled": "Link disabled.",
	"link-enabled":  "Link enabled.",
	"bell":          "Saved. You get mails about this link.",
	"bell-off":      "Saved. You get no mails about this link.",
	"captioned":     "Captions added.",
	"captions-gone": "Captions removed.",
	"saved":         "Saved.",
	"access-saved":  "Saved. Tell your readers what they need now.",
	"reader-gone":   "The address is deleted.",

	"recipients-added":  "Recipients added. Copy the address of each for its reader or channel.",
	"recipient-revoked": "Address revoked. It no longer opens the link.",

	"version-made":     "File replaced. Readers now see the new file.",
	"version-held":     "The file is uploaded. Readers see it once it has been checked.",
	"version-restored": "Version restored. Readers now see it.",

	"website-made": "Website created. Drop its files below.",
	"deployed":     "Deployed. Visitors now see this version.",
	"deploy-held":  "The files are uploaded. A moderator must check them before visitors see them.",
	"restored":     "Version restored. Visitors now see it.",
	"site-deleted": "Website deleted.",
	"version-gone": "Version deleted.",
	"album-made":   "Album created.",
	"album-gone":   "Album deleted.",
	"added":        "Added to the album.",
	"removed":      "Removed from the album. The link itself stays.",
	"arranged":     "Order changed.",
	"signed-out":   "You are signed out.",
}

// Said returns the address of a page that shows the message with a code.
func Said(address, code string) string {
	u, err := url.Parse(address)
	if err != nil {
		panic(err) // made by this package
	}
	q := u.Query()
	q.Set("said", code)
	u.RawQuery = q.Encode()
	return u.String()
}

// Begin returns the data of a page.
func (s *Shell) Begin(r *http.Request, me *vitrine.Account, title, section string) Page {
	return Page{Page: s.Pages.NewChrome(title + " · Vitrine"), Me: me, Section: section,
		Said: FormMessages[r.URL.Query().Get("said")], now: s.Now()}
}

// NewAppPage begins a page of a section.
func (s *Shell) NewAppPage(r *http.Request, me *vitrine.Account, title, section string) Page {
	p := s.Begin(r, me, title, section)
	if !me.Moderates() {
		return p
	}
	// A failure must not hide the page: counts are only shown beside it.
	if counts, err := s.Moderation.Counts(r.Context()); err == nil {
		for _, n := range counts {
			p.Waiting += n
		}
	}
	if section == "people" { // the page where the owner manages the instance
		s.Warn(r.Context(), &p)
	}
	return p
}

// WriteApp answers with a page of the shell.
func (s *Shell) WriteApp(w http.ResponseWriter, r *http.Request, status int, name, nonce string, page any) error {
	s.Server.SetPagePolicy(w, r, httpx.AppPage, nonce)
	return ui.Render(w, r, status, name, page)
}

// Past returns the time since t as part of a sentence.
func (p *Page) Past(t time.Time) string {
	if p.now.Sub(t) < time.Minute {
		return "just now"
	}
	return p.Ago(t) + " ago"
}
