package reportpage_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/webtest"
	"vitrine/report"
)

// openedBy adds a view through the address of a recipient, some days ago.
func openedBy(d *webtest.Site, l *vitrine.Link, r *vitrine.Recipient, days int) {
	d.T.Helper()
	at := d.Server.Now().Add(-time.Duration(days) * 24 * time.Hour).UnixMilli()
	v := report.View{ID: int64(vitrine.ViewIDAt(at, int(r.Number))), At: at, Link: int64(l.ID), Viewer: uint64(r.Number),
		Recipient: int64(r.ID), Country: "DE", Device: "Desktop", Session: &report.Session{EngagedMs: 42_000, PresentMs: 43_000,
			Pages: []report.PageTime{{Page: 1, Ms: 42_000}}}}
	_, err := d.Log.Append(d.T.Context(), vitrine.Batch{Views: []vitrine.ViewRecord{{Account: l.Account, View: v}}})
	d.Check(err)
}

// read adds recipients to a link that is 60 days old: twelve, two of them with
// a view in the last days and one with an old one, and one that is revoked.
func read(d *webtest.Site) (*vitrine.Link, []*vitrine.Recipient) {
	d.T.Helper()
	l := d.Publish("report.pdf", webtest.Samples["report.pdf"])
	d.Ahead.Add(int64(60 * 24 * time.Hour))
	var names []string
	for i := range 13 {
		names = append(names, fmt.Sprintf("R%02d & Co", i+1))
	}
	names[8] = "A very long name of a recipient, " + strings.Repeat("a channel, ", 9) + "or a person"
	list := d.Recipients(l, names...)
	for i, days := range map[int]int{4: 50, 1: 2, 8: 1, 12: 3} {
		openedBy(d, l, list[i], days)
	}
	_, _, err := d.Server.Recipients.Revoke(d.T.Context(), d.Member, string(l.Slug), list[12].ID)
	d.Check(err)
	return l, list
}

// TestRecipientCard checks the recipients in the report of a link: who has
// opened it, in their order, each with the report of their views alone, and
// that others than the owner do not see them.
func TestRecipientCard(t *testing.T) {
	t.Parallel()
	d := webtest.NewDesk(t)
	l, list := read(d)
	cookie, here := d.SignIn(d.Member), webtest.StatsPath(l)
	page := d.Parse(d.Status(d.Get(here, cookie), http.StatusOK).Text)
	webtest.Same(t, "heading", page.ID("people-title").Text(), "Recipients 3 of 12 opened")
	card := webtest.Document{Node: page.ID("people-title").Parent.Parent}
	rows := card.Tags("tr")[1:]
	var names []string
	for _, row := range rows {
		names = append(names, row.Class("of")[0].Text())
	}
	want := []string{list[8].Label, list[1].Label, list[4].Label}
	for _, i := range []int{0, 2, 3, 5, 6, 7, 9} {
		want = append(want, list[i].Label)
	}
	webtest.Same(t, "rows", strings.Join(names, "\n"), strings.Join(want, "\n"))
	if text := rows[0].Text(); !strings.Contains(text, "42 s") || !strings.Contains(text, "1 of 12 pages") {
		t.Errorf("the first row is %q", text)
	}
	if text := rows[9].Text(); !strings.Contains(text, "Not opened") {
		t.Errorf("the last row is %q", text)
	}
	only := func(href, views string, ranges ...string) {
		t.Helper()
		u, err := url.Parse(href)
		d.Check(err)
		webtest.Same(t, "range of "+href, strings.Join(u.Query()["range"], ""), strings.Join(ranges, ""))
		got := d.Parse(d.Status(d.Get(href, cookie), http.StatusOK).Text)
		webtest.Same(t, "views of "+href, got.ID("card-views").Class("value")[0].Text(), views)
		webtest.Same(t, "heading of "+href, got.ID("people-title").Text(), "Recipients 3 of 12 opened")
	}
	address := func(i int) string { return rows[i].Class("of")[0].Tags("a")[0].Attribute("href") }
	only(address(0), "1", "30d")
	only(address(2), "1", "all") // it has no view in the range
	only(address(3), "0", "30d")
	acts := card.Class("acts")[0].Tags("a")[0]
	webtest.Same(t, "all recipients", acts.Attribute("href"), "/links/"+string(l.Slug)+"/share#recipients")
	if !strings.Contains(d.Status(d.Get("/links/"+string(l.Slug)+"/share", cookie), http.StatusOK).Text, `id="recipients"`) {
		t.Error("the tab has no such place")
	}

	picks := func(path string) (texts []string) {
		for _, a := range d.Parse(d.Get(path, cookie).Text).ID("add-filter").Tags("a") {
			if strings.Contains(a.Attribute("href"), "recipient%3Ais%3A") {
				texts = append(texts, a.Text())
			}
		}
		return texts
	}
	webtest.Same(t, "recipients to filter by", strings.Join(picks(here), "\n"),
		strings.Join([]string{list[8].Label + " 1", list[1].Label + " 1", list[12].Label + " 1", list[4].Label + " 0"}, "\n"))
	phones := picks(here + "?filter=device:is:Mobile")
	if len(phones) != 4 || slices.ContainsFunc(phones, func(text string) bool { return !strings.HasSuffix(text, " 0") }) {
		t.Errorf("among the views on phones: %q", phones)
	}
	for i := range 10 { // more than the bar has, and newer visits than the page has
		if i != 8 && i != 1 {
			openedBy(d, l, list[i], 2)
		}
	}
	for i := range 30 {
		d.OpenNow(l, uint64(100+i))
	}
	if got := picks(here); len(got) != 11 || !slices.Contains(got, list[0].Label+" 1") {
		t.Errorf("recipients to filter by: %q", got)
	}
	if strings.Contains(d.Get("/analytics", cookie).Text, `id="people-title"`) {
		t.Error("the report of all links has recipients")
	}
	shared := d.Parse(d.Status(d.Post(here+"/share", url.Values{}, cookie), http.StatusOK).Text).ID("shared-address").Text()
	text := d.Status(d.Get(strings.TrimPrefix(shared, d.Server.PublicURL.String())), http.StatusOK).Text
	if strings.Contains(text, "people-title") || strings.Contains(text, "R02") {
		t.Error("a shared report names recipients")
	}
	d.Status(d.Get(here, d.SignIn(d.Join("stranger@example.org", vitrine.RoleMember))), http.StatusNotFound)
}

// TestBrowserRecipientCard looks at the card in all windows.
func TestBrowserRecipientCard(t *testing.T) {
	d := webtest.NewDesk(t)
	l, _ := read(d)
	d.MemberTab(d.Member, webtest.StatsPath(l)).CheckWindows("recipients in a report")
}
