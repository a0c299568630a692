package public

import (
	"net/http"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/visitor"
	"vitrine/internal/web/httpx"
	"vitrine/internal/web/viewer"
	"vitrine/report"
)

// givePlace gives a reader of a link that limits them a place, with a pass, and
// shows the page. HEAD uses no place.
func (s *Handler) givePlace(w http.ResponseWriter, r *http.Request, g *access.Gate, h LinkHandler) error {
	l, a, err := s.Links.PublicTo(r.Context(), g.Link.Slug, g.Link.Through.Token,
		access.Asker{Pass: func(l *vitrine.Link) vitrine.Pass {
			return vitrine.Pass{Round: l.Access.Round, Owner: true} // the gate has checked everything else
		}})
	if err != nil {
		return err
	}
	if r.Method == http.MethodHead {
		s.Server.SetPagePolicy(w, r, httpx.PublicPage, httpx.NewNonce())
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		return nil
	}
	network, _ := visitor.Network(s.Server.ClientAddr(r))
	machine := network != "" || s.Server.PageLoad(r, a, s.Server.PublicURL.Host, s.Now()).Bot != ""
	pass, err := s.Viewers.Gates.Take(r.Context(), l, machine)
	if err != nil {
		return err
	}
	s.Viewers.SetPass(w, r, l, s.Signer.Pass(l, pass.Place, s.Now()))
	return h(w, viewer.WithPass(r, pass), l, a)
}

// prove counts the reader of a page as one of those that a link admits, once
// the page was read by a person. to is the recipient through whose address it
// was opened, or 0.
func (s *Handler) prove(r *http.Request, to vitrine.RecipientID, snapshot *vitrine.Snapshot) error {
	if snapshot.Bot == "" && snapshot.Session.EngagedMs < report.DecidedMs ||
		!s.Viewers.HasCookie(r, snapshot.Link, to) {
		return nil
	}
	l, err := s.Links.PublicVersion(r.Context(), snapshot.Link, 0, to, s.Viewers.Reader(r))
	if err != nil || l.Access.Readers == 0 {
		return nil // it limits no readers any more
	}
	p := s.Viewers.PassOf(r, l)
	if p.Place == 0 {
		return nil
	}
	// A beacon is not a page, so what it is loaded as says nothing.
	program := visitor.Classify(visitor.Request{UserAgent: r.UserAgent(), SecCHUA: r.Header.Get("Sec-CH-UA")}).Bot
	return s.Viewers.Gates.Prove(r.Context(), p, snapshot.Bot != "" || program != "")
}
