package reportpage_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/webtest"
	"vitrine/report"
)

// TestVisitMarks checks what pages say of visits that are not like others. The
// recent visits are those that count, measured or not, for the owner and for
// the reader of a shared report. The list of all visits has the others. Nothing
// is said of how a visit ended while it goes on; when it has ended, the pulse
// tells open pages.
func TestVisitMarks(t *testing.T) {
	o := webtest.NewReportSite(t)
	l := o.Publish("marks.txt", []byte("Seven visits.\n"))
	at, b := o.Server.Now().UnixMilli(), vitrine.Batch{}
	for i, v := range []struct {
		before           time.Duration
		bot, product     string
		engaged, visible int64
	}{{0, "", "", 0, 300}, {0, report.BotMailNetwork, "Microsoft", 0, 300}, {time.Hour, report.BotCrawler, "Googlebot",
		31_000, 40_000},
		{2 * time.Hour, "", "", 200, 900}, {3 * time.Hour, "", "", 0, 60_000}, {4 * time.Hour, "", "", 9_000, 9_000},
		{5 * time.Hour, "", "", -1, 0}} {
		at := at - v.before.Milliseconds()
		id := vitrine.ViewIDAt(at, i)
		b.Views = append(b.Views, vitrine.ViewRecord{Account: l.Account, View: report.View{ID: int64(id), At: at,
			Link: int64(l.ID), Viewer: uint64(i + 1), Bot: v.bot, Product: v.product}})
		if v.engaged >= 0 {
			b.Snapshots = append(b.Snapshots, vitrine.Snapshot{Link: l.ID, View: id, At: at + v.visible,
				Session: report.Session{EngagedMs: v.engaged, PresentMs: v.visible, Depth: 500_000}})
		}
	}
	_, err := o.Log.Append(t.Context(), b)
	o.Check(err)
	shared := o.Share(t, webtest.StatsPath(l), "label=The+board")
	marks := func(path string, headers ...string) (words []string) {
		t.Helper()
		for _, row := range o.Parse(o.Status(o.Get(path, headers...), http.StatusOK).Text).Class("visits")[0].
			Tags("tbody")[0].Tags("tr") {
			words = append(words, row.Class("notes")[0].Text())
		}
		return words
	}
	pulse := func() string {
		return o.Status(o.Get(webtest.StatsPath(l)+"/pulse?range=30d", o.Cookie), http.StatusOK).Header.Get("ETag")
	}
	open := pulse()
	for _, first := range [][]string{{"", "Just now"}, {"Bot", "Barely looked at"}} {
		counted := []string{first[1], "Barely looked at", "In the background", "", "Not measured"}
		all := slices.Concat(first, []string{"Bot"}, counted[1:])
		for name, marks := range map[string][2][]string{"owner": {counted, marks(webtest.StatsPath(l)+"?range=30d",
			o.Cookie)}, "overview": {counted, marks("/links/"+string(l.Slug), o.Cookie)},
			"shared": {counted, marks(shared + "?range=30d")}, "list": {all,
				marks(webtest.StatsPath(l)+"/visits?show=all", o.Cookie)}} {
			if !slices.Equal(marks[0], marks[1]) {
				t.Errorf("%s: marks = %q, want %q", name, marks[1], marks[0])
			}
		}
		o.Ahead.Add(int64(time.Minute))
	}
	if page := o.Get(shared + "?range=30d").Text; !strings.Contains(page, "These are all views in this period.") {
		t.Error("the shared report does not say that it lists all views")
	}
	if pulse() == open {
		t.Error("the pulse did not change when the visit ended")
	}
	visits := o.Parse(o.Get(shared + "?range=30d").Text).Class("visits")[0]
	for _, e := range visits.All(func(webtest.Document) bool { return true }) {
		if e.Attribute("href") != "" || strings.Contains(e.Attribute("title")+e.Text(), "rawler") ||
			strings.Contains(e.Attribute("title")+e.Text(), "Googlebot") {
			t.Errorf("the shared report links to %q or reveals a reason: %q %q", e.Attribute("href"),
				e.Attribute("title"), e.Text())
		}
	}
}
