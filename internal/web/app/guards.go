package app

import (
	"cmp"
	"context"
	"net/http"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
)

// Notice is a message for administrators.
type Notice struct {
	Text    string
	Warning bool   // a problem, not just information
	Key     string // that dismisses it, for one that reports no failure; ""
	Short   string // what the foot of the page shows once it is dismissed
}

// Warn adds to a page what its administrator must know. What the account has
// dismissed is not a warning any more.
func (s *Shell) Warn(ctx context.Context, p *Page) {
	if s.Server.BehindUntrustedProxy() {
		p.Notices = append(p.Notices, Notice{Warning: true,
			Text: "Requests come through a reverse proxy that this server does not trust. Everybody has the same address, so viewers are not distinguished, and attempts are not limited by network. Start the server with --trusted-proxy and the address of the proxy."})
	}
	if s.Notices == nil {
		return
	}
	for _, n := range s.Notices(ctx) {
		if n.Key != "" && n.Key == p.Me.Dismissed {
			n = Notice{Text: n.Short}
		}
		p.Notices = append(p.Notices, n)
	}
}

// AsModerator admits who is signed in and may moderate, as their account is
// now.
func (s *Shell) AsModerator(h MemberHandler) httpx.HandlerFunc {
	return s.AsMember(func(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
		if !me.Moderates() {
			return s.Pages.WriteSignIn(w, r, http.StatusForbidden,
				ui.SignInPage{Heading: "Moderators only", Account: me.Email,
					Message: "Ask the administrator for moderator access."})
		}
		return h(w, r, me)
	})
}

// AsOwner admits owners of the instance. For anyone else the page does not
// exist.
func (s *Shell) AsOwner(h MemberHandler) httpx.HandlerFunc {
	return s.AsMember(func(w http.ResponseWriter, r *http.Request, me *vitrine.Account) error {
		if me.Role != vitrine.RoleOwner {
			return httpx.ErrNoPage
		}
		return h(w, r, me)
	})
}

// AsPollingMember admits signed-in people without extending their session, so
// that an open page does not keep it alive.
func (s *Shell) AsPollingMember(h MemberHandler) httpx.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
		me, err := s.Sessions.Peek(r.Context(), s.Server.Session(r))
		if err != nil {
			return err
		}
		return h(w, r, me)
	}
}

// factorAsk is how a form asks for the second factor.
type factorAsk struct {
	App     bool   // an authenticator app makes codes
	Passkey string // what the browser needs to show a passkey; "" if there is none
}

func newFactorAsk(sessions *auth.Sessions, me *vitrine.Account) *factorAsk {
	state := auth.FactorOf(me)
	return &factorAsk{App: state != nil && state.HasApp(), Passkey: sessions.AskPasskey(me)}
}

// needsCode returns how a form must ask for the second factor, for what needs a
// fresh one; nil if it need not.
func needsCode(r *http.Request, server *httpx.Server, sessions *auth.Sessions, me *vitrine.Account) *factorAsk {
	if len(me.Factor) == 0 {
		return nil
	}
	session, _, err := sessions.Current(r.Context(), server.Session(r))
	if err != nil || sessions.FreshFactor(session) {
		return nil
	}
	return newFactorAsk(sessions, me)
}

// typedFactor returns the answer of a passkey in a form or, without one, the
// code in a field.
func typedFactor(r *http.Request, field string) string {
	return cmp.Or(r.PostForm.Get("passkey"), r.PostForm.Get(field))
}

// giveFactor takes the code or passkey of a form for what needs a fresh second
// factor, and returns the session with which the service decides whether it
// has one. Errors: those of GiveFactor.
func giveFactor(r *http.Request, server *httpx.Server, sessions *auth.Sessions) (*vitrine.Session, error) {
	session, _, err := sessions.Current(r.Context(), server.Session(r))
	if err != nil {
		return nil, err
	}
	return session, sessions.GiveFactor(r.Context(), session, typedFactor(r, "factor"))
}
