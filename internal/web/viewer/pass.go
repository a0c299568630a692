package viewer

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/base/signer"
)

// Reader returns who asks for a link: a reader, with what the browser has of
// its gate. The owner of a link needs no pass.
func (s *Viewers) Reader(r *http.Request) access.Asker {
	return access.Asker{Pass: func(l *vitrine.Link) vitrine.Pass { return s.PassOf(r, l) }}
}

// PassOf returns what the sender of a request has of the gate of a link.
func (s *Viewers) PassOf(r *http.Request, l *vitrine.Link) (p vitrine.Pass) {
	if c, err := r.Cookie(s.passCookie(l.ID, l.Through)); err == nil {
		p = s.Signer.ParsePass(c.Value, l, s.Now(), access.PassLife)
	}
	if given, ok := r.Context().Value(givenPass{}).(vitrine.Pass); ok && (l.Access.Fits(given) || l.OpenedBy(given)) {
		p = given
	}
	p = s.Gates.Held(r.Context(), l, p)
	if !l.Access.Admits(p) {
		if s.Server.SignedInAs(r, l.Account) {
			return ownerPass(l)
		}
		if q, ok := s.albumPass(r, l); ok && !l.Access.Fits(p) {
			return q
		}
	}
	return p
}

// PassesDiffer reports whether the readers of a link have passes that are not
// all worth the same: with a place, or of an album.
func PassesDiffer(l *vitrine.Link) bool { return l.Access.Readers > 0 || l.Albums != nil }

// albumPass returns the pass of the sender of a request that opens a protected
// album with a link.
func (s *Viewers) albumPass(r *http.Request, l *vitrine.Link) (p vitrine.Pass, ok bool) {
	if l.Albums == nil {
		return p, false
	}
	for _, a := range *l.Albums {
		door := a.Door()
		c, err := r.Cookie(s.passCookie(door.ID, door.Through))
		if err != nil {
			continue
		}
		p := s.Gates.Held(r.Context(), door, s.Signer.ParsePass(c.Value, door, s.Now(), access.PassLife))
		if a.Access.Admits(p) {
			return p, true
		}
	}
	return p, false
}

// ownerPass returns what the owner of a link has of its gate.
func ownerPass(l *vitrine.Link) vitrine.Pass { return vitrine.Pass{Round: l.Access.Round, Owner: true} }

// givenPass marks the context of a request whose answer gives the pass.
type givenPass struct{}

// WithPass returns a request as if it had been sent with a pass.
func WithPass(r *http.Request, p vitrine.Pass) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), givenPass{}, p))
}

// HasPass reports whether a browser may have a pass, of any link.
func (s *Viewers) HasPass(r *http.Request) bool {
	return slices.ContainsFunc(r.Cookies(), func(c *http.Cookie) bool {
		return strings.HasPrefix(c.Name, s.passPrefix())
	})
}

// fetches notes that the sender of a request gets content of a link.
func (s *Viewers) fetches(r *http.Request, l *vitrine.Link) error {
	if !PassesDiffer(l) {
		return nil
	}
	return s.Fetches(r, l, s.PassOf(r, l))
}

// Fetches notes that a reader with a place fetches the content of a link,
// before it is sent.
func (s *Viewers) Fetches(r *http.Request, l *vitrine.Link, p vitrine.Pass) error {
	if r.Method != http.MethodGet {
		return nil
	}
	return s.Gates.Fetch(r.Context(), l, p)
}

// Bearer returns the reader with the pass of a content token, since no cookie
// reaches the content origin.
func (s *Viewers) Bearer(ctx context.Context, p vitrine.Pass) access.Asker {
	return access.Asker{Pass: func(l *vitrine.Link) vitrine.Pass { return s.Gates.Held(ctx, l, p) }}
}

// passPrefix begins the names of the cookies of passes. A cookie is of one
// link, or of a recipient with an access of its own, but has the path "/",
// which __Host- needs, so its name says of which.
func (s *Viewers) passPrefix() string {
	if s.Server.Secure() {
		return "__Host-vitrine-pass-"
	}
	return "vitrine-pass-"
}

func (s *Viewers) passCookie(id vitrine.LinkID, t vitrine.Through) string {
	name := s.passPrefix() + strings.TrimPrefix(s.Signer.LinkID(id), "lnk_")
	if t.Own {
		name += "-" + strconv.FormatInt(int64(t.Recipient), 36)
	}
	return name
}

// maxPasses bounds the passes that a browser keeps. It sends all of them with
// each request.
const maxPasses = 20

// SetPass gives the browser a pass for a link, and removes the oldest of others
// if it has too many.
func (s *Viewers) SetPass(w http.ResponseWriter, r *http.Request, l *vitrine.Link, pass string) {
	set := func(name, value string, seconds int) {
		http.SetCookie(w, &http.Cookie{Name: name, Value: value, Path: "/", MaxAge: seconds, HttpOnly: true,
			Secure: s.Server.Secure(), SameSite: http.SameSiteLaxMode})
	}
	var others []*http.Cookie
	own := s.passCookie(l.ID, l.Through)
	for _, c := range r.Cookies() {
		if strings.HasPrefix(c.Name, s.passPrefix()) && c.Name != own {
			others = append(others, c)
		}
	}
	slices.SortFunc(others, func(a, b *http.Cookie) int {
		return signer.PassTime(a.Value).Compare(signer.PassTime(b.Value))
	})
	for len(others) >= maxPasses {
		set(others[0].Name, "", -1)
		others = others[1:]
	}
	set(own, pass, int(access.PassLife.Seconds()))
}
