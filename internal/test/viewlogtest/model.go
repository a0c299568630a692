package viewlogtest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
)

// memory is the simplest implementation of the contract of a ViewLog. Backends
// are compared with it.
type memory struct {
	views     map[vitrine.LinkID]map[vitrine.ViewID]*remembered
	downloads map[vitrine.LinkID]map[vitrine.ViewID]vitrine.ViewID // event to view; without one, to the negative recipient
	accounts  map[vitrine.LinkID]vitrine.AccountID
}

type remembered struct {
	view   report.View
	asSent report.View
	vitrine.Engagement
	imported       bool
	decided, waits bool
}

func newMemory() *memory {
	return &memory{map[vitrine.LinkID]map[vitrine.ViewID]*remembered{},
		map[vitrine.LinkID]map[vitrine.ViewID]vitrine.ViewID{},
		map[vitrine.LinkID]vitrine.AccountID{}}
}

func (m *memory) add(v vitrine.ViewRecord, imported bool) {
	link := vitrine.LinkID(v.Link)
	if m.views[link] == nil {
		m.views[link] = map[vitrine.ViewID]*remembered{}
		m.downloads[link] = map[vitrine.ViewID]vitrine.ViewID{}
		m.accounts[link] = v.Account
	}
	r := &remembered{view: own(v.View), asSent: v.View, imported: imported}
	if v.Session != nil {
		r.Engagement.Session = *own(v.View).Session
		r.view.Session = &r.Engagement.Session
	}
	m.views[link][id(v)] = r
}

func (m *memory) append(b vitrine.Batch) (refused []int, early vitrine.Batch) {
	for i, v := range b.Views {
		link := vitrine.LinkID(v.Link)
		v.Returning = false
		if there := m.views[link][id(v)]; there != nil {
			if !there.sent(v.View) {
				refused = append(refused, i)
			}
			continue
		}
		asSent := v.View
		v.Returning = v.Counted() && m.returns(&v.View)
		m.add(v, false)
		m.views[link][id(v)].asSent = asSent
	}
	for _, s := range b.Snapshots {
		r := m.views[s.Link][s.View]
		if r == nil {
			early.Snapshots = append(early.Snapshots, s)
			continue
		}
		r.Apply(s)
		r.view.Session = &r.Engagement.Session
		undecided := report.Undecided(r.view.Bot)
		switch {
		case s.Bot != "" && (undecided || r.view.Counted()):
			m.exclude(r, s.Bot)
			r.decided = r.decided || undecided
		case undecided && r.Engagement.Session.EngagedMs >= report.DecidedMs:
			m.include(r)
			r.view.Returning = m.returns(&r.view)
			r.decided = true
		}
	}
	for _, d := range b.Downloads {
		if d.View == 0 {
			m.downloadAlone(d)
			continue
		}
		r := m.views[d.Link][d.View]
		if r == nil {
			early.Downloads = append(early.Downloads, d)
		}
		if _, counted := m.downloads[d.Link][d.ID]; r != nil && r.view.Counted() && !counted {
			m.downloads[d.Link][d.ID] = d.View
		}
		if r != nil && !r.view.Counted() && r.view.Bot != report.BotAutomation {
			r.waits = true
		}
	}
	for _, d := range b.Reclasses {
		switch r := m.views[d.Link][d.View]; {
		case r == nil:
		case !r.view.Own:
			m.reclass(r, d)
		case d.Count && r.view.Bot == report.BotOwn:
			m.include(r)
		case !d.Count && r.view.Counted():
			m.exclude(r, report.BotOwn)
		}
	}
	return refused, early
}

// returns reports whether a view is by a viewer of other counted views, none of
// which began in the half hour before it.
func (m *memory) returns(v *report.View) (again bool) {
	for id, other := range m.views[vitrine.LinkID(v.Link)] {
		if other.view.Counted() && other.view.Viewer == v.Viewer && int64(id) != v.ID {
			if since := v.At - other.view.At; since >= 0 && since <= report.ReturnMs {
				return false
			}
			again = true
		}
	}
	return again
}

// sent reports whether a view is the one that was sent, ignoring fields that
// may be decided later.
func (r *remembered) sent(v report.View) bool {
	sent := r.asSent
	if v.Own && sent.Own || r.decided {
		sent.Bot, v.Bot, sent.Product, v.Product = "", "", "", ""
	}
	return sent == v
}

func (m *memory) exclude(r *remembered, reason string) {
	v := &r.view
	v.Bot, v.Product, v.WasBot, v.WasProduct, v.Returning, r.waits = reason, "", "", "", false, false
	for event, view := range m.downloads[vitrine.LinkID(v.Link)] {
		if int64(view) == v.ID {
			delete(m.downloads[vitrine.LinkID(v.Link)], event)
			r.waits = reason != report.BotAutomation
		}
	}
}

func (m *memory) include(r *remembered) {
	v := &r.view
	link := vitrine.LinkID(v.Link)
	v.Returning = false
	for _, other := range m.views[link] {
		if other.view.Counted() && other.view.Viewer == v.Viewer {
			v.Returning = true
		}
	}
	v.Bot, v.Product, v.WasBot, v.WasProduct = "", "", "", ""
	if _, counted := m.downloads[link][vitrine.ViewID(v.ID)]; r.waits && !counted {
		m.downloads[link][vitrine.ViewID(v.ID)] = vitrine.ViewID(v.ID)
	}
	r.waits = false
}

func (m *memory) downloadAlone(d vitrine.Download) {
	if m.accounts[d.Link] == 0 {
		m.accounts[d.Link] = d.Account
		m.views[d.Link], m.downloads[d.Link] = map[vitrine.ViewID]*remembered{}, map[vitrine.ViewID]vitrine.ViewID{}
	}
	if _, counted := m.downloads[d.Link][d.ID]; !counted && m.accounts[d.Link] == d.Account {
		m.downloads[d.Link][d.ID] = -vitrine.ViewID(d.Recipient) // no view
	}
}

func (m *memory) deleteLink(link vitrine.LinkID) {
	delete(m.views, link)
	delete(m.downloads, link)
	delete(m.accounts, link)
}

// list returns the views of a link, oldest first.
func (m *memory) list(link vitrine.LinkID, from, to report.Day) (views []report.View) {
	for _, r := range m.views[link] {
		if d := report.DayOf(r.view.At); from <= d && d < to {
			views = append(views, own(r.view))
		}
	}
	slices.SortFunc(views, func(a, b report.View) int { return int(min(max(a.ID-b.ID, -1), 1)) })
	return views
}

func (m *memory) tally(s vitrine.Scope, from, to report.Day) *report.Tally {
	var fold report.Fold
	for link, account := range m.accounts {
		if s.Link != 0 && link != s.Link || s.Link == 0 && account != s.Account {
			continue
		}
		for _, v := range m.list(link, from, to) {
			fold.Add(&v)
		}
		for event := range m.downloads[link] {
			if d := report.DayOf(event.Ms()); from <= d && d < to {
				fold.AddDownload(d)
			}
		}
	}
	return fold.Tally()
}

func (m *memory) counts(link vitrine.LinkID) (c vitrine.LinkCounts) {
	for _, r := range m.views[link] {
		if r.view.Counted() {
			c.Views++
		}
	}
	c.Downloads = int64(len(m.downloads[link]))
	return c
}

// model applies the same steps to a log and the model, and compares them
// regularly.
func (t logTest) model() {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	c, m := random{rand.New(rand.NewPCG(seed, 0))}, newMemory()
	for step := range t.times(modelSteps) {
		switch {
		case step%40 == 39:
			link := vitrine.LinkID(c.IntN(modelLinks) + 1)
			if err := t.log.DeleteLink(ctx, link); err != nil {
				t.Fatal(err)
			}
			m.deleteLink(link)
		case step%10 == 9:
			t.importSome(c, m, step)
		case step%20 == 6:
			t.newRules(c, m)
		case step%10 == 4:
			if err := t.log.RollUp(ctx, day+report.Day(c.IntN(modelDays+2))); err != nil {
				t.Fatal(err)
			}
		default:
			b := c.batch(m)
			t.appendBoth(m, b)
		}
		if step%5 == 4 || c.IntN(5) == 0 {
			t.compare(c, m)
		}
		if t.Failed() {
			t.Fatalf("step %d of seed %d", step, seed)
		}
	}
}

// appendBoth appends a batch and compares the result with the model.
func (t logTest) appendBoth(m *memory, b vitrine.Batch) {
	t.Helper()
	refused, early := m.append(b)
	t.wantAppend(b, refused, early)
}

// wantAppend appends a batch and compares the result with the given one.
func (t logTest) wantAppend(b vitrine.Batch, refused []int, early vitrine.Batch) {
	t.Helper()
	r, e := t.outcome(b)
	vitrinetest.Equal(t, "views refused", r, refused)
	vitrinetest.Equal(t, "what is early", e, early)
}

// importSome imports views with new viewers and IDs.
func (t logTest) importSome(c random, m *memory, step int) {
	var views []vitrine.ViewRecord
	for i := range 3 {
		v := c.view()
		v.ID = int64(vitrine.ViewIDAt(v.At, 1000+3*step+i))
		v.Viewer += 1000
		if c.IntN(2) == 0 {
			s := c.session()
			v.Session = &s
		}
		views = append(views, v)
		m.add(v, true)
		if v.Session != nil && v.Session.Downloaded && v.Counted() {
			m.downloads[vitrine.LinkID(v.Link)][id(v)] = id(v)
		}
	}
	t.importAt(vitrinetest.Epoch.AddDate(0, 0, c.IntN(modelDays+4)), 9, int64(step), views...)
}

func (t logTest) compare(c random, m *memory) {
	t.Helper()
	totals := map[vitrine.AccountID]vitrine.LinkCounts{}
	for link := range vitrine.LinkID(modelLinks + 1) {
		link++
		vitrinetest.Equal(t, "views", t.all(link), m.list(link, firstDay, lastDay))
		counts := m.counts(link)
		t.counted(link, counts.Views, counts.Downloads)
		of := totals[m.accounts[link]]
		of.Views, of.Downloads = of.Views+counts.Views, of.Downloads+counts.Downloads
		totals[m.accounts[link]] = of
		t.compareTally(c, m, vitrine.Scope{Account: vitrine.AccountID(1 + link%2), Link: link})
	}
	t.totals(1, totals[1])
	t.totals(2, totals[2])
	t.compareTally(c, m, vitrine.Scope{Account: 1})
	t.compareTally(c, m, vitrine.Scope{Account: 2})
}

// compareTally compares tallies by their reports.
func (t logTest) compareTally(c random, m *memory, s vitrine.Scope) {
	t.Helper()
	from := day + report.Day(c.IntN(modelDays))
	to := from + 1 + report.Day(c.IntN(modelDays))
	got, truncated := t.tally(s, from, to, c.IntN(2)*1_000_000)
	want := m.tally(s, from, to)
	t.compareBrief(s, from, to, want)
	t.compareNarrow(c, m, s, from, to)
	if s.Link == 0 {
		t.compareDaily(m, s, from, to)
	}
	vitrinetest.Equal(t, "truncated", truncated, false)
	vitrinetest.Equal(t, "views", got.Views(), want.Views())
	for a := from; a < to; a++ {
		for b := a + 1; b <= to; b++ {
			vitrinetest.Equal(t, fmt.Sprintf("uniques of [%v, %v)", a, b), got.Uniques(a, b), want.Uniques(a, b))
		}
	}
	vitrinetest.Equal(t, fmt.Sprintf("reports of %+v", s), reports(s, got, from, to), reports(s, want, from, to))
}

// compareBrief compares the totals that comparisons between windows use.
func (t logTest) compareBrief(s vitrine.Scope, from, to report.Day, want *report.Tally) {
	t.Helper()
	got, _, err := t.log.Tally(ctx, vitrine.TallyQuery{Scope: s, From: from, To: to, Brief: true})
	if err != nil {
		t.Fatal(err)
	}
	w := report.Window{Key: report.RangeAll, From: to, To: to + (to - from)}
	brief, whole := report.ForLink(report.Link{}, w, nil, got, nil), report.ForLink(report.Link{}, w, nil, want, nil)
	vitrinetest.Equal(t, fmt.Sprintf("previous of %+v", s), brief.Previous, whole.Previous)
	vitrinetest.Equal(t, fmt.Sprintf("previous series of %+v", s), brief.PreviousSeries, whole.PreviousSeries)
}

// compareDaily compares daily views by link.
func (t logTest) compareDaily(m *memory, s vitrine.Scope, from, to report.Day) {
	t.Helper()
	var links []vitrine.LinkID
	want := map[vitrine.LinkID][]int64{}
	for link := range vitrine.LinkID(modelLinks + 1) {
		links = append(links, link+1)
		want[link+1] = make([]int64, to-from)
		if m.accounts[link+1] == s.Account {
			want[link+1] = m.tally(vitrine.Scope{Account: s.Account, Link: link + 1}, from, to).DailyViews(from, to)
		}
	}
	got, err := t.log.DailyViews(ctx, vitrine.TallyQuery{Scope: s, From: from, To: to}, links)
	if err != nil {
		t.Fatal(err)
	}
	vitrinetest.Equal(t, "daily views", got, want)
}

// reports returns all reports of a tally that its scope permits, as text.
func reports(s vitrine.Scope, tally *report.Tally, from, to report.Day) string {
	return reportsOver(s, tally, report.Window{Key: report.RangeAll, From: from, To: to})
}

// reportsOver returns the reports over a window as text.
func reportsOver(s vitrine.Scope, tally *report.Tally, w report.Window) string {
	var all []any
	var links []report.Link
	for i, content := range []report.ContentKind{report.ContentPages, report.ContentMedia, report.ContentScroll,
		report.ContentNone} {
		l := report.Link{ID: int64(i + 1), Content: content, Kind: string(content), Pages: 9,
			Created: vitrinetest.Epoch.Add(time.Duration(i) * time.Hour)}
		if s.Link != 0 {
			all = append(all, report.ForLink(l, w, tally, tally, nil))
			l.ID = int64(s.Link)
		}
		if i > 0 { // replaced
			l.Files = map[int]report.File{1: {Kind: l.Kind, Content: l.Content, Pages: 9},
				2: {Kind: "pdf", Content: report.ContentPages, Pages: 7},
				4: {Kind: "audio", Content: report.ContentMedia}}
		}
		if s.Link != 0 {
			all = append(all, report.ForLink(l, w, tally, tally, nil))
		}
		links = append(links, l)
	}
	all = append(all, events(tally, w.From, w.To), tally.Bots(), tally.Products())
	if sessions, parts := tally.PlayedParts(); s.Link != 0 {
		all = append(all, sessions, parts)
	}
	for _, d := range report.Cards() {
		all = append(all, tally.Labels(d.Dimension, 100))
	}
	if s.Link == 0 {
		var top []report.TopLink
		for _, l := range tally.Top(links, 25) {
			top = append(top, report.TopLink{Link: l})
		}
		all = append(all, report.ForAccount(links, w, tally, nil, top, report.AllTime{}), top)
	}
	if b, err := json.MarshalIndent(all, "", " "); err == nil {
		return string(b)
	}
	return "no JSON"
}
