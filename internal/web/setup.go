package web

import (
	"net/http"

	"vitrine"
)

var (
	setupTemplate = parseEntry("setup.html")
	unsetTemplate = parseEntry("setup_unset.html")
)

func (s *Server) setupRoutes(mux *http.ServeMux) {
	mux.Handle("GET "+setupRoot, s.app(s.afterSetup(s.alreadySetUp)))
	path := setupRoot + "/{token}"
	mux.Handle("GET "+path, s.app(s.showSetup))
	mux.Handle("POST "+path, s.app(s.sameOrigin(s.takeSetup)))
	mux.Handle(path, s.app(allowed("GET, HEAD, POST")))
}

func (s *Server) alreadySetUp(w http.ResponseWriter, r *http.Request) error {
	return redirect(w, r, signInRoot)
}

// homeOnceSetUp is the first page of the site, before which there is an account
// to be made.
func (s *Server) homeOnceSetUp(w http.ResponseWriter, r *http.Request) error {
	if is, err := s.isSetUp(r.Context()); err == nil && !is {
		return s.afterSetup(s.home)(w, r)
	}
	return s.home(w, r) // whether there is one is no reason to fail
}

// showSetup shows the form for the first account. Looking at it uses nothing
// up.
func (s *Server) showSetup(w http.ResponseWriter, r *http.Request) error {
	err := s.Accounts.SetupGood(r.Context(), r.PathValue("token"))
	if vitrine.CodeOf(err) == vitrine.CodeUnauthorized {
		return s.noSetup(w, r)
	}
	if err != nil {
		return err
	}
	p := s.newEntry("Set up Vitrine")
	return s.writeEntry(w, r, http.StatusOK, setupTemplate, &p)
}

func (s *Server) takeSetup(w http.ResponseWriter, r *http.Request) error {
	if err := readForm(w, r, maxEntry); err != nil {
		return err
	}
	in, err := s.Accounts.SetUp(r.Context(), r.PathValue("token"), r.PostForm.Get("email"), r.PostForm.Get("password"), s.client(r))
	if vitrine.CodeOf(err) == vitrine.CodeUnauthorized {
		return s.noSetup(w, r)
	}
	if err != nil {
		p := s.newEntry("Set up Vitrine")
		p.Email = r.PostForm.Get("email")
		return s.again(w, r, setupTemplate, &p, err)
	}
	return s.letIn(w, r, in, "")
}

// noSetup answers for a token that sets nothing up.
func (s *Server) noSetup(w http.ResponseWriter, r *http.Request) error {
	is, err := s.isSetUp(r.Context())
	if err != nil {
		return err
	}
	if is {
		return s.writeSignIn(w, r, http.StatusUnauthorized, signInPage{Heading: "This site is set up", Message: "It has an owner already.", Back: signInRoot, BackName: "Sign in"})
	}
	p := s.newEntry("Not set up yet")
	p.Done = true // there was another address
	return s.writeEntry(w, r, http.StatusUnauthorized, unsetTemplate, &p)
}
