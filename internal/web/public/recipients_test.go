package public_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/app/links"
	"vitrine/internal/base/signer"
	"vitrine/internal/test/webtest"
)

// TestRecipientOfAProtectedLink checks that the address of a recipient has the
// gate of its link, which leads back to this address, and that no pass opens an
// address that was revoked.
func TestRecipientOfAProtectedLink(t *testing.T) {
	s := webtest.NewSite(t)
	s.TrustProxy()
	l := s.Publish("Confidential.txt", []byte("the text"), webtest.Titled("Confidential"))
	list := s.Recipients(l, "Anna", "Bob")
	here, bob := l.For(list[0]).Path(), l.For(list[1]).Path()
	s.Protect(l, "open sesame")
	before := len(s.Views(l))

	for _, path := range []string{"", "/embed", "/picture", "/download", "/qr.svg", "/qr.png"} {
		gate := s.Status(s.Get(here+path), 403)
		if leaks(gate) {
			t.Errorf("the gate at %q shows something of the file", path)
		}
		if !strings.Contains(gate.Text, here) {
			t.Errorf("the gate at %q does not lead to the recipient's address", path)
		}
	}
	if report := s.Status(s.Get(here+"/report"), 200); leaks(report) {
		t.Error("the form that reports the link shows something of the file")
	}
	s.Status(s.Get("/oembed?url="+url.QueryEscape(s.URL+here)), 404)
	if n := len(s.Views(l)); n != before {
		t.Errorf("the log has %d views, want %d: a gate is none", n, before)
	}

	enter := func(password string) webtest.Reply {
		return s.Post(here+"?qr=1", url.Values{"password": {password}}, "X-Forwarded-For: 192.0.2.1")
	}
	s.Status(enter("wrong"), 403)
	s.Status(s.Do("POST", here, "password=open+sesame", webtest.Form, "Sec-Fetch-Site: cross-site"), 403)
	right := s.Status(enter("open sesame"), 303)
	if to := right.Header.Get("Location"); to != here+"?qr=1" {
		t.Errorf("the right password leads to %q", to)
	}
	pass := webtest.PassOf(right)
	page := s.Status(s.Get(here, pass), 200)
	if !strings.Contains(page.Text, "Confidential") {
		t.Error("the page has no title")
	}
	views := s.Views(l)
	if last := views[len(views)-1]; len(views) != before+1 || last.Recipient != int64(list[0].ID) {
		t.Errorf("the log has %d views, the last through recipient %d, want %d and %d", len(views), last.Recipient,
			before+1, list[0].ID)
	}
	s.Status(s.Get(here+"/download", pass), 200)
	s.Status(s.Get(bob, pass), 200) // a pass is of the link

	content := s.Server.Signer.ContentToken(signer.Content{Link: l.ID, Version: 1, Recipient: list[0].ID,
		Pass: vitrine.Pass{Round: l.Access.Round}}, s.Server.Now().Add(time.Hour))
	bare := s.Server.Signer.ContentToken(signer.Content{Link: l.ID, Version: 1, Recipient: list[0].ID},
		s.Server.Now().Add(time.Hour))
	file := func(token string) string { return s.Server.ContentURL.String() + "/c/" + token + "/file" }
	s.Status(s.Get(file(content)), 200)
	s.Status(s.Get(file(bare)), 403)
	_, _, err := s.Server.Recipients.Revoke(t.Context(), s.Account, string(l.Slug), list[0].ID)
	s.Check(err)
	for _, address := range []string{here, here + "/download", file(content)} {
		s.Status(s.Get(address, pass), 410)
	}
	s.Status(s.Get(here), 410)
	s.Status(enter("open sesame"), 410)
	s.Status(s.Get(bob, pass), 200)
}

// TestRecipientTakesAPlace checks that a recipient's address of a link that
// limits its readers gives a place, which is one of the link.
func TestRecipientTakesAPlace(t *testing.T) {
	s := webtest.NewSite(t)
	l := s.Publish("Confidential.txt", []byte("the text"), webtest.Titled("Confidential"))
	list := s.Recipients(l, "Anna")
	here, one := l.For(list[0]).Path(), 1
	changed, err := s.Server.Links.Edit(t.Context(), s.Account, string(l.Slug),
		links.Edit{Access: &access.Change{Readers: &one}})
	s.Check(err)
	if r := s.Status(s.Get(here+"/download"), 403); !strings.Contains(r.Text, `href="`+here+`"`) {
		t.Error("the gate does not lead to the recipient's page")
	}
	page := s.Status(s.Get(here), 200)
	s.Status(s.Get(here+"/download", webtest.PassOf(page)), 200)
	s.Status(s.Get("/p/"+string(changed.Slug)+"/download", webtest.PassOf(page)), 200)
	views := s.Views(l)
	if n := len(views); n != 1 || views[0].Recipient != int64(list[0].ID) {
		t.Errorf("views = %+v, want one through the recipient", views)
	}
}
