package scan

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sync"

	"vitrine"
	"vitrine/internal/backend/viewlog/segment"
	"vitrine/report"
	"vitrine/report/part"
)

// counter counts views as report.Tally.Add does, but by the numbers of labels.
type counter struct {
	q     *Query
	rules report.Rules
	match matcher

	mu      sync.Mutex
	decoder segment.Decoder

	link   vitrine.LinkID
	skip   bool  // the query excludes the link
	only   []int // the versions of the link that count; nil means all
	of     *linkSums
	events []Event // remaining download events of the link

	whole      report.Sums
	steps      []report.Sums
	links      map[vitrine.LinkID]*linkSums
	files      map[file]*report.Sums
	heat       [7][24]int64
	words      [segment.Kinds]tallies
	bots       tallies
	times      pile // engaged times, in 4 bytes each
	pages      []pageSums
	parts      [report.PartCount]int64
	parted     int64
	clicks     map[part.Click]int64 // by part and target
	points     *[2][101]int64
	viewerDays Set
	room       room
	got        []int64 // times of the downloads of matching views
	clock      Clock
}

type linkSums struct {
	report.Sums
	daily []int64
}

// file identifies a version of the file of a link.
type file struct {
	link    vitrine.LinkID
	version int
}

type pageSums struct {
	sessions, ms, last int64
	bands              part.Bands
}

// tallies counts by number. Small numbers, which are the most frequent, are
// counted in an array.
type tallies struct {
	few  []int64
	many map[segment.WordID]int64
}

const fewLabels = 1 << 16

func (t *tallies) add(id segment.WordID) {
	if id >= fewLabels {
		if t.many == nil {
			t.many = map[segment.WordID]int64{}
		}
		t.many[id]++
		return
	}
	if int(id) >= len(t.few) {
		t.few = append(t.few, make([]int64, int(id)+1-len(t.few))...)
	}
	t.few[id]++
}

func (t *tallies) each(f func(id segment.WordID, n int64) error) error {
	for id, n := range t.few {
		if n != 0 {
			if err := f(segment.WordID(id), n); err != nil {
				return err
			}
		}
	}
	for id, n := range t.many {
		if err := f(id, n); err != nil {
			return err
		}
	}
	return nil
}

func newCounter(q *Query) *counter {
	c := &counter{q: q, rules: report.CountingRules(), match: newMatcher(q), links: map[vitrine.LinkID]*linkSums{},
		files: map[file]*report.Sums{},
		steps: make([]report.Sums, max(q.To-q.From, 0)),
		clock: newClock(q.Steps, q.From, q.To)}
	if q.Single {
		c.points = new([2][101]int64)
	}
	c.link = -1
	c.room.most = cmp.Or(q.held, heldBytes)
	c.viewerDays.in = &c.room
	return c
}

// begin moves to a link, and to its views from an ID on.
func (c *counter) begin(link vitrine.LinkID, from vitrine.ViewID) {
	if link != c.link {
		c.link = link
		c.skip = c.q.Links != nil && !slices.Contains(c.q.Links, int64(link))
		c.only = c.q.Versions[int64(link)]
		c.of = c.links[link]
	}
	c.events = c.q.Events[link]
	if len(c.events) > 0 {
		i, _ := slices.BinarySearchFunc(c.events, from, func(e Event, id vitrine.ViewID) int {
			switch {
			case e.View < id:
				return -1
			case e.View > id:
				return 1
			}
			return 0
		})
		for i > 0 && c.events[i-1].View == from {
			i--
		}
		c.events = c.events[i:]
	}
}

// segment counts the rows of a segment.
func (c *counter) segment(p *waiting) error {
	c.begin(p.link, p.first)
	if c.skip {
		return nil
	}
	if err := c.decoder.Open(p.data, p.first); err != nil {
		return err
	}
	if some, err := c.match.mayMatch(&c.decoder); err != nil || !some {
		return err
	}
	c.decoder.Sums = c.q.Account
	for r := c.decoder.Next(); r != nil; r = c.decoder.Next() {
		if err := c.row(r, c.decoder.SeenPages); err != nil {
			return err
		}
	}
	return c.decoder.End()
}

// row counts a row of the link. pages is the number of pages seen in its
// session.
func (c *counter) row(r *segment.Row, pages int64) error {
	if c.skip || r.ID >= c.q.End || (segment.Place{ID: r.ID, Link: c.link}).Before(c.q.Oldest) {
		return nil
	}
	if c.only != nil && !slices.Contains(c.only, max(r.Version, 1)) {
		return nil
	}
	if ok, err := c.match.row(r); err != nil || !ok {
		return err
	}
	for len(c.events) > 0 && c.events[0].View <= r.ID {
		if c.events[0].View == r.ID {
			c.got = append(c.got, c.events[0].Ms)
		}
		c.events = c.events[1:]
	}
	if c.q.Daily {
		c.daily(r)
		return nil
	}
	human := r.Human()
	s := &r.Session
	brief := r.Engaged && s.EngagedMs < c.rules.AtypicalEngagedMs && s.PresentMs < c.rules.AtypicalPresentMs
	if !human {
		c.bots.add(r.Bot)
		return c.atypical(r)
	}
	if brief {
		c.whole.Atypical++
	}
	c.whole.Views++
	if r.Flags&segment.ViewQR != 0 {
		c.whole.QR++
	}
	if r.Flags&segment.ViewReturning != 0 {
		c.whole.Returning++
	}
	c.clock.Set(r.ID.Ms())
	step := &c.steps[c.clock.Step-c.q.From]
	step.Views++
	c.viewerDays.Add(r.Viewer, int64(c.link), c.clock.Step)
	if c.of == nil {
		c.of = &linkSums{}
		c.links[c.link] = c.of
	}
	c.of.Views++
	of := c.file(r.Version)
	if !c.q.Brief {
		c.heat[c.clock.Weekday][c.clock.Hour]++
		c.count(r)
	}
	if r.Engaged && !brief {
		c.session(s, pages, step)
		if of != nil {
			c.progressOf(of, s, pages)
		}
	}
	return nil
}

// count counts the words of a view that counts.
func (c *counter) count(r *segment.Row) {
	c.words[segment.KindPlace].add(r.Place)
	c.words[segment.KindOrigin].add(r.Origin)
	c.words[segment.KindAgent].add(r.Agent)
	if r.Campaign != 0 {
		c.words[segment.KindCampaign].add(r.Campaign)
	}
	if r.Engaged {
		c.words[segment.KindScreen].add(r.Session.Screen)
	}
}

// file counts a view of a version of the link. It returns the sums of the
// version, or nil if nothing asks for them.
func (c *counter) file(version int) *report.Sums {
	if version < 2 || c.q.Brief {
		return nil
	}
	k := file{c.link, version}
	of := c.files[k]
	if of == nil {
		of = new(report.Sums)
		c.files[k] = of
	}
	of.Views++
	return of
}

// atypical counts the engagement of a view that is excluded, but not as the
// owner's.
func (c *counter) atypical(r *segment.Row) error {
	if !r.Engaged {
		return nil
	}
	if r.Flags&segment.ViewOwn != 0 {
		if word, err := c.q.Word(r.Bot); err != nil || word.Labels[0] == report.BotOwn {
			return err
		}
	}
	c.whole.Atypical++
	return nil
}

// daily counts a view for its link and step.
func (c *counter) daily(r *segment.Row) {
	if !r.Human() {
		return
	}
	if c.of == nil {
		c.of = &linkSums{daily: make([]int64, c.q.To-c.q.From)}
		c.links[c.link] = c.of
	}
	c.clock.Set(r.ID.Ms())
	c.of.daily[c.clock.Step-c.q.From]++
}

// session counts engagement that is not atypical.
func (c *counter) session(s *segment.Session, pages int64, step *report.Sums) {
	engaged := min(max(s.EngagedMs, 0), c.rules.MaxMs)
	step.Sessions++
	step.EngagedMs += engaged
	c.progressOf(&c.whole, s, pages)
	c.progressOf(&c.of.Sums, s, pages)
	if engaged < c.rules.BounceMs {
		c.whole.Bounces++
	}
	if c.q.Brief {
		return
	}
	times := c.times.chunk(4, &c.room)
	*times = binary.LittleEndian.AppendUint32(*times, uint32(engaged))
	if c.q.Account {
		return
	}
	c.progress(&c.whole.Media, s.Played > 0, s.Reached)
	c.progress(&c.whole.Scroll, s.Depth > 0, s.Depth)
	c.page(s.Pages)
	if s.Outlined {
		c.whole.Outlined++
	}
	for _, on := range s.Clicks {
		if c.clicks == nil {
			c.clicks = map[part.Click]int64{}
		}
		c.clicks[part.Click{Part: on.Part, Target: on.Target}] += on.Count
	}
	if s.Parts != (report.Parts{}) {
		c.parted++
		s.Parts.Ranges(func(from, to int) {
			for i := from; i < to; i++ {
				c.parts[i]++
			}
		})
	}
	if c.points != nil {
		c.points[0][min(max(s.Reached, 0), whole)/(whole/100)]++
		c.points[1][min(max(s.Depth, 0), whole)/(whole/100)]++
	}
}

const whole = report.Whole

// progressOf adds engagement to the sums that completion is made of.
func (c *counter) progressOf(sums *report.Sums, s *segment.Session, pages int64) {
	sums.Sessions++
	if s.Unmeasured {
		sums.Unmeasured++
	}
	sums.EngagedMs += min(max(s.EngagedMs, 0), c.rules.MaxMs)
	sums.Pages += pages
	sums.Played += min(max(s.Played, 0), whole)
	sums.Depth += min(max(s.Depth, 0), whole)
}

func (c *counter) progress(p *report.ProgressSums, begun bool, furthest int64) {
	if begun {
		p.Begun++
	}
	for i, m := range c.rules.Marks {
		if furthest >= m {
			p.Reached[i]++
		}
	}
}

// maxPages is the number of pages that are counted in an array. No document
// has more.
const maxPages = vitrine.MaxPages

func (c *counter) page(pages []report.PageTime) {
	last := 0
	for _, p := range pages {
		if p.Page < 1 || p.Page > maxPages {
			continue
		}
		for p.Page >= len(c.pages) {
			c.pages = append(c.pages, pageSums{})
		}
		sums := &c.pages[p.Page]
		sums.sessions++
		ms := min(max(p.Ms, 0), c.rules.MaxMs)
		sums.ms += ms
		if p.Bands != (part.Bands{}) {
			sums.bands = sums.bands.Add(p.Bands.Within(ms), 1)
		}
		last = p.Page
	}
	if last > 0 {
		c.pages[last].last++
	}
}

// addTo adds the counts to a tally, without viewer days and engaged times.
func (c *counter) addTo(t *report.Tally) error {
	t.AddSums(&c.whole)
	for i := range c.steps {
		t.AddDaySums(c.q.From+report.Day(i), &c.steps[i])
	}
	for _, ms := range c.got {
		t.AddDownloads(c.q.Steps.Of(ms), 1)
	}
	for link, sums := range c.links {
		t.AddLinkSums(int64(link), &sums.Sums)
	}
	for of, sums := range c.files {
		t.AddFileSums(int64(of.link), of.version, sums)
	}
	for weekday := range c.heat {
		for hour, n := range c.heat[weekday] {
			t.AddHour(Sunday+report.Day(weekday), hour, n)
		}
	}
	for p, sums := range c.pages {
		t.AddPage(p, sums.sessions, sums.ms, sums.last)
		t.AddBands(p, sums.bands)
	}
	t.AddParts(c.parted, c.parts)
	for of, n := range c.clicks {
		t.AddClick(of.Part, of.Target, n)
	}
	if c.points != nil {
		t.AddPoints(c.points[0], c.points[1])
	}
	return c.addLabels(t)
}

func (c *counter) addLabels(t *report.Tally) error {
	for kind := range c.words {
		err := c.words[kind].each(func(id segment.WordID, n int64) error {
			l, err := c.q.Word(id)
			if err != nil {
				return err
			}
			v := viewOf(kind, l)
			for _, d := range segment.WordKinds[kind].Dimensions {
				t.AddKey(d, d.Row().Key(v), n)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return c.bots.each(func(id segment.WordID, n int64) error {
		l, err := c.q.Word(id)
		if err == nil {
			t.AddBots(l.Labels[0], l.Labels[1], n)
		}
		return err
	})
}
