package app_test

import (
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/test/webtest"
)

// TestEmailCard sets the email gate of a link on its card, and lists and
// deletes who passed it.
func TestEmailCard(t *testing.T) {
	s := webtest.NewSite(t)
	l := s.Publish("notes.txt", webtest.Samples["notes.txt"])
	owner, here := s.SignIn(s.Account), "/links/"+string(l.Slug)
	if card := s.Status(s.Get(here+"/share", owner), 200); strings.Contains(card.Text, "access-allow") {
		t.Error("without a mail server, an address can be asked for")
	}
	s.Gatekeeper()
	save := func(f url.Values, status int) webtest.Reply {
		return s.Status(s.Post(here+"/access", f, owner), status)
	}
	wrong := save(url.Values{"allow": {"example.com, @"}, "deny": {"eve@example.com"}, "consent": {"Yes?"}}, 400)
	for _, has := range []string{"example.com, @", "eve@example.com", "Yes?", "is not a domain"} {
		if !strings.Contains(wrong.Text, has) {
			t.Errorf("after a wrong list, the card is without %q", has)
		}
	}
	var long strings.Builder
	for i := range 500 {
		long.WriteString("office-number-" + strconv.Itoa(i) + "@company-of-friends.example\r\n")
	}
	save(url.Values{"allow": {long.String()}, "deny": {""}, "consent": {""}}, 303)
	save(url.Values{"allow": {"Example.com;bücher.example"}, "deny": {""}, "consent": {"Line one\r\nLine two"}}, 303)
	card := s.Status(s.Get(here+"/share", owner), 200)
	for _, has := range []string{"example.com\nxn--bcher-kva.example", "Line one\nLine two", here + "/readers"} {
		if !strings.Contains(card.Text, has) {
			t.Errorf("the card is without %q", has)
		}
	}
	s.Status(s.Get("/p/"+string(l.Slug)), 403)

	id := s.Confirmed(string(l.Slug), "ann@example.com")
	if page := s.Status(s.Get(here+"/readers", owner), 200); !strings.Contains(page.Text, "ann@example.com") ||
		!strings.Contains(page.Text, "Agreed to: I agree.") {
		t.Errorf("the list of readers is\n%s", page.Text)
	}
	other := s.SignIn(s.Join("other@example.org", vitrine.RoleMember))
	s.Status(s.Get(here+"/readers", other), 404)
	gone := url.Values{"reader": {strconv.FormatInt(id, 10)}}
	s.Status(s.Post(here+"/readers/delete", gone, other), 404)
	s.Status(s.Post(here+"/readers/delete", gone, owner), 303)
	s.Status(s.Post(here+"/readers/delete", gone, owner), 404)
	if page := s.Status(s.Get(here+"/readers", owner), 200); strings.Contains(page.Text, "ann@example.com") {
		t.Error("a deleted reader is listed")
	}
	s.Status(s.Get(here+"/readers?cursor=x", owner), 400)

	s.Confirmed(string(l.Slug), "bob@example.com")
	left := func() int {
		list, err := s.Server.Gates.Readers(t.Context(), l, 0, 9)
		s.Check(err)
		return len(list)
	}
	s.Check(s.Server.Gates.ExpireReaders(t.Context()))
	s.Ahead.Add(int64(access.KnownReaderLife - time.Hour))
	s.Check(s.Server.Gates.ExpireReaders(t.Context()))
	if left() != 1 {
		t.Error("a reader was deleted before its time")
	}
	s.Ahead.Add(int64(2 * time.Hour))
	s.Check(s.Server.Gates.ExpireReaders(t.Context()))
	if left() != 0 {
		t.Error("a reader is kept for more than 365 days")
	}
	s.Confirmed(string(l.Slug), "cid@example.com")
	owner = s.SignIn(s.Account)
	save(url.Values{"remove": {"email"}}, 303)
	s.Status(s.Get("/p/"+string(l.Slug)), 200)
	if left() != 1 {
		t.Error("who had confirmed an address is not listed any more")
	}
	s.Check(s.Server.Links.Delete(t.Context(), string(l.Slug), vitrine.Decision{By: vitrine.Administrator}))
	if left() != 0 {
		t.Error("the readers of a deleted link are kept")
	}
}

// TestProtectAnAddress follows an owner who gives one address a password and
// other protection of its own on the tab Share, and takes it back.
func TestProtectAnAddress(t *testing.T) {
	s := webtest.NewSite(t)
	l := s.Publish("notes.txt", []byte("notes"))
	owner, r := s.SignIn(s.Account), s.Recipients(l, "Anna", "Bob")[0]
	here, id := "/links/"+string(l.Slug), strconv.FormatInt(int64(r.ID), 10)
	edit := func() string {
		t.Helper()
		return s.Status(s.Get(here+"/share?edit="+id, owner), 200).Text
	}
	save := func(want int, form url.Values) webtest.Reply {
		t.Helper()
		form.Set("recipient", id)
		return s.Status(s.Post(here+"/access", form, owner), want)
	}
	is := func(want int, text string) {
		t.Helper()
		s.Status(s.Get(l.For(r).Path()), want)
		s.Status(s.Get("/p/"+string(l.Slug)), 200)
		if page := edit(); !strings.Contains(page, text) {
			t.Errorf("the page of the address does not say %q:\n%s", text, page)
		}
	}
	is(200, "Readers need what the link asks for.")
	save(303, url.Values{"readers": {""}}) // the form as it is shown
	is(200, "Readers need what the link asks for.")
	save(303, url.Values{"password": {"open sesame"}})
	is(403, "readers need a password.")
	if list := s.Status(s.Get(here+"/share", owner), 200).Text; strings.Count(list, "Own access") != 1 {
		t.Error("the table does not say which address has an access of its own")
	}
	page := save(400, url.Values{"readers": {"-1"}}).Text
	if !strings.Contains(page, `id="recipient-readers"`) || strings.Count(page, "10,000") != 1 {
		t.Errorf("what is wrong is not said once, beside the field of the address:\n%s", page)
	}
	save(303, url.Values{"remove": {"all"}})
	is(200, "Readers need nothing")
	save(303, url.Values{"remove": {"own"}})
	is(200, "Readers need what the link asks for.")
}
