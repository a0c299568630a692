package app

import (
	"net/http"

	"vitrine"
	"vitrine/internal/web/httpx"
)

func (s *EntryPages) ShowReset(w http.ResponseWriter, r *http.Request) error {
	p := s.newEntry("Reset your password")
	return s.writeEntry(w, r, http.StatusOK, "reset.html", &p)
}

// TakeReset gives the same answer whether there is an account or not.
func (s *EntryPages) TakeReset(w http.ResponseWriter, r *http.Request) error {
	if err := httpx.ReadForm(w, r, httpx.MaxEntry); err != nil {
		return err
	}
	p := s.newEntry("Reset your password")
	p.Email = r.PostForm.Get("email")
	if !p.Mail {
		return s.writeEntry(w, r, http.StatusOK, "reset.html", &p)
	}
	if err := s.Accounts.SendReset(r.Context(), p.Email, s.Server.Client(r)); err != nil {
		return s.again(w, r, "reset.html", &p, err)
	}
	p.Done, p.Heading = true, "Check your e-mail"
	return s.writeEntry(w, r, http.StatusOK, "reset.html", &p)
}

// newResetPage starts the page for a new password. If the token is invalid, it
// answers the request itself.
func (s *EntryPages) newResetPage(w http.ResponseWriter, r *http.Request) (p entryPage, ok bool, err error) {
	email, err := s.Accounts.ResetGood(r.Context(), r.PathValue("token"))
	if vitrine.CodeOf(err) == vitrine.CodeUnauthorized {
		return p, false, s.Pages.NoToken(w, r, err)
	}
	if err != nil {
		return p, false, err
	}
	p = s.newEntry("Choose a new password")
	p.Email = email
	return p, true, nil
}

func (s *EntryPages) ShowPassword(w http.ResponseWriter, r *http.Request) error {
	p, ok, err := s.newResetPage(w, r)
	if !ok {
		return err
	}
	return s.writeEntry(w, r, http.StatusOK, "reset_password.html", &p)
}

func (s *EntryPages) TakePassword(w http.ResponseWriter, r *http.Request) error {
	if err := httpx.ReadForm(w, r, httpx.MaxEntry); err != nil {
		return err
	}
	p, ok, err := s.newResetPage(w, r)
	if !ok {
		return err
	}
	in, err := s.Accounts.Reset(r.Context(), r.PathValue("token"), r.PostForm.Get("password"), s.Server.Client(r))
	if vitrine.CodeOf(err) == vitrine.CodeUnauthorized {
		return s.Pages.NoToken(w, r, err)
	}
	if err != nil {
		return s.again(w, r, "reset_password.html", &p, err)
	}
	return s.startSession(w, r, in, "")
}
