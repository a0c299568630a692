package public

import (
	"net/http"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
)

// gatePage asks for what a link needs. It reveals nothing of the file.
type gatePage struct {
	ui.Page
	Heading string
	Email   string // of entry pages; none here
	Action  string // address that takes the form: the link's page
	Report  string // address
	Framed  bool   // the page is in a frame, which has no cookies
	Place   bool   // only the link's page must be opened
	Wrong   httpx.FieldErrors
}

// askPass answers with the gate of a link. It is not a view.
func (s *Handler) askPass(w http.ResponseWriter, r *http.Request, g *access.Gate, status int,
	wrong httpx.FieldErrors) error {
	here := g.Link.Path()
	p := &gatePage{Page: s.Pages.NewChrome("Protected link · Vitrine"), Heading: "This link has a password",
		Action: here, Report: s.Server.AddressOf(g.Link) + "/report", Framed: s.Server.Framers(r) != "'none'",
		Place: g.Place, Wrong: wrong}
	if r.URL.Path == here {
		p.Action = httpx.WithQuery(here, r.URL.Query()) // where the reader comes from counts after the gate
	}
	if p.Place {
		p.Heading = "Open the link first"
	}
	if p.Framed {
		p.Heading, p.Action = "Protected link", s.Server.AddressOf(g.Link)
		s.Server.SetPagePolicy(w, r, httpx.PublicPage, p.Nonce)
	} else {
		httpx.SameOriginOnly(w.Header())
		s.Server.SetPagePolicy(w, r, httpx.EntryPage, p.Nonce)
	}
	return ui.Render(w, r, status, "gate.html", p)
}

// OnRecipient answers for a recipient's address of a link: with the link's
// page, and to a POST like OnGate.
func (s *Handler) OnRecipient() httpx.HandlerFunc {
	page, gate := s.OnLink(s.Show(OwnPage)), s.Server.SameOrigin(s.OnGate())
	return func(w http.ResponseWriter, r *http.Request) error {
		switch r.Method {
		case http.MethodGet, http.MethodHead:
			return page(w, r)
		case http.MethodPost:
			return gate(w, r)
		}
		return httpx.ErrNoPage
	}
}

// OnGate takes the password of a link, and leads to its page.
func (s *Handler) OnGate() httpx.HandlerFunc {
	toPage := func(w http.ResponseWriter, r *http.Request, l *vitrine.Link) error {
		return httpx.Redirect(w, r, httpx.WithQuery(l.Path(), r.URL.Query()))
	}
	return s.onLink(func(w http.ResponseWriter, r *http.Request, l *vitrine.Link, _ *vitrine.Account) error {
		return toPage(w, r, l) // no pass is needed any more
	}, func(w http.ResponseWriter, r *http.Request, g *access.Gate) error {
		if g.Place {
			return toPage(w, r, g.Link)
		}
		if err := httpx.ReadForm(w, r, httpx.MaxEntry); err != nil {
			return err
		}
		pass, err := s.Viewers.Gates.Enter(r.Context(), g.Link, r.PostForm.Get("password"), s.Server.LimitedAddr(r))
		if err != nil {
			wrong := httpx.FieldErrorsOf(err)
			if wrong == nil {
				return err
			}
			e, status := s.Server.Known(w, r, err)
			if status == http.StatusBadRequest {
				status = http.StatusForbidden
			}
			if e.Code == vitrine.CodeRateLimited {
				httpx.RetryAfter(w, e)
				wrong[""] = httpx.AdviceOn(e)
			}
			return s.askPass(w, r, g, status, wrong)
		}
		s.Viewers.SetPass(w, r, g.Link, pass)
		return toPage(w, r, g.Link)
	})
}
