package viewlog

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"vitrine"
	"vitrine/internal/backend/viewlog/segment"
	"vitrine/internal/backend/viewlog/tables"
	"vitrine/report"
)

// hotDays keeps the running days of the most recently requested scopes in
// memory. The views of running days are in the table views. When a scope is
// requested again, the changes of transactions since then are applied.
type hotDays struct {
	log     *ViewLog
	mu      sync.Mutex
	byScope map[vitrine.Scope]*hotScope
	noRoom  map[vitrine.Scope]state // states of accounts in which the scope did not fit
	clock   int64
	most    int // bytes for all scopes together
}

// liveBytes bounds the memory for running days: about 20 bytes for each viewer,
// day and scope. The running days of a scope that does not fit are read again
// each time.
const liveBytes = 256 << 20

func newLives(l *ViewLog) *hotDays {
	return &hotDays{log: l, byScope: map[vitrine.Scope]*hotScope{}, noRoom: map[vitrine.Scope]state{}, most: liveBytes}
}

// hotScope holds the running days of a scope.
type hotScope struct {
	scope vitrine.Scope

	gone atomic.Bool // removed from hotDays; its account may not be followed

	mu         sync.Mutex
	built      bool
	seq        int64
	state      state // of the account, when the scope was built
	tallies    dayTallies
	viewerDays *segment.ViewerDaySet

	// The mutex of hotDays guards these fields.
	used int64
	size int
}

// each calls f with the tallies of running days of a scope, as of the
// transaction. It reports false if they are not in memory. The tallies are
// valid until f returns.
func (ls *hotDays) each(ctx context.Context, t logTx, s vitrine.Scope, st state, days span,
	f func(dayTallies)) (bool, error) {
	lv := ls.find(s, st)
	if lv == nil {
		return false, nil
	}
	lv.mu.Lock()
	defer lv.mu.Unlock()
	if lv.gone.Load() {
		return false, nil
	}
	seq, err := t.Seq()
	if err != nil {
		return false, err
	}
	err = lv.bring(ctx, ls.log, t, st, seq)
	if errors.Is(err, errNoRoom) {
		ls.refuse(lv, st)
		return false, nil
	}
	if err != nil {
		lv.drop()
		return false, err
	}
	if lv.state != st {
		return false, nil // the scope in memory is newer than this transaction
	}
	some := dayTallies{}
	for d, tally := range lv.tallies {
		if days.from <= d && d < days.to {
			some[d] = tally
		}
	}
	f(some)
	if !ls.fits(lv) {
		ls.refuse(lv, st)
	}
	return true, nil
}

// find returns the running days of a scope, or a new, empty hotScope. It
// returns nil if they did not fit when the account was in the same state.
func (ls *hotDays) find(s vitrine.Scope, st state) *hotScope {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	lv := ls.byScope[s]
	if lv == nil {
		if was, there := ls.noRoom[s]; there && was == st {
			return nil
		}
		lv = &hotScope{scope: s}
		ls.byScope[s] = lv
		ls.log.feed.Follow(s.Account)
	}
	ls.clock++
	lv.used = ls.clock
	return lv
}

// maxScopes is the number of scopes that are kept, or known not to fit.
const maxScopes = 1000

// fits updates the size of lv, which is locked, and removes the least recently
// used scopes while the total is too large. It reports whether lv is still
// kept. It is not if it is too large alone.
func (ls *hotDays) fits(lv *hotScope) bool {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	lv.size = lv.bytes()
	for !lv.gone.Load() {
		size := 0
		var oldest *hotScope
		for _, other := range ls.byScope {
			size += other.size
			if oldest == nil || other.used < oldest.used {
				oldest = other
			}
		}
		if size <= ls.most && len(ls.byScope) <= maxScopes {
			return true
		}
		ls.remove(oldest)
	}
	return lv.size <= ls.most // other scopes pushed it out
}

// refuse removes lv, which is locked, and remembers that it did not fit.
func (ls *hotDays) refuse(lv *hotScope, st state) {
	lv.drop()
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if !lv.gone.Load() {
		ls.remove(lv)
	}
	if len(ls.noRoom) >= maxScopes {
		clear(ls.noRoom)
	}
	ls.noRoom[lv.scope] = st
}

func (ls *hotDays) remove(lv *hotScope) {
	lv.gone.Store(true)
	delete(ls.byScope, lv.scope)
	ls.log.feed.Unfollow(lv.scope.Account)
}

func (lv *hotScope) drop() { lv.built, lv.tallies, lv.viewerDays = false, nil, nil }

// bytes returns about how much memory the running days take.
func (lv *hotScope) bytes() int {
	n := lv.viewerDays.Bytes()
	for _, t := range lv.tallies {
		n += t.Size()
	}
	return n
}

// bring updates lv to a transaction, unless lv is newer.
func (lv *hotScope) bring(ctx context.Context, l *ViewLog, t logTx, st state, seq int64) error {
	if lv.built && lv.seq >= seq {
		return nil
	}
	if lv.built && lv.state == st {
		if events, known := l.feed.Since(lv.scope.Account, lv.seq, seq); known {
			err := lv.apply(t, events)
			lv.seq = seq
			return err
		}
	}
	return lv.build(ctx, l, t, st, seq)
}

// errNoRoom is returned when running days cannot be kept in memory.
var errNoRoom = errors.New("the running days do not fit into memory")

// build reads the running days. Errors: errNoRoom.
func (lv *hotScope) build(ctx context.Context, l *ViewLog, t logTx, st state, seq int64) error {
	lv.drop()
	g := l.gather(ctx, t, lv.scope)
	lv.tallies, lv.viewerDays = g.tallies, segment.NewViewerDaySet()
	views := 0
	g.viewerDay = func(v segment.ViewerDay) error {
		views++
		if _, ok := lv.viewerDays.Add(v, 1); !ok || views%fitsEvery == 0 && !l.lives.fits(lv) {
			return errNoRoom
		}
		return nil
	}
	if err := g.running(st.rolledUpUntil, lastDay); err != nil {
		return err
	}
	if err := g.downloads(st.rolledUpUntil, lastDay); err != nil {
		return err
	}
	h, err := t.History(lv.scope.Account)
	if err != nil {
		return err
	}
	h.Expect(lv.viewerDays.N)
	for viewerDays := range lv.viewerDays.All() {
		if err := eachViewerDay(h, lv.scope.Link, viewerDays, lv.tallies.adds(lv.scope, 1)); err != nil {
			return err
		}
	}
	lv.built, lv.seq, lv.state = true, seq, st
	return nil
}

// fitsEvery is the number of views after which build checks that the running
// days still fit.
const fitsEvery = 1 << 14

// lastDay is later than any day.
const lastDay report.Day = 1<<31 - 1

// apply applies the events of transactions. Errors: errNoRoom.
func (lv *hotScope) apply(t logTx, events []tables.Event) error {
	h := lazyHistory{tx: t, account: lv.scope.Account}
	for _, e := range events {
		if lv.scope.Link != 0 && int64(lv.scope.Link) != e.OfLink() {
			continue
		}
		if e.Downloads > 0 {
			lv.tallies.of(e.Day).AddDownloads(e.Day, e.Downloads)
		}
		if e.Before != nil {
			lv.tallies.of(report.DayOf(e.Before.At)).Remove(e.Before)
		}
		if e.After != nil {
			lv.tallies.of(report.DayOf(e.After.At)).Add(e.After)
		}
		was, is := e.Before != nil && e.Before.Counted(), e.After != nil && e.After.Counted()
		var err error
		switch {
		case is && !was:
			err = lv.count(&h, e.After, 1)
		case was && !is:
			err = lv.count(&h, e.Before, -1)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// count adds n, 1 or -1, to the views of a viewer day. When the viewer day
// begins or ends, the viewer's other viewer days change too: each records the
// previous day on which the viewer came.
func (lv *hotScope) count(h *lazyHistory, view *report.View, n int32) error {
	v := segment.ViewerDay{Viewer: int64(view.Viewer), Link: view.Link, Day: report.DayOf(view.At)}
	old := lv.viewerDays.Of(nil, v.Viewer)
	views, ok := lv.viewerDays.Add(v, n)
	if !ok {
		return errNoRoom
	}
	if views > 0 && views+n > 0 {
		return nil
	}
	before, err := h.of(v.Viewer)
	if err != nil {
		return err
	}
	segment.Facts(before, int64(lv.scope.Link), old, lv.tallies.adds(lv.scope, -1))
	segment.Facts(before, int64(lv.scope.Link), lv.viewerDays.Of(nil, v.Viewer), lv.tallies.adds(lv.scope, 1))
	return nil
}

// lazyHistory is a history that is opened when a viewer is first looked up.
type lazyHistory struct {
	tx      logTx
	account vitrine.AccountID
	history *tables.History
}

// of returns the viewer days of a viewer in segments, in order. The result is
// valid until the next call.
func (h *lazyHistory) of(viewer int64) (found []segment.ViewerDay, err error) {
	if h.history == nil {
		if h.history, err = h.tx.History(h.account); err != nil {
			return nil, err
		}
	}
	return h.history.LookUp(viewer)
}
