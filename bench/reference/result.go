package reference

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"time"
)

// result collects the query results of one report.
type result struct {
	Figures
	scope    Scope
	series   map[int64]*sums // by point
	all      sums
	uniques  map[int64]int64 // by point
	prevMs   int64
	linkRows map[int64]*linkRow
	top      []*linkRow
	pageRows map[int]*pageRow
}

type sums struct {
	views, sessions, engaged, bounces, qr, returning, bots, atypical int64
	completion                                                       float64
}

type linkRow struct {
	sums
	link, created, downloads, uniques int64
	slug, kind                        string
	spark                             []int64
}

type pageRow struct{ views, ms, furthest int64 }

func newResult(s Scope) *result {
	r := &result{scope: s, series: map[int64]*sums{}, uniques: map[int64]int64{}, linkRows: map[int64]*linkRow{},
		pageRows: map[int]*pageRow{}}
	r.Range.From, r.Range.To, r.Range.Days = s.From, s.To, int(s.days())
	return r
}

// integer and number parse a cell. They return 0 for an invalid one, which the
// comparison detects.
func integer(cell string) int64 {
	n, _ := strconv.ParseInt(cell, 10, 64)
	return n
}

func number(cell string) float64 {
	n, _ := strconv.ParseFloat(cell, 64)
	return n
}

// point returns the index of a day in the series.
func (r *result) point(day int64) int64 {
	if r.scope.weekly() {
		return (day + 3) / 7
	}
	return day
}

func (r *result) hours(rows [][]string) {
	for _, row := range rows {
		hour := integer(row[0])
		day := hour / 24
		s := sums{integer(row[1]), integer(row[2]), integer(row[3]), integer(row[4]), integer(row[5]), integer(row[6]),
			integer(row[7]), integer(row[8]), number(row[9])}
		p := r.series[r.point(day)]
		if p == nil {
			p = new(sums)
			r.series[r.point(day)] = p
		}
		p.add(s)
		r.all.add(s)
		r.Timing.Heat[(day+4)%7][hour%24] += s.views
	}
}

func (s *sums) add(t sums) {
	s.views += t.views
	s.sessions += t.sessions
	s.engaged += t.engaged
	s.bounces += t.bounces
	s.qr += t.qr
	s.returning += t.returning
	s.bots += t.bots
	s.atypical += t.atypical
	s.completion += t.completion
}

func (r *result) before(rows [][]string) {
	p, row := &r.Previous, rows[0]
	p.Views, p.Sessions, r.prevMs, p.Downloads = integer(row[0]), integer(row[1]), integer(row[2]), integer(row[3])
}

func (r *result) points(rows [][]string) {
	for _, row := range rows {
		r.uniques[integer(row[0])] = integer(row[1])
	}
}

func (r *result) median(rows [][]string) {
	if len(rows) > 0 {
		r.Totals.MedianEngagedMs = int64(math.Round(number(rows[0][0])))
	}
}

func (r *result) labels(rows [][]string) {
	b := &r.Breakdowns
	cards := [...]*[]Bucket{&b.Countries, &b.Cities, &b.Referrers, &b.Sources, &b.Devices, &b.Browsers, &b.OS,
		&b.Screens}
	for _, row := range rows {
		card := cards[integer(row[0])]
		*card = append(*card, Bucket{row[1], integer(row[2]), pct(float64(integer(row[2])), integer(row[3]))})
	}
}

func (r *result) rows(rows [][]string) {
	for _, row := range rows {
		l := &linkRow{link: integer(row[0]), slug: row[1], kind: row[2], created: integer(row[3]),
			downloads: integer(row[4])}
		r.linkRows[l.link] = l
		r.Totals.Downloads += l.downloads
	}
}

// links selects the top links (analytics, Account report). Call it after rows.
func (r *result) links(rows [][]string) {
	for _, row := range rows {
		l := r.linkRows[integer(row[0])]
		l.views, l.sessions, l.engaged, l.completion = integer(row[1]), integer(row[2]), integer(row[3]), number(row[4])
		if l.views > 0 {
			l.spark = make([]int64, r.scope.toDay()-r.scope.sparkDay())
			r.top = append(r.top, l)
		}
	}
	slices.SortFunc(r.top, func(a, b *linkRow) int {
		return cmp.Or(cmp.Compare(b.views, a.views), cmp.Compare(b.created, a.created), cmp.Compare(b.link, a.link))
	})
	r.top = r.top[:min(25, len(r.top))]
}

func (r *result) topUniques(rows [][]string) {
	for _, row := range rows {
		r.linkRows[integer(row[0])].uniques = integer(row[1])
	}
}

func (r *result) sparks(rows [][]string) {
	for _, row := range rows {
		r.linkRows[integer(row[0])].spark[integer(row[1])-r.scope.sparkDay()] = integer(row[2])
	}
}

func (r *result) pages(rows [][]string) {
	for _, row := range rows {
		r.pageRows[int(integer(row[0]))] = &pageRow{integer(row[1]), integer(row[2]), integer(row[3])}
	}
}

func (r *result) recent(rows [][]string) {
	for _, row := range rows {
		r.Recent = append(r.Recent, Recent{time.UnixMilli(integer(row[0])).UTC()})
	}
}

// figures returns the finished report.
func (r *result) figures() *Figures {
	t, a := &r.Totals, r.all
	t.Views, t.Sessions, t.TotalEngagedMs, t.QRScans, t.BotsExcluded, t.Atypical = a.views, a.sessions, a.engaged, a.qr,
		a.bots, a.atypical
	t.AvgEngagedMs, t.ReturningPct, t.BouncePct = mean(a.engaged, a.sessions), pct(float64(a.returning), a.views),
		pct(float64(a.bounces), a.sessions)
	r.Previous.AvgEngagedMs = mean(r.prevMs, r.Previous.Sessions)
	for day := r.scope.fromDay(); day < r.scope.toDay(); day++ {
		if day > r.scope.fromDay() && r.point(day) == r.point(day-1) {
			continue
		}
		s := cmp.Or(r.series[r.point(day)], new(sums))
		r.Series = append(r.Series, Point{time.UnixMilli(day * dayMs).UTC().Format(time.DateOnly), s.views,
			r.uniques[r.point(day)], mean(s.engaged, 1000*s.sessions)})
	}
	if r.scope.Link != nil {
		t.CompletionPct = completion(r.scope.Link.Kind, a.completion, a.sessions)
		r.Content.Pages = r.content()
		return &r.Figures
	}
	r.account()
	return &r.Figures
}

func (r *result) account() {
	kinds, sessions := map[string]int64{}, int64(0)
	for _, l := range r.linkRows {
		if l.views > 0 {
			kinds[l.kind] += l.views
		}
		if l.kind != "archive" {
			sessions += l.sessions
		}
	}
	r.Totals.CompletionPct = completion("", r.all.completion, sessions)
	for kind, n := range kinds {
		r.Mix = append(r.Mix, Bucket{kind, n, pct(float64(n), r.all.views)})
	}
	slices.SortFunc(r.Mix, func(a, b Bucket) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Key, b.Key))
	})
	for _, l := range r.top {
		r.TopLinks = append(r.TopLinks, TopLink{Slug: l.slug, Kind: l.kind, Views: l.views, Uniques: l.uniques,
			AvgEngagedMs: mean(l.engaged, l.sessions),
			Downloads:    l.downloads, CompletionPct: completion(l.kind, l.completion, l.sessions), Spark: l.spark})
	}
}

func (r *result) content() *Pages {
	total := r.scope.Link.Pages
	var views, ms, reach int64
	for _, p := range r.pageRows {
		views += p.views
		ms += p.ms
	}
	c := &Pages{AvgPagesSeen: tenths(float64(views), r.all.sessions), Pages: make([]Page, total)}
	for p := total; p > 0; p-- {
		row := cmp.Or(r.pageRows[p], new(pageRow))
		reach += row.furthest
		c.Pages[p-1] = Page{p, row.views, pct(float64(reach), r.all.sessions), mean(row.ms, row.views),
			pct(float64(row.ms), ms)}
	}
	c.ReadToEndPct = c.Pages[total-1].ReachPct
	return c
}

func completion(kind string, sum float64, sessions int64) *float64 {
	if kind == "archive" || sessions == 0 {
		return nil
	}
	p := pct(sum, sessions)
	return &p
}

func pct(n float64, of int64) float64 { return tenths(100*n, of) }

func tenths(n float64, of int64) float64 {
	if of == 0 {
		return 0
	}
	return math.Round(10*n/float64(of)) / 10
}

func mean(n, of int64) int64 {
	if of == 0 {
		return 0
	}
	return (2*n + of) / (2 * of)
}
