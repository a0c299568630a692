package public

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/app/collections"
	"vitrine/internal/visitor"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/ui"
)

// gatePage asks for what a link needs. It reveals nothing of the file.
type gatePage struct {
	ui.Page
	Heading string
	Action  string // address that takes the form: the link's page
	Report  string // address; "" for none
	What    string // it is a gate of: "link" or "album"
	Who     string // knows the password: a person who did this
	Framed  bool   // the page is in a frame, which has no cookies
	Place   bool   // only the link's page must be opened
	Wrong   httpx.FieldErrors

	Password bool     // the link has one
	Asks     bool     // the link asks for an address
	Consent  []string // paragraphs that readers must agree to
	Email    string   // that was typed, or to which the mail was sent
	Agrees   bool
	Asked    string // with which the code is sent; "" before
	Mailed   string // from the address in the mail; "" without
}

// askPass answers with the gate of a link. It is not a view. asked is what the
// browser sends with the code of a mail; "" for none.
func (s *Handler) askPass(w http.ResponseWriter, r *http.Request, g *access.Gate, status int, asked string,
	wrong httpx.FieldErrors) error {
	here, a := g.Link.Path(), g.Link.Access
	p := &gatePage{Page: s.Pages.NewChrome("Protected link · Vitrine"), Heading: "This link has a password",
		What: "link", Who: "sent you the link",
		Action: here, Report: s.Server.AddressOf(g.Link) + "/report", Framed: s.Server.Framers(r) != "'none'",
		Place: g.Place, Wrong: wrong, Password: a.Password != "", Asks: a.Email.On,
		Consent: strings.FieldsFunc(a.Email.Consent, func(r rune) bool { return r == '\n' })}
	if r.URL.Path == here {
		p.Action = httpx.WithQuery(here, withoutMailed(r)) // where the reader comes from counts after the gate
	}
	if g.Link.ID < 0 { // of an album, which nobody reports as a whole
		p.Page.Title, p.Heading = "Protected album · Vitrine", "This album has a password"
		p.What, p.Who, p.Report = "album", "sent you the address", ""
	}
	switch {
	case p.Place:
		p.Heading = "Open the " + p.What + " first"
	case p.Asks:
		p.Heading = "Who is reading?"
		s.fillAsked(p, r, g.Link, asked)
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

// countShown counts that a person's browser is shown the gate on the page of a
// link.
func (s *Handler) countShown(r *http.Request, l *vitrine.Link) {
	if r.Method == http.MethodGet && r.URL.Path == l.Path() && l.Access.Asks() && s.person(r) {
		s.Viewers.Gates.CountShown(l.ID)
	}
}

// person reports whether a request can be of a person's browser.
func (s *Handler) person(r *http.Request) bool {
	network, _ := visitor.Network(s.Server.ClientAddr(r))
	return network == "" && !s.program(r)
}

// program reports whether a request is of a recognized program.
func (s *Handler) program(r *http.Request) bool {
	return visitor.Classify(visitor.Request{UserAgent: r.UserAgent(), SecCHUA: r.Header.Get("Sec-CH-UA"),
		SecFetchDest: r.Header.Get("Sec-Fetch-Dest")}).Bot != ""
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

// fillAsked adds how far a reader has come with the mail of an email gate. The
// address in the mail leads to a button: what only opens it confirms nothing.
func (s *Handler) fillAsked(p *gatePage, r *http.Request, l *vitrine.Link, asked string) {
	p.Email, p.Agrees = r.PostForm.Get("email"), r.PostForm.Get("agree") != ""
	if to := s.Viewers.Gates.Asked(l, asked); to != "" {
		p.Heading, p.Email, p.Asked = "Enter the code", to, asked
		return
	}
	text := r.URL.Query().Get(httpx.Mailed)
	if text == "" {
		return
	}
	if to := s.Viewers.Gates.Mailed(l, text); to != "" {
		p.Heading, p.Email, p.Mailed = "Open the "+p.What, to, text
	} else if p.Wrong == nil {
		p.Wrong = httpx.FieldErrors{"": "The address in the message is valid for 15 minutes. Ask for a new one."}
	}
}

// withoutMailed returns the parameters of a request without that of a mail: it
// must not stay in an address that people pass on.
func withoutMailed(r *http.Request) url.Values {
	q := r.URL.Query()
	q.Del(httpx.Mailed)
	return q
}

// toPage leads to the page of a link.
func toPage(w http.ResponseWriter, r *http.Request, l *vitrine.Link) error {
	return httpx.Redirect(w, r, httpx.WithQuery(l.Path(), withoutMailed(r)))
}

// OnGate takes what a reader sends to the gate of a link, and leads to its
// page.
func (s *Handler) OnGate() httpx.HandlerFunc {
	return s.onLink(func(w http.ResponseWriter, r *http.Request, l *vitrine.Link, _ *vitrine.Account) error {
		return toPage(w, r, l) // no pass is needed any more
	}, s.enter)
}

// enter takes what a reader sends to a gate.
func (s *Handler) enter(w http.ResponseWriter, r *http.Request, g *access.Gate) error {
	if g.Place {
		return toPage(w, r, g.Link)
	}
	if err := httpx.ReadForm(w, r, httpx.MaxEntry); err != nil {
		return err
	}
	f := r.PostForm
	e := access.Entry{Password: f.Get("password"), Email: f.Get("email"), Agrees: f.Get("agree") != "",
		Asked: f.Get("asked"), Code: f.Get("code"), Mailed: f.Get(httpx.Mailed), From: s.Server.LimitedAddr(r)}
	pass, asked, err := s.Viewers.Gates.Enter(r.Context(), g.Link, e)
	switch {
	case err != nil:
		return s.refuse(w, r, g, e, err)
	case pass == "":
		return s.askPass(w, r, g, http.StatusForbidden, asked, nil)
	}
	if s.person(r) {
		s.Viewers.Gates.CountPassed(g.Link.ID)
	}
	s.Viewers.SetPass(w, r, g.Link, pass)
	return toPage(w, r, g.Link)
}

// OnAlbumGate takes what a reader sends to the gate of an album, and leads to
// its page.
func (s *Handler) OnAlbumGate(w http.ResponseWriter, r *http.Request) error {
	slug, err := httpx.SlugOf(r.PathValue("slug"))
	if err != nil {
		return errNoAlbum
	}
	err = s.Albums.MayRead(r.Context(), slug, s.Viewers.Reader(r))
	if g := (*access.Gate)(nil); errors.As(err, &g) {
		return s.enter(w, r, g)
	}
	if err != nil {
		return err
	}
	return httpx.Redirect(w, r, httpx.AlbumRoot+string(slug))
}

// albumGated answers with the gate of an album, if that is the error, and
// otherwise returns it.
func (s *Handler) albumGated(w http.ResponseWriter, r *http.Request, err error) error {
	if g := (*access.Gate)(nil); errors.As(err, &g) {
		s.countShown(r, g.Link)
		return s.askPass(w, r, g, http.StatusForbidden, "", nil)
	}
	return err
}

// albumFor returns an album for the sender of a request. Where its readers are
// limited, its page is content, and so is its ZIP.
func (s *Handler) albumFor(r *http.Request, slug vitrine.Slug) (*collections.AlbumFacts, error) {
	album, err := s.Albums.Public(r.Context(), slug, s.Viewers.Reader(r))
	if err == nil && album.Access.Readers > 0 {
		door := album.Door()
		err = s.Viewers.Fetches(r, door, s.Viewers.PassOf(r, door))
	}
	return album, err
}

// refuse answers with the gate of a link and what is wrong.
func (s *Handler) refuse(w http.ResponseWriter, r *http.Request, g *access.Gate, e access.Entry, err error) error {
	wrong := httpx.FieldErrorsOf(err)
	if wrong == nil {
		return err
	}
	known, status := s.Server.Known(w, r, err)
	if status == http.StatusBadRequest {
		status = http.StatusForbidden
	}
	if known.Code == vitrine.CodeRateLimited {
		httpx.RetryAfter(w, known)
		wrong[""] = httpx.AdviceOn(known)
	}
	return s.askPass(w, r, g, status, e.Asked, wrong)
}
