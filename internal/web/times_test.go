package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// TestLastDayInAccountZone checks that the last day of a link is a day in the
// account's time zone and ends there.
func TestLastDayInAccountZone(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	cookie := d.signIn(d.member)
	l := d.publish("notes.txt", samples["notes.txt"])
	at := linkPath(l) + "/settings"
	save := func() time.Time {
		d.status(d.post(linkPath(l)+"/settings", url.Values{"expires": {"2100-03-31"}}, cookie), http.StatusSeeOther)
		m, err := d.server.Links.BySlug(t.Context(), string(l.Slug))
		d.check(err)
		page := d.parse(d.status(d.get(at, cookie), http.StatusOK).body)
		if day := page.id("expires").attr("value"); day != "2100-03-31" {
			t.Errorf("last day = %s, want 2100-03-31", day)
		}
		return m.ExpiresAt.UTC()
	}
	if got := save(); got != time.Date(2100, 4, 1, 0, 0, 0, 0, time.UTC) {
		t.Errorf("without a zone the link expires at %s", got)
	}
	d.status(d.post(linkPath(l)+"/settings", url.Values{"expires": {""}}, cookie), http.StatusSeeOther)
	d.check(d.server.Accounts.SetTimeZone(t.Context(), d.member.ID, "Asia/Kathmandu"))
	if got := save(); got != time.Date(2100, 3, 31, 18, 15, 0, 0, time.UTC) {
		t.Errorf("in Kathmandu the link expires at %s", got)
	}
	if page := d.get(at, cookie).body; !strings.Contains(page, "at the end of 31 Mar 2100 (Asia/Kathmandu)") {
		t.Error("the form does not name the time zone")
	}
}

// TestBrowserAccountZone checks that every time in the app is in the account's
// zone, with UTC in the title, whatever the browser's zone.
func TestBrowserAccountZone(t *testing.T) {
	d := newDesk(t)
	d.check(d.server.Accounts.SetTimeZone(t.Context(), d.member.ID, "Asia/Kathmandu"))
	tb := d.visitorOf(d.member)
	l := d.publish("notes.txt", samples["notes.txt"])
	d.readBy(l, 40)
	local := func(at time.Time) string { return at.In(mustZone(t, "Asia/Kathmandu")).Format("15:04") }
	for _, path := range []string{linkPath(l), linkPath(l) + "/versions", linkPath(l) + "/analytics?range=all"} {
		tb.run(chromedp.Navigate(d.url + path))
		tb.until(`(() => {
			const times = [...document.querySelectorAll("time[data-local]")];
			return times.length > 0 && times.every((t) => t.title.endsWith("UTC, shown in Asia/Kathmandu"));
		})()`)
	}
	tb.run(chromedp.Navigate(d.url + linkPath(l) + "/versions"))
	tb.until(`document.querySelector(".file-versions time").innerText.endsWith("` + local(l.CreatedAt) + `")`)
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
	d := newDesk(t)
	page := d.parse(d.status(d.get("/keys", d.signIn(d.member)), http.StatusOK).body)
	var checked []string
	for _, input := range page.tags("input") {
		if input.attr("name") == "scope" && input.has("checked") {
			checked = append(checked, input.attr("value"))
		}
	}
	if len(checked) != 1 || checked[0] != "publish" {
		t.Errorf("preselected scopes = %q, want publish", checked)
	}
}

// has reports whether an element has an attribute.
func (d document) has(name string) bool {
	for _, a := range d.Attr {
		if a.Key == name {
			return true
		}
	}
	return false
}
