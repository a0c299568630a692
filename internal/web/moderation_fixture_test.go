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
	"vitrine/internal/web"
)

// newDesk is a site at which moderators work. The account of the site is its
// owner's at first; then files come from a member, unless a test says otherwise.
func newDesk(t testing.TB) *site { return newDeskWith(t, siteOptions{}) }

func newDeskWith(t testing.TB, o siteOptions) *site {
	t.Helper()
	d := newSiteWith(t, o)
	d.server.Notices = func(context.Context) []web.Notice { return d.notices }
	d.owner = d.account
	d.member = d.join("member@example.org", vitrine.RoleMember)
	d.account = d.member
	return d
}

// join makes an account with a role.
func (d *site) join(email string, role vitrine.Role) *vitrine.Account {
	d.t.Helper()
	a, _, err := d.server.Accounts.Create(d.t.Context(), email, vitrine.PlanPro)
	d.check(err)
	if role != vitrine.RoleMember {
		a, err = d.server.Accounts.SetRole(d.t.Context(), email, role, vitrine.Decision{By: vitrine.Operator})
		d.check(err)
	}
	return a
}

// offer is the path of a link that signs in.
func (d *site) offer(a *vitrine.Account) string {
	d.t.Helper()
	text, err := d.server.Sessions.Offer(d.t.Context(), a.Email)
	d.check(err)
	return "/sign-in/" + string(text)
}

// signIn signs an account in, and returns the header by which its browser is known.
func (d *site) signIn(a *vitrine.Account) (cookie string) {
	d.t.Helper()
	r := d.status(d.post(d.offer(a), nil), http.StatusSeeOther)
	for _, c := range r.Cookies() {
		if !strings.HasSuffix(c.Name, "-device") {
			return "Cookie: " + c.Name + "=" + c.Value
		}
	}
	d.t.Fatalf("cookies %v", r.Cookies())
	return ""
}

// post sends a form as the site's own pages do.
func (d *site) post(path string, fields url.Values, headers ...string) reply {
	d.t.Helper()
	return d.do(http.MethodPost, path, fields.Encode(), append([]string{form, "Origin: " + d.url, "Sec-Fetch-Site: same-origin"}, headers...)...)
}

// submit takes a file through the three steps, wherever that leads it.
func (d *site) submit(name string, content []byte) *vitrine.Link {
	d.t.Helper()
	ctx, u := d.t.Context(), d.server.Uploads
	kind, ok := filetype.ByExt(name)
	if !ok {
		d.t.Fatalf("no type for %s", name)
	}
	begun, err := u.Create(ctx, d.account, vitrine.UploadRequest{Name: name, Type: kind.MIME, Size: int64(len(content))})
	d.check(err)
	g := vitrine.PutGrant{Key: begun.Path, Size: int64(len(content)), Type: kind.MIME, Expires: d.server.Now().Add(time.Minute)}
	_, err = d.server.Receiver.Receive(ctx, g, bytes.NewReader(content))
	d.check(err)
	l, err := u.Complete(ctx, d.account, vitrine.CompleteRequest{Path: string(begun.Path), Name: name, Type: kind.MIME})
	d.check(err)
	return l
}

// hold sends a link to review as the scanner does.
func (d *site) hold(l *vitrine.Link, reason, detail string) *vitrine.Link {
	d.t.Helper()
	return d.move(l, vitrine.Change{By: vitrine.Actor{Kind: vitrine.ActorScanner}, Action: vitrine.ActionHold, To: vitrine.StateReview, Reason: reason, Detail: detail})
}

// move changes a link's state, and writes who did it.
func (d *site) move(l *vitrine.Link, c vitrine.Change) *vitrine.Link {
	d.t.Helper()
	var now *vitrine.Link
	d.check(d.server.Links.Store.Update(d.t.Context(), func(tx vitrine.Tx) (err error) {
		if now, err = tx.Link(l.ID); err != nil {
			return err
		}
		c.At, c.Account, c.Link, c.From = d.server.Now(), now.Account, now.ID, now.State
		now.State, now.Reason, now.Detail, now.StateAt = c.To, c.Reason, c.Detail, c.At
		if err = tx.PutLink(now); err != nil {
			return err
		}
		return tx.AddChange(&c)
	}))
	return now
}

// held is a file of the member's that waits for a person, for longer than those that are held after it.
func (d *site) held(name, reason string) *vitrine.Link {
	d.t.Helper()
	l := d.hold(d.publish(name, samples[name]), reason, "")
	d.ahead.Add(int64(time.Second))
	return l
}

// stateOf is where a link stands now.
func (d *site) stateOf(l *vitrine.Link) vitrine.LinkState {
	d.t.Helper()
	now, err := d.server.Links.BySlug(d.t.Context(), string(l.Slug))
	d.check(err)
	return now.State
}

func casePath(l *vitrine.Link) string { return "/moderation/links/" + string(l.Slug) }

func accountPath(a *vitrine.Account) string {
	return "/moderation/accounts/" + strconv.FormatInt(int64(a.ID), 10)
}

// seen is what a case's form says of the change that its page told of last.
func (d *site) seen(l *vitrine.Link) string {
	d.t.Helper()
	list, err := d.server.Moderation.OfLink(d.t.Context(), string(l.Slug))
	d.check(err)
	return strconv.FormatInt(int64(list[0].ID), 10)
}

// decide sends a decision from the page of a case as it is now.
func (d *site) decide(l *vitrine.Link, action, note string, headers ...string) reply {
	d.t.Helper()
	return d.post(casePath(l)+"/"+action, url.Values{"seen": {d.seen(l)}, "note": {note}}, headers...)
}

// follow asks for the page that an answer leads to.
func (d *site) follow(r reply, headers ...string) reply {
	d.t.Helper()
	d.status(r, http.StatusSeeOther)
	to := r.Header.Get("Location")
	if !strings.HasPrefix(to, "/") {
		d.t.Fatalf("led to %q", to)
	}
	return d.status(d.get(to, headers...), http.StatusOK)
}
