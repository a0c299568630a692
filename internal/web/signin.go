package web

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"vitrine"
)

// Where people sign in, and what they sign in for.
const (
	signInRoot     = "/sign-in"
	moderationRoot = "/moderation"
)

func (s *Server) signInRoutes(mux *http.ServeMux) {
	s.appPage(mux, http.MethodGet, signInRoot, s.howToSignIn)
	mux.Handle("GET "+signInRoot+"/{token}", s.app(s.offer))
	mux.Handle("POST "+signInRoot+"/{token}", s.app(s.sameOrigin(s.signIn)))
	mux.Handle(signInRoot+"/{token}", s.app(allowed("GET, POST")))
	s.appPage(mux, http.MethodPost, "/sign-out", s.signOut)
}

// appPage serves a page of the website for one method, and answers others with 405.
func (s *Server) appPage(mux *http.ServeMux, method, path string, h handler) {
	mux.Handle(method+" "+path, s.app(s.sameOrigin(h)))
	mux.Handle(path, s.app(allowed(method)))
}

func allowed(methods string) handler {
	return func(w http.ResponseWriter, _ *http.Request) error { return methodNotAllowed(w, methods) }
}

// app renders a handler of the pages that somebody signs in for (security, dashboard). What they show is kept by nobody, framed by nobody
// and listed nowhere; their addresses, one of which is a secret, are told to no other origin. With no-referrer a browser would send forms
// with the Origin "null", which over plain HTTP could not be told from another site's.
func (s *Server) app(h handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Cache-Control", "no-store")
		header.Set("X-Robots-Tag", "noindex")
		header.Set("Referrer-Policy", "same-origin")
		header.Set("Cross-Origin-Opener-Policy", "same-origin")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		if err := h(w, r); err != nil {
			s.appFailure(w, r, err)
		}
	})
}

// appPolicy is the Content-Security-Policy of those pages: own scripts and styles by nonce, text that can become no markup, and in frames
// nothing but the content origin.
func (s *Server) appPolicy(nonce string) string {
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

// signInPage says one thing to somebody who is not in, or not let in.
type signInPage struct {
	chrome
	Heading, Message string
	HowTo            bool   // how one gets a link that signs in
	Offer            bool   // the button that signs in
	Account          string // e-mail address of who is signed in
	Back             string // address that leads on
	Request          string // the request's id
}

func (s *Server) writeSignIn(w http.ResponseWriter, r *http.Request, status int, p signInPage) error {
	p.chrome = s.newChrome(p.Heading)
	w.Header().Set("Content-Security-Policy", s.appPolicy(p.Nonce))
	return render(w, r, status, signInTemplate, p)
}

func (s *Server) howToSignIn(w http.ResponseWriter, r *http.Request) error {
	return s.writeSignIn(w, r, http.StatusOK, signInPage{Heading: "Sign in", HowTo: true})
}

// offer shows the button that signs in. It does not look whether the link is good: a program that fetches a link ahead of its reader
// neither uses it up nor learns anything.
func (s *Server) offer(w http.ResponseWriter, r *http.Request) error {
	return s.writeSignIn(w, r, http.StatusOK, signInPage{Heading: "Sign in", Offer: true})
}

func (s *Server) signIn(w http.ResponseWriter, r *http.Request) error {
	text, err := s.Sessions.SignIn(r.Context(), r.PathValue("token"))
	if vitrine.CodeOf(err) == vitrine.CodeUnauthorized {
		return s.writeSignIn(w, r, http.StatusUnauthorized, signInPage{Heading: "This link does not sign in", HowTo: true,
			Message: "It has been used, or its fifteen minutes are over, or its account is suspended."})
	}
	if err != nil {
		return err
	}
	if old := s.session(r); old != "" { // whoever was signed in here is not any more
		if err := s.Sessions.End(r.Context(), old); err != nil {
			return err
		}
	}
	s.setSession(w, string(text), int(vitrine.SessionLife/time.Second))
	http.Redirect(w, r, moderationRoot, http.StatusSeeOther)
	return nil
}

func (s *Server) signOut(w http.ResponseWriter, r *http.Request) error {
	if err := s.Sessions.End(r.Context(), s.session(r)); err != nil {
		return err
	}
	s.setSession(w, "", -1)
	http.Redirect(w, r, signInRoot, http.StatusSeeOther)
	return nil
}

// secure tells whether the site is reached by TLS.
func (s *Server) secure() bool { return s.PublicURL.Scheme == "https" }

// sessionCookie is the name of the cookie that holds the secret of a session. Its prefix has browsers take it from this very host over TLS
// alone, and without TLS not at all.
func (s *Server) sessionCookie() string {
	if s.secure() {
		return "__Host-vitrine"
	}
	return "vitrine"
}

func (s *Server) setSession(w http.ResponseWriter, text string, seconds int) {
	http.SetCookie(w, &http.Cookie{Name: s.sessionCookie(), Value: text, Path: "/", MaxAge: seconds, Secure: s.secure(), HttpOnly: true,
		SameSite: http.SameSiteLaxMode})
}

// session is the secret that a browser shows; "" when it shows none.
func (s *Server) session(r *http.Request) string {
	c, err := r.Cookie(s.sessionCookie())
	if err != nil {
		return ""
	}
	return c.Value
}

type moderatorHandler func(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error

// asModerator admits who is signed in and may moderate, as their account is now.
func (s *Server) asModerator(h moderatorHandler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		me, err := s.Sessions.Authenticate(r.Context(), s.session(r))
		if vitrine.CodeOf(err) == vitrine.CodeUnauthorized {
			return s.writeSignIn(w, r, http.StatusUnauthorized, signInPage{Heading: "You are not signed in", HowTo: true})
		}
		if err != nil {
			return err
		}
		if !me.Moderates() {
			return s.writeSignIn(w, r, http.StatusForbidden, signInPage{Heading: "This is for moderators", Account: me.Email,
				Message: "The operator makes an account a moderator’s with vitrine account role."})
		}
		return h(w, r, me)
	}
}

// appFailure answers a failure of those pages.
func (s *Server) appFailure(w http.ResponseWriter, r *http.Request, err error) {
	e, status := s.known(w, r, err)
	retryAfter(w, e)
	heading := headings[e.Code]
	switch e.Code {
	case vitrine.CodeNotFound:
		heading = "Nothing here"
	case "", vitrine.CodeInvalidRequest:
		heading = "That did not work"
	case vitrine.CodeCrossOrigin:
		heading = "This is not allowed"
	}
	message := e.Message
	if e.Code == vitrine.CodeInternal {
		message = advice[e.Code]
	}
	p := signInPage{Heading: heading, Message: message, Back: moderationRoot, Request: w.Header().Get("X-Request-Id")}
	if err := s.writeSignIn(w, r, status, p); err != nil {
		s.Log.Error("error page", "request", p.Request, "error", err)
		http.Error(w, heading, status)
	}
}

// readForm reads the form of a request, of at most limit bytes.
func readForm(w http.ResponseWriter, r *http.Request, limit int64) error {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(bodyTime))
	r.Body = http.MaxBytesReader(w, r.Body, limit)
	err := r.ParseForm()
	_, rest := io.Copy(io.Discard, r.Body)
	_ = control.SetReadDeadline(time.Time{})
	if errors.Join(err, rest) != nil {
		return vitrine.Errorf(vitrine.CodeInvalidRequest, "What was sent could not be read: it is incomplete, or too long. Go back and send less at once.")
	}
	return nil
}
