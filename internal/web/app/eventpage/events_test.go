package eventpage_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/app/fleet"
	"vitrine/internal/base/signer"
	"vitrine/internal/test/mailtest"
	"vitrine/internal/test/webtest"
)

// TestEventsPage checks the list of events with its filters, and the choice of
// mails without a mail server and with one.
func TestEventsPage(t *testing.T) {
	d := webtest.NewDesk(t)
	cookie := d.SignIn(d.Member)
	l := d.Publish("notes.txt", webtest.Samples["notes.txt"])
	here := "/links/" + string(l.Slug)
	shows := func(path string, all ...string) {
		t.Helper()
		page := d.Status(d.Get(path, cookie), http.StatusOK).Text
		for _, want := range all {
			has := strings.Contains(page, strings.TrimPrefix(want, "!"))
			if has == strings.HasPrefix(want, "!") {
				t.Errorf("%s: wrong about %q:\n%s", path, want, page)
			}
		}
	}
	live := `<td>Link is live</td><td dir="auto"><a href="` + here + `">notes</a>`
	shows("/events", live, `<td>Sign-in from a new browser</td>`)
	shows("/events?type=link.live", live, `!<td>Sign-in from a new browser</td>`)
	shows("/events?link="+url.QueryEscape("http://share.example/p/"+string(l.Slug)), live, `!<td>Sign-in`)
	shows("/events?link=nothing", "No matching events.")
	shows("/events?type=view", "No matching events.")
	d.Status(d.Get("/events?before=x", cookie), http.StatusBadRequest)
	anna := d.Recipients(l, "Anna & Co")[0]
	d.Check(d.Server.Accounts.Store.Update(t.Context(), func(tx vitrine.Tx) error {
		return tx.AddEvent(&vitrine.Event{Account: l.Account, At: l.CreatedAt, Kind: vitrine.EventDownload, Link: l.ID, Ref: 1,
			Data: fmt.Appendf(nil, `{"visit":{"recipient":"%d","device":"Desktop"}}`, anna.ID)})
	}))
	shows("/events?type=download", `<td class="soft" dir="auto">Anna &amp; Co · Desktop</td>`)
	shows("/events/mail", "has no mail server", "vitrine events --follow", `name="firstView"`, `!name="instance"`)
	shows(here, "Events of this link", "!/bell")
	_, mailer := mailtest.New(t)
	d.Server.Notify.Outbox = &fleet.Outbox{Store: d.Server.Accounts.Store, Mailer: mailer, Now: d.Server.Accounts.Now}
	shows("/events/mail", "They go to "+d.Member.Email, "!has no mail server")
	shows(here, `action="`+here+`/bell"`, "Stop mails about this link")
	bell := func(fields url.Values, back string, want vitrine.Bell) {
		t.Helper()
		r := d.Status(d.Post(here+"/bell", fields, cookie), http.StatusSeeOther)
		if at := r.Header.Get("Location"); !strings.HasPrefix(at, back+"?") {
			t.Errorf("a bell leads to %s, want %s", at, back)
		}
		now, err := d.Server.Links.BySlug(t.Context(), string(l.Slug))
		if d.Check(err); now.Bell != want {
			t.Errorf("bell = %q, want %q", now.Bell, want)
		}
	}
	bell(url.Values{"notify": {"off"}}, here, vitrine.BellOff)
	shows(here, "Mail me when it is viewed", "!Stop mails about this link")
	for _, tab := range []string{"/analytics", "/share", "/settings"} {
		shows(here+tab, `name="tab" value="`+tab+`"`)
		fields := url.Values{"notify": {"off"}, "tab": {tab}}
		bell(fields, here+tab, vitrine.BellOff)
		d.Follow(d.Post(here+"/bell", fields, cookie), cookie)
	}
	bell(url.Values{"notify": {"daily"}, "settings": {"yes"}}, here+"/settings", vitrine.BellDaily)
	shows(here+"/settings", `<option value="daily" selected>`)
	d.Status(d.Post(here+"/bell", url.Values{"notify": {"x"}}, cookie), http.StatusBadRequest)
	d.Status(d.Post("/events/mail", url.Values{"firstView": {"yes"}}, cookie), http.StatusSeeOther)
	a, err := vitrine.Read(t.Context(), d.Server.Accounts.Store,
		func(tx vitrine.Tx) (*vitrine.Account, error) { return tx.Account(d.Member.ID) })
	d.Check(err)
	if off := a.NoMail; !strings.Contains(off, "alert") || strings.Contains(off, "firstView") {
		t.Errorf("mails that are off: %q", off)
	}
}

// TestStopMail checks that an address in a mail shows a button, that only a
// POST ends the mails, also by a mail program without a session, and that no
// other site's form does.
func TestStopMail(t *testing.T) {
	d := webtest.NewDesk(t)
	at := "/mail/" + d.Server.Signer.StopToken(signer.Stop{Account: d.Member.ID, Mail: "alert"})
	off := func(want string) {
		t.Helper()
		a, err := vitrine.Read(t.Context(), d.Server.Accounts.Store,
			func(tx vitrine.Tx) (*vitrine.Account, error) { return tx.Account(d.Member.ID) })
		if d.Check(err); a.NoMail != want {
			t.Errorf("mails that are off: %q, want %q", a.NoMail, want)
		}
	}
	page := d.Status(d.Get(at), http.StatusOK)
	if !strings.Contains(page.Text, "Stop these mails") {
		t.Errorf("the page has no button:\n%s", page.Text)
	}
	off("")
	click := url.Values{"List-Unsubscribe": {"One-Click"}}
	post := func(headers ...string) webtest.Reply {
		return d.Do(http.MethodPost, at, click.Encode(), append(headers, webtest.Form)...)
	}
	d.Status(post("Sec-Fetch-Site: cross-site", "Origin: https://evil.example"), http.StatusForbidden)
	off("")
	for range 2 {
		if page = d.Status(post(), http.StatusOK); !strings.Contains(page.Text, "You get no more mails") {
			t.Errorf("the answer to one click:\n%s", page.Text)
		}
		off("alert")
	}
	d.Status(d.Get(at+"x"), http.StatusNotFound)
	d.Status(d.Post("/mail/nothing", click), http.StatusNotFound)
}
