package reportpage_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/analytics"
	"vitrine/internal/test/vitrinetest"
	"vitrine/internal/test/webtest"
	"vitrine/report"

	"github.com/chromedp/chromedp"
)

// TestOwnViews checks that the owner's own views are stored, excluded, and
// counted when the owner chooses so, and that nobody else sees the setting.
func TestOwnViews(t *testing.T) {
	s := webtest.NewSite(t)
	l := s.Publish("notes.txt", webtest.Samples["notes.txt"])
	address, owner := "/p/"+string(l.Slug), s.SignIn(s.Account)
	other := s.SignIn(s.Join("other@example.org", vitrine.RoleMember))
	const bar = "Only you see this: your visit is "
	for range 5 {
		if page := s.Status(s.Get(address, owner), 200).Text; !strings.Contains(page, bar+"not counted") ||
			!strings.Contains(page, `href="/links/`+string(l.Slug)+`/analytics"`) {
			t.Fatalf("the owner's page has no bar: %s", page)
		}
	}
	for _, headers := range [][]string{nil, {other}, {"Cookie: vitrine=nonsense"}, {"Accept-Encoding: gzip", owner}} {
		r := s.Status(s.Get(address, headers...), 200)
		if cc := r.Header.Get("Cache-Control"); !strings.Contains(cc, "no-store") {
			t.Errorf("%v: Cache-Control = %q, want no-store", headers, cc)
		}
		if len(headers) < 2 && strings.Contains(r.Text, bar) {
			t.Errorf("%v: a visitor sees the bar", headers)
		}
	}
	numbers := func(views, own, bots int64) {
		t.Helper()
		r, err := s.Server.Analytics.Link(t.Context(), s.Account, string(l.Slug), analytics.In(report.Range7d))
		s.Check(err)
		a, err := s.Server.Analytics.Account(t.Context(), s.Account, analytics.In(report.Range7d))
		s.Check(err)
		for _, n := range []report.Totals{r.Totals, a.Totals} {
			vitrinetest.Equal(t, "views, own, bots", [3]int64{n.Views, n.OwnExcluded, n.BotsExcluded},
				[3]int64{views, own, bots})
		}
		vitrinetest.Equal(t, "all time", a.AllTime.Views, views)
		vitrinetest.Equal(t, "views of the link", s.Counts(l).Views, views)
		if n := int64(0); len(a.Mix) > 0 {
			for _, b := range a.Mix {
				n += b.Count
			}
			vitrinetest.Equal(t, "mix", n, views)
		}
	}
	numbers(3, 6, 0)
	// The owner's reading is not in the list of recent views.
	beacon := s.BeaconOf(s.Get(address, owner).Text)
	s.Ahead.Store(int64(time.Minute))
	s.Status(s.Do(http.MethodPost, beacon, `{"engaged":5000,"present":6000,"depth":90}`, webtest.PlainText), 204)
	r, err := s.Server.Analytics.Link(t.Context(), s.Account, string(l.Slug), analytics.In(report.Range7d))
	s.Check(err)
	if len(r.Recent) != 0 || r.Totals.Sessions != 0 || r.Totals.Atypical != 0 {
		t.Errorf("recent = %v, %d sessions, %d atypical, want none", r.Recent, r.Totals.Sessions, r.Totals.Atypical)
	}

	set := func(count, back string) {
		t.Helper()
		got := s.Status(s.Post("/analytics/own", url.Values{"count": {count}, "back": {back}}, owner),
			http.StatusSeeOther)
		want := back
		if !strings.HasPrefix(back, "/links/") {
			want = "/analytics"
		}
		vitrinetest.Equal(t, "back", got.Header.Get("Location"), want+"#own")
		s.Check(s.Server.OwnViews.Apply(t.Context()))
	}
	set("yes", "/links/"+string(l.Slug)+"/analytics?range=7d")
	numbers(10, 0, 0)
	if page := s.Get(address, owner).Text; !strings.Contains(page, bar+"counted") {
		t.Errorf("the bar does not say that the visit counts: %s", page)
	}
	numbers(11, 0, 0)
	set("no", "https://evil.example/analytics")
	numbers(3, 8, 0)
	s.Status(s.Post("/analytics/own", url.Values{"count": {"perhaps"}}, owner), 400)
	// The setting applies once no process can write with the old one.
	pending := func() (n int) {
		s.Check(s.Server.Links.Store.Read(t.Context(), func(tx vitrine.Tx) error {
			changed, err := tx.Accounts(vitrine.AccountQuery{OwnChanged: true})
			n = len(changed)
			return err
		}))
		return n
	}
	vitrinetest.Equal(t, "accounts to update", pending(), 1)
	s.Ahead.Store(int64(2 * time.Minute))
	s.Check(s.Server.OwnViews.Apply(t.Context()))
	vitrinetest.Equal(t, "accounts to update", pending(), 0)
}

// TestOwnViewsOnOneHost checks that pages of links and the app are on one host,
// so that browsers send the session to both. The host of file bytes has no
// pages of links, and cookies are limited to one host.
func TestOwnViewsOnOneHost(t *testing.T) {
	s := webtest.NewSiteWith(t, webtest.SiteOptions{Content: true})
	l := s.Publish("notes.txt", webtest.Samples["notes.txt"])
	address, owner := "/p/"+string(l.Slug), s.SignIn(s.Account)
	s.Status(s.Get(s.Server.ContentURL.String()+address, owner), http.StatusNotFound)
	s.Status(s.Get(s.Server.ContentURL.String()+"/dashboard", owner), http.StatusNotFound)
	s.CountViews(l, 0)
	if page := s.Status(s.Get(address, owner), 200).Text; !strings.Contains(page, "Only you see this") {
		t.Error("the owner is not recognized")
	}
	r := s.Status(s.Post(s.SignInLink(s.Account), nil), http.StatusSeeOther)
	if len(r.Cookies()) == 0 {
		t.Error("no session cookie")
	}
	for _, c := range r.Cookies() {
		if c.Domain != "" || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode {
			t.Errorf("cookie = %v", c)
		}
	}
	s.Status(s.Get(address), 200)
	for i, v := range s.CountViews(l, 2) {
		if own := v.Bot == "own"; own != (i == 0) {
			t.Errorf("class of view %d = %q", i, v.Bot)
		}
	}
}

// TestBrowserOwnVisits opens a link as its owner. The page says that the visit
// does not count; the visit is in the list of excluded views, where the owner
// includes it.
func TestBrowserOwnVisits(t *testing.T) {
	o := webtest.NewReportSite(t)
	l := o.Links[report.ContentScroll]
	o.AddExcluded(l, [2]string{report.BotAIAssistant, "ChatGPT-User"}, [2]string{report.BotAITraining, "GPTBot"})
	tb := webtest.NewMember(t, o.Site, o.Account)
	tb.Run(chromedp.EmulateViewport(1440, 900), chromedp.Navigate(o.URL+"/p/"+string(l.Slug)))
	tb.Until(`document.querySelector(".own")?.innerText.includes("your visit is not counted")`)
	tb.Run(chromedp.Navigate(o.URL + webtest.StatsPath(l) + "?range=7d"))
	tb.Until(`document.querySelector("#ledger summary").innerText.includes("1 of your own")`)
	tb.Until(`document.querySelector("#by-assistants").innerText.includes("ChatGPT-User")`)
	tb.Run(chromedp.Click("#ledger summary"))
	tb.Accessible("excluded views")
	tb.Run(chromedp.Click("#own button"))
	tb.Until(`location.hash === "#own" && document.querySelector("#ledger").open && document.querySelector("#own").innerText.includes("Count my own visits: on.")`)
	o.Check(o.Server.OwnViews.Apply(t.Context()))
	tb.Run(chromedp.Reload())
	tb.Until(`!document.querySelector("#ledger summary").innerText.includes("of your own")`)
	tb.Quiet()
}
