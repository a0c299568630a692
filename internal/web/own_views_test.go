package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/test/vitrinetest"
	"vitrine/internal/visitor"
	"vitrine/report"
)

// TestOwnViews checks that the owner's own views are stored, excluded, and
// counted when the owner chooses so, and that nobody else sees the setting.
func TestOwnViews(t *testing.T) {
	s := newSite(t)
	l := s.publish("notes.txt", samples["notes.txt"])
	address, owner := "/p/"+string(l.Slug), s.signIn(s.account)
	other := s.signIn(s.join("other@example.org", vitrine.RoleMember))
	const bar = "Only you see this: your visit is "
	for range 5 {
		if page := s.status(s.get(address, owner), 200).body; !strings.Contains(page, bar+"not counted") ||
			!strings.Contains(page, `href="/links/`+string(l.Slug)+`/analytics"`) {
			t.Fatalf("the owner's page has no bar: %s", page)
		}
	}
	for _, headers := range [][]string{nil, {other}, {"Cookie: vitrine=nonsense"}, {"Accept-Encoding: gzip", owner}} {
		r := s.status(s.get(address, headers...), 200)
		if cc := r.Header.Get("Cache-Control"); !strings.Contains(cc, "no-store") {
			t.Errorf("%v: Cache-Control = %q, want no-store", headers, cc)
		}
		if len(headers) < 2 && strings.Contains(r.body, bar) {
			t.Errorf("%v: a visitor sees the bar", headers)
		}
	}
	numbers := func(views, own, bots int64) {
		t.Helper()
		r, err := s.server.Analytics.Link(t.Context(), s.account, string(l.Slug), analytics.In(report.Range7d))
		s.check(err)
		a, err := s.server.Analytics.Account(t.Context(), s.account, analytics.In(report.Range7d))
		s.check(err)
		for _, n := range []report.Totals{r.Totals, a.Totals} {
			vitrinetest.Equal(t, "views, own, bots", [3]int64{n.Views, n.OwnExcluded, n.BotsExcluded},
				[3]int64{views, own, bots})
		}
		vitrinetest.Equal(t, "all time", a.AllTime.Views, views)
		vitrinetest.Equal(t, "views of the link", s.counts(l).Views, views)
		if n := int64(0); len(a.Mix) > 0 {
			for _, b := range a.Mix {
				n += b.Count
			}
			vitrinetest.Equal(t, "mix", n, views)
		}
	}
	numbers(3, 6, 0)
	// The owner's reading is not in the list of recent views.
	beacon := s.beaconOf(s.get(address, owner).body)
	s.ahead.Store(int64(time.Minute))
	s.status(s.do(http.MethodPost, beacon, `{"engaged":5000,"present":6000,"depth":90}`, plainText), 204)
	r, err := s.server.Analytics.Link(t.Context(), s.account, string(l.Slug), analytics.In(report.Range7d))
	s.check(err)
	if len(r.Recent) != 0 || r.Totals.Sessions != 0 || r.Totals.Atypical != 0 {
		t.Errorf("recent = %v, %d sessions, %d atypical, want none", r.Recent, r.Totals.Sessions, r.Totals.Atypical)
	}

	set := func(count, back string) {
		t.Helper()
		got := s.status(s.post("/analytics/own", url.Values{"count": {count}, "back": {back}}, owner),
			http.StatusSeeOther)
		want := back
		if !strings.HasPrefix(back, "/links/") {
			want = "/analytics"
		}
		vitrinetest.Equal(t, "back", got.Header.Get("Location"), want+"#own")
		s.check(s.server.OwnViews.Apply(t.Context()))
	}
	set("yes", "/links/"+string(l.Slug)+"/analytics?range=7d")
	numbers(10, 0, 0)
	if page := s.get(address, owner).body; !strings.Contains(page, bar+"counted") {
		t.Errorf("the bar does not say that the visit counts: %s", page)
	}
	numbers(11, 0, 0)
	set("no", "https://evil.example/analytics")
	numbers(3, 8, 0)
	s.status(s.post("/analytics/own", url.Values{"count": {"perhaps"}}, owner), 400)
	// The setting applies once no process can write with the old one.
	pending := func() (n int) {
		s.check(s.server.Links.Store.Read(t.Context(), func(tx vitrine.Tx) error {
			changed, err := tx.Accounts(vitrine.AccountQuery{OwnChanged: true})
			n = len(changed)
			return err
		}))
		return n
	}
	vitrinetest.Equal(t, "accounts to settle", pending(), 1)
	s.ahead.Store(int64(2 * time.Minute))
	s.check(s.server.OwnViews.Apply(t.Context()))
	vitrinetest.Equal(t, "accounts to settle", pending(), 0)
}

// TestOwnViewsOnOneHost checks that pages of links and the app are on one host,
// so that browsers send the session to both. The host of file bytes has no
// pages of links, and cookies are limited to one host.
func TestOwnViewsOnOneHost(t *testing.T) {
	s := newSiteWith(t, siteOptions{content: true})
	l := s.publish("notes.txt", samples["notes.txt"])
	address, owner := "/p/"+string(l.Slug), s.signIn(s.account)
	s.status(s.get(s.server.ContentURL.String()+address, owner), http.StatusNotFound)
	s.status(s.get(s.server.ContentURL.String()+"/dashboard", owner), http.StatusNotFound)
	s.countOpens(l, 0)
	if page := s.status(s.get(address, owner), 200).body; !strings.Contains(page, "Only you see this") {
		t.Error("the owner is not recognized")
	}
	r := s.status(s.post(s.signInLink(s.account), nil), http.StatusSeeOther)
	if len(r.Cookies()) == 0 {
		t.Error("no session cookie")
	}
	for _, c := range r.Cookies() {
		if c.Domain != "" || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode {
			t.Errorf("cookie = %v", c)
		}
	}
	s.status(s.get(address), 200)
	for i, o := range s.countOpens(l, 2) {
		if own := o.Bot == "own"; own != (i == 0) {
			t.Errorf("class of view %d = %q", i, o.Bot)
		}
	}
}

// TestBrowserOwnVisits opens a link as its owner. The page says that the visit
// does not count; the visit is in the list of excluded views, where the owner
// includes it.
func TestBrowserOwnVisits(t *testing.T) {
	o := newReportSite(t)
	l := o.links[report.ContentScroll]
	o.addExcluded(l, [2]string{visitor.BotAIAssistant, "ChatGPT-User"}, [2]string{visitor.BotAITraining, "GPTBot"})
	tb := newMember(t, o.site, o.account)
	tb.run(chromedp.EmulateViewport(1440, 900), chromedp.Navigate(o.url+"/p/"+string(l.Slug)))
	tb.until(`document.querySelector(".own")?.innerText.includes("your visit is not counted")`)
	tb.run(chromedp.Navigate(o.url + statsPath(l) + "?range=7d"))
	tb.until(`document.querySelector("#ledger summary").innerText.includes("1 of your own")`)
	tb.until(`document.querySelector("#by-assistants").innerText.includes("ChatGPT-User")`)
	tb.run(chromedp.Click("#ledger summary"))
	tb.accessible("excluded views")
	tb.run(chromedp.Click("#own button"))
	tb.until(`location.hash === "#own" && document.querySelector("#ledger").open && document.querySelector("#own").innerText.includes("Count my own visits: on.")`)
	o.check(o.server.OwnViews.Apply(t.Context()))
	tb.run(chromedp.Reload())
	tb.until(`!document.querySelector("#ledger summary").innerText.includes("of your own")`)
	tb.quiet()
}
