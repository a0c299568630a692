package web_test

import (
	"context"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/analytics"
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
	o := newReportSite(t)
	o.trustProxy()
	l := o.publish("letter.txt", samples["notes.txt"])
	there := network.SetExtraHTTPHeaders(network.Headers{"X-Forwarded-For": gateway})
	numbers := func(views, scanners int64) *report.LinkReport {
		t.Helper()
		r, err := o.server.Analytics.Link(t.Context(), o.account, string(l.Slug), analytics.In(report.Range7d))
		o.check(err)
		same(t, "views", r.Totals.Views, views)
		same(t, "excluded", r.Totals.BotsExcluded, scanners)
		same(t, "counted", o.counts(l).Views, views)
		return r
	}
	scanner := newTab(t, there, emulation.SetScriptExecutionDisabled(true), o.page(l))
	page := o.get("/p/"+string(l.Slug), "User-Agent: "+reader,
		"X-Forwarded-For: "+gateway).body // the request of a program
	numbers(0, 2)
	person := newTab(t, there, withClock(), o.page(l))
	numbers(0, 3)
	o.tick(person, 3*time.Second)
	person.leave()
	eventually(t, "a view that counts", func() bool { return o.counts(l).Views == 1 })
	numbers(1, 2)

	o.ahead.Add(int64(25 * time.Hour)) // tokens are valid for a day
	late := o.do(http.MethodPost, o.beaconOf(page), `{"engaged":5000,"present":6000,"depth":90}`, plainText)
	if late.StatusCode < 400 {
		t.Errorf("beacon after the life of its token: %s, want an error", late.Status)
	}
	o.ahead.Add(int64(24 * time.Hour))
	r := numbers(1, 2)
	for _, view := range o.views(l) {
		if view.At >= r.FinalUntil.UnixMilli() {
			t.Errorf("a view at %d is not final before %v", view.At, r.FinalUntil)
		}
	}
	owner := newMember(t, o.site, o.account)
	owner.run(chromedp.EmulateViewport(1440, 900), chromedp.Navigate(o.url+statsPath(l)+"?range=7d"))
	owner.until(`document.querySelector("#ledger summary").innerText.includes("2 bot views excluded")`)
	owner.run(chromedp.Click("#ledger summary"))
	owner.until(`/Mail scanner[^]*Microsoft 2/.test(document.querySelector("#ledger table").innerText)`)
	scanner.quiet()
	person.quiet()
	owner.quiet()
}

// TestBrowserSignedOut signs the owner out and in again in one browser. Views
// while nobody is signed in count.
func TestBrowserSignedOut(t *testing.T) {
	o := newReportSite(t)
	l := o.publish("letter.txt", samples["notes.txt"])
	tb := newMember(t, o.site, o.account)
	opens := func(own bool, counted, ownViews int64) {
		t.Helper()
		tb.run(chromedp.EmulateViewport(1440, 900), o.page(l))
		if shown := tb.has(".own"); shown != own {
			t.Errorf("the bar for own visits is shown: %v, want %v", shown, own)
		}
		r, err := o.server.Analytics.Link(t.Context(), o.account, string(l.Slug), analytics.In(report.Range7d))
		o.check(err)
		same(t, "views", r.Totals.Views, counted)
		same(t, "own", r.Totals.OwnExcluded, ownViews)
	}
	opens(true, 0, 1)
	tb.run(chromedp.Navigate(o.url + "/dashboard"))
	tb.until(`document.querySelector("form[action='/sign-out'] button") !== null`)
	tb.run(chromedp.Evaluate(`document.querySelector("form[action='/sign-out'] button").click()`, nil))
	tb.until(`location.pathname !== "/dashboard" && document.readyState === "complete"`)
	opens(false, 1, 1)
	opens(false, 2, 1)
	tb.run(chromedp.Navigate(o.url + o.signInLink(o.account)))
	tb.until(`document.querySelector("main form button") !== null`)
	tb.run(chromedp.Click("main form button"))
	tb.until(`location.pathname === "/dashboard"`)
	opens(true, 2, 2)
	// Another member of the instance counts like any reader.
	other := newMember(t, o.site, o.member)
	other.run(o.page(l))
	if other.has(".own") {
		t.Error("another member sees the bar for own visits")
	}
	same(t, "views", o.counts(l).Views, 3)
	tb.quiet()
	other.quiet()
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
			s := newSiteWith(t, siteOptions{now: func() time.Time { return to.Add(time.Hour) }})
			s.check(s.server.Accounts.SetTimeZone(t.Context(), s.account.ID, c.zone))
			l := s.publish("notes.txt", samples["notes.txt"])
			want := s.everyQuarter(l, from, to)
			tb := newMember(t, s, s.account)
			tb.run(inZone(c.zone), chromedp.EmulateViewport(1440, 900),
				chromedp.Navigate(s.url+statsPath(l)+"?granularity=hour&from="+c.day+"&to="+c.day))
			tb.until(`document.querySelector("#series tbody tr") !== null`)
			var got, marks []string
			tb.run(chromedp.Evaluate(`[...document.querySelectorAll("#series tbody tr")].map((tr) =>
				tr.querySelector("time").textContent.match(/\d\d(?=:\d\d)/)[0] + " " + tr.querySelector("data").value)`, &got),
				chromedp.Evaluate(`[...document.querySelectorAll(".over-time .marks g")].map((g) => g.tagName)`,
					&marks))
			same(t, "hours", strings.Join(got, ", "), strings.Join(want, ", "))
			// The heat map has each hour of the clock once, however often it
			// occurred.
			var heat, ofDay [24]int
			for _, hour := range want {
				ofDay[number(t, hour[:2])] += number(t, hour[3:])
			}
			tb.run(chromedp.Evaluate(`[...[...document.querySelectorAll(".heat tbody tr")]
				.find((tr) => tr.cells[25].textContent !== "0").cells].slice(1, 25).map((td) => Number(td.textContent))`, &heat))
			same(t, "heat map", heat, ofDay)

			// Visits are shown in the browser's time zone. The second page has
			// those of the night.
			all := s.views(l)
			slices.Reverse(all)
			var times, shown []string
			for _, view := range all[50:100] {
				times = append(times, time.UnixMilli(view.At).In(zone).Format("15:04"))
			}
			tb.run(chromedp.Navigate(s.url + statsPath(l) + "/visits"))
			tb.until(`document.querySelector("a[rel=next]") !== null`)
			tb.run(chromedp.Click("a[rel=next]"))
			tb.until(`document.querySelector("a[rel=next]").href !== "" && location.search.includes("cursor=") &&
				document.querySelector("time[data-local]").title !== ""`)
			tb.run(chromedp.Evaluate(`[...document.querySelectorAll(".visits time[data-local]")].map((time) =>
				time.textContent.slice(-5))`, &shown))
			same(t, "times of visits", strings.Join(shown, " "), strings.Join(times, " "))
			same(t, "hours of the day", len(got), c.hours)
			same(t, "marks of the chart", len(marks), c.hours)
			tb.quiet()
		})
	}
}

// everyQuarter views a link every quarter of an hour, from before a day to
// after it. It returns the hours of the day with their number of views.
func (s *site) everyQuarter(l *vitrine.Link, from, to time.Time) (hours []string) {
	s.t.Helper()
	var b vitrine.Batch
	var last string
	n := 0
	for at := from.Add(-3 * time.Hour); at.Before(to.Add(time.Hour)); at = at.Add(15 * time.Minute) {
		b.Views = append(b.Views, vitrine.ViewRecord{Account: l.Account, View: report.View{
			ID: int64(vitrine.ViewIDAt(at.UnixMilli(), 0)), At: at.UnixMilli(), Link: int64(l.ID),
			Viewer: uint64(len(b.Views) + 1)}})
		if at.Before(from) || !at.Before(to) {
			continue
		}
		if hour := at.Format("15 -07:00"); hour != last {
			hours, last, n = append(hours, ""), hour, 0
		}
		n++
		hours[len(hours)-1] = last[:2] + " " + strconv.Itoa(n)
	}
	done, err := s.log.Append(s.t.Context(), b)
	s.check(err)
	for _, err := range done.Refused {
		s.check(err)
	}
	return hours
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
