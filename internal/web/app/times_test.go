package app_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"vitrine/internal/test/webtest"

	"github.com/chromedp/chromedp"
)

// TestLastDayInAccountZone checks that the last day of a link is a day in the
// account's time zone and ends there.
func TestLastDayInAccountZone(t *testing.T) {
	t.Parallel()
	d := webtest.NewDesk(t)
	cookie := d.SignIn(d.Member)
	l := d.Publish("notes.txt", webtest.Samples["notes.txt"])
	at := webtest.LinkPath(l) + "/settings"
	save := func() time.Time {
		d.Status(d.Post(webtest.LinkPath(l)+"/settings", url.Values{"expires": {"2100-03-31"}}, cookie),
			http.StatusSeeOther)
		m, err := d.Server.Links.BySlug(t.Context(), string(l.Slug))
		d.Check(err)
		page := d.Parse(d.Status(d.Get(at, cookie), http.StatusOK).Text)
		if day := page.ID("expires").Attribute("value"); day != "2100-03-31" {
			t.Errorf("last day = %s, want 2100-03-31", day)
		}
		return m.ExpiresAt.UTC()
	}
	if got := save(); got != time.Date(2100, 4, 1, 0, 0, 0, 0, time.UTC) {
		t.Errorf("without a zone the link expires at %s", got)
	}
	d.Status(d.Post(webtest.LinkPath(l)+"/settings", url.Values{"expires": {""}}, cookie), http.StatusSeeOther)
	d.Check(d.Server.Accounts.SetTimeZone(t.Context(), d.Member.ID, "Asia/Kathmandu"))
	if got := save(); got != time.Date(2100, 3, 31, 18, 15, 0, 0, time.UTC) {
		t.Errorf("in Kathmandu the link expires at %s", got)
	}
	if page := d.Get(at, cookie).Text; !strings.Contains(page, "at the end of 31 Mar 2100 (Asia/Kathmandu)") {
		t.Error("the form does not name the time zone")
	}
}

// TestBrowserAccountZone checks that every time in the app is in the account's
// zone, with UTC in the title, whatever the browser's zone.
func TestBrowserAccountZone(t *testing.T) {
	d := webtest.NewDesk(t)
	d.Check(d.Server.Accounts.SetTimeZone(t.Context(), d.Member.ID, "Asia/Kathmandu"))
	tb := d.VisitorOf(d.Member)
	l := d.Publish("notes.txt", webtest.Samples["notes.txt"])
	d.ReadBy(l, 40)
	local := func(at time.Time) string { return at.In(mustZone(t, "Asia/Kathmandu")).Format("15:04") }
	for _, path := range []string{webtest.LinkPath(l), webtest.LinkPath(l) + "/versions",
		webtest.LinkPath(l) + "/analytics?range=all"} {
		tb.Run(chromedp.Navigate(d.URL + path))
		tb.Until(`(() => {
			const times = [...document.querySelectorAll("time[data-local]")];
			return times.length > 0 && times.every((t) => t.title.endsWith("UTC, shown in Asia/Kathmandu"));
		})()`)
	}
	tb.Run(chromedp.Navigate(d.URL + webtest.LinkPath(l) + "/versions"))
	tb.Until(`document.querySelector(".file-versions time").innerText.endsWith("` + local(l.CreatedAt) + `")`)
}

func mustZone(t *testing.T, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// TestKeyFormBeginsWithPublish checks that the form of a new key has the scope
// publish preselected.
func TestKeyFormBeginsWithPublish(t *testing.T) {
	t.Parallel()
	d := webtest.NewDesk(t)
	page := d.Parse(d.Status(d.Get("/keys", d.SignIn(d.Member)), http.StatusOK).Text)
	var checked []string
	for _, input := range page.Tags("input") {
		if input.Attribute("name") == "scope" && input.Has("checked") {
			checked = append(checked, input.Attribute("value"))
		}
	}
	if len(checked) != 1 || checked[0] != "publish" {
		t.Errorf("preselected scopes = %q, want publish", checked)
	}
}
