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
	if r, err = s.takePlace(w, r, l); err != nil {
		return err
	}
	return h(w, r, l, a)
}

// takePlace gives the sender of a request a place, and returns the request as
// if it had been sent with the pass.
func (s *Handler) takePlace(w http.ResponseWriter, r *http.Request, l *vitrine.Link) (*http.Request, error) {
	network, _ := visitor.Network(s.Server.ClientAddr(r))
	pass, err := s.Viewers.Gates.Take(r.Context(), l, network != "" || s.program(r))
	if err != nil {
		return r, err
	}
	s.Viewers.SetPass(w, r, l, s.Signer.Pass(l, pass.Place, s.Now()))
	return viewer.WithPass(r, pass), nil
}

// prove counts the reader of a page as one of those that a link admits, or an
// album with it, once the page was read by a person. to is the recipient
// through whose address it was opened, or 0.
func (s *Handler) prove(r *http.Request, to vitrine.RecipientID, snapshot *vitrine.Snapshot) error {
	if snapshot.Bot == "" && snapshot.Session.EngagedMs < report.DecidedMs ||
		!s.Viewers.HasPass(r) {
		return nil
	}
	l, err := s.Links.PublicVersion(r.Context(), snapshot.Link, 0, to, s.Viewers.Reader(r))
	if err != nil {
		return nil // it is not public any more
	}
	limited := []*vitrine.Link{l}
	if to == 0 {
		albums, err := s.Albums.Around(r.Context(), l.ID)
		if err != nil {
			return err
		}
		for _, a := range albums {
			limited = append(limited, a.Door())
		}
	}
	// A beacon is not a page, so what it is loaded as says nothing.
	program := visitor.Classify(visitor.Request{UserAgent: r.UserAgent(), SecCHUA: r.Header.Get("Sec-CH-UA")}).Bot
	for _, of := range limited {
		if of.Access.Readers == 0 {
			continue
		}
		p := s.Viewers.PassOf(r, of)
		if p.Place == 0 {
			continue
		}
		if err := s.Viewers.Gates.Prove(r.Context(), p, snapshot.Bot != "" || program != ""); err != nil {
			return err
		}
	}
	return nil
}
