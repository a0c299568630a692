package report

import (
	"iter"

	"vitrine/report/part"
)

// A log can sum views in their stored form. The methods below make its sums the
// same tally that Add makes one by one. Each method adds n facts at once; the
// caller makes sure that every fact is in each of the sums that it belongs to.

// Sums are sums over the views of one day or one link, or over all views. Only
// counted views count, except in Atypical. Sessions and the fields after it sum
// counted sessions only. Times are limited to 0 to MaxMs, and shares to 0 to a
// million, before they are added.
type Sums struct {
	Views, QR, Returning int64
	Atypical             int64 // with sessions of bots
	Sessions             int64
	Unmeasured           int64 // sessions of which it is not known how far they came
	EngagedMs            int64
	Pages                int64 // from 1 up, seen
	Played, Depth        int64 // millionths
	Bounces              int64 // engaged for less than BounceMs
	Outlined             int64 // with measured parts of a file
	Media, Scroll        ProgressSums
}

// ProgressSums counts sessions that began, and that reached each of Marks.
type ProgressSums struct {
	Begun   int64
	Reached [len(marks)]int64
}

// Rules are the thresholds by which Sums are computed.
type Rules struct {
	AtypicalEngagedMs, AtypicalPresentMs int64 // a session below both is atypical, and so is each session of a bot
	BounceMs                             int64
	MaxMs                                int64
	Marks                                [len(marks)]int64 // millionths
}

// CountingRules returns the rules that Add follows.
func CountingRules() Rules {
	r := Rules{AtypicalEngagedMs: atypicalEngagedMs, AtypicalPresentMs: atypicalPresentMs, BounceMs: bounceMs,
		MaxMs: maxMs}
	for i, m := range marks {
		r.Marks[i] = m.millionths
	}
	return r
}

// engagement returns the part of s that days, links and the whole share.
func (s *Sums) engagement() engagement {
	return engagement{sessions: s.Sessions, unmeasured: s.Unmeasured, engagedMs: s.EngagedMs, pages: s.Pages,
		played: s.Played, depth: s.Depth}
}

// AddSums adds the sums over all views.
func (t *Tally) AddSums(s *Sums) {
	t.views += s.Views
	t.qr += s.QR
	t.returning += s.Returning
	t.atypical += s.Atypical
	t.bounces += s.Bounces
	t.outlined += s.Outlined
	t.sessions.add(s.engagement())
	t.media.merge(progress{s.Media.Begun, s.Media.Reached})
	t.scroll.merge(progress{s.Scroll.Begun, s.Scroll.Reached})
}

// AddDaySums adds the sums of the views of a day: views, sessions and engaged
// time.
func (t *Tally) AddDaySums(d Day, s *Sums) {
	if s.Views != 0 {
		t.day(d).merge(&dayRow{views: s.Views, sessions: s.Sessions, engagedMs: s.EngagedMs})
	}
}

// AddLinkSums adds the sums of the views of a link of the scope: views and the
// sums of sessions.
func (t *Tally) AddLinkSums(link int64, s *Sums) {
	if s.Views != 0 {
		entry(&t.links, link).merge(&linkSums{views: s.Views, sessions: s.engagement()})
	}
}

// AddFileSums adds the sums of the views of one version of a link of the scope:
// views and the sums of sessions. AddLinkSums has them, too.
func (t *Tally) AddFileSums(link int64, version int, s *Sums) {
	if s.Views != 0 && version > 1 {
		entry(&t.files, fileKey{link, version}).merge(&fileCount{s.Views, s.engagement()})
	}
}

// AddHour adds n views in an hour, 0 to 23, on the weekday of d.
func (t *Tally) AddHour(d Day, hour int, n int64) { t.heat[d.Weekday()][hour] += n }

// AddKey adds n views with a key of a dimension with a card; for screens, n
// views with a session. An empty key is not counted.
func (t *Tally) AddKey(d Dimension, key string, n int64) {
	if key != "" && n != 0 {
		t.labels[d.Row().index].add(key, n)
	}
}

// AddBots adds n views by bots with a reason and, if known, a product.
func (t *Tally) AddBots(reason, product string, n int64) {
	if n == 0 {
		return
	}
	t.bots.add(reason, n)
	if product != "" {
		t.products.add(reason+productBreak+product, n)
	}
}

// WithExcess returns a tally with n more views that have BotExcess. It does not
// change t, which may be nil.
func (t *Tally) WithExcess(n int64) *Tally {
	if n == 0 {
		return t
	}
	with := *orEmpty(t)
	with.bots = counts{}
	for reason, views := range orEmpty(t).bots {
		with.bots.add(reason, *views)
	}
	with.AddBots(BotExcess, "", n)
	return &with
}

// AddPage adds counted sessions that saw a page, counted from 1: ms is their
// total time on the page, and last how many of them saw no later page.
func (t *Tally) AddPage(page int, sessions, ms, last int64) {
	if sessions != 0 {
		entry(&t.pages, page).merge(&pageSums{sessions: sessions, ms: ms, last: last})
	}
}

// AddBands adds the times of the quarters of a page that AddPage adds.
func (t *Tally) AddBands(page int, bands part.Bands) {
	if bands != (part.Bands{}) {
		entry(&t.pages, page).merge(&pageSums{bands: bands})
	}
}

// AddEngaged adds the engaged times, of 0 to MaxMs, of all counted sessions of
// t. It reads them twice, and keeps those that the median needs.
func (t *Tally) AddEngaged(engagedMs iter.Seq[uint32]) { t.times.addAll(engagedMs) }

// AddViewerDays counts n viewers of a day; a negative n undoes it. Each viewer
// day of the scope is added once. Distinct viewers are exact only if Prev is
// taken from the scope's whole history, or from all days that the tally will
// ever have.
func (t *Tally) AddViewerDays(v ViewerDay, n int64) {
	if t.day(v.Day).seen.add(v.Prev, n); n < 0 {
		t.tidy(v.Day, 0)
	}
}

// AddLinkViewers counts n viewers of a day on one link of the scope; a negative
// n undoes it. prev is the day on which that link had last seen the viewers.
// The distinct viewers of an account's links come from these viewer days.
func (t *Tally) AddLinkViewers(link int64, prev Day, n int64) {
	if entry(&t.links, link).seen.add(prev, n); n < 0 {
		t.tidy(NoDay, link)
	}
}

// AddDownloads counts n download events. The caller leaves out bots'.
func (t *Tally) AddDownloads(d Day, n int64) { t.day(d).downloads += n }
