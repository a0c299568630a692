package public_test

import (
	"context"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"vitrine/internal/app/analytics"
	"vitrine/internal/test/webtest"
	"vitrine/internal/visitor"
	"vitrine/report"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// TestBrowserMailNetwork checks views from a network of mail scanners. A
// browser whose page is read counts as a person. One without scripts counts as
// a scanner, which is final once its page can send no more beacons.
func TestBrowserMailNetwork(t *testing.T) {
	const gateway = "104.47.1.7"
	if visitor.MailNetwork(netip.MustParseAddr(gateway)) != "Microsoft" {
		t.Fatal(gateway + " is in no network of mail scanners")
	}
	o := webtest.NewReportSite(t)
	o.TrustProxy()
	l := o.Publish("letter.txt", webtest.Samples["notes.txt"])
	there := network.SetExtraHTTPHeaders(network.Headers{"X-Forwarded-For": gateway})
	numbers := func(views, scanners int64) *report.LinkReport {
		t.Helper()
		r, err := o.Server.Analytics.Link(t.Context(), o.Account, string(l.Slug), analytics.In(report.Range7d))
		o.Check(err)
		webtest.Same(t, "views", r.Totals.Views, views)
		webtest.Same(t, "excluded", r.Totals.BotsExcluded, scanners)
		webtest.Same(t, "counted", o.Counts(l).Views, views)
		return r
	}
	scanner := webtest.NewTab(t, there, emulation.SetScriptExecutionDisabled(true), o.Page(l))
	page := o.Get("/p/"+string(l.Slug), "User-Agent: "+webtest.Reader,
		"X-Forwarded-For: "+gateway).Text // the request of a program
	numbers(0, 2)
	person := webtest.NewTab(t, there, webtest.WithClock(), o.Page(l))
	numbers(0, 3)
	o.Tick(person, 3*time.Second)
	person.Leave()
	webtest.Eventually(t, "a view that counts", func() bool { return o.Counts(l).Views == 1 })
	numbers(1, 2)

	o.Ahead.Add(int64(25 * time.Hour)) // tokens are valid for a day
	late := o.Do(http.MethodPost, o.BeaconOf(page), `{"engaged":5000,"present":6000,"depth":90}`, webtest.PlainText)
	if late.StatusCode < 400 {
		t.Errorf("beacon after the life of its token: %s, want an error", late.Status)
	}
	o.Ahead.Add(int64(24 * time.Hour))
	r := numbers(1, 2)
	for _, view := range o.Views(l) {
		if view.At >= r.FinalUntil.UnixMilli() {
			t.Errorf("a view at %d is not final before %v", view.At, r.FinalUntil)
		}
	}
	owner := webtest.NewMember(t, o.Site, o.Account)
	owner.Run(chromedp.EmulateViewport(1440, 900), chromedp.Navigate(o.URL+webtest.StatsPath(l)+"?range=7d"))
	owner.Until(`document.querySelector("#ledger summary").innerText.includes("2 bot views excluded")`)
	owner.Run(chromedp.Click("#ledger summary"))
	owner.Until(`/Mail scanner[^]*Microsoft 2/.test(document.querySelector("#ledger table").innerText)`)
	scanner.Quiet()
	person.Quiet()
	owner.Quiet()
}

// TestBrowserSignedOut signs the owner out and in again in one browser. Views
// while nobody is signed in count.
func TestBrowserSignedOut(t *testing.T) {
	o := webtest.NewReportSite(t)
	l := o.Publish("letter.txt", webtest.Samples["notes.txt"])
	tb := webtest.NewMember(t, o.Site, o.Account)
	opens := func(own bool, counted, ownViews int64) {
		t.Helper()
		tb.Run(chromedp.EmulateViewport(1440, 900), o.Page(l))
		if shown := tb.Has(".own"); shown != own {
			t.Errorf("the bar for own visits is shown: %v, want %v", shown, own)
		}
		r, err := o.Server.Analytics.Link(t.Context(), o.Account, string(l.Slug), analytics.In(report.Range7d))
		o.Check(err)
		webtest.Same(t, "views", r.Totals.Views, counted)
		webtest.Same(t, "own", r.Totals.OwnExcluded, ownViews)
	}
	opens(true, 0, 1)
	tb.Run(chromedp.Navigate(o.URL + "/dashboard"))
	tb.Until(`document.querySelector("form[action='/sign-out'] button") !== null`)
	tb.Run(chromedp.Evaluate(`document.querySelector("form[action='/sign-out'] button").click()`, nil))
	tb.Until(`location.pathname !== "/dashboard" && document.readyState === "complete"`)
	opens(false, 1, 1)
	opens(false, 2, 1)
	tb.Run(chromedp.Navigate(o.URL + o.SignInLink(o.Account)))
	tb.Until(`document.querySelector("main form button") !== null`)
	tb.Run(chromedp.Click("main form button"))
	tb.Until(`location.pathname === "/dashboard"`)
	opens(true, 2, 2)
	// Another member of the instance counts like any reader.
	other := webtest.NewMember(t, o.Site, o.Member)
	other.Run(o.Page(l))
	if other.Has(".own") {
		t.Error("another member sees the bar for own visits")
	}
	webtest.Same(t, "views", o.Counts(l).Views, 3)
	tb.Quiet()
	other.Quiet()
}

// TestBrowserClockChange checks that on a day with a daylight saving change the
// report has each hour as often as the day has it, and each view in one of
// them, also where clocks change by half an hour.
func TestBrowserClockChange(t *testing.T) {
	for _, c := range []struct {
		zone  string
		day   string
		hours int
	}{
		{"Australia/Lord_Howe", "2026-04-05", 25}, {"Australia/Lord_Howe", "2026-10-04", 24},
		{"Europe/Berlin", "2026-10-25", 25}, {"Europe/Berlin", "2026-03-29", 23},
	} {
		t.Run(strings.ReplaceAll(c.zone, "/", " ")+" "+c.day, func(t *testing.T) {
			zone, err := time.LoadLocation(c.zone)
			if err != nil {
				t.Fatal(err)
			}
			from, err := time.ParseInLocation(time.DateOnly, c.day, zone)
			if err != nil {
				t.Fatal(err)
			}
			to := from.AddDate(0, 0, 1)
			s := webtest.NewSiteWith(t, webtest.SiteOptions{Now: func() time.Time { return to.Add(time.Hour) }})
			s.Check(s.Server.Accounts.SetTimeZone(t.Context(), s.Account.ID, c.zone))
			l := s.Publish("notes.txt", webtest.Samples["notes.txt"])
			want := s.EveryQuarter(l, from, to)
			tb := webtest.NewMember(t, s, s.Account)
			tb.Run(inZone(c.zone), chromedp.EmulateViewport(1440, 900),
				chromedp.Navigate(s.URL+webtest.StatsPath(l)+"?granularity=hour&from="+c.day+"&to="+c.day))
			tb.Until(`document.querySelector("#series tbody tr") !== null`)
			var got, marks []string
			tb.Run(chromedp.Evaluate(`[...document.querySelectorAll("#series tbody tr")].map((tr) =>
				tr.querySelector("time").textContent.match(/\d\d(?=:\d\d)/)[0] + " " + tr.querySelector("data").value)`, &got),
				chromedp.Evaluate(`[...document.querySelectorAll(".over-time .marks g")].map((g) => g.tagName)`,
					&marks))
			webtest.Same(t, "hours", strings.Join(got, ", "), strings.Join(want, ", "))
			// The heat map has each hour of the clock once, however often it
			// occurred.
			var heat, ofDay [24]int
			for _, hour := range want {
				ofDay[number(t, hour[:2])] += number(t, hour[3:])
			}
			tb.Run(chromedp.Evaluate(`[...[...document.querySelectorAll(".heat tbody tr")]
				.find((tr) => tr.cells[25].textContent !== "0").cells].slice(1, 25).map((td) => Number(td.textContent))`, &heat))
			webtest.Same(t, "heat map", heat, ofDay)

			// Visits are shown in the browser's time zone. The second page has
			// those of the night.
			all := s.Views(l)
			slices.Reverse(all)
			var times, shown []string
			for _, view := range all[50:100] {
				times = append(times, time.UnixMilli(view.At).In(zone).Format("15:04"))
			}
			tb.Run(chromedp.Navigate(s.URL + webtest.StatsPath(l) + "/visits"))
			tb.Until(`document.querySelector("a[rel=next]") !== null`)
			tb.Run(chromedp.Click("a[rel=next]"))
			tb.Until(`document.querySelector("a[rel=next]").href !== "" && location.search.includes("cursor=") &&
				document.querySelector("time[data-local]").title !== ""`)
			tb.Run(chromedp.Evaluate(`[...document.querySelectorAll(".visits time[data-local]")].map((time) =>
				time.textContent.slice(-5))`, &shown))
			webtest.Same(t, "times of visits", strings.Join(shown, " "), strings.Join(times, " "))
			webtest.Same(t, "hours of the day", len(got), c.hours)
			webtest.Same(t, "marks of the chart", len(marks), c.hours)
			tb.Quiet()
		})
	}
}

func number(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// inZone sets the time zone of the browser.
func inZone(zone string) chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) error { return emulation.SetTimezoneOverride(zone).Do(ctx) })
}
