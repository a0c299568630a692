package sqldb

import (
	"context"
	"database/sql"
	"fmt"
	"math"

	"vitrine"
	"vitrine/report"
)

// wrongTally is called for each stored tally that is wrong or missing, with its first day.
type wrongTally func(account vitrine.AccountID, day report.Day, text string)

// auditVisits holds the index of visits against the packs.
func auditVisits(ctx context.Context, t *tx, fault func(string), wrong wrongTally) error {
	var accounts []vitrine.AccountID
	err := t.each(func(s scanner) error {
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
		indexed, err := indexedVisits(ctx, t, account, s.forgotten)
		if err != nil {
			return err
		}
		links, err := t.links(vitrine.Scope{Account: account})
		if err != nil {
			return err
		}
		busy := map[report.Day]bool{}
		for _, link := range links {
			packed, err := packedVisits(ctx, t, link, busy)
			if err != nil {
				return err
			}
			if packed != indexed[int64(link)] {
				fault(fmt.Sprintf("view log, link %d: the visits kept to tell viewers apart are not those of its opens", link))
			}
		}
		if err := auditDays(t, account, s, busy, wrong); err != nil {
			return err
		}
	}
	return nil
}

// fingerprint spreads an entry over all numbers.
func (v visitEntry) fingerprint() uint64 {
	return fingerprint(uint64(v.viewer) ^ fingerprint(uint64(v.link)^fingerprint(uint64(v.day))))
}

// indexedVisits sums the fingerprints of the entries of each link from a day on, each once.
func indexedVisits(ctx context.Context, t *tx, account vitrine.AccountID, from report.Day) (sums map[int64]uint64, err error) {
	runs, err := t.runs(account)
	if err != nil {
		return nil, err
	}
	var sources []source
	for _, r := range runs {
		sources = append(sources, source{tx: t, account: account, run: r.number})
	}
	sums = map[int64]uint64{}
	var last visitEntry
	for n := 0; ; n++ {
		if n%checkEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		best, err := first(sources, math.MinInt64)
		if err != nil || best == nil {
			return sums, err
		}
		if e := best.head(); n == 0 || e != last {
			if last = e; e.day >= from {
				sums[e.link] += e.fingerprint()
			}
		}
		best.at++
	}
}

// auditDays looks whether the account has a tally of each day on which something happened; busy tells of each day with opens whether
// people were among them.
func auditDays(t *tx, account vitrine.AccountID, s state, busy map[report.Day]bool, wrong wrongTally) error {
	clause, args := within(vitrine.Scope{Account: account}, "downloads", idsOf(s.forgotten, s.stale))
	err := t.each(func(row scanner) error {
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
		err := t.each(func(row scanner) error {
			var d report.Day
			err := row.Scan(&d)
			there[d] = true
			return err
		}, "SELECT day FROM "+table+" account = $1", int64(account))
		if err != nil {
			return err
		}
		for d, people := range busy {
			if s.forgotten <= d && d < s.stale && !there[d] && (people || table[0] == 't') {
				wrong(account, d, fmt.Sprintf("view log, account %d: something happened on %v, and there is no tally of the day", account, d))
			}
		}
	}
	return nil
}

// packedVisits is the same of the packs of a link; it notes the days of its opens.
func packedVisits(ctx context.Context, t *tx, link vitrine.LinkID, busy map[report.Day]bool) (sum uint64, err error) {
	day, seen := report.NoDay, map[uint64]bool{}
	n := 0
	err = t.packedRows(ofLink(link), ids{math.MinInt64, math.MaxInt64}, true, func(_ vitrine.LinkID, r *row) error {
		if n++; n%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if d := report.DayOf(r.id.Ms()); d != day {
			day = d
			clear(seen)
			busy[d] = busy[d] || r.human()
		}
		if r.human() {
			busy[day] = true
		}
		if r.human() && !seen[r.viewer] {
			seen[r.viewer] = true
			sum += r.visit(link).fingerprint()
		}
		return nil
	})
	return sum, err
}

// sampledTallies is how many stored tallies an audit recounts that is not of all.
const sampledTallies = 200

// auditTallies recounts stored tallies from their opens.
func (l *ViewLog) auditTallies(ctx context.Context, t *tx, all bool, wrong wrongTally) error {
	for _, kind := range []struct {
		query string
		check func(vitrine.Scope, part) (string, error)
	}{
		{"SELECT account, link, level, day FROM tallies", func(s vitrine.Scope, p part) (string, error) { return l.recount(ctx, t, s, p) }},
		{"SELECT account, 0, 0, day FROM daily_views", func(s vitrine.Scope, p part) (string, error) { return l.recountDaily(ctx, t, s, p) }},
	} {
		query := kind.query
		if !all {
			query += fmt.Sprintf(" ORDER BY random() LIMIT %d", sampledTallies)
		}
		type place struct {
			vitrine.Scope
			part
		}
		var places []place
		states := map[vitrine.AccountID]state{}
		err := t.each(func(s scanner) error {
			var p place
			err := s.Scan(&p.Account, &p.Link, &p.level, &p.from)
			p.to = p.from + width(p.level)
			places = append(places, p)
			return err
		}, query)
		if err != nil {
			return err
		}
		for _, p := range places {
			st, known := states[p.Account]
			if !known {
				if st, err = t.state(p.Account); err != nil {
					return err
				}
				states[p.Account] = st
			}
			if p.from < st.forgotten {
				continue // there is nothing to recount it from
			}
			if p.to > st.stale {
				continue // it is not used, and will be made again
			}
			what, err := kind.check(p.Scope, p.part)
			if err != nil {
				return err
			}
			if what != "" {
				wrong(p.Account, p.from, fmt.Sprintf("view log, account %d, link %d: the stored tally of %d days from %v %s", p.Account, p.Link, p.to-p.from, p.from, what))
			}
		}
	}
	return nil
}

// recount says what is wrong with a stored tally.
func (l *ViewLog) recount(ctx context.Context, t *tx, s vitrine.Scope, p part) (wrong string, err error) {
	kept := stored{tx: t, words: l.words, scope: s, since: report.NoDay, tally: new(report.Tally)}
	left, err := kept.takeLevel(p.span, p.level)
	if err == nil && len(left) == 0 {
		err = kept.allTimes(p)
	}
	if damaged(err) || err == nil && len(left) > 0 {
		return "is damaged", nil
	}
	if err != nil {
		return "", err
	}
	counted := new(report.Tally)
	err = l.eachDay(ctx, t, s, window{cold: []span{p.span}}, func(_ report.Day, day *report.Tally) { counted.Merge(day) })
	if err == nil && !trim(s, counted).Equal(kept.tally) {
		wrong = "is not that of its opens"
	}
	return wrong, err
}

// allTimes adds every engaged time of a part.
func (s *stored) allTimes(p part) error {
	return s.tx.each(func(row scanner) error {
		var data sql.RawBytes
		if err := row.Scan(&data); err != nil {
			return s.tx.fail(err)
		}
		return s.tally.AddTimes(data, nil)
	}, "SELECT data FROM times WHERE account = $1 AND link = $2 AND level <= $3 AND day >= $4 AND day < $5",
		int64(s.scope.Account), int64(s.scope.Link), p.level, p.from, p.to)
}

// recountDaily says what is wrong with the views by link of a day.
func (l *ViewLog) recountDaily(ctx context.Context, t *tx, s vitrine.Scope, p part) (wrong string, err error) {
	kept := map[int64]int64{}
	var data []byte
	err = t.get([]any{&data}, "SELECT data FROM daily_views WHERE account = $1 AND day = $2", int64(s.Account), p.from)
	if err == nil {
		err = report.EachLinkViews(data, func(link, views int64) { kept[link] = views })
	}
	if damaged(err) {
		return "is damaged", nil
	}
	if err != nil {
		return "", err
	}
	err = l.eachDay(ctx, t, s, window{cold: []span{p.span}}, func(_ report.Day, day *report.Tally) {
		sum := int64(0)
		for link, views := range kept {
			sum += views
			if day.LinkViews(link) != views {
				wrong = "does not have the views of its links"
			}
		}
		if sum != day.Views() {
			wrong = "does not have the views of all links"
		}
		clear(kept)
	})
	if len(kept) > 0 {
		wrong = "has views of links without opens"
	}
	return wrong, err
}
