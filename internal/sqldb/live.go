package sqldb

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"vitrine"
	"vitrine/report"
)

// lives keeps the running days of the scopes that were asked for last in memory: those whose opens are in the table of opens. What
// a transaction changes is added when the scope is asked for again.
type lives struct {
	log     *ViewLog
	mu      sync.Mutex
	byScope map[vitrine.Scope]*live
	clock   int64
	most    int // viewers, of all scopes together
}

// liveViewers bounds the memory for running days, about 100 bytes each.
const liveViewers = 400_000

func newLives(l *ViewLog) *lives {
	return &lives{log: l, byScope: map[vitrine.Scope]*live{}, most: liveViewers}
}

// live is the running days of a scope.
type live struct {
	scope vitrine.Scope

	gone atomic.Bool // nobody keeps it, and its account may not be followed

	mu      sync.Mutex
	built   bool
	seq     int64
	state   state // of the account, as it was built
	tallies dayTallies
	viewers map[liveViewer]*liveDays

	// Under the mutex of lives.
	used int64
	size int
}

// liveViewer is a viewer of a link, or of the whole scope (link 0).
type liveViewer struct {
	link   int64
	viewer uint64
}

// liveDays is the running days on which a viewer came, in order, and the last day before.
type liveDays struct {
	before report.Day
	days   []dayOpens
}

type dayOpens struct {
	day   report.Day
	opens int32
}

// each calls f with the tallies of running days of a scope, up to date with the transaction; false: it cannot tell.
func (ls *lives) each(ctx context.Context, t *tx, s vitrine.Scope, st state, days span, f func(report.Day, *report.Tally)) (bool, error) {
	lv := ls.find(s)
	lv.mu.Lock()
	defer lv.mu.Unlock()
	if lv.gone.Load() {
		return false, nil
	}
	seq, err := t.seq()
	if err != nil {
		return false, err
	}
	if err := lv.bring(ctx, ls.log, t, st, seq); err != nil {
		lv.forget()
		return false, err
	}
	if lv.state != st {
		return false, nil // it is ahead of this transaction
	}
	for d, tally := range lv.tallies {
		if days.from <= d && d < days.to {
			f(d, tally)
		}
	}
	ls.keep(lv)
	return true, nil
}

// find finds the running days of a scope, or begins with them.
func (ls *lives) find(s vitrine.Scope) *live {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	lv := ls.byScope[s]
	if lv == nil {
		lv = &live{scope: s}
		ls.byScope[s] = lv
		ls.log.feed.follow(s.Account)
	}
	ls.clock++
	lv.used = ls.clock
	return lv
}

// keep notes how large lv, which is locked, has become, and lets go of those that were not used for longest while all together are
// too large.
func (ls *lives) keep(lv *live) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	lv.size = len(lv.viewers)
	for {
		size := 0
		var oldest *live
		for _, other := range ls.byScope {
			size += other.size
			if oldest == nil || other.used < oldest.used {
				oldest = other
			}
		}
		if size <= ls.most && len(ls.byScope) <= 1000 {
			return
		}
		oldest.gone.Store(true)
		delete(ls.byScope, oldest.scope)
		ls.log.feed.unfollow(oldest.scope.Account)
		if oldest == lv {
			return
		}
	}
}

func (lv *live) forget() { lv.built, lv.tallies, lv.viewers = false, nil, nil }

// bring brings lv up to a transaction, if it is not beyond it.
func (lv *live) bring(ctx context.Context, l *ViewLog, t *tx, st state, seq int64) error {
	if lv.built && lv.seq >= seq {
		return nil
	}
	if lv.built && lv.state == st {
		if events, known := l.feed.since(lv.scope.Account, lv.seq, seq); known {
			err := lv.apply(t, events)
			lv.seq = seq
			return err
		}
	}
	return lv.build(ctx, l, t, st, seq)
}

// build reads the running days.
func (lv *live) build(ctx context.Context, l *ViewLog, t *tx, st state, seq int64) error {
	lv.forget()
	g := l.gather(ctx, t, lv.scope)
	if err := g.running(st.settled, lastDay); err != nil {
		return err
	}
	if err := g.downloads(st.settled, lastDay); err != nil {
		return err
	}
	lv.tallies, lv.viewers = g.tallies, make(map[liveViewer]*liveDays, len(g.visits))
	slices.SortFunc(g.visits, visitEntry.compare)
	h, err := t.history(lv.scope.Account)
	if err != nil {
		return err
	}
	for visits := g.visits; len(visits) > 0; {
		n := 1
		for n < len(visits) && visits[n].viewer == visits[0].viewer {
			n++
		}
		before, err := h.of(visits[0].viewer)
		if err != nil {
			return err
		}
		for _, v := range visits[:n] {
			lv.visit(before, v, 1)
		}
		visits = visits[n:]
	}
	lv.built, lv.seq, lv.state = true, seq, st
	return nil
}

// lastDay is after every day.
const lastDay report.Day = 1<<31 - 1

// visit counts n opens, 1 or -1, of a viewer on a day; before is the visits of the viewer in packs.
func (lv *live) visit(before []visitEntry, v visitEntry, n int32) {
	lv.count(0, before, v, n)
	if lv.scope.Link == 0 {
		lv.count(v.link, before, v, n)
	}
}

// count counts opens of a viewer of a link, or of the scope with link 0, and moves the visits between its days.
func (lv *live) count(link int64, before []visitEntry, v visitEntry, n int32) {
	of := link
	if lv.scope.Link != 0 {
		of = int64(lv.scope.Link)
	}
	key := liveViewer{link, uint64(v.viewer)}
	days := lv.viewers[key]
	if days == nil {
		days = &liveDays{before: report.NoDay}
		for _, e := range before {
			if of == 0 || e.link == of {
				days.before = max(days.before, e.day)
			}
		}
		lv.viewers[key] = days
	}
	i, there := slices.BinarySearchFunc(days.days, v.day, func(d dayOpens, day report.Day) int { return int(d.day) - int(day) })
	if there {
		if days.days[i].opens += n; days.days[i].opens > 0 {
			return
		}
	}
	prev := days.before
	if i > 0 {
		prev = days.days[i-1].day
	}
	if there { // the last open of the day is gone
		lv.fact(link, v.day, prev, -1)
		if i+1 < len(days.days) {
			lv.fact(link, days.days[i+1].day, v.day, -1)
			lv.fact(link, days.days[i+1].day, prev, 1)
		}
		days.days = slices.Delete(days.days, i, i+1)
		return
	}
	lv.fact(link, v.day, prev, 1)
	if i < len(days.days) {
		lv.fact(link, days.days[i].day, prev, -1)
		lv.fact(link, days.days[i].day, v.day, 1)
	}
	days.days = slices.Insert(days.days, i, dayOpens{v.day, n})
}

// fact adds a visit to the tally of its day, or takes it back.
func (lv *live) fact(link int64, day, prev report.Day, n int) {
	t := lv.tallies.of(day)
	switch {
	case link == 0 && n > 0:
		t.AddVisit(report.Visit{Day: day, Prev: prev})
	case link == 0:
		t.RemoveVisit(report.Visit{Day: day, Prev: prev})
	case n > 0:
		t.AddLinkVisit(link, prev)
	default:
		t.RemoveLinkVisit(link, prev)
	}
}

// apply adds what transactions did.
func (lv *live) apply(t *tx, events []event) error {
	var h *history
	for _, e := range events {
		if lv.scope.Link != 0 && int64(lv.scope.Link) != e.ofLink() {
			continue
		}
		for range e.downloads {
			lv.tallies.of(e.day).AddDownload(e.day)
		}
		if e.before == nil && e.after == nil {
			continue
		}
		if e.before != nil {
			lv.tallies.of(report.DayOf(e.before.At)).Remove(e.before)
		}
		if e.after != nil {
			lv.tallies.of(report.DayOf(e.after.At)).Add(e.after)
		}
		was, is := e.before != nil && e.before.Counted(), e.after != nil && e.after.Counted()
		if was == is {
			continue
		}
		o, n := e.after, int32(1)
		if was {
			o, n = e.before, -1
		}
		var before []visitEntry
		if lv.strange(o) {
			var err error
			if h == nil {
				if h, err = t.history(lv.scope.Account); err != nil {
					return err
				}
			}
			if before, err = h.lookUp(int64(o.Viewer)); err != nil {
				return err
			}
		}
		lv.visit(before, visitEntry{viewer: int64(o.Viewer), link: o.Link, day: report.DayOf(o.At)}, n)
	}
	return nil
}

// strange tells whether the viewer of an open is new to lv, or on the open's link.
func (lv *live) strange(o *report.Open) bool {
	return lv.viewers[liveViewer{0, o.Viewer}] == nil || lv.scope.Link == 0 && lv.viewers[liveViewer{o.Link, o.Viewer}] == nil
}

// ofLink is the link that an event is about.
func (e *event) ofLink() int64 {
	switch {
	case e.after != nil:
		return e.after.Link
	case e.before != nil:
		return e.before.Link
	}
	return int64(e.link)
}
