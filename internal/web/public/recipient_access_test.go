package public_test

import (
	"net/url"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/app/recipients"
	"vitrine/internal/test/webtest"
	"vitrine/report"
)

// protectRecipient changes the access of a recipient.
func protectRecipient(s *webtest.Site, l *vitrine.Link, r *vitrine.Recipient, c recipients.Change) *vitrine.Recipient {
	s.T.Helper()
	_, changed, err := s.Server.Recipients.Edit(s.T.Context(), s.Account, string(l.Slug), r.ID, c)
	s.Check(err)
	return changed
}

// TestRecipientAccess checks that the access of a recipient replaces that of
// its link at every address of the recipient, and nowhere else; that passes of
// one open nothing of the other; and that each change ends the passes and
// content addresses of before.
func TestRecipientAccess(t *testing.T) {
	s := webtest.NewSite(t)
	s.TrustProxy()
	l := s.Publish("report.pdf", webtest.Samples["report.pdf"], webtest.Titled("Confidential"))
	list := s.Recipients(l, "Own", "Open", "As the link")
	secret, link := "for own", "for all"
	own := protectRecipient(s, l, list[0], recipients.Change{Access: &access.Change{Password: &secret}})
	protectRecipient(s, l, list[1], recipients.Change{Access: &access.Change{Open: true}})
	paths := []string{"", "/embed", "/picture", "/download", "/qr.svg", "/qr.png"}
	is := func(r *vitrine.Recipient, want int, headers ...string) {
		t.Helper()
		here := "/p/" + string(l.Slug)
		if r != nil {
			here = l.For(r).Path()
		}
		for _, path := range paths {
			if a := s.Get(here+path, headers...); a.StatusCode != want || want == 403 && leaks(a) {
				t.Errorf("%s: %d, want %d, or it shows something of the file", here+path, a.StatusCode, want)
			}
		}
	}
	enter := func(r *vitrine.Recipient, password string) webtest.Reply {
		return s.Post(l.For(r).Path(), url.Values{"password": {password}}, "X-Forwarded-For: 192.0.2.1")
	}
	is(nil, 200)
	is(list[0], 403)
	is(list[1], 200)
	s.Protect(l, link)
	is(nil, 403)
	is(list[0], 403)
	is(list[1], 200)
	is(list[2], 403)

	s.Status(enter(own, link), 403)
	pass := webtest.PassOf(s.Status(enter(own, secret), 303))
	ofLink := webtest.PassOf(s.Status(s.Enter(l, link, "192.0.2.1"), 303))
	is(list[0], 200, pass)
	is(list[2], 403, pass)
	is(nil, 403, pass)
	is(list[0], 403, ofLink)
	is(list[2], 200, ofLink)
	both := "Cookie: " + strings.TrimPrefix(pass, "Cookie: ") + "; " + strings.TrimPrefix(ofLink, "Cookie: ")
	is(list[0], 200, both)
	is(nil, 200, both)

	content := s.ContentOf(s.Get(l.For(own).Path(), pass).Text)
	ofOpen := s.ContentOf(s.Get(l.For(list[1]).Path()).Text)
	s.Status(s.Get(content), 200)
	s.Protect(l, "another for all") // which is not that of the recipient
	s.Status(s.Get(content), 200)
	is(list[0], 200, pass)
	again := "again"
	protectRecipient(s, l, own, recipients.Change{Access: &access.Change{Password: &again}})
	protectRecipient(s, l, list[1], recipients.Change{AsLink: true})
	s.Status(s.Get(content), 403)
	s.Status(s.Get(ofOpen), 403)
	is(list[0], 403, pass)
	is(list[1], 403)
	none := ""
	r := protectRecipient(s, l, list[1], recipients.Change{Access: &access.Change{Password: &none}})
	if r.Access != nil {
		t.Error("removing what an address does not have made it an open one")
	}
	is(list[1], 403)
}

// TestRecipientLimit checks that a recipient with a limit of its own has places
// of its own, which a second of reading uses up and a new limit keeps.
func TestRecipientLimit(t *testing.T) {
	s := webtest.NewSite(t)
	l := s.Publish("Confidential.txt", []byte("the text"), webtest.Titled("Confidential"))
	list, one := s.Recipients(l, "Anna", "Bob"), 1
	r := protectRecipient(s, l, list[0], recipients.Change{Access: &access.Change{Readers: &one}})
	here := l.For(r).Path()
	left := func(want int64) {
		t.Helper()
		n, err := s.Server.Gates.Left(t.Context(), l.For(r))
		s.Check(err)
		if n != want {
			t.Errorf("%d more may open the address, want %d", n, want)
		}
	}
	page := s.Status(s.Get(here), 200)
	left(1)
	s.Ahead.Add(int64(2 * report.DecidedMs * 1e6))
	s.ReadFor(page, 2*report.DecidedMs, webtest.PassOf(page))
	left(0)
	s.Status(s.Get(here), 410)
	s.Status(s.Get(here, webtest.PassOf(page)), 200)
	s.Status(s.Get(l.For(list[1]).Path()), 200)
	s.Status(s.Get("/p/"+string(l.Slug)), 200)
	s.Protect(l, "a password of the link")
	left(0)
	two := 2
	r = protectRecipient(s, l, r, recipients.Change{Access: &access.Change{Readers: &two}})
	left(1)
	r = protectRecipient(s, l, r, recipients.Change{Access: &access.Change{Open: true}})
	s.Status(s.Get(here), 200)
}
