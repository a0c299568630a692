package tables

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"vitrine"
	"vitrine/internal/backend/sqldb"
	"vitrine/internal/backend/viewlog/segment"
	"vitrine/report"
)

// linksBatch is how many links are recounted together, so that many links need
// few queries.
const linksBatch = 1000

// checkEvery is the number of rows after which the context is checked.
const checkEvery = 1 << 12

// Recount is a snapshot of a view log.
type Recount struct {
	Tx    *sqldb.Tx
	Words *Dict
	// RetainedFrom returns the day from which the views of an account are
	// kept. Only tallies remain of earlier days.
	RetainedFrom func(vitrine.AccountID) (report.Day, error)
}

// Links recounts every link, in the order of their IDs, and calls fault for
// each difference. It reads each table once.
func (log Recount) Links(ctx context.Context, fault func(text string)) error {
	retainedFrom := map[vitrine.AccountID]report.Day{}
	for after := int64(math.MinInt64); ; {
		upTo := int64(math.MaxInt64)
		err := log.Tx.Get([]any{&upTo}, "SELECT link FROM links WHERE link > $1 ORDER BY link LIMIT 1 OFFSET $2",
			after, linksBatch-1)
		last := errors.Is(err, vitrine.ErrNotFound)
		if err != nil && !last {
			return err
		}
		b := batch{ctx: ctx, log: log, tx: log.Tx, views: log.Words.Reader(), between: []any{after, upTo},
			links: map[int64]*link{}, retainedFrom: retainedFrom}
		if err := b.run(); err != nil {
			return err
		}
		for _, id := range slices.Sorted(maps.Keys(b.links)) {
			b.report(b.links[id], func(text string) { fault(fmt.Sprintf("view log, link %d: %s", id, text)) })
		}
		if last {
			return nil
		}
		after = upTo
	}
}

// maxInSegments bounds the downloads whose views are searched for in one pass
// over the segments. The rest are searched for one by one.
const maxInSegments = 100_000

// batch recounts the links with numbers above the first of between, up to and
// including the second. It keeps only sums in memory.
type batch struct {
	ctx     context.Context
	log     Recount
	tx      *sqldb.Tx
	views   *ViewReader
	between []any
	links   map[int64]*link
	// retainedFrom holds the answers of Recount.RetainedFrom. All batches share
	// it.
	retainedFrom map[vitrine.AccountID]report.Day
	rows         int
	packed       int // downloads whose views must be in segments
}

// link is what was found about one link.
type link struct {
	counted                      bool // it has a row in the table of links
	account                      int64
	deleting                     bool
	storedViews, storedDownloads int64
	views, downloads             int64
	faults                       []string
	packed                       bool           // it has views in segments
	last                         vitrine.ViewID // of its views in segments
	// downloaded holds the views that must be in segments, with their
	// downloads.
	downloaded map[vitrine.ViewID][]int64
	// viewers sums a fingerprint of the viewer of each counted view that is not
	// in a segment, so that viewers need not be remembered. storedViewers is
	// the same sum from the table of viewers.
	viewers, storedViewers uint64
}

func (l *link) fault(format string, args ...any) {
	l.faults = append(l.faults, fmt.Sprintf(format, args...))
}

// expired reports whether a view is of a day whose views have expired. A
// download from its page on a later day is still stored.
func (b *batch) expired(l *link, view vitrine.ViewID) bool {
	return report.DayOf(view.Ms()) < b.retainedFrom[vitrine.AccountID(l.account)]
}

// report compares what was counted of a link with what is stored.
func (b *batch) report(l *link, fault func(string)) {
	if l.deleting {
		return // the link is being deleted
	}
	if !l.counted {
		fault("it has views or downloads, but no row of counts")
	}
	for _, f := range l.faults {
		fault(f)
	}
	for _, view := range slices.Sorted(maps.Keys(l.downloaded)) {
		if b.expired(l, view) {
			continue
		}
		for _, id := range l.downloaded[view] {
			fault(noSuchView(id, int64(view)))
		}
	}
	if l.counted && l.storedViews != l.views {
		fault(fmt.Sprintf("the stored count of views is %d, but its rows give %d", l.storedViews, l.views))
	}
	if l.counted && l.storedDownloads != l.downloads {
		fault(fmt.Sprintf("the stored count of downloads is %d, but there are %d", l.storedDownloads, l.downloads))
	}
	if l.viewers != l.storedViewers {
		fault("the stored viewers do not match its views")
	}
}

func noSuchView(download, view int64) string {
	return fmt.Sprintf("download %d belongs to view %d, which does not exist", download, view)
}

// link returns what was found about a link so far.
func (b *batch) link(id int64) *link {
	l := b.links[id]
	if l == nil {
		l = new(link)
		b.links[id] = l
	}
	return l
}

// next counts a row. It returns an error when the context has ended.
func (b *batch) next() error {
	if b.rows++; b.rows%checkEvery == 0 {
		return b.ctx.Err()
	}
	return nil
}

func (b *batch) run() error {
	// Downloads come before segments: readSegments finds their views.
	for _, read := range []func() error{b.readCounts, b.readTallies, b.readDownloads, b.readSegments, b.readViews,
		b.readViewers} {
		if err := read(); err != nil {
			return err
		}
	}
	return nil
}

func (b *batch) readCounts() error {
	return b.tx.Each(func(row sqldb.Scanner) error {
		var id int64
		var l link
		if err := row.Scan(&id, &l.account, &l.deleting, &l.storedViews, &l.storedDownloads); err != nil {
			return err
		}
		l.counted = true
		b.links[id] = &l
		return b.next()
	}, "SELECT link, account, deleting, views, downloads FROM links WHERE link > $1 AND link <= $2", b.between...)
}

// readTallies counts the views of days that have expired, from their tallies.
func (b *batch) readTallies() error {
	accounts := map[vitrine.AccountID]bool{}
	for _, l := range b.links {
		accounts[vitrine.AccountID(l.account)] = true
	}
	for account := range accounts {
		from, known := b.retainedFrom[account]
		if !known {
			var err error
			if from, err = b.log.RetainedFrom(account); err != nil {
				return err
			}
			b.retainedFrom[account] = from
		}
		if from <= 0 {
			continue
		}
		err := b.tx.Each(b.readTally, `SELECT link, day, head FROM tallies
			WHERE link > $1 AND link <= $2 AND account = $3 AND level = 0 AND day < $4 AND link != 0`,
			append(b.between[:2:2], int64(account), from)...)
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *batch) readTally(row sqldb.Scanner) error {
	var id int64
	var day report.Day
	var head []byte
	if err := row.Scan(&id, &day, &head); err != nil {
		return err
	}
	l, t := b.link(id), new(report.Tally)
	if report.CheckPiece(head) != nil || t.AddHead(head, report.NoDay) != nil {
		l.fault("the tally of %v, whose views have expired, is damaged", day)
	}
	l.views += t.Views()
	l.downloads += t.Downloads()
	return b.next()
}

func (b *batch) readSegments() error {
	var u segment.Decoder
	return b.tx.Each(func(row sqldb.Scanner) error {
		var id int64
		var first vitrine.ViewID
		var data sql.RawBytes
		var albums bool
		if err := row.Scan(&id, &first, &albums, &data); err != nil {
			return b.tx.Failed(err)
		}
		l := b.link(id)
		err := u.Open(data, first)
		if err == nil && albums != u.FromAlbums() {
			l.fault("segment %d is marked wrongly as one with or without views from albums", first)
		}
		for err == nil {
			r := u.Next()
			if r == nil {
				err = u.End()
				break
			}
			if l.packed && r.ID <= l.last {
				l.fault("view %d is in a segment after view %d", r.ID, l.last)
			}
			l.packed, l.last = true, r.ID
			if r.Human() && l.downloaded != nil {
				delete(l.downloaded, r.ID)
			}
			if err := b.count(id, l, r, true); err != nil {
				return err
			}
		}
		if errors.Is(err, segment.ErrDamaged) {
			l.fault("segment %d of link %d: %v", first, id, err)
			err = nil
		}
		return err
	}, "SELECT link, first, albums, data FROM segments WHERE link > $1 AND link <= $2 ORDER BY link, first", b.between...)
}

func (b *batch) readViews() error {
	return b.tx.VisitViews(func(link, id int64, record, session []byte) error {
		l, r := b.link(link), segment.Row{ID: vitrine.ViewID(id)}
		if err := r.Decode(record, session); err != nil {
			l.fault("view %d: %v", id, err)
			return nil
		}
		return b.count(link, l, &r, false)
	}, " FROM views o WHERE o.link > $1 AND o.link <= $2", b.between)
}

// count counts a view of a link.
func (b *batch) count(id int64, l *link, r *segment.Row, packed bool) error {
	if err := b.next(); err != nil {
		return err
	}
	v, err := b.views.View(id, r)
	if errors.Is(err, segment.ErrDamaged) {
		l.fault("view %d: %v", r.ID, err)
		return nil
	}
	if err != nil {
		return err
	}
	imported := r.Flags&segment.ViewImported != 0
	if v.Counted() {
		l.views++
		if !packed {
			l.viewers += segment.Fingerprint(v.Viewer)
		}
	}
	if v.Session != nil {
		if wrong := segment.WrongSession(v.Session, imported); wrong != "" {
			l.fault("view %d: %s", r.ID, wrong)
		}
	}
	return nil
}

func (b *batch) readViewers() error {
	return b.tx.Each(func(s sqldb.Scanner) error {
		var id, viewer, views int64
		if err := s.Scan(&id, &viewer, &views); err != nil {
			return err
		}
		l := b.link(id)
		if views < 1 {
			l.fault("a viewer is stored with %d views", views)
		}
		l.storedViewers += uint64(views) * segment.Fingerprint(uint64(viewer))
		return b.next()
	}, "SELECT link, viewer, views FROM viewers WHERE link > $1 AND link <= $2", b.between...)
}

func (b *batch) readDownloads() error {
	type download struct{ link, id, view int64 }
	var rest []download // beyond maxInSegments
	err := b.tx.Each(func(s sqldb.Scanner) error {
		var d download
		var record []byte
		if err := s.Scan(&d.link, &d.id, &d.view, &record); err != nil {
			return err
		}
		l := b.link(d.link)
		l.downloads++
		var r segment.View
		switch {
		case d.view <= 0: // it belongs to no view
		case record == nil && b.packed >= maxInSegments:
			rest = append(rest, d)
		case record == nil:
			b.packed++
			if l.downloaded == nil {
				l.downloaded = map[vitrine.ViewID][]int64{}
			}
			l.downloaded[vitrine.ViewID(d.view)] = append(l.downloaded[vitrine.ViewID(d.view)], d.id)
		case r.Decode(record) == nil && !r.Human():
			l.fault("download %d belongs to view %d, which is a bot's", d.id, d.view)
		}
		return b.next()
	}, `SELECT d.link, d.id, coalesce(d.view, d.id), v.record FROM downloads d
		LEFT JOIN views v ON v.link = d.link AND v.id = coalesce(d.view, d.id)
		WHERE d.link > $1 AND d.link <= $2`, b.between...)
	for _, d := range rest {
		l, view := b.link(d.link), vitrine.ViewID(d.view)
		if err == nil && !b.expired(l, view) && !b.inSegment(d.link, view) {
			l.fault("%s", noSuchView(d.id, d.view))
		}
	}
	return err
}

// inSegment reports whether a segment of the link has the view, and a person
// made it. A damaged segment has none: readSegments reports the damage.
func (b *batch) inSegment(link int64, id vitrine.ViewID) bool {
	var first vitrine.ViewID
	var data []byte
	err := b.tx.Get([]any{&first, &data}, `SELECT first, data FROM segments WHERE link = $1 AND first <= $2
		ORDER BY first DESC LIMIT 1`, link, int64(id))
	var u segment.Decoder
	if err != nil || u.Open(data, first) != nil {
		return false
	}
	for r := u.Brief(); r != nil; r = u.Brief() {
		if r.ID == id {
			return r.Human() && u.End() == nil
		}
	}
	return false
}
