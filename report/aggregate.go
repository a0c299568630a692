package report

// A database that holds views can count them itself: what it has summed makes
// the same tally as Add, AddVisit, AddLinkVisit and AddDownload do one by one.
// Each method adds n facts at once; the caller makes sure that every
// fact is in each of the sums that it belongs to.

// Label is one of the labels that a tally counts views by.
type Label int

// The labels of a view. The empty label means unknown, and is not counted; but
// for a source, of which it means a direct one.
const (
	LabelCountry  Label = byCountry
	LabelReferrer Label = byReferrer
	LabelSource   Label = bySource
	LabelDevice   Label = byDevice
	LabelBrowser  Label = byBrowser
	LabelOS       Label = byOS
	LabelScreen   Label = byScreen
	LabelCampaign Label = byCampaign
	LabelMedium   Label = byMedium
	LabelContent  Label = byContent
	LabelTerm     Label = byTerm
)

// Sums are sums over views that have a day, or a link, in common, or over all.
// Only views count, but for Atypical; what begins with Sessions is of counted
// sessions alone, with times of 0 to MaxMs and shares of 0 to a million, both
// brought into these bounds before they are added up.
type Sums struct {
	Views, QR, Returning int64
	Atypical             int64 // bots' too
	Sessions             int64
	EngagedMs            int64
	Pages                int64 // from 1 up, seen
	Played, Depth        int64 // millionths
	Bounces              int64 // engaged for less than BounceMs
	Media, Scroll        ProgressSums
}

// ProgressSums counts sessions that began, and that reached each of Marks.
type ProgressSums struct {
	Begun   int64
	Reached [len(marks)]int64
}

// Rules are the numbers by which sums are made.
type Rules struct {
	AtypicalEngagedMs, AtypicalPresentMs int64 // a session with less of both is atypical, and so is each of a bot
	BounceMs                             int64
	MaxMs                                int64
	Marks                                [len(marks)]int64 // millionths
}

// CountingRules are those that Add follows.
func CountingRules() Rules {
	r := Rules{AtypicalEngagedMs: atypicalEngagedMs, AtypicalPresentMs: atypicalPresentMs, BounceMs: bounceMs, MaxMs: maxMs}
	for i, m := range marks {
		r.Marks[i] = m.millionths
	}
	return r
}

// engagement is the part of s that days, links and the whole have in common.
func (s *Sums) engagement() engagement {
	return engagement{sessions: s.Sessions, engagedMs: s.EngagedMs, pages: s.Pages, played: s.Played, depth: s.Depth}
}

// AddSums adds what is counted of opens as a whole.
func (t *Tally) AddSums(s *Sums) {
	t.views += s.Views
	t.qr += s.QR
	t.returning += s.Returning
	t.atypical += s.Atypical
	t.bounces += s.Bounces
	t.sessions.add(s.engagement())
	t.media.merge(progress{s.Media.Begun, s.Media.Reached})
	t.scroll.merge(progress{s.Scroll.Begun, s.Scroll.Reached})
}

// AddDaySums adds what is counted of the views of a day: views, sessions and
// engaged time.
func (t *Tally) AddDaySums(d Day, s *Sums) {
	if s.Views != 0 {
		t.day(d).merge(&dayRow{views: s.Views, sessions: s.Sessions, engagedMs: s.EngagedMs})
	}
}

// AddLinkSums adds what is counted of the views of a link of the scope: views,
// and what sessions have.
func (t *Tally) AddLinkSums(link int64, s *Sums) {
	if s.Views != 0 {
		entry(&t.links, link).merge(&linkSums{views: s.Views, sessions: s.engagement()})
	}
}

// AddHour adds n views of an hour, 0 to 23, of days of the week like d.
func (t *Tally) AddHour(d Day, hour int, n int64) { t.heat[d.Weekday()][hour] += n }

// AddLabel adds n views with a label; of screens, n views with a session.
func (t *Tally) AddLabel(l Label, label string, n int64) {
	if label == "" && l == LabelSource {
		label = directSource
	}
	if label != "" && n != 0 {
		t.labels[l].add(label, n)
	}
}

// AddCity adds n views from a city of a country.
func (t *Tally) AddCity(city, country string, n int64) {
	if city != "" && n != 0 {
		t.labels[byCity].addCity(city, country, n)
	}
}

// AddBots adds n views by bots, with the reason and, where it is known, the
// product.
func (t *Tally) AddBots(reason, product string, n int64) {
	if n == 0 {
		return
	}
	t.bots.add(reason, n)
	if product != "" {
		t.products.add(reason+productBreak+product, n)
	}
}

// AddPage adds the counted sessions that saw a page, from 1 up: their time on
// it together, and how many of them saw no later one.
func (t *Tally) AddPage(page int, sessions, ms, last int64) {
	if sessions != 0 {
		entry(&t.pages, page).merge(&pageSums{sessions: sessions, ms: ms, last: last})
	}
}

// AddTime adds n counted sessions of an engaged time, 0 to MaxMs.
func (t *Tally) AddTime(engagedMs, n int64) {
	for range n {
		t.times.add(uint32(engagedMs))
	}
}

// AddVisits is AddVisit of n viewers.
func (t *Tally) AddVisits(v Visit, n int64) { t.day(v.Day).seen.add(v.Prev, n) }

// AddLinkVisits is AddLinkVisit of n viewers.
func (t *Tally) AddLinkVisits(link int64, prev Day, n int64) { entry(&t.links, link).seen.add(prev, n) }

// AddDownloads is AddDownload of n events.
func (t *Tally) AddDownloads(d Day, n int64) { t.day(d).downloads += n }
