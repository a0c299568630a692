package web_test

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/filetype"
	"vitrine/internal/publish"
	"vitrine/internal/web/app"
)

// newDesk returns a site at which moderators work. The account of the site is
// its owner's at first; then files come from a member, unless a test says
// otherwise.
func newDesk(t testing.TB) *site { return newDeskWith(t, siteOptions{}) }

func newDeskWith(t testing.TB, o siteOptions) *site {
	t.Helper()
	d := newSiteWith(t, o)
	d.server.Notices = func(context.Context) []app.Notice { return d.notices }
	d.owner = d.account
	d.member = d.join("member@example.org", vitrine.RoleMember)
	d.account = d.member
	return d
}

// join makes an account with a role.
func (s *site) join(email string, role vitrine.Role) *vitrine.Account {
	s.t.Helper()
	a, _, err := s.server.Accounts.Create(s.t.Context(), email, vitrine.PlanPro)
	s.check(err)
	if role != vitrine.RoleMember {
		a, err = s.server.Accounts.SetRole(s.t.Context(), email, role, vitrine.Decision{By: vitrine.Operator})
		s.check(err)
	}
	return a
}

// offer returns the path of a link that signs in.
func (s *site) offer(a *vitrine.Account) string {
	s.t.Helper()
	text, err := s.server.Sessions.Offer(s.t.Context(), a.Email)
	s.check(err)
	return "/sign-in/" + string(text)
}

// signIn signs an account in, and returns the header by which its browser is
// known.
func (s *site) signIn(a *vitrine.Account) (cookie string) {
	s.t.Helper()
	r := s.status(s.post(s.offer(a), nil), http.StatusSeeOther)
	for _, c := range r.Cookies() {
		if !strings.HasSuffix(c.Name, "-device") {
			return "Cookie: " + c.Name + "=" + c.Value
		}
	}
	s.t.Fatalf("cookies %v", r.Cookies())
	return ""
}

// post sends a form as the site's own pages do.
func (s *site) post(path string, fields url.Values, headers ...string) reply {
	s.t.Helper()
	return s.do(http.MethodPost, path, fields.Encode(),
		append([]string{form, "Origin: " + s.url, "Sec-Fetch-Site: same-origin"}, headers...)...)
}

// submit takes a file through the three steps, wherever that leads it.
func (s *site) submit(name string, content []byte) *vitrine.Link {
	s.t.Helper()
	ctx, u := s.t.Context(), s.server.Uploads
	kind, ok := filetype.ByExt(name)
	if !ok {
		s.t.Fatalf("no type for %s", name)
	}
	begun, err := u.Create(ctx, s.account, publish.UploadRequest{Name: name, Type: kind.MIME,
		Size: int64(len(content))})
	s.check(err)
	g := vitrine.PutGrant{Key: begun.Path, Size: int64(len(content)), Type: kind.MIME,
		Expires: s.server.Now().Add(time.Minute)}
	_, err = s.server.Receiver.Receive(ctx, g, bytes.NewReader(content))
	s.check(err)
	l, err := u.Complete(ctx, s.account, publish.CompleteRequest{Path: string(begun.Path), Name: name, Type: kind.MIME})
	s.check(err)
	return l
}

// hold sends a link to review as the scanner does.
func (s *site) hold(l *vitrine.Link, reason, detail string) *vitrine.Link {
	s.t.Helper()
	return s.move(l, vitrine.Change{By: vitrine.Actor{Kind: vitrine.ActorScanner}, Action: vitrine.ActionHold,
		To: vitrine.StateReview, Reason: reason, Detail: detail})
}

// move changes a link's state, and writes who did it.
func (s *site) move(l *vitrine.Link, c vitrine.Change) *vitrine.Link {
	s.t.Helper()
	var now *vitrine.Link
	s.check(s.server.Links.Store.Update(s.t.Context(), func(tx vitrine.Tx) (err error) {
		if now, err = tx.Link(l.ID); err != nil {
			return err
		}
		c.At, c.Account, c.Link, c.From = s.server.Now(), now.Account, now.ID, now.State
		now.State, now.Reason, now.Detail, now.StateAt = c.To, c.Reason, c.Detail, c.At
		if err = tx.PutLink(now); err != nil {
			return err
		}
		return tx.AddChange(&c)
	}))
	return now
}

// held returns a file of the member's that waits for a person, for longer than
// those that are held after it.
func (s *site) held(name, reason string) *vitrine.Link {
	s.t.Helper()
	l := s.hold(s.publish(name, samples[name]), reason, "")
	s.ahead.Add(int64(time.Second))
	return l
}

// stateOf returns the present state of a link.
func (s *site) stateOf(l *vitrine.Link) vitrine.LinkState {
	s.t.Helper()
	now, err := s.server.Links.BySlug(s.t.Context(), string(l.Slug))
	s.check(err)
	return now.State
}

func casePath(l *vitrine.Link) string { return "/moderation/links/" + string(l.Slug) }

func accountPath(a *vitrine.Account) string {
	return "/moderation/accounts/" + strconv.FormatInt(int64(a.ID), 10)
}

// seen returns the change that the form of a case names as the last one its
// page showed.
func (s *site) seen(l *vitrine.Link) string {
	s.t.Helper()
	list, err := s.server.Moderation.OfLink(s.t.Context(), string(l.Slug))
	s.check(err)
	return strconv.FormatInt(int64(list[0].ID), 10)
}

// decide sends a decision from the page of a case as it is now.
func (s *site) decide(l *vitrine.Link, action, note string, headers ...string) reply {
	s.t.Helper()
	return s.post(casePath(l)+"/"+action, url.Values{"seen": {s.seen(l)}, "note": {note}}, headers...)
}

// follow asks for the page that an answer leads to.
func (s *site) follow(r reply, headers ...string) reply {
	s.t.Helper()
	s.status(r, http.StatusSeeOther)
	to := r.Header.Get("Location")
	if !strings.HasPrefix(to, "/") {
		s.t.Fatalf("led to %q", to)
	}
	return s.status(s.get(to, headers...), http.StatusOK)
}
