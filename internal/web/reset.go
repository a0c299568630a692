package web

import (
	"net/http"

	"vitrine"
)

var (
	resetTemplate    = parseEntry("reset.html")
	passwordTemplate = parseEntry("reset_password.html")
)

func (s *entryH) showReset(w http.ResponseWriter, r *http.Request) error {
	p := s.newEntry("Choose a new password")
	return s.writeEntry(w, r, http.StatusOK, resetTemplate, &p)
}

// takeReset answers the same whether there is an account or not.
func (s *entryH) takeReset(w http.ResponseWriter, r *http.Request) error {
	if err := readForm(w, r, maxEntry); err != nil {
		return err
	}
	p := s.newEntry("Choose a new password")
	p.Email = r.PostForm.Get("email")
	if !p.Mail {
		return s.writeEntry(w, r, http.StatusOK, resetTemplate, &p)
	}
	if err := s.Accounts.Forgot(r.Context(), p.Email, s.client(r)); err != nil {
		return s.again(w, r, resetTemplate, &p, err)
	}
	p.Done, p.Heading = true, "Look into your mail"
	return s.writeEntry(w, r, http.StatusOK, resetTemplate, &p)
}

// resetting begins the page of a token that sets a password; it answers itself
// where there is none.
func (s *entryH) resetting(w http.ResponseWriter, r *http.Request) (p entryPage, ok bool, err error) {
	email, err := s.Accounts.ResetGood(r.Context(), r.PathValue("token"))
	if vitrine.CodeOf(err) == vitrine.CodeUnauthorized {
		return p, false, s.noToken(w, r, err)
	}
	if err != nil {
		return p, false, err
	}
	p = s.newEntry("Choose a new password")
	p.Email = email
	return p, true, nil
}

func (s *entryH) showPassword(w http.ResponseWriter, r *http.Request) error {
	p, ok, err := s.resetting(w, r)
	if !ok {
		return err
	}
	return s.writeEntry(w, r, http.StatusOK, passwordTemplate, &p)
}

func (s *entryH) takePassword(w http.ResponseWriter, r *http.Request) error {
	if err := readForm(w, r, maxEntry); err != nil {
		return err
	}
	p, ok, err := s.resetting(w, r)
	if !ok {
		return err
	}
	in, err := s.Accounts.Reset(r.Context(), r.PathValue("token"), r.PostForm.Get("password"), s.client(r))
	if vitrine.CodeOf(err) == vitrine.CodeUnauthorized {
		return s.noToken(w, r, err)
	}
	if err != nil {
		return s.again(w, r, passwordTemplate, &p, err)
	}
	return s.letIn(w, r, in, "")
}
