package app

import (
	"net/http"

	"vitrine"
	"vitrine/internal/app/auth"
	"vitrine/internal/web/httpx"
)

func (s *EntryPages) signUpPage(next string) entryPage {
	heading := "Create your account"
	if s.Accounts.SignUp != auth.SignUpOpen {
		heading = "You need an invitation"
		if s.Accounts.SignUp != auth.SignUpInvite {
			heading = "Sign-up is closed"
		}
	}
	p := s.newEntry(heading)
	p.Next = httpx.LocalPath(next)
	p.Providers = s.providersTo(p.Next)
	return p
}

func (s *EntryPages) ShowSignUp(w http.ResponseWriter, r *http.Request) error {
	next := r.URL.Query().Get("next")
	if s.Server.SignedInAccount(r) != nil {
		return httpx.Redirect(w, r, httpx.InsideOr(next))
	}
	p := s.signUpPage(next)
	return s.writeEntry(w, r, http.StatusOK, "signup.html", &p)
}

// TakeSignUp sends a confirmation or, without mail, creates the account.
func (s *EntryPages) TakeSignUp(w http.ResponseWriter, r *http.Request) error {
	if err := httpx.ReadForm(w, r, httpx.MaxEntry); err != nil {
		return err
	}
	f := r.PostForm
	p := s.signUpPage(f.Get("next"))
	p.Email = f.Get("email")
	if p.Mode != auth.SignUpOpen {
		return s.writeEntry(w, r, http.StatusForbidden, "signup.html", &p)
	}
	if !p.Mail {
		in, err := s.Accounts.Join(r.Context(), p.Email, f.Get("password"), s.Server.Client(r))
		if err != nil {
			return s.again(w, r, "signup.html", &p, err)
		}
		return s.welcome(w, r, in, p.Next)
	}
	if err := s.Accounts.AskSignUp(r.Context(), p.Email, s.Server.Client(r)); err != nil {
		return s.again(w, r, "signup.html", &p, err)
	}
	p.Done, p.Heading = true, "Check your e-mail"
	return s.writeEntry(w, r, http.StatusOK, "signup.html", &p)
}

// newAcceptPage starts the page that creates an account. If the token is
// invalid, it answers the request itself.
func (s *EntryPages) newAcceptPage(w http.ResponseWriter, r *http.Request) (p entryPage, ok bool, err error) {
	t, err := s.Accounts.Invited(r.Context(), r.PathValue("token"))
	if vitrine.CodeOf(err) == vitrine.CodeUnauthorized {
		return p, false, s.Pages.NoToken(w, r, err)
	}
	if err != nil {
		return p, false, err
	}
	p = s.newEntry("Create your account")
	p.Email, p.Invited = t.Email, t.Purpose == vitrine.TokenInvite
	return p, true, nil
}

func (s *EntryPages) ShowAccept(w http.ResponseWriter, r *http.Request) error {
	p, ok, err := s.newAcceptPage(w, r)
	if !ok {
		return err
	}
	return s.writeEntry(w, r, http.StatusOK, "signup_accept.html", &p)
}

func (s *EntryPages) TakeAccept(w http.ResponseWriter, r *http.Request) error {
	if err := httpx.ReadForm(w, r, httpx.MaxEntry); err != nil {
		return err
	}
	p, ok, err := s.newAcceptPage(w, r)
	if !ok {
		return err
	}
	in, err := s.Accounts.Accept(r.Context(), r.PathValue("token"), r.PostForm.Get("password"), s.Server.Client(r))
	if vitrine.CodeOf(err) == vitrine.CodeUnauthorized {
		return s.Pages.NoToken(w, r, err)
	}
	if err != nil {
		return s.again(w, r, "signup_accept.html", &p, err)
	}
	return s.welcome(w, r, in, "")
}
