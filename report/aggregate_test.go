package report_test

import (
	"math/rand/v2"
	"testing"

	"vitrine/report"
)

// TestAggregates makes tallies from sums, like a database, and compares them
// with tallies of the same views added one by one.
func TestAggregates(t *testing.T) {
	rules := report.CountingRules()
	eachScenario(t, 200, func(t *testing.T, r *rand.Rand, w *scenario) {
		var want, got report.Tally
		whole, days, links := new(report.Sums), map[report.Day]*report.Sums{}, map[int64]*report.Sums{}
		files := map[[2]int64]*report.Sums{}
		of := func(view *report.View) []*report.Sums {
			d := report.DayOf(view.At)
			if days[d] == nil {
				days[d] = new(report.Sums)
			}
			if links[view.Link] == nil {
				links[view.Link] = new(report.Sums)
			}
			file := [2]int64{view.Link, int64(view.Version)}
			if files[file] == nil {
				files[file] = new(report.Sums)
			}
			return []*report.Sums{whole, days[d], links[view.Link], files[file]}
		}
		for i := range w.views {
			view := &w.views[i]
			want.Add(view)
			addSums(of(view), view, rules)
			addGroups(&got, view)
		}
		for _, d := range w.downloads {
			want.AddDownloads(report.DayOf(d.at), 1)
			got.AddDownloads(report.DayOf(d.at), 1)
		}
		for _, v := range w.visits() {
			n := 1 + r.Int64N(3)
			for range n {
				want.AddViewerDays(v, 1)
				want.AddLinkViewers(1, v.Prev, 1)
			}
			got.AddViewerDays(v, n)
			got.AddLinkViewers(1, v.Prev, n)
		}
		got.AddSums(whole)
		for d, s := range days {
			got.AddDaySums(d, s)
		}
		for link, s := range links {
			got.AddLinkSums(link, s)
		}
		for file, s := range files {
			got.AddFileSums(file[0], int(file[1]), s)
		}
		got.AddEngaged(func(yield func(uint32) bool) {
			for _, view := range w.views {
				if view.CountedSession() && !yield(uint32(view.Session.EngagedMs)) {
					return
				}
			}
		})
		want.DropTimes()
		if !got.Equal(&want) {
			t.Error("the tally of sums differs from the tally of views")
		}
	})
}

// addSums adds a view to the sums that include it.
func addSums(all []*report.Sums, v *report.View, rules report.Rules) {
	one := func(is bool) int64 {
		if is {
			return 1
		}
		return 0
	}
	s := v.Session
	atypical := s != nil && v.Bot != report.BotOwn &&
		(v.Bot != "" || s.EngagedMs < rules.AtypicalEngagedMs && s.PresentMs < rules.AtypicalPresentMs)
	for _, sums := range all {
		sums.Atypical += one(atypical)
		if v.Bot != "" {
			continue
		}
		sums.Views++
		sums.QR += one(v.QR)
		sums.Returning += one(v.Returning)
		if s == nil || atypical {
			continue
		}
		sums.Sessions++
		sums.Unmeasured += one(s.Unmeasured)
		sums.EngagedMs += min(s.EngagedMs, rules.MaxMs)
		sums.Bounces += one(s.EngagedMs < rules.BounceMs)
		sums.Outlined += one(s.Outlined)
		for _, p := range s.Pages {
			sums.Pages += one(p.Page >= 1)
		}
		sums.Played += s.Played
		sums.Depth += s.Depth
		sums.Media.Begun += one(s.Played > 0)
		sums.Scroll.Begun += one(s.Depth > 0)
		for i, mark := range rules.Marks {
			sums.Media.Reached[i] += one(s.Reached >= mark)
			sums.Scroll.Reached[i] += one(s.Depth >= mark)
		}
	}
}

// addGroups adds a view to its groups: its labels, its hour, its pages.
func addGroups(t *report.Tally, v *report.View) {
	if v.Bot != "" {
		t.AddBots(v.Bot, v.Product, 1)
		return
	}
	day := report.DayOf(v.At)
	t.AddHour(day, int((v.At-day.StartMs())/3_600_000), 1)
	for _, d := range report.Cards() {
		t.AddKey(d.Dimension, d.Key(v), 1)
	}
	if !v.CountedSession() {
		return
	}
	if v.Session.Parts != (report.Parts{}) {
		var parts [report.PartCount]int64
		for i := range parts {
			if v.Session.Parts.Has(i) {
				parts[i] = 1
			}
		}
		t.AddParts(1, parts)
	}
	for _, c := range v.Session.Clicks {
		t.AddClick(c.Part, c.Target, c.Count)
	}
	for i, p := range v.Session.Pages {
		last := int64(0)
		if i == len(v.Session.Pages)-1 {
			last = 1
		}
		t.AddPage(p.Page, 1, p.Ms, last)
		t.AddBands(p.Page, p.Bands)
	}
}
