package app

import (
	"net/http"
	"net/url"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
)

func (s *EntryPages) signInForm(next string) entryPage {
	p := s.newEntry("Sign in")
	p.Next, p.Passkey = httpx.LocalPath(next), s.Sessions.AskSignIn()
	p.Providers = s.providersTo(p.Next)
	return p
}

// ShowSignIn shows the form, and leads on who is signed in.
func (s *EntryPages) ShowSignIn(w http.ResponseWriter, r *http.Request) error {
	next := r.URL.Query().Get("next")
	if s.Server.SignedInAccount(r) != nil {
		return httpx.Redirect(w, r, httpx.InsideOr(next))
	}
	if text := s.Server.Session(r); text != "" {
		_, code, err := s.Sessions.Waiting(r.Context(), text)
		switch {
		case err == nil && code:
			return httpx.Redirect(w, r, withNext(codeRoot, httpx.LocalPath(next)))
		case err == nil:
			return httpx.Redirect(w, r, withNext(factorRoot, httpx.LocalPath(next)))
		}
	}
	p := s.signInForm(next)
	return s.writeEntry(w, r, http.StatusOK, "signin.html", &p)
}

// TakeSignIn signs in with a password or a passkey. Its answers do not reveal
// whether there is an account.
func (s *EntryPages) TakeSignIn(w http.ResponseWriter, r *http.Request) error {
	if err := httpx.ReadForm(w, r, httpx.MaxEntry); err != nil {
		return err
	}
	f := r.PostForm
	in, err := s.signIn(r, f)
	if err != nil {
		p := s.signInForm(f.Get("next"))
		p.Email = f.Get("email")
		p.Limited = vitrine.CodeOf(err) == vitrine.CodeRateLimited
		s.Server.LogSeldom("sign-in failed", "reason", vitrine.CodeOf(err)) // no address, which may be a mistyped password
		return s.again(w, r, "signin.html", &p, err)
	}
	return s.startSession(w, r, in, f.Get("next"))
}

func (s *EntryPages) signIn(r *http.Request, f url.Values) (auth.SignedIn, error) {
	if answer := f.Get("passkey"); answer != "" {
		return s.Sessions.SignInWithPasskey(r.Context(), answer, s.Server.Client(r))
	}
	return s.Sessions.SignInWithPassword(r.Context(), f.Get("email"), f.Get("password"), s.Server.Client(r))
}

// Offer shows the button that signs in. It does not check the token: a program
// that fetches the link ahead of its reader must neither use it up nor learn
// anything.
func (s *EntryPages) Offer(w http.ResponseWriter, r *http.Request) error {
	return s.Pages.WriteSignIn(w, r, http.StatusOK, ui.SignInPage{Heading: "Sign in", Offer: true})
}

func (s *EntryPages) SignIn(w http.ResponseWriter, r *http.Request) error {
	in, err := s.Sessions.SignInWithToken(r.Context(), r.PathValue("token"), s.Server.Client(r))
	if vitrine.CodeOf(err) == vitrine.CodeUnauthorized {
		s.Server.LogSeldom("sign-in failed", "reason", "link")
		return s.Pages.WriteSignIn(w, r, http.StatusUnauthorized,
			ui.SignInPage{Heading: "This sign-in link does not work", Back: httpx.SignInRoot,
				BackName: "Sign in with a password",
				Message:  "It has expired or was already used, or the account is suspended. Request a new one."})
	}
	if err != nil {
		return err
	}
	return s.startSession(w, r, in, "")
}

func (s *EntryPages) SignOut(w http.ResponseWriter, r *http.Request) error {
	if err := s.Sessions.SignOut(r.Context(), s.Server.Session(r)); err != nil {
		return err
	}
	s.Server.SetSession(w, "", -1)
	http.Redirect(w, r, httpx.SignInRoot, http.StatusSeeOther)
	return nil
}
