package viewlog

import (
	"context"
	"errors"
	"fmt"

	"vitrine"
	"vitrine/internal/backend/sqldb"
	"vitrine/internal/backend/viewlog/segment"
	"vitrine/internal/backend/viewlog/tables"
	"vitrine/report"
)

// build creates the missing and stale tallies of an account's rolled-up days.
// It works on 8 or 64 days at a time. With the last days of a block of 64 it
// also creates the tally of the block. It reads from snapshots and writes in
// short transactions. Each of them ends the attempt if the account's rolled-up
// days changed in the meantime.
func (l *ViewLog) build(ctx context.Context, account vitrine.AccountID) error {
	for {
		b := building{log: l, ctx: ctx, account: account}
		done, err := b.begin()
		if err == nil && !done {
			err = b.run()
		}
		if done || err != nil && !errors.Is(err, errChanged) {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

var errChanged = errors.New("the days changed in the meantime")

// building is an attempt to create the tallies of a range of days.
type building struct {
	log     *ViewLog
	ctx     context.Context
	account vitrine.AccountID
	state   state // at the start
	links   []vitrine.LinkID
	days    span // days that get tallies
	block   span // days to read: days, and earlier ones that share a tally with the first
	whole   dayTallies
	counts  map[vitrine.LinkID][]int64 // views by day of the block
	pending []pendingTally
}

// pendingTally is a tally that waits to be written.
type pendingTally struct {
	scope vitrine.Scope
	level int
	day   report.Day
	tally *report.Tally
}

// begin finds the next days without tallies. It reports true when there are
// none.
func (b *building) begin() (done bool, err error) {
	err = b.log.read(b.ctx, func(t logTx) (err error) {
		if b.state, err = t.state(b.account); err != nil || b.state.staleFrom >= b.state.rolledUpUntil {
			done = true
			return err
		}
		b.links, err = t.links(vitrine.Scope{Account: b.account})
		if err != nil {
			return err
		}
		first, views, err := b.estimate(t)
		b.plan(first, views)
		if err != nil {
			return err
		}
		return nil
	})
	if err != nil || done {
		return done, err
	}
	if err := b.clear(); err != nil {
		return false, err
	}
	return false, nil
}

// estimate estimates the day of the first view without a tally, and the number
// of views a day from there.
func (b *building) estimate(t logTx) (first report.Day, daily int64, err error) {
	var from, to *vitrine.ViewID
	var views int64
	err = t.Get([]any{&from, &to, &views}, `SELECT min(p.first), max(p.last), CAST(coalesce(sum(p.views), 0) AS BIGINT)
		FROM links l CROSS JOIN segments p WHERE l.account = $1 AND NOT l.deleting AND p.link = l.link AND p.last >= $2 AND p.first < $3`,
		int64(b.account), int64(segment.FirstID(b.state.staleFrom)), int64(segment.FirstID(b.state.rolledUpUntil)))
	if err != nil {
		return 0, 0, err
	}
	first, err = t.FirstDownload(b.account, b.state.staleFrom, b.state.rolledUpUntil)
	if err != nil || from == nil {
		return first, 0, err
	}
	start, end := report.DayOf(from.Ms()), report.DayOf(to.Ms())
	return min(first, max(b.state.staleFrom, start)), views / int64(end-start+1), nil
}

// buildBatch is about how many views are read at once, unless 8 days have
// more.
const buildBatch = 250_000

// plan decides which days to build. It includes days without views if they
// complete a tally of many days.
func (b *building) plan(first report.Day, daily int64) {
	from := b.state.staleFrom
	if from == alignDown(from, 2) {
		from = max(from, alignDown(first, 2))
		if first >= b.state.rolledUpUntil {
			from = b.state.rolledUpUntil
		}
	}
	level := 2
	if daily*int64(width(level)) > buildBatch {
		level = 1
	}
	b.days = span{from, min(b.state.rolledUpUntil, alignDown(from, level)+width(level))}
	b.block = b.days
	if start := alignDown(from, 1); start+width(1) <= b.days.to {
		b.block.from = start
	}
}

// write runs a transaction that writes tallies.
func (b *building) write(f func(logTx) error) error {
	err := b.log.transact(b.ctx, func(t logTx) error {
		s, err := t.state(b.account)
		if err == nil && s != b.state {
			err = errChanged
		}
		if err != nil {
			return err
		}
		return f(t)
	})
	return err
}

func (b *building) advance(t logTx, to report.Day) error {
	s := b.state
	s.staleFrom = to
	return t.putState(b.account, s)
}

// clear deletes the tallies of the days and of later ones: stale ones, and
// those that an interrupted attempt left. It changes the version of the state,
// so that a concurrent attempt of another process fails at its next step
// instead of using deleted tallies.
func (b *building) clear() error {
	next := b.state
	next.version++
	next.buildingUntil = max(b.days.to, b.state.staleFrom)
	err := b.write(func(t logTx) error {
		if b.state.buildingUntil > b.state.staleFrom {
			if err := t.dropStale(b.account, b.state.staleFrom); err != nil {
				return err
			}
		}
		return t.putState(b.account, next)
	})
	if err == nil {
		b.state = next
	}
	return err
}

// dropStale deletes all tallies of an account that include a day at or after
// stale.
func (t logTx) dropStale(account vitrine.AccountID, stale report.Day) error {
	_, err := t.Exec("DELETE FROM daily_views WHERE account = $1 AND day >= $2", int64(account), stale)
	for _, table := range []string{"tallies", "times"} {
		if err == nil {
			_, err = t.Exec("DELETE FROM "+table+" WHERE account = $1 AND (level = 0 AND day >= $2 OR level = 1 AND day >= $3 OR level = 2 AND day >= $4)",
				int64(account), stale, alignDown(stale, 1), alignDown(stale, 2))
		}
	}
	return err
}

func (b *building) run() error {
	if b.days.from >= b.state.rolledUpUntil {
		return b.write(func(t logTx) error { return b.advance(t, b.state.rolledUpUntil) })
	}
	b.whole, b.counts = dayTallies{}, map[vitrine.LinkID][]int64{}
	facts, err := b.viewerDays()
	if err != nil {
		return err
	}
	if err := b.views(facts); err != nil {
		return err
	}
	b.queue(b.scope(0), b.whole)
	if err := b.flush(); err != nil {
		return err
	}
	if err := b.dailyViews(); err != nil {
		return err
	}
	if b.days.to == alignDown(b.days.to, 2) {
		if err := b.days64(); err != nil {
			return err
		}
	}
	return b.write(func(t logTx) error { return b.advance(t, b.days.to) })
}

// viewerDays finds the viewer days of all links and adds the account's own ones
// to its tallies.
func (b *building) viewerDays() (facts map[int64][]segment.Fact, err error) {
	facts = map[int64][]segment.Fact{}
	err = b.read(func(t logTx) error {
		var viewerDays []segment.ViewerDay
		err := t.SegmentRows(b.scope(0), tables.IDsOf(b.block.from, b.block.to), true,
			func(link vitrine.LinkID, r *segment.Row) error {
				of := b.counts[link]
				if of == nil {
					of = make([]int64, b.block.to-b.block.from)
					b.counts[link] = of
				}
				of[report.DayOf(r.ID.Ms())-b.block.from]++
				if r.Human() {
					viewerDays = append(viewerDays, r.ViewerDay(link))
				}
				return nil
			})
		if err != nil {
			return err
		}
		h, err := t.History(b.account)
		if err != nil {
			return err
		}
		viewerDays = segment.SortViewerDays(viewerDays)
		h.Expect(len(viewerDays))
		return eachViewerDay(h, 0, viewerDays, func(f segment.Fact) {
			if f.Link == 0 {
				b.whole.of(f.Day).AddViewerDays(report.ViewerDay{Day: f.Day, Prev: f.Prev}, 1)
				return
			}
			facts[f.Link] = append(facts[f.Link], f)
		})
	})
	return facts, err
}

// read runs a transaction and checks that the state is the one the attempt
// started with.
func (b *building) read(f func(logTx) error) error {
	return b.log.read(b.ctx, func(t logTx) error {
		s, err := t.state(b.account)
		if err == nil && s != b.state {
			err = errChanged
		}
		if err != nil {
			return err
		}
		return f(t)
	})
}

// scope returns the scope of a link, or of the account if link is 0.
func (b *building) scope(link vitrine.LinkID) vitrine.Scope {
	return vitrine.Scope{Account: b.account, Link: link}
}

// views builds the tallies of each link and adds its views to those of the
// account.
func (b *building) views(facts map[int64][]segment.Fact) error {
	return b.read(func(t logTx) error {
		downloads, err := b.downloads(t)
		if err != nil {
			return err
		}
		of := vitrine.LinkID(0)
		days := dayTallies{}
		end := func() error {
			if of == 0 {
				return nil
			}
			err := b.link(of, days, facts[int64(of)], downloads[of])
			delete(downloads, of)
			clear(days)
			return err
		}
		views, n := b.log.words.Reader(), 0
		err = t.SegmentRows(b.scope(0), tables.IDsOf(b.block.from, b.block.to), false,
			func(link vitrine.LinkID, r *segment.Row) error {
				if n++; n%checkEvery == 0 && b.ctx.Err() != nil {
					return b.ctx.Err()
				}
				if link != of {
					if err := end(); err != nil {
						return err
					}
					of = link
				}
				v, err := views.View(int64(link), r)
				if err != nil {
					return err
				}
				d := report.DayOf(v.At)
				b.whole.of(d).Add(v)
				if b.neverStored(of) {
					return nil
				}
				days.of(d).Add(v)
				return nil
			})
		if err == nil {
			err = end()
		}
		for link, days := range downloads { // links that have downloads but no views on those days
			if err == nil {
				err = b.link(link, dayTallies{}, nil, days)
			}
		}
		return err
	})
}

// neverStored reports whether no tally of the link in this block is large
// enough to be stored.
func (b *building) neverStored(link vitrine.LinkID) bool {
	of := b.counts[link]
	for len(of) > 0 {
		some := of[:min(len(of), int(width(1)))]
		all := int64(0)
		for _, n := range some {
			if all += n; n >= b.log.least[0] {
				return false
			}
		}
		if all >= b.log.least[1] {
			return false
		}
		of = of[len(some):]
	}
	return true
}

// downloads lists, for each link, the days of its download events.
func (b *building) downloads(t logTx) (days map[vitrine.LinkID][]report.Day, err error) {
	days = map[vitrine.LinkID][]report.Day{}
	clause, args := tables.Within(b.scope(0), "downloads", tables.IDsOf(b.block.from, b.block.to))
	err = t.Each(func(s sqldb.Scanner) error {
		var link vitrine.LinkID
		var id vitrine.ViewID
		err := s.Scan(&link, &id)
		days[link] = append(days[link], report.DayOf(id.Ms()))
		return err
	}, "SELECT o.link, o.id"+clause, args...)
	return days, err
}

// link completes the tallies of a link's days and adds them to the account's.
func (b *building) link(link vitrine.LinkID, days dayTallies, facts []segment.Fact, downloads []report.Day) error {
	small := b.neverStored(link)
	for _, d := range downloads {
		b.whole.of(d).AddDownloads(d, 1)
		if small {
			continue
		}
		days.of(d).AddDownloads(d, 1)
	}
	for _, f := range facts {
		b.whole.of(f.Day).AddLinkViewers(f.Link, f.Prev, 1)
		if small {
			continue
		}
		if days[f.Day] == nil {
			return fmt.Errorf("link %d has viewer days on %v but no views: %w", link, f.Day, segment.ErrDamaged)
		}
		days[f.Day].AddViewerDays(report.ViewerDay{Day: f.Day, Prev: f.Prev}, 1)
	}
	if small {
		return nil
	}
	b.queue(b.scope(link), days)
	if len(b.pending) < pendingTallies {
		return nil
	}
	return b.flush()
}

// pendingTallies is about how many tallies are held in memory before they are
// written.
const pendingTallies = 256

// queue queues the tallies of a scope's days, and those of complete blocks of
// 8 days.
func (b *building) queue(s vitrine.Scope, days dayTallies) {
	for from := b.block.from; from < b.block.to; {
		to := min(b.block.to, alignDown(from, 1)+width(1))
		all := new(report.Tally)
		for d := from; d < to; d++ {
			t := days[d]
			if t == nil {
				continue
			}
			if !b.log.least.stores(s, 0, trim(s, t)) {
				all.Merge(t)
				continue
			}
			all.MergeCounts(t)
			if d >= b.days.from {
				b.pending = append(b.pending, pendingTally{s, 0, d, t})
			}
		}
		if to-from == width(1) && b.log.least.stores(s, 1, all) {
			b.pending = append(b.pending, pendingTally{s, 1, from, all})
		}
		from = to
	}
}

// flush writes the queued tallies, a few in each transaction.
func (b *building) flush() error {
	for len(b.pending) > 0 {
		some := b.pending[:min(len(b.pending), pendingTallies/4)]
		err := b.write(func(t logTx) error {
			words := b.log.words.Writer(t.Tx)
			for _, p := range some {
				if err := t.putTally(words, p.scope, p.level, p.day, p.tally); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		b.pending = b.pending[len(some):]
	}
	b.pending = nil
	return nil
}
