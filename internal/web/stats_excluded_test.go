package web_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
	"vitrine/internal/visitor"
	"vitrine/report"
)

// addExcluded adds one current view for each product.
func (o *reportSite) addExcluded(l *vitrine.Link, views ...[2]string) {
	o.t.Helper()
	at, b := o.server.Now().UnixMilli(), vitrine.Batch{}
	for i, v := range views {
		b.Views = append(b.Views, vitrine.ViewRecord{Account: l.Account,
			View: report.View{ID: int64(vitrine.ViewIDAt(at, 900+i)), At: at, Link: int64(l.ID),
				Viewer: uint64(9000 + i),
				Bot:    v[0], Product: v[1], Own: v[0] == report.BotOwn}})
	}
	_, err := o.log.Append(o.t.Context(), b)
	o.check(err)
}

// TestStatsExcluded checks that the reports of a link and of the account show
// which views are excluded, by which programs, and what assistants read. A
// shared report does not show the owner's visits.
func TestStatsExcluded(t *testing.T) {
	o := newReportSite(t)
	l := o.links[report.ContentScroll]
	if page := o.parse(o.get(statsPath(l)+"?range=7d", o.cookie).body); page.id("by-assistants").Data != "" {
		t.Error("a card of assistants without any")
	}
	o.addExcluded(l, [2]string{report.BotOwn}, [2]string{visitor.BotAIAssistant, "ChatGPT-User"},
		[2]string{visitor.BotAIAssistant, "ChatGPT-User"},
		[2]string{visitor.BotAIAssistant, "Claude-User"}, [2]string{visitor.BotAITraining, "GPTBot"},
		[2]string{report.BotUndecided, "Microsoft"})
	for _, path := range []string{statsPath(l) + "?range=7d", "/analytics?range=7d"} {
		var want report.LinkReport
		o.api(path, &want)
		same(t, "own visits", want.Totals.OwnExcluded, 1)
		body := o.status(o.get(path, o.cookie), http.StatusOK).body
		page := o.parse(body)
		if s := page.id("ledger").tags("summary")[0].text(); !strings.Contains(s, " excluded · 1 of your own") {
			t.Errorf("summary of the list = %q", s)
		}
		ledger := page.id("ledger").text()
		for _, words := range []string{"Your own visits", "AI assistants", "ChatGPT-User 2, Claude-User 1", "GPTBot 1",
			"Microsoft 1", "Count my own visits: off.", "are final."} {
			if !strings.Contains(ledger, words) {
				t.Errorf("%s: the list lacks %q: %s", path, words, ledger)
			}
		}
		if card := page.id("by-assistants").text(); !strings.Contains(card, "ChatGPT-User") ||
			!strings.Contains(card, "66.7%") || !strings.Contains(card, "Crawlers that train models: GPTBot 1") {
			t.Errorf("%s: card of assistants = %q", path, card)
		}
		vitrinetest.Equal(t, "assistants", o.file(t, path, "assistants"),
			[][]string{{"assistant", "reads", "pct"}, {"ChatGPT-User", "2", "66.7"}, {"Claude-User", "1", "33.3"}})
		vitrinetest.Equal(t, "programs", o.file(t, path, "programs"),
			[][]string{{"reason", "program", "views"}, {"ai_assistant", "ChatGPT-User", "2"},
				{"ai_assistant", "Claude-User", "1"},
				{"ai_training", "GPTBot", "1"}, {"mail_scanner", "Microsoft", "1"}})
		if totals := o.file(t, path, "totals"); totals[1][slices.Index(totals[0], "ownExcluded")] != "1" {
			t.Errorf("totals file = %v", totals)
		}
		if !strings.Contains(body, "Numbers up to <time") {
			t.Error("the page does not say until when its numbers are final")
		}
	}
}

// TestStatsCountOwn checks the form of the setting in the list of excluded
// views. It shows the current setting and returns to the same page, also for a
// link that only its owner has viewed.
func TestStatsCountOwn(t *testing.T) {
	o := newReportSite(t)
	l := o.publish("notes.txt", []byte("Only its owner has read this.\n"))
	o.addExcluded(l, [2]string{report.BotOwn})
	path := statsPath(l) + "?range=7d"
	page := o.parse(o.get(path, o.cookie).body)
	for _, step := range []struct{ state, set, views string }{{"off", "yes", "1"}, {"on", "no", ""}} {
		form := page.id("own")
		if !strings.Contains(form.text(), "Count my own visits: "+step.state) ||
			!strings.Contains(form.text(), "past numbers") {
			t.Fatalf("setting = %q", form.text())
		}
		button, back := form.tags("button")[0], form.tags("input")[0].attr("value")
		same(t, "the button's value", button.attr("value"), step.set)
		r := o.status(o.post(form.attr("action"), url.Values{"count": {step.set}, "back": {back}}, o.cookie),
			http.StatusSeeOther)
		same(t, "back", r.Header.Get("Location"), path+"#own")
		if changing := o.parse(o.get(path, o.cookie).body).id("own").text(); !strings.Contains(changing,
			"being updated") {
			t.Errorf("the setting does not say that past numbers are being updated: %q", changing)
		}
		o.check(o.server.OwnViews.Apply(t.Context()))
		page = o.parse(o.get(path, o.cookie).body)
		if views := page.id("card-views").class("value"); step.views == "" && len(views) > 0 || step.views != "" &&
			(len(views) == 0 || views[0].text() != step.views) {
			t.Errorf("after %q: views = %v", step.set, views)
		}
	}
}
