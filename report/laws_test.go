package report_test

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"vitrine/report"
)

// sameReport compares a report with another one's JSON, card by card.
func sameReport(t *testing.T, what string, got, want object) {
	t.Helper()
	for card := range got {
		if _, ok := want[card]; !ok && card != "insights" {
			t.Errorf("%s: unexpected card %s", what, card)
		}
	}
	for card, want := range want {
		if !reflect.DeepEqual(got[card], want) {
			t.Errorf("%s: %s = %s\nwant %s", what, card, text(got[card]), text(want))
		}
	}
}

// windows returns the windows of all ranges, and some of random widths.
func windows(r *rand.Rand, created time.Time) []report.Window {
	var all []report.Window
	for _, rg := range report.Ranges() {
		all = append(all, report.NewWindow(rg, today, created))
	}
	to := report.DayOf(today.UnixMilli()) + 1 - report.Day(r.IntN(30))
	return append(all, report.Window{Key: report.RangeAll, From: to - report.Day(1+r.IntN(200)), To: to})
}

// TestReportIsTheRecount compares the engine with the oracle's recount.
func TestReportIsTheRecount(t *testing.T) {
	eachScenario(t, 40, func(t *testing.T, r *rand.Rand, w *scenario) {
		for _, l := range w.links {
			for _, win := range windows(r, l.Created) {
				got := tree(w.linkReport(l, win))
				sameReport(t, l.Kind+" "+string(win.Key), got, newOracle(w.scope(l.ID), win, l).link(l, win))
			}
		}
		for _, win := range windows(r, w.oldest()) {
			got := tree(w.accountReport(win))
			sameReport(t, "account "+string(win.Key), got, newOracle(w, win, w.links...).account(win, w.allTime()))
		}
	})
}

// TestFoldOrder checks that the order in which views are added does not matter.
func TestFoldOrder(t *testing.T) {
	eachScenario(t, 100, func(t *testing.T, r *rand.Rand, w *scenario) {
		win := report.NewWindow(report.RangeAll, today, today.AddDate(-2, 0, 0))
		want := w.fold(win)
		r.Shuffle(len(w.views), func(i, j int) { w.views[i], w.views[j] = w.views[j], w.views[i] })
		r.Shuffle(len(w.downloads), func(i, j int) { w.downloads[i], w.downloads[j] = w.downloads[j], w.downloads[i] })
		if !w.fold(win).Equal(want) {
			t.Error("another order of views changes the tally")
		}
	})
}

// TestMergeOfFacts checks that any split of the facts into tallies merges into
// the whole, in any order, and that the whole equals a fold of the views.
func TestMergeOfFacts(t *testing.T) {
	eachScenario(t, 100, func(t *testing.T, r *rand.Rand, w *scenario) {
		parts := make([]report.Tally, 1+r.IntN(6))
		part := func() *report.Tally { return &parts[r.IntN(len(parts))] }
		for i := range w.views {
			part().Add(&w.views[i])
		}
		for _, v := range w.visits() {
			part().AddViewerDays(v, 1)
		}
		for _, l := range w.links {
			for _, v := range w.scope(l.ID).visits() {
				part().AddLinkViewers(l.ID, v.Prev, 1)
			}
		}
		for _, d := range w.downloads {
			part().AddDownloads(report.DayOf(d.at), 1)
		}
		var whole report.Tally
		for i := range parts {
			whole.Merge(&parts[i])
		}
		if !whole.Equal(w.fold(report.NewWindow(report.RangeAll, today, today.AddDate(-2, 0, 0)))) {
			t.Error("the merged parts differ from the whole")
		}
	})
}

// TestMergeOfDays checks that tallies of single days, whose visits know the
// scope's whole history, merge into the report of every window.
func TestMergeOfDays(t *testing.T) {
	eachScenario(t, 60, func(t *testing.T, r *rand.Rand, w *scenario) {
		days := dayTallies(w)
		merged := func(win report.Window) *report.Tally {
			var t report.Tally
			for d := win.From; d < win.To; d++ {
				if days[d] != nil {
					t.Merge(days[d])
				}
			}
			return &t
		}
		for _, win := range windows(r, w.oldest()) {
			cur := merged(win)
			got := tree(report.ForAccount(w.links, win, cur, merged(win.Previous()), w.top(cur, win), w.allTime()))
			sameReport(t, string(win.Key), got, tree(w.accountReport(win)))
		}
		for d, tally := range dayTallies(w) {
			if !tally.Equal(days[d]) {
				t.Errorf("merging changed the tally of %v", d)
			}
		}
	})
}

// dayTallies returns a tally for every day with events.
func dayTallies(w *scenario) map[report.Day]*report.Tally {
	days := make(map[report.Day]*report.Tally)
	day := func(d report.Day) *report.Tally {
		if days[d] == nil {
			days[d] = new(report.Tally)
		}
		return days[d]
	}
	for i := range w.views {
		day(report.DayOf(w.views[i].At)).Add(&w.views[i])
	}
	for _, v := range w.visits() {
		day(v.Day).AddViewerDays(v, 1)
	}
	for _, l := range w.links {
		for _, v := range w.scope(l.ID).visits() {
			day(v.Day).AddLinkViewers(l.ID, v.Prev, 1)
		}
	}
	for _, d := range w.downloads {
		day(report.DayOf(d.at)).AddDownloads(report.DayOf(d.at), 1)
	}
	return days
}

// TestMergeSharesNothing checks that adding to a merged tally does not change
// its parts, and that a tally can be merged with itself.
func TestMergeSharesNothing(t *testing.T) {
	eachScenario(t, 30, func(t *testing.T, r *rand.Rand, w *scenario) {
		win := report.NewWindow(report.RangeAll, today, today.AddDate(-2, 0, 0))
		part, want := w.fold(win), w.fold(win)
		var whole report.Tally
		whole.Merge(part)
		whole.Merge(&whole)
		if !part.Equal(want) {
			t.Error("adding to the merged tally changed a part")
		}
		want.Merge(part)
		if !whole.Equal(want) {
			t.Error("a tally merged with itself is not twice the tally")
		}
	})
}

// TestEqualSeesEveryFact checks that tallies differ if one lacks a fact.
func TestEqualSeesEveryFact(t *testing.T) {
	eachScenario(t, 10, func(t *testing.T, r *rand.Rand, w *scenario) {
		win := report.NewWindow(report.RangeAll, today, today.AddDate(-2, 0, 0))
		whole := w.fold(win)
		for i := range w.views {
			less := &scenario{views: slices.Delete(slices.Clone(w.views), i, i+1), downloads: w.downloads}
			if less.fold(win).Equal(whole) || whole.Equal(less.fold(win)) {
				t.Errorf("the view %+v makes no difference", w.views[i])
			}
		}
		for i := range w.downloads {
			less := &scenario{views: w.views, downloads: slices.Delete(slices.Clone(w.downloads), i, i+1)}
			if less.fold(win).Equal(whole) || whole.Equal(less.fold(win)) {
				t.Errorf("the download %+v makes no difference", w.downloads[i])
			}
		}
	})
}

// TestUniquesOfAnyDays compares the number of viewers with sets.
func TestUniquesOfAnyDays(t *testing.T) {
	eachScenario(t, 40, func(t *testing.T, r *rand.Rand, w *scenario) {
		tally := w.fold(report.NewWindow(report.RangeAll, today, today.AddDate(-2, 0, 0)))
		last := report.DayOf(today.UnixMilli()) + 2
		for range 100 {
			from := last - report.Day(r.IntN(420))
			to := from + report.Day(r.IntN(120))
			set := make(map[uint64]bool)
			for _, v := range w.views {
				if d := report.DayOf(v.At); v.Bot == "" && from <= d && d < to {
					set[v.Viewer] = true
				}
			}
			if got := tally.Uniques(from, to); got != int64(len(set)) {
				t.Errorf("%d uniques from %v to %v, want %d", got, from, to, len(set))
			}
		}
	})
}

// TestSums checks that the cards of a report agree with each other.
func TestSums(t *testing.T) {
	eachScenario(t, 100, func(t *testing.T, r *rand.Rand, w *scenario) {
		for _, win := range windows(r, w.oldest()) {
			a := w.accountReport(win)
			views := a.Totals.Views
			var heat, hours, weekdays, points, mix, sources int64
			for d, row := range a.Timing.Heat {
				weekdays += a.Timing.ByWeekday[d]
				heat += sum(row[:])
			}
			hours = sum(a.Timing.ByHour[:])
			for _, p := range a.Series {
				points += p.Views
			}
			for _, b := range a.Mix {
				mix += b.Count
			}
			for _, b := range a.Breakdowns.Sources { // at most five, so all are listed
				sources += b.Count
			}
			for what, n := range map[string]int64{
				"heat": heat, "hours": hours, "weekdays": weekdays, "series": points, "mix": mix, "sources": sources,
			} {
				if n != views {
					t.Errorf("%s: sum of %s = %d, want %d views", win.Key, what, n, views)
				}
			}
			if a.Totals.Sessions > views || a.Totals.Uniques > views || (views > 0) != (a.Totals.Uniques > 0) {
				t.Errorf("%s: totals = %+v", win.Key, a.Totals)
			}
		}
	})
}

// TestInsights checks what the contract says about all insights.
func TestInsights(t *testing.T) {
	order := []string{"trend", "best_day", "best_time", "top_country", "top_source", "completion", "dropoff",
		"returning", "device", "bots"}
	check := func(t *testing.T, s *report.Summary, cards []report.Insight) {
		views := s.Totals.Views
		if views < 5 {
			if len(cards) > 0 {
				t.Errorf("%d insights for %d views, want none", len(cards), views)
			}
			return
		}
		if len(cards) < 3 || len(cards) > 8 {
			t.Errorf("%d insights for %d views, want 3 to 8", len(cards), views)
		}
		last := -1
		for _, c := range cards {
			at := slices.Index(order, c.ID)
			if at <= last {
				t.Errorf("insight %q is unknown or in the wrong place", c.ID)
			}
			last = at
			if c.ID == "trend" && s.Range.Key == report.RangeAll {
				t.Errorf("the range all has a trend: %+v", c)
			}
			if c.Label == "" || c.Value == "" || c.Detail == "" ||
				!slices.Contains([]report.Tone{report.Good, report.Neutral, report.Warn}, c.Tone) {
				t.Errorf("invalid insight %+v", c)
			}
		}
	}
	eachScenario(t, 80, func(t *testing.T, r *rand.Rand, w *scenario) {
		for _, l := range w.links {
			for _, win := range windows(r, l.Created) {
				a, b := w.linkReport(l, win), w.linkReport(l, win)
				check(t, &a.Summary, a.Insights)
				if !slices.Equal(a.Insights, b.Insights) {
					t.Errorf("insights differ between two runs: %v, %v", a.Insights, b.Insights)
				}
			}
		}
		a := w.accountReport(report.NewWindow(report.Range90d, today, w.oldest()))
		check(t, &a.Summary, a.Insights)
	})
}

// TestReportJSON checks that a report can be read back from its JSON.
func TestReportJSON(t *testing.T) {
	eachScenario(t, 20, func(t *testing.T, r *rand.Rand, w *scenario) {
		for _, win := range windows(r, w.oldest()) {
			var link report.LinkReport
			wantLink := tree(w.linkReport(w.links[0], win))
			if err := json.Unmarshal([]byte(text(wantLink)), &link); err != nil {
				t.Fatal(err)
			}
			sameReport(t, "link", tree(link), wantLink)
			var account report.AccountReport
			wantAccount := tree(w.accountReport(win))
			if err := json.Unmarshal([]byte(text(wantAccount)), &account); err != nil {
				t.Fatal(err)
			}
			sameReport(t, "account", tree(account), wantAccount)
		}
	})
}

// TestSessionMax checks that snapshots can be lost, repeated and reordered.
func TestSessionMax(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	l := report.Link{Pages: 6}
	join := func(snapshots ...*report.Session) report.Session {
		var s report.Session
		for _, x := range snapshots {
			s.Max(x)
		}
		s.Screen = "" // the first known value is kept: the only member that depends on the order
		return s
	}
	for range 500 {
		a, b, c := randomSession(r, l), randomSession(r, l), randomSession(r, l)
		all := join(a, b, c)
		if got := join(c, b, a, b, c, c); !reflect.DeepEqual(got, all) {
			t.Fatalf("%+v %+v %+v reordered = %+v, want %+v", a, b, c, got, all)
		}
		bc := *b
		bc.Max(c)
		if got := join(a, &bc); !reflect.DeepEqual(got, all) {
			t.Fatalf("%+v %+v %+v regrouped = %+v, want %+v", a, b, c, got, all)
		}
		if len(all.Pages) > 0 {
			all.Pages[0].Ms = -1
			if slices.ContainsFunc(slices.Concat(a.Pages, b.Pages, c.Pages),
				func(p report.PageTime) bool { return p.Ms < 0 }) {
				t.Fatal("sessions share memory")
			}
		}
	}
	s := report.Session{Screen: "0-575"}
	s.Max(&report.Session{Screen: "1920+", Pages: []report.PageTime{{Page: 3, Ms: 1}, {Page: 1, Ms: 5}, {Page: 3, Ms: 4}, {Page: 1, Ms: 2}}})
	want := report.Session{Screen: "0-575", Pages: []report.PageTime{{Page: 1, Ms: 5}, {Page: 3, Ms: 4}}}
	if !reflect.DeepEqual(s, want) {
		t.Errorf("session = %+v, want %+v", s, want)
	}
}
