package viewdb

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"vitrine"
	"vitrine/internal/sqldb"
	"vitrine/internal/viewdb/segment"
	"vitrine/internal/viewdb/visits"
	"vitrine/report"
)

var _ vitrine.LogExporter = (*ViewLog)(nil)

// exportBatch is the number of rows that are read before they are passed on.
// The consumer may be slow.
var exportBatch = 4000

// Forgotten implements [vitrine.LogExporter]. Accounts are expired one by one.
// An account whose views are not expired yet must have none before the returned
// day.
func (l *ViewLog) Forgotten(ctx context.Context) (day report.Day, err error) {
	err = l.read(ctx, func(t logTx) error {
		if err := t.Get([]any{&day}, "SELECT coalesce(max(forgotten), 0) FROM accounts"); err != nil || day == 0 {
			return err
		}
		var account int64
		err := t.Get([]any{&account}, `SELECT l.account FROM links l LEFT JOIN accounts a ON a.account = l.account WHERE l.account > 0 AND coalesce(a.forgotten, 0) < $1 AND
			(EXISTS (SELECT 1 FROM packs p WHERE p.link = l.link AND p.first < $2) OR EXISTS (SELECT 1 FROM opens o WHERE o.link = l.link AND o.id < $2)
			OR EXISTS (SELECT 1 FROM downloads d WHERE d.link = l.link AND d.id < $2)) ORDER BY l.account LIMIT 1`, day, int64(segment.FirstID(day)))
		if errors.Is(err, vitrine.ErrNotFound) {
			return nil
		}
		if err == nil {
			err = fmt.Errorf("account %d still has views of days before %v, but those of other accounts have expired: run the server until its background work has deleted them (at most two days), then start again", account, day)
		}
		return err
	})
	return day, err
}

// Export implements [vitrine.LogExporter]. Each transaction reads a limited
// number of rows, and none is open while f runs.
func (l *ViewLog) Export(ctx context.Context, f func(vitrine.LogEntry) error) error {
	if err := l.exportReceipts(ctx, f); err != nil {
		return err
	}
	var accounts []vitrine.AccountID
	err := l.read(ctx, func(t logTx) error {
		return t.Each(func(s sqldb.Scanner) error {
			var a vitrine.AccountID
			err := s.Scan(&a)
			accounts = append(accounts, a)
			return err
		}, "SELECT account FROM accounts UNION SELECT account FROM links WHERE account > 0 ORDER BY account")
	})
	for _, account := range accounts {
		if err == nil {
			e := exporting{log: l, ctx: ctx, account: account, f: f}
			err = e.run()
		}
	}
	return err
}

func (l *ViewLog) exportReceipts(ctx context.Context, f func(vitrine.LogEntry) error) error {
	var all []*vitrine.ImportReceipt
	err := l.read(ctx, func(t logTx) error {
		return t.Each(func(s sqldb.Scanner) error {
			var file []byte
			var at int64
			r := new(vitrine.ImportReceipt)
			if err := s.Scan(&file, &r.Lines, &at); err != nil {
				return err
			}
			if copy(r.File[:], file) != len(r.File) {
				return segment.ErrDamaged
			}
			r.At = time.UnixMilli(at).UTC()
			all = append(all, r)
			return nil
		}, "SELECT file, lines, at FROM imports ORDER BY file")
	})
	for _, r := range all {
		if err == nil {
			err = f(r)
		}
	}
	return err
}

// exporting is the export of one account.
type exporting struct {
	log       *ViewLog
	ctx       context.Context
	account   vitrine.AccountID
	f         func(vitrine.LogEntry) error
	forgotten report.Day
	links     []vitrine.CountedLink
	live      map[int64]bool
}

func (e *exporting) scope(link vitrine.LinkID) vitrine.Scope {
	return vitrine.Scope{Account: e.account, Link: link}
}

func (e *exporting) run() error {
	err := e.log.read(e.ctx, func(t logTx) error {
		s, err := t.state(e.account)
		if err != nil {
			return err
		}
		e.forgotten, e.live = s.retainedFrom, map[int64]bool{}
		return t.Each(func(row sqldb.Scanner) error {
			c := vitrine.CountedLink{Scope: e.scope(0)}
			err := row.Scan(&c.Link, &c.Views, &c.Downloads)
			e.links = append(e.links, c)
			e.live[int64(c.Link)] = true
			return err
		}, "SELECT link, views, downloads FROM links WHERE account = $1 ORDER BY link", int64(e.account))
	})
	if err == nil && e.forgotten > 0 {
		if err = e.days(); err == nil {
			err = e.seen()
		}
	}
	for i := range e.links {
		if err == nil {
			err = e.link(&e.links[i])
		}
	}
	return err
}

// days exports the tallies of expired days: the account's first, then the
// links'.
func (e *exporting) days() error {
	type place struct {
		link int64
		day  report.Day
	}
	var places []place
	err := e.log.read(e.ctx, func(t logTx) error {
		return t.Each(func(s sqldb.Scanner) error {
			var p place
			err := s.Scan(&p.link, &p.day)
			if p.link == 0 || e.live[p.link] {
				places = append(places, p)
			}
			return err
		}, "SELECT link, day FROM tallies WHERE account = $1 AND level = 0 AND day < $2 ORDER BY link, day",
			int64(e.account), e.forgotten)
	})
	if err != nil {
		return err
	}
	for _, p := range places {
		day := vitrine.ExpiredDay{Scope: e.scope(vitrine.LinkID(p.link)), Day: p.day, Tally: new(report.Tally)}
		err := e.log.read(e.ctx, func(t logTx) error {
			kept := stored{tx: t, words: e.log.words, scope: day.Scope, since: report.NoDay, tally: day.Tally,
				gone: e.forgotten}
			if _, err := kept.takeLevel(span{p.day, p.day + 1}, 0); err != nil {
				return err
			}
			return kept.allTimes(part{0, span{p.day, p.day + 1}})
		})
		if err == nil {
			err = e.f(&day)
		}
		if err != nil {
			return fmt.Errorf("the tally of %v, whose views have expired, of account %d, link %d: %w", p.day, e.account,
				p.link, err)
		}
	}
	return nil
}

// seen exports, for each viewer, the last visit on an expired day: to the
// account first, then to its links.
func (e *exporting) seen() error {
	for next, more := int64(math.MinInt64), true; more; {
		var some []vitrine.LastSeen
		err := e.log.read(e.ctx, func(t logTx) (err error) {
			some, next, more, err = e.nextSeen(t, next)
			return err
		})
		if err != nil {
			return err
		}
		for i := range some {
			if err := e.f(&some[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// nextSeen reads the last visits of viewers, beginning with viewer from. It
// returns the next viewer, and whether there is one.
func (e *exporting) nextSeen(t logTx, from int64) (some []vitrine.LastSeen, next int64, more bool, err error) {
	h, err := t.History(e.account) // has the links whose entries no longer count
	if err != nil {
		return nil, 0, false, err
	}
	runs, err := t.Runs(e.account)
	if err != nil {
		return nil, 0, false, err
	}
	sources := t.Readers(e.account, runs)
	var of []segment.Visit // all entries of one viewer
	for {
		best, err := visits.First(sources, from)
		if err != nil {
			return nil, 0, false, err
		}
		if len(of) > 0 && (best == nil || best.Head().Viewer != of[0].Viewer) {
			some, of = e.lastOf(some, of), of[:0]
		}
		if best == nil {
			return some, 0, false, nil
		}
		v := best.Head()
		if len(some) >= exportBatch && len(of) == 0 {
			return some, v.Viewer, true, nil
		}
		if of = append(of, v); v.Day >= e.forgotten || h.Erasing[v.Link] {
			of = of[:len(of)-1]
		}
		best.Skip()
	}
}

// lastOf appends the last visits of a viewer. The viewer's entries are in
// order.
func (e *exporting) lastOf(some []vitrine.LastSeen, of []segment.Visit) []vitrine.LastSeen {
	at := len(some)
	some = append(some, vitrine.LastSeen{Scope: e.scope(0), Viewer: uint64(of[0].Viewer), Day: of[0].Day})
	for i, v := range of {
		some[at].Day = max(some[at].Day, v.Day)
		if last := i+1 == len(of) || of[i+1].Link != v.Link; last && e.live[v.Link] {
			some = append(some, vitrine.LastSeen{Scope: e.scope(vitrine.LinkID(v.Link)), Viewer: uint64(v.Viewer),
				Day: v.Day})
		}
	}
	return some
}

// link exports the views, downloads and counts of a link.
func (e *exporting) link(c *vitrine.CountedLink) error {
	views := e.log.words.Reader()
	for r, more := (ids{math.MinInt64, math.MaxInt64}), true; more; {
		var rows []segment.Row
		err := e.log.read(e.ctx, func(t logTx) (err error) {
			rows, err = t.rows(c.Link, r, exportBatch)
			return err
		})
		if err != nil {
			return err
		}
		for i := range rows {
			row := &rows[i]
			o, err := views.View(int64(c.Link), row)
			if err != nil {
				return fmt.Errorf("view %d of link %d: %w", row.ID, c.Link, err)
			}
			out := vitrine.LoggedView{ViewRecord: vitrine.ViewRecord{Account: e.account, View: *o},
				SelfReported: row.Flags&segment.ViewSelfReported != 0, Imported: row.Flags&segment.ViewImported != 0,
				Decided: row.Flags&segment.ViewDecided != 0, Waits: row.Flags&segment.ViewWaits != 0}
			if row.Engaged {
				out.StartMs = row.Session.StartMs
			}
			if err := e.f(&out); err != nil {
				return err
			}
			r.from = row.ID + 1
		}
		more = len(rows) == exportBatch
	}
	if err := e.downloads(c.Link); err != nil {
		return err
	}
	return e.f(c)
}

func (e *exporting) downloads(link vitrine.LinkID) error {
	for after, more := int64(math.MinInt64), true; more; {
		var some []vitrine.LoggedDownload
		err := e.log.read(e.ctx, func(t logTx) error {
			return t.Each(func(s sqldb.Scanner) error {
				d := vitrine.LoggedDownload{Account: e.account, Download: vitrine.Download{Link: link}}
				err := s.Scan(&d.ID, &d.View)
				some = append(some, d)
				return err
			}, "SELECT id, open FROM downloads WHERE link = $1 AND id > $2 ORDER BY id LIMIT $3", int64(link), after,
				exportBatch)
		})
		if err != nil {
			return err
		}
		for i := range some {
			after = int64(some[i].ID)
			if err := e.f(&some[i]); err != nil {
				return err
			}
		}
		more = len(some) == exportBatch
	}
	return nil
}
