package viewdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"vitrine"
	"vitrine/internal/sqldb"
	"vitrine/internal/viewdb/segment"
	"vitrine/report"
)

// Audit implements [vitrine.ViewLog]. It goes through the log once, link by
// link and then account by account, over one snapshot.
func (l *ViewLog) Audit(ctx context.Context, all bool, fault func(string, bool)) error {
	other := func(text string) { fault(text, false) }
	wrong := func(_ vitrine.AccountID, _ report.Day, text string) { fault(text, true) }
	return l.read(ctx, func(t logTx) error {
		if err := l.auditLinks(ctx, t, other); err != nil {
			return err
		}
		if err := auditVisits(ctx, t, other, wrong); err != nil {
			return err
		}
		return l.auditTallies(ctx, t, all, wrong)
	})
}

// auditedAtOnce is how many links are recounted together: few queries for many
// links.
const auditedAtOnce = 1000

func (l *ViewLog) auditLinks(ctx context.Context, t logTx, fault func(string)) error {
	forgotten := map[vitrine.AccountID]report.Day{}
	for after := int64(math.MinInt64); ; {
		upTo := int64(math.MaxInt64)
		err := t.Get([]any{&upTo}, "SELECT link FROM links WHERE link > $1 ORDER BY link LIMIT 1 OFFSET $2", after, auditedAtOnce-1)
		last := errors.Is(err, vitrine.ErrNotFound)
		if err != nil && !last {
			return err
		}
		a := linksAudit{ctx: ctx, tx: t, views: viewReader{words: l.words}, between: []any{after, upTo}, links: map[int64]*linkAudit{}, forgotten: forgotten}
		if err := a.run(); err != nil {
			return err
		}
		for _, link := range slices.Sorted(maps.Keys(a.links)) {
			a.links[link].report(func(text string) { fault(fmt.Sprintf("view log, link %d: %s", link, text)) })
		}
		if last {
			return nil
		}
		after = upTo
	}
}

// linksAudit recounts links whose numbers lie between two: above the first, up
// to the second. It goes through each table once, and keeps sums alone.
type linksAudit struct {
	ctx     context.Context
	tx      logTx
	views   viewReader
	between []any
	links   map[int64]*linkAudit
	// forgotten are the days before which accounts have no views. It is kept
	// for the next links.
	forgotten map[vitrine.AccountID]report.Day
	rows      int
	packed    int // downloads whose opens are to be found in packs
}

// mostPacked bounds the downloads that are looked for together in packs. Others
// are looked for one by one.
const mostPacked = 100_000

// linkAudit is what was found of one link.
type linkAudit struct {
	counted                  bool // it has a row of counts
	account                  int64
	keptViews, keptDownloads int64
	views, downloads         int64
	faults                   []string
	last                     vitrine.ViewID // of the opens in packs
	some                     bool
	downloaded               map[vitrine.ViewID][]int64 // views that may be in packs, with their downloads
	// viewers sums a fingerprint of the viewer of each view that counts, so
	// that they need not be remembered; seen is the same from the table of
	// viewers.
	viewers, seen uint64
}

func (a *linkAudit) fault(format string, args ...any) {
	a.faults = append(a.faults, fmt.Sprintf(format, args...))
}

// report compares what was counted with what is kept.
func (a *linkAudit) report(fault func(string)) {
	if a.counted && a.account < 0 {
		return // its erasure was cut off, and goes on
	}
	if !a.counted {
		fault("it has opens or downloads, and no row of counts")
	}
	for _, f := range a.faults {
		fault(f)
	}
	for _, of := range slices.Sorted(maps.Keys(a.downloaded)) {
		for _, id := range a.downloaded[of] {
			fault(fmt.Sprintf("download %d belongs to open %d, which does not exist", id, of))
		}
	}
	if a.counted && a.keptViews != a.views {
		fault(fmt.Sprintf("%d views are counted, its rows make %d", a.keptViews, a.views))
	}
	if a.counted && a.keptDownloads != a.downloads {
		fault(fmt.Sprintf("%d downloads are counted, there are %d", a.keptDownloads, a.downloads))
	}
	if a.viewers != a.seen {
		fault("the viewers kept to tell who returns are not those of its opens")
	}
}

func (a *linksAudit) of(link int64) *linkAudit {
	l := a.links[link]
	if l == nil {
		l = new(linkAudit)
		a.links[link] = l
	}
	return l
}

// next counts a row, and tells of a context that has ended.
func (a *linksAudit) next() error {
	if a.rows++; a.rows%checkEvery == 0 {
		return a.ctx.Err()
	}
	return nil
}

func (a *linksAudit) run() error {
	for _, read := range []func() error{a.readCounts, a.readForgotten, a.readDownloads, a.readPacks, a.readViews, a.readViewers} {
		if err := read(); err != nil {
			return err
		}
	}
	return nil
}

func (a *linksAudit) readCounts() error {
	return a.tx.Each(func(row sqldb.Scanner) error {
		var link int64
		var l linkAudit
		if err := row.Scan(&link, &l.account, &l.keptViews, &l.keptDownloads); err != nil {
			return err
		}
		l.counted = true
		a.links[link] = &l
		return a.next()
	}, "SELECT link, account, views, downloads FROM links WHERE link > $1 AND link <= $2", a.between...)
}

// readForgotten counts what is known of days whose views are gone.
func (a *linksAudit) readForgotten() error {
	accounts := map[vitrine.AccountID]bool{}
	for _, l := range a.links {
		accounts[vitrine.AccountID(l.account)] = true
	}
	for account := range accounts {
		forgotten, known := a.forgotten[account]
		if !known {
			s, err := a.tx.state(account)
			if err != nil {
				return err
			}
			forgotten = s.retainedFrom
			a.forgotten[account] = forgotten
		}
		if forgotten <= 0 {
			continue
		}
		err := a.tx.Each(func(row sqldb.Scanner) error {
			var link int64
			var day report.Day
			var head []byte
			if err := row.Scan(&link, &day, &head); err != nil {
				return err
			}
			l, t := a.of(link), new(report.Tally)
			if report.CheckPiece(head) != nil || t.AddHead(head, report.NoDay) != nil {
				l.fault("the tally of %v, whose views are gone, is damaged", day)
			}
			l.views += t.Views()
			l.downloads += t.Downloads()
			return a.next()
		}, "SELECT link, day, head FROM tallies WHERE link > $1 AND link <= $2 AND account = $3 AND level = 0 AND day < $4 AND link != 0", append(a.between[:2:2], int64(account), forgotten)...)
		if err != nil {
			return err
		}
	}
	return nil
}

func (a *linksAudit) readPacks() error {
	var u segment.Unpacker
	return a.tx.Each(func(row sqldb.Scanner) error {
		var link int64
		var p storedPack
		if err := row.Scan(&link, &p.first, (*sql.RawBytes)(&p.data)); err != nil {
			return a.tx.Fail(err)
		}
		l := a.of(link)
		err := u.Open(p.data, p.first)
		for err == nil {
			r := u.Next()
			if r == nil {
				err = u.End()
				break
			}
			if l.some && r.ID <= l.last {
				l.fault("view %d is in a pack after view %d", r.ID, l.last)
			}
			l.some, l.last = true, r.ID
			if r.Human() && l.downloaded != nil {
				delete(l.downloaded, r.ID)
			}
			if err := a.open(link, l, r, true); err != nil {
				return err
			}
		}
		if errors.Is(err, segment.ErrDamaged) {
			l.fault("pack %d of link %d: %v", p.first, link, err)
			err = nil
		}
		return err
	}, "SELECT link, first, data FROM packs WHERE link > $1 AND link <= $2 ORDER BY link, first", a.between...)
}

func (a *linksAudit) readViews() error {
	return a.tx.VisitOpens(func(link, id int64, open, session []byte) error {
		l, r := a.of(link), segment.Row{ID: vitrine.ViewID(id)}
		if err := r.Decode(open, session); err != nil {
			l.fault("open %d: %v", id, err)
			return nil
		}
		return a.open(link, l, &r, false)
	}, " FROM opens o WHERE o.link > $1 AND o.link <= $2", a.between)
}

// open counts a view.
func (a *linksAudit) open(link int64, l *linkAudit, r *segment.Row, packed bool) error {
	if err := a.next(); err != nil {
		return err
	}
	o, err := a.views.make(link, r)
	if errors.Is(err, segment.ErrDamaged) {
		l.fault("open %d: %v", r.ID, err)
		return nil
	}
	if err != nil {
		return err
	}
	imported := r.Flags&segment.ViewImported != 0
	if o.Counted() {
		l.views++
		if !packed {
			l.viewers += segment.Fingerprint(o.Viewer)
		}
	}
	if o.Session != nil {
		if wrong := segment.WrongSession(o.Session, imported); wrong != "" {
			l.fault("open %d: %s", r.ID, wrong)
		}
	}
	return nil
}

func (a *linksAudit) readViewers() error {
	return a.tx.Each(func(s sqldb.Scanner) error {
		var link, viewer, views int64
		if err := s.Scan(&link, &viewer, &views); err != nil {
			return err
		}
		l := a.of(link)
		if views < 1 {
			l.fault("a viewer is kept with %d opens", views)
		}
		l.seen += uint64(views) * segment.Fingerprint(uint64(viewer))
		return a.next()
	}, "SELECT link, viewer, opens FROM viewers WHERE link > $1 AND link <= $2", a.between...)
}

func (a *linksAudit) readDownloads() error {
	type download struct{ link, id, of int64 }
	var many []download // more than are looked for together
	err := a.tx.Each(func(s sqldb.Scanner) error {
		var d download
		var open []byte
		if err := s.Scan(&d.link, &d.id, &d.of, &open); err != nil {
			return err
		}
		l := a.of(d.link)
		l.downloads++
		var r segment.View
		switch {
		case d.of == 0: // of no view
		case open == nil && a.packed >= mostPacked:
			many = append(many, d)
		case open == nil:
			a.packed++
			if l.downloaded == nil {
				l.downloaded = map[vitrine.ViewID][]int64{}
			}
			l.downloaded[vitrine.ViewID(d.of)] = append(l.downloaded[vitrine.ViewID(d.of)], d.id)
		case r.Decode(open) == nil && !r.Human():
			l.fault("download %d belongs to open %d, which is a bot's", d.id, d.of)
		}
		return a.next()
	}, `SELECT d.link, d.id, d.open, o.open FROM downloads d LEFT JOIN opens o ON o.link = d.link AND o.id = d.open WHERE d.link > $1 AND d.link <= $2`, a.between...)
	for _, d := range many {
		if err == nil && !a.inPack(vitrine.LinkID(d.link), vitrine.ViewID(d.of)) {
			a.of(d.link).fault("download %d belongs to open %d, which does not exist", d.id, d.of)
		}
	}
	return err
}

// inPack reports whether a pack has a view, by a person.
func (a *linksAudit) inPack(link vitrine.LinkID, id vitrine.ViewID) (found bool) {
	err := a.tx.packedRows(ofLink(link), ids{id, id + 1}, true, func(_ vitrine.LinkID, r *segment.Row) error {
		found = r.Human()
		return nil
	})
	return err == nil && found
}
