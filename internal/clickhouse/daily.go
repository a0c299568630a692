package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"vitrine"
	"vitrine/report"
)

// Tallies of settled days are kept, of each link and of each account, so that a
// report costs its days. They are made in the background by the process that
// rolls up, of what all batches up to one have left (built.since), and nobody
// waits for it. A batch that changes anything of a settled day says so (late):
// from that day on what was built before it is not believed, and opens are read
// instead, until it is built anew. Nothing of it is ever removed but with its
// link or month: of rows with one key the one that was built last counts, so
// that two who build at once do not disturb each other.

// trust says how far the tallies of an account's days are right.
type trust struct {
	until report.Day // days before were built
	since uint64     // of what batches up to this one have left
	late  report.Day // a day that has changed since then, the first; lastDay: none
}

// before is the day before which stored tallies are right.
func (t trust) before() report.Day { return min(t.until, t.late) }

// trust reads how far the tallies of an account are right.
func (c *client) trust(ctx context.Context, account vitrine.AccountID) (trust, error) {
	t := trust{late: lastDay}
	_, err := c.one(ctx, fmt.Sprintf("SELECT toInt32(argMax(until, since)), max(since) FROM built WHERE account = %d",
		account), func(r *reader) {
		t.until, t.since = report.Day(r.int32()), r.uint64()
	})
	if err != nil || t.until == 0 {
		return t, err
	}
	_, err = c.one(ctx, fmt.Sprintf("SELECT toInt32(min(day)), count() > 0 FROM late WHERE account = %d AND version > %d", account, t.since), func(r *reader) {
		if day := report.Day(r.int32()); r.bool() {
			t.late = day
		}
	})
	return t, err
}

// daily adds the stored tallies of the days [from, to) of a window's scope.
func (c *client) daily(ctx context.Context, w window, from, to report.Day, t *report.Tally) error {
	body, times := "body", "times"
	if w.Brief {
		body, times = "''", "''"
	}
	sql := fmt.Sprintf("SELECT toInt32(day), labels, head, %s, %s FROM daily FINAL WHERE account = %d AND link = %d AND toInt32(day) >= %d AND toInt32(day) < %d",
		body, times, w.Account, w.Link, from, to)
	return c.eachStored(ctx, sql, w, t)
}

// known is the tally of a window of which some days are stored, and no fewer
// than a few; false: it is not asked for here.
func (c *client) known(ctx context.Context, w window) (t *report.Tally, ok bool, err error) {
	for {
		before, err := c.trust(ctx, w.Account)
		if err != nil {
			return nil, false, err
		}
		first := max(w.From, w.state.forgotten)
		border := min(w.To, before.before())
		if w.Cap > 0 || border <= first {
			return nil, false, nil
		}
		t := new(report.Tally)
		if w.From < w.gone {
			if err := c.stored(ctx, w, t); err != nil {
				return nil, false, err
			}
		}
		if err := c.daily(ctx, w, first, border, t); err != nil {
			return nil, false, err
		}
		if border < w.To {
			if err := c.rest(ctx, w, first, border, t); err != nil {
				return nil, false, err
			}
		}
		after, err := c.trust(ctx, w.Account)
		if err != nil || after == before {
			return t, err == nil, err
		}
	}
}

// rest adds the days of a window from one on, which are not stored. Their
// viewers may have come on days since first.
func (c *client) rest(ctx context.Context, w window, first, from report.Day, t *report.Tally) error {
	seen := w.From < w.gone
	w.reach = idsOf(first, w.To)
	w.From, w.ids = from, idsOf(from, w.To)
	views, err := c.count(ctx, w)
	if err != nil {
		return err
	}
	most := c.insideFrom
	if w.Brief {
		most = min(most, briefInside)
	}
	if most >= 0 && views >= int64(most) {
		return c.inside(ctx, w, seen, t)
	}
	if views > 0 {
		if err := c.eachView(ctx, w.where(), t.Add); err != nil {
			return err
		}
		if err := c.visits(ctx, w, seen, func(d report.Day, v prevViewers) {
			t.AddVisits(report.Visit{Day: d, Prev: v.prev}, v.viewers)
		}); err != nil {
			return err
		}
		if w.Link == 0 {
			if err := c.linkVisits(ctx, w, seen, func(d linkDay, v prevViewers) {
				t.AddLinkVisits(d.link, v.prev, v.viewers)
			}); err != nil {
				return err
			}
		}
	}
	return c.downloads(ctx, w, t)
}

// late is the step of a batch that changes settled days: of each account the
// first one.
func lateStep(days map[vitrine.AccountID]report.Day, number uint64) []step {
	if len(days) == 0 {
		return nil
	}
	var w rows
	for _, account := range slices.Sorted(maps.Keys(days)) {
		w.int64(int64(account))
		w.day(max(days[account], 0))
		w.uint64(number)
	}
	return []step{{stepInsert, "late (account, day, version)", w.b}}
}

// late are the settled days that a batch changes: of each account the first
// one.
func (w *writing) late() map[vitrine.AccountID]report.Day {
	days := map[vitrine.AccountID]report.Day{}
	of := func(account vitrine.AccountID, id vitrine.ViewID) {
		day := report.DayOf(id.Ms())
		if first, ok := days[account]; day < w.state.settled && (!ok || day < first) {
			days[account] = day
		}
	}
	for _, k := range w.newViews {
		of(w.views[k].account, k.id)
	}
	for _, k := range w.newDownloads {
		of(w.links[k.link].account, k.id)
	}
	return days
}

// build makes the tallies of settled days that are missing or not right any
// more.
func (l *ViewLog) build(ctx context.Context) error {
	s, err := l.c.state(ctx)
	if err != nil || s.settled <= s.forgotten {
		return err
	}
	accounts, err := l.c.toBuild(ctx, s)
	for _, account := range accounts {
		if err == nil {
			err = l.buildAccount(ctx, account)
		}
	}
	if err != nil || s.built >= s.settled {
		return err
	}
	return l.write(ctx, func(_ context.Context, number uint64) ([]step, error) {
		return []step{putState("built", int64(s.settled), number)}, nil
	})
}

// toBuild lists the accounts that may have something to build.
func (c *client) toBuild(ctx context.Context, s state) (accounts []vitrine.AccountID, err error) {
	sql := `SELECT DISTINCT late.account AS account FROM late LEFT JOIN (SELECT account, max(since) AS since FROM built GROUP BY account) AS b ON late.account = b.account
		WHERE late.version > b.since`
	if s.built < s.settled {
		days := idsOf(max(s.built, s.forgotten), s.settled).where()
		sql += fmt.Sprintf(" UNION DISTINCT SELECT DISTINCT account FROM opens WHERE %s UNION DISTINCT SELECT DISTINCT account FROM downloads WHERE %s", days, days)
	}
	err = c.read(ctx, backgroundTime, "SELECT account FROM ("+sql+") ORDER BY account", func(r *reader) error {
		accounts = append(accounts, vitrine.AccountID(r.int64()))
		return nil
	})
	return accounts, err
}

// buildAccount makes what is missing of an account.
func (l *ViewLog) buildAccount(ctx context.Context, account vitrine.AccountID) error {
	var since uint64
	var s state
	err := l.write(ctx, func(ctx context.Context, number uint64) (_ []step, err error) {
		since = number - 1 // all of them are carried out
		s, err = l.stateNow(ctx)
		return nil, err
	})
	if err != nil {
		return err
	}
	known, err := l.c.trust(ctx, account)
	if err != nil {
		return err
	}
	from := max(s.forgotten, known.before())
	if from >= s.settled {
		return nil
	}
	f := forgetting{c: l.c, state: s, end: s.settled, from: from, ids: idsOf(from, s.settled), since: since,
		attempt: nonce(), table: "daily"}
	if err := f.account(ctx, account); err != nil {
		return err
	}
	if err := f.empty(ctx, account); err != nil {
		return err
	}
	if err := f.flush(ctx); err != nil {
		return err
	}
	var w rows
	w.int64(int64(account))
	w.day(s.settled)
	w.uint64(since)
	return l.c.insert(ctx, "built (account, until, since)", w.b, fmt.Sprintf("built %d %d", account, f.attempt))
}

// empty puts empty tallies in the place of those of days that have nothing any
// more.
func (f *forgetting) empty(ctx context.Context, account vitrine.AccountID) error {
	var left []linkDay
	sql := fmt.Sprintf("SELECT DISTINCT link, toInt32(day) FROM daily WHERE account = %d AND toInt32(day) >= %d AND toInt32(day) < %d", account, f.from, f.end)
	err := f.c.read(ctx, backgroundTime, sql, func(r *reader) error {
		if d := (linkDay{r.int64(), report.Day(r.int32())}); !f.made[d] {
			left = append(left, d)
		}
		return nil
	})
	for _, d := range left {
		if err == nil {
			err = f.put(ctx, account, d, new(report.Tally))
		}
	}
	return err
}

// auditDaily makes tallies of days again, of all accounts or some, and
// compares.
func (l *ViewLog) auditDaily(ctx context.Context, s state, all bool, fault func(string)) error {
	var accounts []vitrine.AccountID
	sample := ""
	if !all {
		sample = " WHERE cityHash64(account, now()) % 16 = 0"
	}
	err := l.c.query(ctx, "SELECT DISTINCT account FROM built"+sample+" ORDER BY account", func(r *reader) error {
		accounts = append(accounts, vitrine.AccountID(r.int64()))
		return nil
	})
	for _, account := range accounts {
		if err == nil {
			err = l.auditAccount(ctx, s, account, fault)
		}
	}
	return err
}

// auditAccount compares what is stored of an account's days with its views. A
// difference is looked at once more while nobody writes, so that a batch that
// was on its way is no fault.
func (l *ViewLog) auditAccount(ctx context.Context, s state, account vitrine.AccountID, fault func(string)) error {
	differs, err := l.c.wrongDays(ctx, s, account)
	if err != nil || differs == "" {
		return err
	}
	return l.write(ctx, func(ctx context.Context, _ uint64) ([]step, error) {
		s, err := l.stateNow(ctx)
		if err == nil {
			differs, err = l.c.wrongDays(ctx, s, account)
		}
		if err == nil && differs != "" {
			fault(fmt.Sprintf("view log, account %d: %s", account, differs))
		}
		return nil, err
	})
}

// Rebuild implements [vitrine.ViewLog]. What was built of an account is not
// divided into days here: all of it is made again.
func (l *ViewLog) Rebuild(ctx context.Context, rebuilt func(vitrine.AccountID, report.Day)) error {
	var accounts []vitrine.AccountID
	err := l.c.query(ctx, "SELECT DISTINCT account FROM built ORDER BY account", func(r *reader) error {
		accounts = append(accounts, vitrine.AccountID(r.int64()))
		return nil
	})
	if err != nil {
		return err
	}
	some := false
	for _, account := range accounts {
		wrong := false
		var from report.Day
		err := l.write(ctx, func(ctx context.Context, number uint64) ([]step, error) {
			s, err := l.stateNow(ctx)
			if err != nil {
				return nil, err
			}
			differs, err := l.c.wrongDays(ctx, s, account)
			if wrong = differs != ""; err != nil || !wrong {
				return nil, err
			}
			from = s.forgotten
			return lateStep(map[vitrine.AccountID]report.Day{account: from}, number), nil
		})
		if err != nil {
			return err
		}
		if wrong {
			some = true
			rebuilt(account, from)
		}
	}
	if !some {
		return nil
	}
	return l.build(ctx)
}

// wrongDays says what is wrong with the stored tallies of an account's settled
// days; "": nothing.
func (c *client) wrongDays(ctx context.Context, s state, account vitrine.AccountID) (string, error) {
	t, err := c.trust(ctx, account)
	if err != nil || t.before() <= s.forgotten {
		return "", err
	}
	w := window{TallyQuery: vitrine.TallyQuery{Scope: vitrine.Scope{Account: account}, From: s.forgotten,
		To: t.before()},
		ids: idsOf(s.forgotten, t.before()), gone: s.forgotten, state: s}
	stored := new(report.Tally)
	switch err := c.daily(ctx, w, w.From, w.To, stored); {
	case errors.Is(err, report.ErrPiece):
		return "a tally of its settled days is damaged", nil
	case err != nil:
		return "", err
	}
	made, err := c.fold(ctx, w, w.where())
	if err == nil {
		made, err = asStored(made.OfAccount(), w)
	}
	if err == nil && !stored.OfAccount().Equal(made) {
		return "the tallies of its settled days are not what its rows make", nil
	}
	return "", err
}

// asStored is a tally of a window as it comes back from where it is stored:
// without visits of links that are no first ones in the window, which no report
// asks for.
func asStored(t *report.Tally, w window) (*report.Tally, error) {
	labels, pieces, err := piecesOf(t)
	back := new(report.Tally)
	if err == nil {
		err = addPieces(back, w, labels, pieces)
	}
	return back, err
}
