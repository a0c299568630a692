package web

import (
	"errors"
	"io"
	"net/http"
	"strings"

	"vitrine"
)

// Where people sign in, and what they sign in for.
const (
	signInRoot     = "/sign-in"
	moderationRoot = "/moderation"
)

func allowed(methods string) handler {
	return func(w http.ResponseWriter, _ *http.Request) error { return methodNotAllowed(w, methods) }
}

// app renders a handler of the pages that someone signs in for (security,
// dashboard). What they show is kept by nobody, framed by nobody and listed
// nowhere; their addresses, one of which is a secret, are told to no other
// origin. With no-referrer a browser would send forms with the Origin "null",
// which over plain HTTP could not be told from another site's.
func (s *uiH) app(h handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Cache-Control", "no-store")
		header.Set("X-Robots-Tag", "noindex")
		header.Set("Referrer-Policy", "same-origin")
		sameOriginOnly(header)
		if err := h(w, r); err != nil {
			s.appFailure(w, r, err)
		}
	})
}

// appPolicy is the Content-Security-Policy of those pages: own scripts and
// styles by nonce, text that can become no markup, and in frames nothing but
// the content origin.
func (s *httpxH) appPolicy(nonce string) string {
	content := origin(s.ContentURL)
	return strings.Join([]string{
		"default-src 'none'",
		"script-src 'nonce-" + nonce + "'",
		"style-src 'nonce-" + nonce + "'",
		"img-src " + content + assetRoot,
		"frame-src " + content + contentRoot,
		"base-uri 'none'",
		"form-action 'self'",
		"frame-ancestors 'none'",
		"require-trusted-types-for 'script'",
		"trusted-types 'none'",
	}, "; ")
}

// signInPage says one thing to someone who is not in, or not let in.
type signInPage struct {
	chrome
	Heading, Message string
	Offer            bool   // the button that signs in
	Confirm          bool   // the button that confirms an address
	Account          string // e-mail address of who is signed in
	Back, BackName   string // address that leads on, and what the button says
}

var (
	signInTemplate = parseEntry("signin_notice.html")
	enterTemplate  = parseEntry("signin.html")
)

func (s *uiH) writeSignIn(w http.ResponseWriter, r *http.Request, status int, p signInPage) error {
	p.chrome = s.newChrome(p.Heading + " · Vitrine")
	w.Header().Set("Content-Security-Policy", s.appPolicy(p.Nonce))
	return render(w, r, status, signInTemplate, p)
}

func (s *entryH) signInForm(next string) entryPage {
	p := s.newEntry("Sign in")
	p.Next = localPath(next)
	return p
}

// showSignIn shows the form, and leads on who is signed in.
func (s *entryH) showSignIn(w http.ResponseWriter, r *http.Request) error {
	next := r.URL.Query().Get("next")
	if s.whoever(r) != nil {
		return redirect(w, r, insideOr(next))
	}
	p := s.signInForm(next)
	return s.writeEntry(w, r, http.StatusOK, enterTemplate, &p)
}

// takeSignIn signs in with a password. Its answers tell nobody whether there is
// an account.
func (s *entryH) takeSignIn(w http.ResponseWriter, r *http.Request) error {
	if err := readForm(w, r, maxEntry); err != nil {
		return err
	}
	f := r.PostForm
	in, err := s.Sessions.SignInWithPassword(r.Context(), f.Get("email"), f.Get("password"), s.client(r))
	if err != nil {
		p := s.signInForm(f.Get("next"))
		p.Email = f.Get("email")
		p.Limited = vitrine.CodeOf(err) == vitrine.CodeRateLimited
		return s.again(w, r, enterTemplate, &p, err)
	}
	return s.letIn(w, r, in, f.Get("next"))
}

// offer shows the button that signs in. It does not look whether the link is
// good: a program that fetches a link ahead of its reader neither uses it up
// nor learns anything.
func (s *entryH) offer(w http.ResponseWriter, r *http.Request) error {
	return s.writeSignIn(w, r, http.StatusOK, signInPage{Heading: "Sign in", Offer: true})
}

func (s *entryH) signIn(w http.ResponseWriter, r *http.Request) error {
	in, err := s.Sessions.SignInWithToken(r.Context(), r.PathValue("token"), s.client(r))
	if vitrine.CodeOf(err) == vitrine.CodeUnauthorized {
		return s.writeSignIn(w, r, http.StatusUnauthorized, signInPage{Heading: "This link does not sign in", Back: signInRoot, BackName: "Sign in with a password",
			Message: "It has been used, a newer one has taken its place, its fifteen minutes are over, or its account is suspended."})
	}
	if err != nil {
		return err
	}
	return s.letIn(w, r, in, "")
}

func (s *entryH) signOut(w http.ResponseWriter, r *http.Request) error {
	if err := s.Sessions.SignOut(r.Context(), s.session(r)); err != nil {
		return err
	}
	s.setSession(w, "", -1)
	http.Redirect(w, r, signInRoot, http.StatusSeeOther)
	return nil
}

// secure reports whether the site is reached by TLS.
func (s *httpxH) secure() bool { return s.PublicURL.Scheme == "https" }

// sessionCookie is the name of the cookie that holds the secret of a session.
// Its prefix has browsers take it from this very host over TLS alone, and
// without TLS not at all.
func (s *httpxH) sessionCookie() string {
	if s.secure() {
		return "__Host-vitrine"
	}
	return "vitrine"
}

func (s *httpxH) setSession(w http.ResponseWriter, text string, seconds int) {
	http.SetCookie(w, &http.Cookie{Name: s.sessionCookie(), Value: text, Path: "/", MaxAge: seconds, Secure: s.secure(), HttpOnly: true,
		SameSite: http.SameSiteLaxMode})
}

// session is the secret that a browser shows; "" when it shows none.
func (s *httpxH) session(r *http.Request) string {
	c, err := r.Cookie(s.sessionCookie())
	if err != nil {
		return ""
	}
	return c.Value
}

type moderatorHandler = memberHandler

// asModerator admits who is signed in and may moderate, as their account is
// now.
func (s *appH) asModerator(h moderatorHandler) handler {
	return s.asMember(func(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
		if !me.Moderates() {
			return s.writeSignIn(w, r, http.StatusForbidden, signInPage{Heading: "This is for moderators", Account: me.Email,
				Message: "The administrator of this site makes accounts moderators."})
		}
		return h(w, r, me)
	})
}

// readForm reads the form of a request, of at most limit bytes.
func readForm(w http.ResponseWriter, r *http.Request, limit int64) error {
	r.Body = http.MaxBytesReader(w, r.Body, limit)
	err := r.ParseForm()
	_, rest := io.Copy(io.Discard, r.Body)
	if errors.Join(err, rest) != nil {
		return vitrine.Errorf(vitrine.CodeInvalidRequest, "What was sent could not be read: it is incomplete, or too long. Go back and send less at once.")
	}
	return nil
}
