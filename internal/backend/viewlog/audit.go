package viewlog

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"

	"vitrine"
	"vitrine/internal/backend/sqldb"
	"vitrine/internal/backend/viewlog/segment"
	"vitrine/internal/backend/viewlog/tables"
	"vitrine/report"
)

// Audit implements [vitrine.ViewLog]. It reads the log once, over one snapshot:
// each link, then each account.
func (l *ViewLog) Audit(ctx context.Context, all bool, fault func(string, bool)) error {
	other := func(text string) { fault(text, false) }
	wrong := func(_ vitrine.AccountID, _ report.Day, text string) { fault(text, true) }
	return l.read(ctx, func(t logTx) error {
		log := tables.Recount{Tx: t.Tx, Words: l.words, RetainedFrom: func(a vitrine.AccountID) (report.Day, error) {
			s, err := t.state(a)
			return s.retainedFrom, err
		}}
		if err := errors.Join(log.Links(ctx, other), log.Accounts(other)); err != nil {
			return err
		}
		if err := auditViewerDays(ctx, t, other, wrong); err != nil {
			return err
		}
		return l.auditTallies(ctx, t, all, wrong)
	})
}

// wrongTally is called for each stored tally that is wrong or missing, with its
// first day.
type wrongTally func(account vitrine.AccountID, day report.Day, text string)

// auditViewerDays compares the index of viewer days with the segments.
func auditViewerDays(ctx context.Context, t logTx, fault func(string), wrong wrongTally) error {
	var accounts []vitrine.AccountID
	err := t.Each(func(s sqldb.Scanner) error {
		var a vitrine.AccountID
		err := s.Scan(&a)
		accounts = append(accounts, a)
		return err
	}, "SELECT account FROM accounts UNION SELECT DISTINCT account FROM runs ORDER BY account")
	if err != nil {
		return err
	}
	for _, account := range accounts {
		s, err := t.state(account)
		if err != nil {
			return err
		}
		if err := s.check(); err != nil {
			fault(fmt.Sprintf("view log, account %d: %v", account, err))
		}
		indexed, err := indexedViewerDays(ctx, t, account, s.retainedFrom)
		if err != nil {
			return err
		}
		links, err := t.links(vitrine.Scope{Account: account})
		if err != nil {
			return err
		}
		busy := map[report.Day]bool{}
		packed, err := segmentViewerDays(ctx, t, account, busy)
		if err != nil {
			return err
		}
		for _, link := range links {
			if packed[link] != indexed[int64(link)] {
				fault(fmt.Sprintf("view log, link %d: the stored viewer days do not match its views",
					link))
			}
		}
		if err := auditDays(t, account, s, busy, wrong); err != nil {
			return err
		}
	}
	return nil
}

// indexedViewerDays sums the fingerprints of the index entries of each link,
// from a day on. An entry that is in several runs counts once.
func indexedViewerDays(ctx context.Context, t logTx, account vitrine.AccountID,
	from report.Day) (sums map[int64]uint64, err error) {
	runs, err := t.Runs(account)
	if err != nil {
		return nil, err
	}
	sources := t.Readers(account, runs)
	sums = map[int64]uint64{}
	var last segment.ViewerDay
	for n := 0; ; n++ {
		if n%checkEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		best, err := tables.FirstEntry(sources, math.MinInt64)
		if err != nil || best == nil {
			return sums, err
		}
		if e := best.Head(); n == 0 || e != last {
			if last = e; e.Day >= from {
				sums[e.Link] += e.Fingerprint()
			}
		}
		best.Skip()
	}
}

// auditDays checks that the account has a tally for each day on which something
// happened. busy has an entry for each day with views: true if a person made
// one of them.
func auditDays(t logTx, account vitrine.AccountID, s state, busy map[report.Day]bool, wrong wrongTally) error {
	clause, args := tables.Within(vitrine.Scope{Account: account}, "downloads",
		tables.IDsOf(s.retainedFrom, s.staleFrom))
	err := t.Each(func(row sqldb.Scanner) error {
		var id vitrine.ViewID
		err := row.Scan(&id)
		if d := report.DayOf(id.Ms()); !busy[d] {
			busy[d] = false
		}
		return err
	}, "SELECT o.id"+clause, args...)
	if err != nil {
		return err
	}
	for _, table := range []string{"tallies WHERE link = 0 AND level = 0 AND", "daily_views WHERE"} {
		there := map[report.Day]bool{}
		err := t.Each(func(row sqldb.Scanner) error {
			var d report.Day
			err := row.Scan(&d)
			there[d] = true
			return err
		}, "SELECT day FROM "+table+" account = $1", int64(account))
		if err != nil {
			return err
		}
		for d, people := range busy {
			if s.retainedFrom <= d && d < s.staleFrom && !there[d] && (people || table[0] == 't') {
				wrong(account, d, fmt.Sprintf("view log, account %d: there are views or downloads on %v, but no tally of that day", account, d))
			}
		}
	}
	return nil
}

// segmentViewerDays sums the fingerprints of the viewer days in an account's
// segments, by link. It adds the days of the views to busy.
func segmentViewerDays(ctx context.Context, t logTx, account vitrine.AccountID,
	busy map[report.Day]bool) (sums map[vitrine.LinkID]uint64, err error) {
	sums = map[vitrine.LinkID]uint64{}
	of, day, seen := vitrine.LinkID(0), report.NoDay, map[uint64]bool{}
	n := 0
	err = t.SegmentRows(vitrine.Scope{Account: account}, tables.Between(math.MinInt64, math.MaxInt64), true,
		func(link vitrine.LinkID, r *segment.Row) error {
			if n++; n%checkEvery == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if d := report.DayOf(r.ID.Ms()); d != day || link != of {
				of, day = link, d
				clear(seen)
				busy[d] = busy[d] || r.Human()
			}
			if r.Human() {
				busy[day] = true
			}
			if r.Human() && !seen[r.Viewer] {
				seen[r.Viewer] = true
				sums[link] += r.ViewerDay(link).Fingerprint()
			}
			return nil
		})
	return sums, err
}

// sampledTallies is the number of stored tallies that an audit recounts when it
// does not recount all.
const sampledTallies = 200

// storedPart is a stored tally, or the stored views by link of a day.
type storedPart struct {
	vitrine.Scope
	usedTally
	daily bool
}

// auditTallies recounts stored tallies from their views. It reads 64 days of a
// scope at a time.
func (l *ViewLog) auditTallies(ctx context.Context, t logTx, all bool, wrong wrongTally) error {
	places, err := storedParts(t, all)
	if err != nil {
		return err
	}
	block := func(p storedPart) report.Day { return alignDown(p.from, 2) }
	slices.SortFunc(places, func(a, b storedPart) int {
		return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.Link, b.Link), cmp.Compare(block(a), block(b)))
	})
	for len(places) > 0 {
		n := 1
		for n < len(places) && places[n].Scope == places[0].Scope && block(places[n]) == block(places[0]) {
			n++
		}
		if err := l.recount(ctx, t, places[:n], wrong); err != nil {
			return err
		}
		places = places[n:]
	}
	return nil
}

// storedParts lists the stored tallies that reports use and that can be
// recounted: all of them, or a sample.
func storedParts(t logTx, all bool) (places []storedPart, err error) {
	for _, query := range []string{"SELECT account, link, level, day, 0 FROM tallies",
		"SELECT account, 0, 0, day, 1 FROM daily_views"} {
		if !all {
			query += fmt.Sprintf(" ORDER BY random() LIMIT %d", sampledTallies)
		}
		err := t.Each(func(s sqldb.Scanner) error {
			var p storedPart
			var daily int
			err := s.Scan(&p.Account, &p.Link, &p.level, &p.from, &daily)
			p.to, p.daily = p.from+width(p.level), daily == 1
			places = append(places, p)
			return err
		}, query)
		if err != nil {
			return nil, err
		}
	}
	states := map[vitrine.AccountID]state{}
	for _, p := range places {
		if _, known := states[p.Account]; !known {
			if states[p.Account], err = t.state(p.Account); err != nil {
				return nil, err
			}
		}
	}
	// Expired days have no views to recount. Stale tallies are not used and
	// will be replaced.
	return slices.DeleteFunc(places, func(p storedPart) bool {
		return p.from < states[p.Account].retainedFrom || p.to > states[p.Account].staleFrom
	}), nil
}

// recount recounts the stored tallies of one scope within 64 days and reports
// those that are wrong.
func (l *ViewLog) recount(ctx context.Context, t logTx, parts []storedPart, wrong wrongTally) error {
	var days []report.Day
	for _, p := range parts {
		for d := p.from; d < p.to; d++ {
			days = append(days, d)
		}
	}
	slices.Sort(days)
	var spans []span
	for _, d := range slices.Compact(days) {
		if n := len(spans); n > 0 && spans[n-1].to == d {
			spans[n-1].to++
		} else {
			spans = append(spans, span{d, d + 1})
		}
	}
	counted := dayTallies{}
	err := l.eachDay(ctx, t, parts[0].Scope, window{cold: spans},
		func(d report.Day, day *report.Tally) { counted[d] = day })
	if err != nil {
		return err
	}
	for _, p := range parts {
		compare := l.compareTally
		if p.daily {
			compare = l.compareDaily
		}
		what, err := compare(t, p, counted)
		if err != nil {
			return err
		}
		if what != "" {
			wrong(p.Account, p.from, fmt.Sprintf("view log, account %d, link %d: the stored tally of %d days from %v %s", p.Account, p.Link, p.to-p.from, p.from, what))
		}
	}
	return nil
}

// compareTally returns what is wrong with a stored tally, or "".
func (l *ViewLog) compareTally(t logTx, p storedPart, counted dayTallies) (wrong string, err error) {
	kept := stored{tx: t, words: l.words, scope: p.Scope, since: report.NoDay, tally: new(report.Tally)}
	left, err := kept.takeLevel(p.span, p.level)
	if err == nil && len(left) == 0 {
		err = kept.allTimes(p.usedTally)
	}
	if damaged(err) || err == nil && len(left) > 0 {
		return "is damaged", nil
	}
	if err != nil {
		return "", err
	}
	sum := new(report.Tally)
	for d := p.from; d < p.to; d++ {
		if day := counted[d]; day != nil {
			sum.Merge(day)
		}
	}
	if !trim(p.Scope, sum).Equal(kept.tally) {
		wrong = "does not match its views"
	}
	return wrong, nil
}

// allTimes adds all engaged times of a part.
func (s *stored) allTimes(p usedTally) error {
	return s.tx.Each(func(row sqldb.Scanner) error {
		var data sql.RawBytes
		if err := row.Scan(&data); err != nil {
			return s.tx.Failed(err)
		}
		return s.tally.AddTimes(data, nil)
	}, "SELECT data FROM times WHERE account = $1 AND link = $2 AND level <= $3 AND day >= $4 AND day < $5",
		int64(s.scope.Account), int64(s.scope.Link), p.level, p.from, p.to)
}

// compareDaily returns what is wrong with the stored views by link of a day, or
// "".
func (l *ViewLog) compareDaily(t logTx, p storedPart, counted dayTallies) (wrong string, err error) {
	kept := map[int64]int64{}
	var data []byte
	err = t.Get([]any{&data}, "SELECT data FROM daily_views WHERE account = $1 AND day = $2", int64(p.Account), p.from)
	if err == nil {
		err = report.EachLinkViews(data, func(link, views int64) { kept[link] = views })
	}
	if damaged(err) {
		return "is damaged", nil
	}
	if err != nil {
		return "", err
	}
	day := counted[p.from]
	if day == nil {
		if len(kept) > 0 {
			wrong = "has views of links that have none"
		}
		return wrong, nil
	}
	sum := int64(0)
	for link, views := range kept {
		sum += views
		if day.LinkViews(link) != views {
			wrong = "lacks views of its links"
		}
	}
	if sum != day.Views() {
		wrong = "lacks the views of some links"
	}
	return wrong, nil
}
