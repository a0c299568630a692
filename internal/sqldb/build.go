package sqldb

import (
	"context"
	"errors"
	"fmt"

	"vitrine"
	"vitrine/report"
)

// build makes the tallies of an account's settled days that are missing or stale, 8 days at a time, and with the last ones of 64
// days the tally of those. It reads over snapshots and writes in short transactions, each of which ends the attempt if something of
// the account's settled days has changed meanwhile.
func (l *ViewLog) build(ctx context.Context, account vitrine.AccountID) error {
	for {
		b := building{log: l, ctx: ctx, account: account}
		done, err := b.begin()
		if err != nil || done {
			return err
		}
		if err := b.run(); err != nil && !errors.Is(err, errChanged) {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

var errChanged = errors.New("the days changed meanwhile")

// building is an attempt to make the tallies of some days of an account.
type building struct {
	log     *ViewLog
	ctx     context.Context
	account vitrine.AccountID
	state   state // as it began
	links   []vitrine.LinkID
	days    span // to make
	block   span // to read: all 8 days when they are to make one tally, else days
	whole   map[report.Day]*report.Tally
	pending []pendingTally
}

// pendingTally is a tally on its way to its table.
type pendingTally struct {
	scope vitrine.Scope
	level int
	day   report.Day
	tally *report.Tally
}

// begin finds the next days to make; done: there are none.
func (b *building) begin() (done bool, err error) {
	err = b.log.db.read(b.ctx, func(t *tx) (err error) {
		if b.state, err = t.state(b.account); err != nil || b.state.stale >= b.state.settled {
			done = true
			return err
		}
		b.links, err = t.links(vitrine.Scope{Account: b.account})
		if err != nil {
			return err
		}
		first := b.state.settled
		for _, link := range b.links {
			id, err := t.firstPacked(link, firstID(b.state.stale))
			if err != nil {
				return err
			}
			first = min(first, report.DayOf(id.Ms()))
		}
		b.plan(first)
		return nil
	})
	if err != nil || done {
		return done, err
	}
	if err := b.clear(); err != nil {
		return false, err
	}
	if b.days.from >= b.state.settled {
		return false, b.write(func(t *tx) error { return b.advance(t, b.state.settled) })
	}
	return false, nil
}

// plan decides which days to make; first is the first one from stale on that has opens. Days without any are made, too, where they
// end a tally of many days that has begun.
func (b *building) plan(first report.Day) {
	from := b.state.stale
	if from == alignDown(from, 2) {
		from = max(from, alignDown(first, 2))
		if first >= b.state.settled {
			from = b.state.settled
		}
	}
	end := alignDown(from, 1) + width(1)
	b.days = span{from, min(b.state.settled, end)}
	b.block = b.days
	if b.days.to == end {
		b.block.from = end - width(1)
	}
}

// firstPacked is the first ID from one on that a link has in packs; the last there is, if it has none.
func (t *tx) firstPacked(link vitrine.LinkID, from vitrine.ViewID) (first vitrine.ViewID, err error) {
	first = firstID(lastDay)
	err = t.packedRows(link, ids{from, first}, true, func(r *row) error {
		first = r.id
		return errStop
	})
	if errors.Is(err, errStop) {
		err = nil
	}
	return first, err
}

// write runs a transaction that writes tallies.
func (b *building) write(f func(*tx) error) error {
	err := b.log.db.update(b.ctx, func(t *tx) error {
		s, err := t.state(b.account)
		if err == nil && (s.version != b.state.version || s.settled != b.state.settled || s.stale != b.state.stale) {
			err = errChanged
		}
		if err != nil {
			return err
		}
		return f(t)
	})
	return err
}

func (b *building) advance(t *tx, to report.Day) error {
	s := b.state
	s.stale = to
	return t.putState(b.account, s)
}

// clear removes tallies of the days and of later ones, which were stored before they became stale.
func (b *building) clear() error {
	return b.write(func(t *tx) error {
		old := false
		for level := range levels {
			some, err := t.some("SELECT 1 FROM tallies WHERE account = $1 AND link = 0 AND level = $2 AND day >= $3 LIMIT 1",
				int64(b.account), level, alignDown(b.state.stale, level))
			if err != nil {
				return err
			}
			old = old || some
		}
		some, err := t.some("SELECT 1 FROM daily_views WHERE account = $1 AND day >= $2 LIMIT 1", int64(b.account), b.state.stale)
		if err != nil || !old && !some {
			return err
		}
		_, err = t.exec("DELETE FROM daily_views WHERE account = $1 AND day >= $2", int64(b.account), b.state.stale)
		for _, table := range []string{"tallies", "times"} {
			if err == nil {
				_, err = t.exec("DELETE FROM "+table+" WHERE account = $1 AND (level = 0 AND day >= $2 OR level = 1 AND day >= $3 OR level = 2 AND day >= $4)",
					int64(b.account), b.state.stale, alignDown(b.state.stale, 1), alignDown(b.state.stale, 2))
			}
		}
		return err
	})
}

// some tells whether an answer has a row.
func (t *tx) some(query string, args ...any) (bool, error) {
	var one int64
	err := t.get([]any{&one}, query, args...)
	if errors.Is(err, vitrine.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

func (b *building) run() error {
	b.whole = map[report.Day]*report.Tally{}
	facts, err := b.visits()
	if err != nil {
		return err
	}
	for _, link := range b.links {
		if err := b.link(link, facts[int64(link)]); err != nil {
			return err
		}
	}
	b.days8(vitrine.Scope{Account: b.account}, b.whole)
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
	return b.write(func(t *tx) error { return b.advance(t, b.days.to) })
}

// visits finds the visits of all links, and gives those of the account to its tallies.
func (b *building) visits() (facts map[int64][]visitFact, err error) {
	facts = map[int64][]visitFact{}
	err = b.read(func(t *tx) error {
		var visits []visitEntry
		for _, link := range b.links {
			err := t.packedRows(link, idsOf(b.block.from, b.block.to), true, func(r *row) error {
				if r.human() {
					visits = append(visits, r.visit(link))
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		h, err := t.history(b.account)
		if err != nil {
			return err
		}
		return eachVisit(h, 0, sortVisits(visits), func(f visitFact) {
			if f.link == 0 {
				b.day(f.day).AddVisit(report.Visit{Day: f.day, Prev: f.prev})
				return
			}
			facts[f.link] = append(facts[f.link], f)
		})
	})
	return facts, err
}

// read runs a transaction over the state that the attempt began with.
func (b *building) read(f func(*tx) error) error {
	return b.log.db.read(b.ctx, func(t *tx) error {
		s, err := t.state(b.account)
		if err == nil && (s.version != b.state.version || s.settled != b.state.settled || s.stale != b.state.stale) {
			err = errChanged
		}
		if err != nil {
			return err
		}
		return f(t)
	})
}

func (b *building) day(d report.Day) *report.Tally {
	t := b.whole[d]
	if t == nil {
		t = new(report.Tally)
		b.whole[d] = t
	}
	return t
}

// link makes the tallies of a link, and adds its opens to the account's.
func (b *building) link(link vitrine.LinkID, facts []visitFact) error {
	scope := vitrine.Scope{Account: b.account, Link: link}
	days := map[report.Day]*report.Tally{}
	err := b.read(func(t *tx) error {
		g := b.log.gather(b.ctx, t, scope)
		g.each = func(o *report.Open) {
			d := report.DayOf(o.At)
			g.day(d).Add(o)
			b.day(d).Add(o)
		}
		if err := g.packed(b.block.from, b.block.to); err != nil {
			return err
		}
		of := g.tallies
		g.tallies = map[report.Day]*report.Tally{}
		if err := g.downloads(b.block.from, b.block.to); err != nil {
			return err
		}
		for d, t := range g.tallies {
			b.day(d).Merge(t)
			if of[d] == nil {
				of[d] = new(report.Tally)
			}
			of[d].Merge(t)
		}
		days = of
		return nil
	})
	if err != nil {
		return err
	}
	for _, f := range facts {
		if days[f.day] == nil {
			return fmt.Errorf("link %d has visits on %v and no opens: %w", link, f.day, errRecord)
		}
		days[f.day].AddVisit(report.Visit{Day: f.day, Prev: f.prev})
		b.day(f.day).AddLinkVisit(f.link, f.prev)
	}
	b.days8(scope, days)
	if len(b.pending) < pendingTallies {
		return nil
	}
	return b.flush()
}

// pendingTallies is about how many tallies are in memory before they are written.
const pendingTallies = 256

// days8 puts the tallies of a scope's days on their way, and the one of all 8 of them if they are whole.
func (b *building) days8(s vitrine.Scope, days map[report.Day]*report.Tally) {
	all := new(report.Tally)
	for d := b.block.from; d < b.block.to; d++ {
		t := days[d]
		if t == nil {
			continue
		}
		trim(s, t)
		if t.Opens() < b.log.least.of(s, 0) {
			all.Merge(t)
			continue
		}
		all.MergeCounts(t)
		if d >= b.days.from {
			b.pending = append(b.pending, pendingTally{s, 0, d, t})
		}
	}
	if b.block.to-b.block.from == width(1) && all.Opens() >= b.log.least.of(s, 1) {
		b.pending = append(b.pending, pendingTally{s, 1, b.block.from, all})
	}
}

// flush writes what is on its way, a little at a time.
func (b *building) flush() error {
	for len(b.pending) > 0 {
		some := b.pending[:min(len(b.pending), pendingTallies/4)]
		err := b.write(func(t *tx) error {
			words := b.log.words.writer(t)
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

// dailyViews writes the views by link of the days.
func (b *building) dailyViews() error {
	return b.write(func(t *tx) error {
		for d := b.days.from; d < b.days.to; d++ {
			tally := b.whole[d]
			if tally == nil || tally.Views() == 0 {
				continue
			}
			_, err := t.exec("INSERT INTO daily_views (account, day, data) VALUES ($1, $2, $3)", int64(b.account), d, tally.AppendLinkViews(nil))
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// days64 makes the tallies of the 64 days that end with the days.
func (b *building) days64() error {
	days := span{b.days.to - width(2), b.days.to}
	all, err := b.sum(vitrine.Scope{Account: b.account}, days)
	if err != nil {
		return err
	}
	for _, link := range b.links {
		s := vitrine.Scope{Account: b.account, Link: link}
		if all.LinkViews(int64(link)) < b.log.least.of(s, 2) {
			continue
		}
		if _, err := b.sum(s, days); err != nil {
			return err
		}
		if len(b.pending) >= pendingTallies/4 {
			if err := b.flush(); err != nil {
				return err
			}
		}
	}
	return b.flush()
}

// sum puts the tally of many days on its way: of the smaller ones that are stored, and of the opens of other days.
func (b *building) sum(s vitrine.Scope, days span) (*report.Tally, error) {
	t := new(report.Tally)
	err := b.read(func(tx *tx) error {
		st := stored{tx: tx, words: b.log.words, scope: s, tally: t}
		missing, err := st.take(days)
		if err != nil {
			return err
		}
		return b.log.eachDay(b.ctx, tx, s, window{cold: missing}, func(_ report.Day, day *report.Tally) { t.Merge(day) })
	})
	if err != nil {
		return nil, err
	}
	if trim(s, t).Opens() >= b.log.least.of(s, 2) {
		b.pending = append(b.pending, pendingTally{s, 2, days.from, t})
	}
	return t, nil
}
