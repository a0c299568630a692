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

// Tallies of settled days are stored for each link and account, so that the
// cost of a report depends on its days, not its views. The process that rolls
// up builds them in the background, from the rows of all batches up to one
// (built.since). A batch that changes a settled day records the day (late).
// From that day on, older tallies are ignored and views are read instead, until
// the tallies are built again. Tallies are deleted only with their link or
// month. Of the rows with one key the last one built counts, so two processes
// that build at once do no harm.

// trust records which tallies of an account are right.
type trust struct {
	until report.Day // earlier days have tallies
	since uint64     // built from the batches up to this one
	late  report.Day // first day changed since then; lastDay: none
}

// before returns the day before which stored tallies are right.
func (t trust) before() report.Day { return min(t.until, t.late) }

// trust reads which tallies of an account are right.
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

// daily adds the stored tallies of the days [from, to) for the scope of a
// window.
func (c *client) daily(ctx context.Context, w window, from, to report.Day, t *report.Tally) error {
	body, times := "body", "times"
	if w.Brief {
		body, times = "''", "''"
	}
	sql := fmt.Sprintf("SELECT toInt32(day), labels, head, %s, %s FROM daily FINAL WHERE account = %d AND link = %d AND toInt32(day) >= %d AND toInt32(day) < %d",
		body, times, w.Account, w.Link, from, to)
	return c.eachStored(ctx, sql, w, t)
}

// dailyTally returns the tally of a window if enough of its days are stored. It
// reports false if it is not worth using them.
func (c *client) dailyTally(ctx context.Context, w window) (t *report.Tally, ok bool, err error) {
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
			if err := c.addRest(ctx, w, first, border, t); err != nil {
				return nil, false, err
			}
		}
		after, err := c.trust(ctx, w.Account)
		if err != nil || after == before {
			return t, err == nil, err
		}
	}
}

// addRest adds the days of a window from a day on, which have no stored
// tallies. Viewers may have come before, on days since first.
func (c *client) addRest(ctx context.Context, w window, first, from report.Day, t *report.Tally) error {
	seen := w.From < w.gone
	w.reach = idsOf(first, w.To)
	w.From, w.ids = from, idsOf(from, w.To)
	views, err := c.count(ctx, w)
	if err != nil {
		return err
	}
	if c.insideFrom >= 0 && views >= int64(c.insideFrom) {
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

// lateStep records the first settled day that a batch changes, for each
// account.
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

// late returns the first settled day that the batch changes, for each account.
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

// build builds the missing and outdated tallies of settled days.
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

// toBuild lists the accounts that may need new tallies.
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

// buildAccount builds the missing tallies of an account.
func (l *ViewLog) buildAccount(ctx context.Context, account vitrine.AccountID) error {
	var since uint64
	var s state
	err := l.write(ctx, func(ctx context.Context, number uint64) (_ []step, err error) {
		since = number - 1 // all of these are carried out
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

// empty replaces the tallies of days without views by empty ones.
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

// auditDaily builds tallies again, of all accounts or a sample, and compares
// them with the stored ones.
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

// auditAccount compares the stored tallies of an account with its views. It
// checks a difference again under the write lock, because a batch may have been
// in progress.
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

// Rebuild implements [vitrine.ViewLog]. It builds all tallies of an account
// again, since they are not stored by day.
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

// wrongDays describes what is wrong with the stored tallies of an account's
// settled days. It returns "" if nothing is.
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
		return "a tally of its rolled-up days is damaged", nil
	case err != nil:
		return "", err
	}
	made, err := c.fold(ctx, w, w.where())
	if err == nil {
		made, err = asStored(made.OfAccount(), w)
	}
	if err == nil && !stored.OfAccount().Equal(made) {
		return "the tallies of its rolled-up days do not match its rows", nil
	}
	return "", err
}

// asStored returns a tally as it would be read from storage: without the visits
// to links that are not the first in the window. No report needs them.
func asStored(t *report.Tally, w window) (*report.Tally, error) {
	labels, pieces, err := piecesOf(t)
	back := new(report.Tally)
	if err == nil {
		err = addPieces(back, w, labels, pieces)
	}
	return back, err
}
