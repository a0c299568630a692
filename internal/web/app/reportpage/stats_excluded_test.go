package reportpage_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/test/vitrinetest"
	"vitrine/internal/test/webtest"
	"vitrine/report"
)

// TestStatsExcluded checks that the reports of a link and of the account show
// which views are excluded, by which programs, and what assistants read. A
// shared report does not show the owner's visits.
func TestStatsExcluded(t *testing.T) {
	o := webtest.NewReportSite(t)
	l := o.Links[report.ContentScroll]
	if page := o.Parse(o.Get(webtest.StatsPath(l)+"?range=7d", o.Cookie).Text); page.ID("by-assistants").Data != "" {
		t.Error("a card of assistants without any")
	}
	o.AddExcluded(l, [2]string{report.BotOwn}, [2]string{report.BotAIAssistant, "ChatGPT-User"},
		[2]string{report.BotAIAssistant, "ChatGPT-User"},
		[2]string{report.BotAIAssistant, "Claude-User"}, [2]string{report.BotAITraining, "GPTBot"},
		[2]string{report.BotMailNetwork, "Microsoft"})
	for _, path := range []string{webtest.StatsPath(l) + "?range=7d", "/analytics?range=7d"} {
		var want report.LinkReport
		o.API(path, &want)
		webtest.Same(t, "own visits", want.Totals.OwnExcluded, 1)
		body := o.Status(o.Get(path, o.Cookie), http.StatusOK).Text
		page := o.Parse(body)
		if s := page.ID("ledger").Tags("summary")[0].Text(); !strings.Contains(s, " excluded · 1 of your own") {
			t.Errorf("summary of the list = %q", s)
		}
		ledger := page.ID("ledger").Text()
		for _, words := range []string{"Your own visits", "AI assistants", "ChatGPT-User 2, Claude-User 1", "GPTBot 1",
			"Microsoft 1", "Count my own visits: off.", "are final."} {
			if !strings.Contains(ledger, words) {
				t.Errorf("%s: the list lacks %q: %s", path, words, ledger)
			}
		}
		if card := page.ID("by-assistants").Text(); !strings.Contains(card, "ChatGPT-User") ||
			!strings.Contains(card, "67%") || !strings.Contains(card, "Crawlers that train models: GPTBot 1") {
			t.Errorf("%s: card of assistants = %q", path, card)
		}
		vitrinetest.Equal(t, "assistants", o.File(t, path, "assistants"),
			[][]string{{"assistant", "reads", "pct"}, {"ChatGPT-User", "2", "66.7"}, {"Claude-User", "1", "33.3"}})
		vitrinetest.Equal(t, "programs", o.File(t, path, "programs"),
			[][]string{{"reason", "program", "views"}, {"ai_assistant", "ChatGPT-User", "2"},
				{"ai_assistant", "Claude-User", "1"},
				{"ai_training", "GPTBot", "1"}, {"mail_scanner", "Microsoft", "1"}})
		if totals := o.File(t, path, "totals"); totals[1][slices.Index(totals[0], "ownExcluded")] != "1" {
			t.Errorf("totals file = %v", totals)
		}
		if !strings.Contains(body, "Numbers since <time") {
			t.Error("the page does not say since when its numbers may change")
		}
	}
}

// TestStatsCountOwn checks the form of the setting in the list of excluded
// views. It shows the current setting and returns to the same page, also for a
// link that only its owner has viewed.
func TestStatsCountOwn(t *testing.T) {
	o := webtest.NewReportSite(t)
	l := o.Publish("notes.txt", []byte("Only its owner has read this.\n"))
	o.AddExcluded(l, [2]string{report.BotOwn})
	path := webtest.StatsPath(l) + "?range=7d"
	page := o.Parse(o.Get(path, o.Cookie).Text)
	for _, step := range []struct{ state, set, views string }{{"off", "yes", "1"}, {"on", "no", ""}} {
		form := page.ID("own")
		if !strings.Contains(form.Text(), "Count my own visits: "+step.state) ||
			!strings.Contains(form.Text(), "past numbers") {
			t.Fatalf("setting = %q", form.Text())
		}
		button, back := form.Tags("button")[0], form.Tags("input")[0].Attribute("value")
		webtest.Same(t, "the button's value", button.Attribute("value"), step.set)
		r := o.Status(o.Post(form.Attribute("action"), url.Values{"count": {step.set}, "back": {back}}, o.Cookie),
			http.StatusSeeOther)
		webtest.Same(t, "back", r.Header.Get("Location"), path+"#own")
		if changing := o.Parse(o.Get(path, o.Cookie).Text).ID("own").Text(); !strings.Contains(changing,
			"being updated") {
			t.Errorf("the setting does not say that past numbers are being updated: %q", changing)
		}
		o.Check(o.Server.OwnViews.Apply(t.Context()))
		page = o.Parse(o.Get(path, o.Cookie).Text)
		if views := page.ID("card-views").Class("value"); step.views == "" && len(views) > 0 || step.views != "" &&
			(len(views) == 0 || views[0].Text() != step.views) {
			t.Errorf("after %q: views = %v", step.set, views)
		}
	}
}
