package web

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"vitrine"
	"vitrine/internal/auth"
	"vitrine/internal/visitor"
)

// The pages on which people get in: sign-in, sign-up, a new password, set-up.

// Where they are.
const (
	signUpRoot   = "/sign-up"
	resetRoot    = "/reset"
	passwordRoot = "/password"
	setupRoot    = "/setup"
	// insideRoot is where one is led who has signed in and was on the way to
	// nowhere.
	insideRoot = dashboardRoot
	// maxEntry bounds the forms of these pages, in bytes: a password of 200
	// characters, each up to 12 bytes of the form's encoding.
	maxEntry = 8 << 10
)

// entryPage is what each of them has.
type entryPage struct {
	chrome
	Heading string
	Wrong   Wrong
	Email   string      // what was typed, or whose the token is
	Next    string      // where it leads, if not to insideRoot
	Mode    auth.SignUp // who may open an account
	Mail    bool        // messages are sent
	Done    bool        // a message is on its way, if there is anybody to send it to
	Invited bool        // the token is an invitation
	Limited bool        // there were too many tries
}

func parseEntry(name string) pageTemplate {
	return parse("layout.html", "icons.html", "signin_entry.html", name)
}

func (s *entryH) newEntry(heading string) entryPage {
	return entryPage{chrome: s.newChrome(heading + " · Vitrine"), Heading: heading, Mode: s.Accounts.SignUp, Mail: s.Accounts.Mail != nil}
}

func (s *entryH) writeEntry(w http.ResponseWriter, r *http.Request, status int, t pageTemplate, p *entryPage) error {
	w.Header().Set("Content-Security-Policy", s.appPolicy(p.Nonce))
	return render(w, r, status, t, p)
}

// again shows a form once more after a failure that anyone who filled it in can
// mend, with what is wrong with it. Any other failure is returned.
func (s *entryH) again(w http.ResponseWriter, r *http.Request, t pageTemplate, p *entryPage, err error) error {
	p.Wrong = wrongWith(err)
	if p.Wrong == nil {
		return err
	}
	e, status := s.known(w, r, err)
	if e.Code == vitrine.CodeRateLimited {
		retryAfter(w, e)
		p.Wrong[""] = adviceOn(e)
	}
	return s.writeEntry(w, r, status, t, p)
}

// isSetUp reports whether there is an account. Once there is, there always is.
func (s *entryH) isSetUp(ctx context.Context) (bool, error) {
	if s.hasOwner.Load() {
		return true, nil
	}
	is, err := s.Accounts.IsSetUp(ctx)
	if is && err == nil {
		s.hasOwner.Store(true)
	}
	return is, err
}

// afterSetup answers, as long as there is no account, where the first one is
// made.
func (s *entryH) afterSetup(h handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		is, err := s.isSetUp(r.Context())
		if err != nil {
			return err
		}
		if is {
			return h(w, r)
		}
		w.Header().Set("Cache-Control", "no-store")
		p := s.newEntry("Not set up yet")
		return s.writeEntry(w, r, http.StatusOK, unsetTemplate, &p)
	}
}

// client is where a try to get in comes from.
func (s *httpxH) client(r *http.Request) auth.Client {
	v := visitor.Classify(visitor.Request{UserAgent: r.UserAgent(), SecCHUA: r.Header.Get("Sec-CH-UA")})
	label := v.Browser
	switch {
	case label == "" && v.OS == "":
		label = "Unknown browser"
	case label == "":
		label = v.OS
	case v.OS != "":
		label += " on " + v.OS
	}
	return auth.Client{Addr: s.clientAddr(r), Devices: s.devices(r), Label: label}
}

// maxDevices bounds how many accounts a browser is known to.
const maxDevices = 5

// deviceMark is between the devices in their cookie.
const deviceMark = "~"

// deviceCookie is the name of the cookie by which a browser is known that has
// signed in before.
func (s *httpxH) deviceCookie() string {
	if s.secure() {
		return "__Host-vitrine-device"
	}
	return "vitrine-device"
}

func (s *httpxH) devices(r *http.Request) []string {
	c, err := r.Cookie(s.deviceCookie())
	if err != nil || c.Value == "" {
		return nil
	}
	list := strings.SplitN(c.Value, deviceMark, maxDevices+1)
	return list[:min(len(list), maxDevices)]
}

// letIn gives a browser its session, and the cookie by which it is known from
// now on, and leads it on. Anyone who was signed in here is not any more.
func (s *entryH) letIn(w http.ResponseWriter, r *http.Request, in auth.SignedIn, next string) error {
	if old := s.session(r); old != "" {
		if err := s.Sessions.SignOut(r.Context(), old); err != nil {
			return err
		}
	}
	s.setSession(w, string(in.Session), int(vitrine.SessionMost/time.Second))
	known := append([]string{in.Device}, slices.DeleteFunc(s.devices(r), func(d string) bool { return vitrine.SameAccountDevice(d, in.Device) })...)
	http.SetCookie(w, &http.Cookie{Name: s.deviceCookie(), Value: strings.Join(known[:min(len(known), maxDevices)], deviceMark), Path: "/",
		MaxAge: int(vitrine.DeviceLife / time.Second), Secure: s.secure(), HttpOnly: true, SameSite: http.SameSiteLaxMode})
	return redirect(w, r, insideOr(next))
}

// insideOr is the address that a sign-in leads to.
func insideOr(next string) string {
	if next = localPath(next); next == "" {
		return insideRoot
	}
	return next
}

// localPath accepts the address of a page of this very site, from its root; ""
// of anything else, and of the pages on which one gets in and out.
func localPath(s string) string {
	if len(s) > 2000 || !strings.HasPrefix(s, "/") || strings.HasPrefix(s, "//") || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == '\\' || r == 0x7f }) {
		return ""
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || u.Opaque != "" || strings.HasPrefix(u.Path, "//") {
		return ""
	}
	for _, root := range []string{signInRoot, signUpRoot, resetRoot, passwordRoot, setupRoot, "/sign-out"} {
		if u.Path == root || strings.HasPrefix(u.Path, root+"/") {
			return ""
		}
	}
	return s
}
