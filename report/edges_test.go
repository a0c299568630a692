package report_test

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/report"
)

const oneDayMs = 86_400_000

// TestAbsentTallies checks the report of a window without events: it is
// complete, with empty arrays, and null only where the specification permits
// it.
func TestAbsentTallies(t *testing.T) {
	w := report.NewWindow(report.Range7d, today, time.Time{})
	link := tree(report.ForLink(report.Link{Content: report.ContentPages}, w, nil, nil, nil))
	account := tree(report.ForAccount(nil, w, nil, nil, nil, report.AllTime{}))
	for _, r := range []object{link, account} {
		walkNulls(r, "", func(path string) {
			switch path {
			case ".totals.completionPct", ".previous.completionPct", ".deltas.qrScans.pct", ".timing.peakHour", ".timing.peakWeekday",
				".deltas.views.pct", ".deltas.uniques.pct", ".deltas.avgEngagedMs.pct", ".deltas.downloads.pct",
				".content.pages.dropoff.afterPage", ".content.pages.dropoff.lostPct":
			default:
				t.Errorf("%s is null", path)
			}
		})
	}
	common := []string{"range", "totals", "previous", "deltas", "granularity", "series", "breakdowns", "timing",
		"insights", "truncated"}
	hasExactly(t, link, append(common, "link", "content", "recent"))
	hasExactly(t, account, append(common, "top_links", "mix", "all_time"))
	b, _ := json.Marshal(report.ForLink(report.Link{}, w, nil, nil, nil))
	if !strings.HasPrefix(string(b), `{"link":`) {
		t.Errorf("link is not the first member: %.40s", b)
	}
}

func walkNulls(v any, path string, null func(path string)) {
	switch v := v.(type) {
	case nil:
		null(path)
	case map[string]any:
		for k, v := range v {
			walkNulls(v, path+"."+k, null)
		}
	case []any:
		for _, v := range v {
			walkNulls(v, path+"[]", null)
		}
	}
}

func hasExactly(t *testing.T, r object, members []string) {
	t.Helper()
	var got []string
	for k := range r {
		got = append(got, k)
	}
	slices.Sort(got)
	slices.Sort(members)
	if !slices.Equal(got, members) {
		t.Errorf("members = %v, want %v", got, members)
	}
}

// TestOneOpen checks a view at the first and the last moment of a window, and
// just outside it.
func TestOneOpen(t *testing.T) {
	win := report.NewWindow(report.Range7d, today, time.Time{})
	for at, want := range map[int64][2]int64{
		win.From.StartMs() - 7*oneDayMs - 1: {0, 0},
		win.From.StartMs() - 7*oneDayMs:     {0, 1},
		win.From.StartMs() - 1:              {0, 1},
		win.From.StartMs():                  {1, 0},
		win.To.StartMs() - 1:                {1, 0},
		win.To.StartMs():                    {0, 0},
	} {
		w := scenario{views: []report.View{{At: at, Link: 1, Viewer: 9}}}
		r := w.linkReport(report.Link{ID: 1}, win)
		if got := [2]int64{r.Totals.Views, r.Previous.Views}; got != want {
			t.Errorf("%v: views and previous views = %v, want %v", time.UnixMilli(at).UTC(), got, want)
		}
		if got := [2]int64{r.Totals.Uniques, r.Previous.Uniques}; got != want {
			t.Errorf("%v: uniques and previous uniques = %v, want %v", time.UnixMilli(at).UTC(), got, want)
		}
	}
}

func TestOnlyBots(t *testing.T) {
	w := scenario{}
	for i := range int64(50) {
		w.views = append(w.views, report.View{
			ID: i, At: today.UnixMilli(), Link: 1, Viewer: 1, Bot: []string{"crawler", "preview"}[i%2], Country: "US",
			QR: true, Returning: true,
			Session: &report.Session{EngagedMs: 9000, PresentMs: 9000, Screen: "1920+",
				Pages: []report.PageTime{{Page: 1, Ms: 9}}},
		})
	}
	l := report.Link{ID: 1, Kind: "pdf", Content: report.ContentPages, Pages: 1}
	win := report.NewWindow(report.Range7d, today, today)
	r := w.linkReport(l, win)
	if want := (report.Totals{BotsExcluded: 50, Atypical: 50}); !reflect.DeepEqual(r.Totals, want) {
		t.Errorf("totals = %+v, want %+v", r.Totals, want)
	}
	if len(r.Breakdowns.Countries)+len(r.Breakdowns.Screens)+len(r.Insights) > 0 || r.Timing.PeakHour != nil {
		t.Errorf("bots count in the report: %+v", r)
	}
	if len(r.Recent) != 25 || r.Recent[0].Atypical != true {
		t.Errorf("%d recent views, want 25", len(r.Recent))
	}
	bots := w.fold(win).Bots()
	want := []report.Bucket{{Key: "crawler", Count: 25, Pct: 500}, {Key: "preview", Count: 25, Pct: 500}}
	if !slices.Equal(bots, want) {
		t.Errorf("bots = %v, want %v", bots, want)
	}
}

// TestCrowds checks one viewer with very many views, and very many viewers on
// one day.
func TestCrowds(t *testing.T) {
	const n = 200_000
	win := report.NewWindow(report.Range90d, today, today)
	var one, many report.Fold
	for i := range n {
		day := int64(i % 90)
		one.Add(&report.View{At: win.From.StartMs() + day*oneDayMs, Viewer: 5})
		many.Add(&report.View{At: win.From.StartMs(), Viewer: uint64(i / 2)})
	}
	a, b := one.Tally(), many.Tally()
	if a.Views() != n || a.Uniques(win.From, win.To) != 1 {
		t.Errorf("one viewer: %d views, %d uniques", a.Views(), a.Uniques(win.From, win.To))
	}
	for _, p := range report.Series(win, a) {
		if p.Uniques != 1 {
			t.Errorf("one viewer: %d uniques on %v, want 1", p.Uniques, p.Date)
		}
	}
	if b.Views() != n || b.Uniques(win.From, win.To) != n/2 {
		t.Errorf("many viewers: %d views, %d uniques", b.Views(), b.Uniques(win.From, win.To))
	}
}

// TestFoldEndsEmpty checks that a fold can be used again and that its earlier
// tally does not change.
func TestFoldEndsEmpty(t *testing.T) {
	var f report.Fold
	f.Add(&report.View{Viewer: 1})
	first := f.Tally()
	f.Add(&report.View{Viewer: 1})
	f.AddDownload(3)
	second := f.Tally()
	if first.Views() != 1 || second.Views() != 1 || second.Uniques(0, 1) != 1 || first.Equal(second) {
		t.Errorf("views = %d and %d, want 1 and 1", first.Views(), second.Views())
	}
	if !f.Tally().Equal(new(report.Tally)) {
		t.Error("the fold is not empty after Tally")
	}
}

// TestTop checks that Top returns the links with the most views first, the
// newer one on a tie, and none without views.
func TestTop(t *testing.T) {
	var tally report.Tally
	var links []report.Link
	for id, views := range map[int64]int{1: 2, 2: 5, 3: 2, 4: 0, 5: 2} {
		links = append(links, report.Link{ID: id, Created: time.Unix(id%4, 0)}) // 1 and 5 have the same time
		for range views {
			tally.Add(&report.View{Link: id})
		}
	}
	var got []int64
	for _, l := range tally.Top(links, 10) {
		got = append(got, l.ID)
	}
	if want := []int64{2, 3, 5, 1}; !slices.Equal(got, want) {
		t.Errorf("top = %v, want %v", got, want)
	}
	if top := tally.Top(links, 2); len(top) != 2 || top[1].ID != 3 {
		t.Errorf("top two = %v", top)
	}
}

// TestTopLinksLimit checks that the report has 25 rows, whatever the order and
// number of links.
func TestTopLinksLimit(t *testing.T) {
	w := scenario{}
	for id := range int64(40) {
		w.links = append(w.links, report.Link{ID: id, Created: time.Unix(id, 0)})
		for range 1 + id/2 {
			w.views = append(w.views, report.View{At: today.UnixMilli(), Link: id})
		}
	}
	win := report.NewWindow(report.Range90d, today, today)
	var all []report.TopLink
	for _, l := range w.links {
		days := win.Spark()
		all = append(all, report.TopLink{Link: l, Spark: w.scope(l.ID).fold(days).DailyViews(days.From, days.To)})
	}
	rows := report.ForAccount(w.links, win, w.fold(win), nil, append(all, report.TopLink{}), report.AllTime{}).TopLinks
	if len(rows) != 25 || len(rows[0].Spark) != 30 {
		t.Fatalf("%d rows, spark of %d days, want 25 and 30", len(rows), len(rows[0].Spark))
	}
	if !slices.IsSortedFunc(rows, func(a, b report.LinkSummary) int { return int(b.Views - a.Views) }) {
		t.Errorf("rows = %+v, want them by views", rows)
	}
}

// TestTopLinksWithoutViews checks that a link without views in the window has
// no row.
func TestTopLinksWithoutViews(t *testing.T) {
	var viewed report.Tally
	viewed.Add(&report.View{At: today.UnixMilli(), Link: 1})
	top := []report.TopLink{{}, {Link: report.Link{ID: 2}}, {Link: report.Link{ID: 1}}}
	r := report.ForAccount(nil, report.NewWindow(report.Range7d, today, today), &viewed, nil, top, report.AllTime{})
	if len(r.TopLinks) != 1 || r.TopLinks[0].Views != 1 || len(r.Mix) != 0 {
		t.Errorf("top links = %+v, mix = %+v", r.TopLinks, r.Mix)
	}
}

// TestYearInLabels checks that a label has the year if the window could contain
// two days of that name.
func TestYearInLabels(t *testing.T) {
	for days, want := range map[report.Day]string{365: "8 Jan", 366: "8 Jan 2026"} {
		from := report.DayOf(date("2026-01-08").UnixMilli())
		w := report.Window{Key: report.RangeAll, From: from, To: from + days}
		if got := report.Series(w, new(report.Tally))[0].Label; got != want {
			t.Errorf("%d days: label = %q, want %q", days, got, want)
		}
	}
}

// TestAbsurdPages checks that a document with an absurd number of pages lists
// only those that were reached, and that impossible page numbers do no harm.
func TestAbsurdPages(t *testing.T) {
	view := func(pages ...int) report.View {
		s := &report.Session{EngagedMs: 5000}
		for _, p := range pages {
			s.Pages = append(s.Pages, report.PageTime{Page: p, Ms: 10})
		}
		return report.View{At: today.UnixMilli(), Link: 1, Session: s}
	}
	win := report.NewWindow(report.Range7d, today, today)
	for _, c := range []struct {
		name      string
		total     int
		views     []report.View
		rows      int
		firstTwo  [2]report.Tenths // reach
		readToEnd report.Tenths
		done      report.Tenths
		avgSeen   report.Tenths
	}{
		{"few pages of a million", 1_000_000, []report.View{view(1, 2), view(1)}, 2, [2]report.Tenths{1000, 500}, 0, 0,
			15},
		{"the last of a million", 1_000_000, []report.View{view(1, 2, 1_000_000), view(1)}, 5000,
			[2]report.Tenths{1000, 500}, 500, 0, 20},
		{"5000 pages", 5000, []report.View{view(1)}, 5000, [2]report.Tenths{1000, 0}, 0, 0, 10},
		{"beyond the end", 2, []report.View{view(1, 2, 7, 8), view(-3, 0, 1)}, 2, [2]report.Tenths{1000, 500}, 500,
			1000, 25},
		{"unknown length", 0, []report.View{view(1, 2, math.MaxInt), view(1)}, 5000, [2]report.Tenths{1000, 500}, 0, -1,
			20},
	} {
		l := report.Link{ID: 1, Content: report.ContentPages, Pages: c.total}
		r := (&scenario{views: c.views}).linkReport(l, win)
		p := r.Content.Pages
		if len(p.Pages) != c.rows || p.Pages[0].ReachPct != c.firstTwo[0] || p.Pages[1].ReachPct != c.firstTwo[1] ||
			p.ReadToEndPct != c.readToEnd {
			t.Errorf("%s: %d rows, first %+v, read to end %v", c.name, len(p.Pages), p.Pages[:2], p.ReadToEndPct)
		}
		if p.AvgPagesSeen != c.avgSeen {
			t.Errorf("%s: %v pages seen, want %v", c.name, p.AvgPagesSeen, c.avgSeen)
		}
		if got := r.Totals.CompletionPct; (got == nil) != (c.done < 0) || got != nil && *got != c.done {
			t.Errorf("%s: completion = %v, want %v", c.name, got, c.done)
		}
	}
}

// TestRubbishSessions checks that impossible figures stay within limits and
// cause no overflow.
func TestRubbishSessions(t *testing.T) {
	w := scenario{}
	for i, v := range []int64{math.MinInt64, -1, math.MaxInt64, math.MaxInt64} {
		w.views = append(w.views, report.View{ID: int64(i), At: today.UnixMilli(), Session: &report.Session{
			EngagedMs: v, PresentMs: math.MaxInt64, Played: v, Reached: v, Depth: v, Pages: []report.PageTime{{Page: 1, Ms: v}},
		}})
	}
	win := report.NewWindow(report.Range7d, today, today)
	for _, kind := range []report.ContentKind{report.ContentPages, report.ContentMedia, report.ContentScroll,
		report.ContentNone, "rubbish"} {
		r := w.linkReport(report.Link{Content: kind, Pages: 1}, win)
		t49 := int64(math.MaxUint32)
		if got := r.Totals; got.TotalEngagedMs != 2*t49 || got.MedianEngagedMs != (t49+1)/2 || got.Sessions != 4 {
			t.Errorf("%s: totals = %+v", kind, got)
		}
		if c := r.Totals.CompletionPct; c != nil && (*c < 0 || *c > 1000) {
			t.Errorf("%s: completion = %v", kind, *c)
		}
		if r.Content.Kind != kind && kind != "rubbish" {
			t.Errorf("content kind of %s = %s", kind, r.Content.Kind)
		}
		for _, row := range r.Recent {
			if strings.Contains(row.Progress, "-") || len(row.Progress) > 20 {
				t.Errorf("progress = %q", row.Progress)
			}
		}
	}
}

func TestContentOf(t *testing.T) {
	for kind, want := range map[string]report.ContentKind{
		"pdf": "pages", "video": "media", "audio": "media", "html": "scroll", "image": "scroll",
		"text": "scroll", "document": "scroll", "archive": "none", "": "none", "PDF": "none",
	} {
		if got := report.ContentOf(kind); got != want {
			t.Errorf("ContentOf(%q) = %s, want %s", kind, got, want)
		}
	}
}

// TestDropoffBounds checks that a drop-off needs at least three sessions and
// ten percentage points.
func TestDropoffBounds(t *testing.T) {
	win := report.NewWindow(report.Range7d, today, today)
	for _, c := range []struct {
		stay, leave int
		want        string
	}{
		{0, 2, ""}, {1, 1, ""}, {2, 1, "33.3"}, {0, 3, "100"}, {9, 1, "10"}, {10, 1, ""}, {91, 10, ""}, {90, 10, "10"},
		{3, 0, ""},
	} {
		w := scenario{}
		for i := range c.stay + c.leave {
			s := &report.Session{EngagedMs: 5000, Pages: []report.PageTime{{Page: 1, Ms: 1}}, Played: 1, Depth: 1_000_000}
			if i < c.stay {
				s.Pages = append(s.Pages, report.PageTime{Page: 2, Ms: 1})
				s.Reached = 1_000_000
			}
			w.views = append(w.views, report.View{At: today.UnixMilli(), Session: s})
		}
		pages := w.linkReport(report.Link{Content: report.ContentPages, Pages: 2}, win).Content.Pages.Dropoff
		media := w.linkReport(report.Link{Content: report.ContentMedia}, win).Content.Media.Dropoff
		for what, lost := range map[string]*report.Tenths{"pages": pages.LostPct, "media": media.LostPct} {
			got := ""
			if lost != nil {
				got = lost.String()
			}
			if got != c.want {
				t.Errorf("%s, %d of %d stop: lost = %q, want %q", what, c.leave, c.stay+c.leave, got, c.want)
			}
		}
		if pages.AfterPage != nil && *pages.AfterPage != 1 || media.BeforePct != nil && *media.BeforePct != 25 {
			t.Errorf("drop-off after page %v, before %v", *pages.AfterPage, *media.BeforePct)
		}
		if (pages.AfterPage == nil) != (pages.LostPct == nil) || (media.BeforePct == nil) != (media.LostPct == nil) {
			t.Error("only one of the drop-off's values is null")
		}
	}
}
