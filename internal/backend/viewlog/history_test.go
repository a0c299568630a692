package viewlog

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"vitrine"
	"vitrine/internal/test/sqltest"
	"vitrine/internal/test/tier"
	"vitrine/report"
	"vitrine/report/part"
)

// facts has everything that was stored in a log, in the simplest form, and
// counts it again for each question.
type facts struct {
	views     map[viewKey]*remembered
	downloads map[viewKey]vitrine.ViewID // event to view
	account   map[vitrine.LinkID]vitrine.AccountID
}

type remembered struct {
	report.View
	vitrine.Engagement
	engaged, imported bool
}

func newFacts() *facts {
	return &facts{map[viewKey]*remembered{}, map[viewKey]vitrine.ViewID{}, map[vitrine.LinkID]vitrine.AccountID{}}
}

func keyOf(v *vitrine.ViewRecord) viewKey {
	return viewKey{vitrine.LinkID(v.Link), vitrine.ViewID(v.ID)}
}

func (h *facts) add(v vitrine.ViewRecord, imported bool) {
	h.account[vitrine.LinkID(v.Link)] = v.Account
	r := &remembered{View: v.View, imported: imported}
	if r.engaged = v.Session != nil; r.engaged {
		r.Engagement.Session = *v.Session
		r.Engagement.Session.Pages = slices.Clone(v.Session.Pages)
	}
	h.views[keyOf(&v)] = r
	if imported && r.engaged && r.Engagement.Session.Downloaded && v.Counted() {
		h.downloads[keyOf(&v)] = vitrine.ViewID(v.ID)
	}
}

func (h *facts) batch(b vitrine.Batch) (refused []int) {
	for i, v := range b.Views {
		if was := h.views[keyOf(&v)]; was != nil {
			if was.Viewer != v.Viewer || was.Country != v.Country {
				refused = append(refused, i)
			}
			continue
		}
		v.Returning = v.Counted() && h.returns(&v.View)
		h.add(v, false)
	}
	for _, s := range b.Snapshots {
		r := h.views[viewKey{s.Link, s.View}]
		if r == nil {
			continue
		}
		r.Apply(s)
		r.engaged = true
		if s.Bot != "" && r.Counted() {
			r.Bot, r.Returning = s.Bot, false
			maps.DeleteFunc(h.downloads, func(k viewKey, of vitrine.ViewID) bool {
				return k.link == s.Link &&
					of == s.View
			})
		}
	}
	for _, d := range b.Downloads {
		r := h.views[viewKey{d.Link, d.View}]
		if _, there := h.downloads[viewKey{d.Link, d.ID}]; r != nil && r.Counted() && !there {
			h.downloads[viewKey{d.Link, d.ID}] = d.View
		}
	}
	return refused
}

func (h *facts) deleteLink(link vitrine.LinkID) {
	maps.DeleteFunc(h.views, func(k viewKey, _ *remembered) bool { return k.link == link })
	maps.DeleteFunc(h.downloads, func(k viewKey, _ vitrine.ViewID) bool { return k.link == link })
}

// of returns the views and the days of downloads of a scope in [from, to).
func (h *facts) of(s vitrine.Scope, from, to report.Day) (views []report.View, downloads []report.Day) {
	has := func(link vitrine.LinkID, d report.Day) bool {
		return from <= d && d < to && h.account[link] == s.Account && (s.Link == 0 || s.Link == link)
	}
	for k, r := range h.views {
		if has(k.link, report.DayOf(k.view.Ms())) {
			v := r.View
			if v.Session = nil; r.engaged {
				v.Session = &r.Engagement.Session
			}
			views = append(views, v)
		}
	}
	for k := range h.downloads {
		if d := report.DayOf(k.view.Ms()); has(k.link, d) {
			downloads = append(downloads, d)
		}
	}
	return views, downloads
}

// plainCounts are counted from views alone, without tallies.
type plainCounts struct {
	Views, Uniques, Returning, Downloads, Bots, Median int64
	Daily, Viewers                                     []int64
}

func countPlainly(views []report.View, downloads []report.Day, from, to report.Day) (n plainCounts) {
	n.Daily, n.Viewers = make([]int64, to-from), make([]int64, to-from)
	all, daily := map[uint64]bool{}, make([]map[uint64]bool, to-from)
	var times []int64
	for _, v := range views {
		if v.Bot != "" {
			n.Bots++
			continue
		}
		n.Views++
		d := report.DayOf(v.At) - from
		n.Daily[d]++
		if v.Returning {
			n.Returning++
		}
		all[v.Viewer] = true
		if daily[d] == nil {
			daily[d] = map[uint64]bool{}
		}
		daily[d][v.Viewer] = true
		if s := v.Session; s != nil && (s.EngagedMs >= 1000 || s.PresentMs >= 2000) {
			times = append(times, s.EngagedMs)
		}
	}
	for d := range daily {
		n.Viewers[d] = int64(len(daily[d]))
	}
	n.Uniques, n.Downloads = int64(len(all)), int64(len(downloads))
	if slices.Sort(times); len(times) > 0 {
		a, b := times[(len(times)-1)/2], times[len(times)/2]
		n.Median = (a + b + 1) / 2
	}
	return n
}

func plainCountsOf(t *report.Tally, from, to report.Day) (n plainCounts) {
	n.Views, n.Uniques, n.Daily = t.Views(), t.Uniques(from, to), t.DailyViews(from, to)
	for d := from; d < to; d++ {
		n.Viewers = append(n.Viewers, t.Uniques(d, d+1))
	}
	for _, b := range t.Bots() {
		n.Bots += b.Count
	}
	return n
}

// rendered returns every report of a tally as text.
func rendered(s vitrine.Scope, t *report.Tally, from, to report.Day) string {
	w := report.Window{Key: report.RangeAll, From: from, To: to}
	var all []any
	var links []report.Link
	for id := range int64(40) {
		l := report.Link{ID: id, Content: []report.ContentKind{report.ContentPages, report.ContentMedia,
			report.ContentScroll, report.ContentNone}[id%4],
			Kind: fmt.Sprint("kind", id%4), Pages: 9}
		links = append(links, l)
		if s.Link != 0 && id < 4 {
			all = append(all, report.ForLink(l, w, t, t, nil))
		}
	}
	if s.Link == 0 {
		var top []report.TopLink
		for _, l := range t.Top(links, 25) {
			top = append(top, report.TopLink{Link: l})
		}
		all = append(all, report.ForAccount(links, w, t, t, top, report.AllTime{}))
	}
	b, err := json.Marshal(all)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// check compares answers with one fold over all views, and with simple counts.
func (h *facts) check(t *testing.T, l *ViewLog, s vitrine.Scope, from, to report.Day) {
	t.Helper()
	for _, wrong := range h.wrong(l, s, from, to) {
		t.Errorf("%+v [%d, %d): %s", s, from, to, wrong)
	}
}

// wrong returns the differences of an answer.
func (h *facts) wrong(l *ViewLog, s vitrine.Scope, from, to report.Day) (all []string) {
	fault := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	views, downloads := h.of(s, from, to)
	var fold report.Fold
	for i := range views {
		fold.Add(&views[i])
	}
	for _, d := range downloads {
		fold.AddDownload(d)
	}
	want := trim(s, fold.Tally())
	got, _, err := l.Tally(context.Background(), vitrine.TallyQuery{Scope: s, From: from, To: to})
	if err != nil {
		fault("Tally: %v", err)
		return all
	}
	if a, b := rendered(s, got, from, to), rendered(s, want, from, to); a != b {
		i := 0
		for i < min(len(a), len(b)) && a[i] == b[i] {
			i++
		}
		i = max(i-120, 0)
		fault("log has\n %.240s\nfold has\n %.240s", a[i:], b[i:])
	}
	n, m := countPlainly(views, downloads, from, to), plainCountsOf(got, from, to)
	if n.Views != m.Views || n.Uniques != m.Uniques || n.Bots != m.Bots || !slices.Equal(n.Daily, m.Daily) ||
		!slices.Equal(n.Viewers, m.Viewers) {
		fault("log has %+v, counted %+v", m, n)
	}
	r := report.ForLink(report.Link{}, report.Window{Key: report.RangeAll, From: from, To: to}, got, nil, nil)
	b, _ := json.Marshal(r.Totals)
	var totals map[string]any
	_ = json.Unmarshal(b, &totals)
	for name, want := range map[string]int64{"returning": n.Returning, "medianEngagedMs": n.Median} {
		if v, ok := totals[name].(float64); ok && int64(v) != want {
			fault("%s is %v, counted %d", name, v, want)
		}
	}
	if s.Link == 0 {
		h.wrongDaily(fault, l, s.Account, from, to)
	}
	return all
}

func (h *facts) wrongDaily(fault func(string, ...any), l *ViewLog, account vitrine.AccountID, from, to report.Day) {
	links := slices.Sorted(maps.Keys(h.account))
	got, err := l.DailyViews(context.Background(),
		vitrine.TallyQuery{Scope: vitrine.Scope{Account: account}, From: from, To: to}, links)
	if err != nil {
		fault("DailyViews: %v", err)
	}
	for _, link := range links {
		views, _ := h.of(vitrine.Scope{Account: account, Link: link}, from, to)
		if want := countPlainly(views, nil, from, to).Daily; !slices.Equal(got[link], want) {
			fault("daily views of link %d: %v, want %v", link, got[link], want)
		}
	}
}

func clean(t *testing.T, l *ViewLog) {
	t.Helper()
	if got := faults(t, l); got != nil {
		t.Errorf("audit = %q", got)
	}
}

// randomHistory generates random views of few links on many days, with weeks
// without any.
type randomHistory struct {
	*rand.Rand
	start   report.Day
	days    int
	links   int
	viewers int
}

func (r randomHistory) moment() int64 {
	d := r.start + report.Day(r.IntN(r.days))
	for (d-r.start)/40%3 == 1 { // nothing happens for weeks
		d = r.start + report.Day(r.IntN(r.days))
	}
	ms := []int64{0, 86_399_999, r.Int64N(86_400_000), 3_600_000 * r.Int64N(24)}[r.IntN(4)]
	return d.StartMs() + ms
}

func (r randomHistory) view() vitrine.ViewRecord {
	link := 1 + min(r.IntN(r.links), r.IntN(r.links))
	at := r.moment()
	v := report.View{ID: int64(vitrine.ViewIDAt(at, r.IntN(1<<21))), At: at, Link: int64(link),
		Viewer:  uint64(min(r.IntN(r.viewers), r.IntN(r.viewers))) * 0x9e3779b97f4a7c15,
		Country: fmt.Sprint("C", r.IntN(5)), Source: fmt.Sprint("s", r.IntN(3)), QR: r.IntN(5) == 0,
		Version: int(at / 1000 % 4)}
	if r.IntN(7) == 0 {
		v.Bot = "crawler"
	}
	return vitrine.ViewRecord{Account: vitrine.AccountID(1 + link%2), View: v}
}

func (r randomHistory) session() report.Session {
	s := report.Session{PresentMs: r.Int64N(1 + r.Int64N(3_600_000)), Screen: fmt.Sprint("screen", r.IntN(3)),
		Downloaded: r.IntN(4) == 0}
	s.EngagedMs = r.Int64N(s.PresentMs + 1)
	for p := 1; p < 6 && r.IntN(3) > 0; p += 1 + r.IntN(2) {
		ms := r.Int64N(5000)
		s.Pages = append(s.Pages, report.PageTime{Page: p, Ms: ms, Bands: [4]int64{r.Int64N(1 + ms/2), 0, ms / 2}})
	}
	if r.IntN(2) == 0 {
		s.Played, s.Reached, s.Depth = r.Int64N(1_000_001), r.Int64N(1_000_001), r.Int64N(1_000_001)
	}
	for in := range 4 {
		if r.IntN(6) == 0 {
			s.Clicks = append(s.Clicks, part.Click{Part: in, Target: fmt.Sprint("https://a.example/", r.IntN(9)),
				Count: 1 + r.Int64N(3)})
		}
	}
	return s
}

func (r randomHistory) known(h *facts) viewKey {
	keys := slices.SortedFunc(maps.Keys(h.views), compareKeys)
	if len(keys) == 0 {
		return viewKey{1, vitrine.ViewIDAt(r.moment(), 0)}
	}
	return keys[r.IntN(len(keys))]
}

func (r randomHistory) batch(h *facts, views, late int) (b vitrine.Batch) {
	for range views {
		b.Views = append(b.Views, r.view())
	}
	for range r.IntN(late + 1) {
		k := r.known(h)
		switch r.IntN(5) {
		case 0:
			b.Downloads = append(b.Downloads, vitrine.Download{ID: vitrine.ViewIDAt(k.view.Ms()+r.Int64N(80)*86_400_000,
				r.IntN(1<<21)), Link: k.link, View: k.view})
		case 1: // the same view again, or another one with its ID
			if o := h.views[k]; o != nil && !o.imported {
				again := o.View
				if r.IntN(2) == 0 {
					again.Viewer++
				}
				if again.Session = nil; o.Bot == "" || o.Bot == "crawler" {
					b.Views = append(b.Views, vitrine.ViewRecord{Account: h.account[k.link], View: again})
				}
			}
		default:
			s := vitrine.Snapshot{Link: k.link, View: k.view, At: k.view.Ms() + r.Int64N(3_600_000),
				Session: r.session()}
			if r.IntN(6) == 0 {
				s.Bot = report.BotAutomation
			}
			b.Snapshots = append(b.Snapshots, s)
		}
	}
	return b
}

func (r randomHistory) imports(h *facts, n int) (views []vitrine.ViewRecord) {
	for range n {
		v := r.view()
		v.Viewer = ^v.Viewer
		if h.views[keyOf(&v)] != nil {
			continue
		}
		if r.IntN(2) == 0 {
			s := r.session()
			v.Session = &s
		}
		h.add(v, true)
		views = append(views, v)
	}
	return views
}

func (r randomHistory) windows(t *testing.T, h *facts, l *ViewLog, n int) {
	t.Helper()
	for range n {
		from := r.start - 3 + report.Day(r.IntN(r.days+4))
		to := from + 1 + report.Day(r.IntN(min(r.days, []int{3, 20, 122, r.days}[r.IntN(4)])))
		s := vitrine.Scope{Account: vitrine.AccountID(1 + r.IntN(2))}
		if r.IntN(2) == 0 {
			s.Link = vitrine.LinkID(1 + r.IntN(r.links))
			s.Account = vitrine.AccountID(1 + s.Link%2)
		}
		h.check(t, l, s, from, to)
	}
}

// propertySeeds is the number of tested histories, which take some seconds
// each.
const propertySeeds = 2

// TestEveryAnswerIsAFold checks that every answer equals one fold over all
// views, whatever happens in whatever order, wherever RollUp is interrupted or
// the file is reopened, in this process and in another one that has it open.
func TestEveryAnswerIsAFold(t *testing.T) {
	for seed := range uint64(propertySeeds / sqltest.Repeated(tier.Pick(propertySeeds, 1))) {
		r := randomHistory{rand.New(rand.NewPCG(seed, 11)), 20_000 + report.Day(seed), 330, 6 + int(seed%3)*10, 40}
		h := newFacts()
		path := sqltest.NewPlace(t)
		var logs [2]*ViewLog
		reopen := func(i int) {
			if logs[i] != nil {
				if err := logs[i].Close(); err != nil {
					t.Fatal(err)
				}
			}
			l, err := Open(path)
			if err != nil {
				t.Fatal(err)
			}
			if seed%2 == 0 {
				l.least = minViews{1, 1, 1}
			} else if seed%3 == 0 {
				l.least = minViews{2, 5, 9}
			}
			logs[i] = l
		}
		reopen(0)
		reopen(1)
		for step := range 40 {
			l := logs[r.IntN(2)]
			what := ""
			switch n := r.IntN(20); {
			case n < 8:
				what = "append"
				b := r.batch(h, r.IntN(60), 4)
				want := h.batch(b)
				o, err := l.Append(t.Context(), b)
				if err != nil {
					t.Fatalf("seed %d, step %d: Append = %v, want nil", seed, step, err)
				}
				var got []int
				for i := range o.Refused {
					if o.Refused[i] != nil {
						got = append(got, i)
					}
				}
				if !slices.Equal(got, want) {
					t.Errorf("refused views = %v, want %v", got, want)
				}
			case n < 11:
				what = "import"
				views := r.imports(h, 30+r.IntN(100))
				receipt := vitrine.ImportReceipt{Lines: int64(step + 1),
					At: (r.start + report.Day(r.IntN(r.days+10))).Time()}
				if err := l.Import(t.Context(), receipt, views); err != nil {
					t.Fatalf("seed %d, step %d: Import = %v, want nil", seed, step, err)
				}
			case n < 16:
				what = "rollup"
				before := r.start + report.Day(r.IntN(r.days+70))
				ctx := &dyingContext{Context: t.Context(), lives: r.IntN(60)}
				if n == 15 {
					ctx.lives = 1 << 30
				}
				if err := l.RollUp(ctx, before); err != nil && ctx.lives >= 0 {
					t.Fatalf("seed %d, step %d: RollUp = %v", seed, step, err)
				}
			case n == 16:
				what = "delete"
				link := vitrine.LinkID(1 + r.IntN(r.links))
				h.deleteLink(link)
				if err := l.DeleteLink(t.Context(), link); err != nil {
					t.Fatal(err)
				}
			case n == 17:
				what = "reopen"
				reopen(r.IntN(2))
			}
			for i := range logs {
				r.windows(t, h, logs[i], 2)
			}
			if t.Failed() {
				t.Fatalf("seed %d, step %d, after %s", seed, step, what)
			}
		}
		if err := logs[0].RollUp(t.Context(), r.start+report.Day(r.days-5)); err != nil {
			t.Errorf("seed %d: RollUp = %v, want nil", seed, err)
		}
		clean(t, logs[0])
		for i := range logs {
			r.windows(t, h, logs[i], 25)
		}
		for i := range logs {
			if err := logs[i].Close(); err != nil {
				t.Error(err)
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d, at the end", seed)
		}
	}
}
