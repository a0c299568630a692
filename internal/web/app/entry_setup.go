package app

import (
	"net/http"

	"vitrine"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
)

func (s *EntryPages) AlreadySetUp(w http.ResponseWriter, r *http.Request) error {
	return httpx.Redirect(w, r, httpx.SignInRoot)
}

// HomeOnceSetUp serves the home page or, as long as there is no account, the
// page that explains how to create one.
func (s *EntryPages) HomeOnceSetUp(home httpx.HandlerFunc) httpx.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		if is, err := s.isSetUp(r.Context()); err == nil && !is {
			return s.AfterSetup(home)(w, r)
		}
		return home(w, r) // an unknown answer must not hide the page
	}
}

// ShowSetup shows the form for the first account. Looking at it uses nothing
// up.
func (s *EntryPages) ShowSetup(w http.ResponseWriter, r *http.Request) error {
	err := s.Accounts.SetupGood(r.Context(), r.PathValue("token"))
	if vitrine.CodeOf(err) == vitrine.CodeUnauthorized {
		return s.renderSetupUnavailable(w, r)
	}
	if err != nil {
		return err
	}
	p := s.newEntry("Set up Vitrine")
	return s.writeEntry(w, r, http.StatusOK, "setup.html", &p)
}

func (s *EntryPages) TakeSetup(w http.ResponseWriter, r *http.Request) error {
	if err := httpx.ReadForm(w, r, httpx.MaxEntry); err != nil {
		return err
	}
	in, err := s.Accounts.SetUp(r.Context(), r.PathValue("token"), r.PostForm.Get("email"), r.PostForm.Get("password"),
		s.Server.Client(r))
	if vitrine.CodeOf(err) == vitrine.CodeUnauthorized {
		return s.renderSetupUnavailable(w, r)
	}
	if err != nil {
		p := s.newEntry("Set up Vitrine")
		p.Email = r.PostForm.Get("email")
		return s.again(w, r, "setup.html", &p, err)
	}
	return s.welcome(w, r, in, "")
}

// renderSetupUnavailable answers requests with an invalid setup token.
func (s *EntryPages) renderSetupUnavailable(w http.ResponseWriter, r *http.Request) error {
	is, err := s.isSetUp(r.Context())
	if err != nil {
		return err
	}
	if is {
		return s.Pages.WriteSignIn(w, r, http.StatusUnauthorized,
			ui.SignInPage{Heading: "Already set up", Message: "This instance already has an owner.",
				Back: httpx.SignInRoot, BackName: "Sign in"})
	}
	p := s.newEntry("Not set up yet")
	p.Done = true // there was another address
	return s.writeEntry(w, r, http.StatusUnauthorized, "setup_unset.html", &p)
}
