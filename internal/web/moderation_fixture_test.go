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
	"vitrine/internal/app/publish"
	"vitrine/internal/filetype"
	"vitrine/internal/web/app"
)

// newDesk returns a site with moderators. The account of the site is first its
// owner's, then a member's, so files come from the member unless a test changes
// it.
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

// join creates an account with a role.
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

// signInLink returns the path of a sign-in link.
func (s *site) signInLink(a *vitrine.Account) string {
	s.t.Helper()
	text, err := s.server.Sessions.Offer(s.t.Context(), a.Email)
	s.check(err)
	return "/sign-in/" + string(text)
}

// signIn signs in to an account and returns the Cookie header.
func (s *site) signIn(a *vitrine.Account) (cookie string) {
	s.t.Helper()
	r := s.status(s.post(s.signInLink(a), nil), http.StatusSeeOther)
	for _, c := range r.Cookies() {
		if !strings.HasSuffix(c.Name, "-device") {
			return "Cookie: " + c.Name + "=" + c.Value
		}
	}
	s.t.Fatalf("cookies = %v", r.Cookies())
	return ""
}

// post sends a form like the site's own pages.
func (s *site) post(path string, fields url.Values, headers ...string) reply {
	s.t.Helper()
	return s.do(http.MethodPost, path, fields.Encode(),
		append([]string{form, "Origin: " + s.url, "Sec-Fetch-Site: same-origin"}, headers...)...)
}

// submit publishes a file in three steps, whatever state the link then has.
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

// hold sends a link to review like the scanner.
func (s *site) hold(l *vitrine.Link, reason, detail string) *vitrine.Link {
	s.t.Helper()
	return s.move(l, vitrine.Change{By: vitrine.Actor{Kind: vitrine.ActorScanner}, Action: vitrine.ActionHold,
		To: vitrine.StateReview, Reason: reason, Detail: detail})
}

// move changes a link's state and records who did it.
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

// held returns a file of the member that is held for review, before all that
// are held later.
func (s *site) held(name, reason string) *vitrine.Link {
	s.t.Helper()
	l := s.hold(s.publish(name, samples[name]), reason, "")
	s.ahead.Add(int64(time.Second))
	return l
}

// stateOf returns the current state of a link.
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

// seen returns the change that the form of a case names as the last one on its
// page.
func (s *site) seen(l *vitrine.Link) string {
	s.t.Helper()
	list, err := s.server.Moderation.OfLink(s.t.Context(), string(l.Slug))
	s.check(err)
	return strconv.FormatInt(int64(list[0].ID), 10)
}

// decide sends a decision from the current page of a case.
func (s *site) decide(l *vitrine.Link, action, note string, headers ...string) reply {
	s.t.Helper()
	return s.post(casePath(l)+"/"+action, url.Values{"seen": {s.seen(l)}, "note": {note}}, headers...)
}

// follow requests the page to which an answer redirects.
func (s *site) follow(r reply, headers ...string) reply {
	s.t.Helper()
	s.status(r, http.StatusSeeOther)
	to := r.Header.Get("Location")
	if !strings.HasPrefix(to, "/") {
		s.t.Fatalf("redirected to %q, want a path", to)
	}
	return s.status(s.get(to, headers...), http.StatusOK)
}
