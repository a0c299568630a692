package web_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/visitor"
	"vitrine/report"
)

// TestVisitMarks checks what pages say of visits that are not like others. The
// recent visits are those that count, measured or not, for the owner and for
// the reader of a shared report. The list of all visits has the others. Nothing
// is said of how a visit ended while it goes on; when it has ended, the pulse
// tells open pages.
func TestVisitMarks(t *testing.T) {
	o := newReportSite(t)
	l := o.publish("marks.txt", []byte("Seven visits.\n"))
	at, b := o.server.Now().UnixMilli(), vitrine.Batch{}
	for i, v := range []struct {
		before           time.Duration
		bot, product     string
		engaged, visible int64
	}{{0, "", "", 0, 300}, {0, report.BotUndecided, "Microsoft", 0, 300}, {time.Hour, visitor.BotCrawler, "Googlebot", 31_000, 40_000},
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
	_, err := o.log.Append(t.Context(), b)
	o.check(err)
	shared := o.share(t, statsPath(l), "label=The+board")
	marks := func(path string, headers ...string) (words []string) {
		t.Helper()
		for _, row := range o.parse(o.status(o.get(path, headers...), http.StatusOK).body).class("visits")[0].
			tags("tbody")[0].tags("tr") {
			words = append(words, row.class("notes")[0].text())
		}
		return words
	}
	pulse := func() string {
		return o.status(o.get(statsPath(l)+"/pulse?range=30d", o.cookie), http.StatusOK).Header.Get("ETag")
	}
	open := pulse()
	for _, first := range [][]string{{"", "Just now"}, {"Bot", "Barely looked at"}} {
		counted := []string{first[1], "Barely looked at", "In the background", "", "Not measured"}
		all := slices.Concat(first, []string{"Bot"}, counted[1:])
		for name, marks := range map[string][2][]string{"owner": {counted, marks(statsPath(l)+"?range=30d", o.cookie)},
			"overview": {counted, marks("/links/"+string(l.Slug), o.cookie)},
			"shared":   {counted, marks(shared + "?range=30d")}, "list": {all, marks(statsPath(l)+"/visits?show=all", o.cookie)}} {
			if !slices.Equal(marks[0], marks[1]) {
				t.Errorf("%s: marks = %q, want %q", name, marks[1], marks[0])
			}
		}
		o.ahead.Add(int64(time.Minute))
	}
	if page := o.get(shared + "?range=30d").body; !strings.Contains(page, "These are all views in this period.") {
		t.Error("the shared report does not say that it lists all views")
	}
	if pulse() == open {
		t.Error("the pulse did not change when the visit ended")
	}
	visits := o.parse(o.get(shared + "?range=30d").body).class("visits")[0]
	for _, e := range visits.all(func(document) bool { return true }) {
		if e.attr("href") != "" || strings.Contains(e.attr("title")+e.text(), "rawler") ||
			strings.Contains(e.attr("title")+e.text(), "Googlebot") {
			t.Errorf("the shared report links to %q or reveals a reason: %q %q", e.attr("href"), e.attr("title"),
				e.text())
		}
	}
}
