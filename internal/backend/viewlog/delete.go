package viewlog

import (
	"context"
	"errors"
	"math"

	"vitrine"
	"vitrine/internal/backend/viewlog/segment"
	"vitrine/internal/backend/viewlog/tables"
	"vitrine/report"
)

// deleteBatch bounds the rows of a table that one transaction deletes, so that
// deleting a large link does not block other writes.
const deleteBatch = 10_000

// DeleteLink implements [vitrine.ViewLog]. It works in steps. After the first
// step the link no longer counts; the last step deletes what remains. The next
// call continues an interrupted deletion.
func (l *ViewLog) DeleteLink(ctx context.Context, link vitrine.LinkID) error {
	for {
		more := false
		err := l.update(ctx, func(t logTx, c *tables.Changes) (err error) {
			more, err = deleteStep(t, c, link)
			return err
		})
		if err != nil || !more {
			return err
		}
	}
}

// deletedTables lists the tables with rows of links, and the column that
// identifies a row of a link.
var deletedTables = []struct{ table, key string }{{"views", "id"}, {"viewers", "viewer"}, {"downloads", "id"}}

func deleteStep(t logTx, c *tables.Changes, link vitrine.LinkID) (more bool, err error) {
	var account vitrine.AccountID
	var begun bool
	err = t.Get([]any{&account, &begun}, selectOwner, int64(link))
	if errors.Is(err, vitrine.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if !begun {
		return true, beginDeletion(t, c, account, link)
	}
	c.Reset(account)
	// Views can still arrive from open pages.
	if _, err := t.Exec("UPDATE links SET views = 0, downloads = 0 WHERE link = $1", int64(link)); err != nil {
		return false, err
	}
	for _, step := range []func() (bool, error){
		func() (bool, error) { return deleteSegment(t, account, link) },
		func() (bool, error) { return deleteRows(t, link) },
	} {
		if more, err := step(); err != nil || more {
			return more, err
		}
	}
	for _, table := range []string{"views", "viewers", "downloads", "links"} {
		if _, err := t.Exec("DELETE FROM "+table+" WHERE link = $1", int64(link)); err != nil {
			return false, err
		}
	}
	s, err := t.state(account)
	if err != nil {
		return false, err
	}
	if err := t.dropStale(account, s.staleFrom); err != nil {
		return false, err
	}
	for _, table := range []string{"tallies", "times"} {
		if _, err := t.Exec("DELETE FROM "+table+" WHERE account = $1 AND link = $2", int64(account),
			int64(link)); err != nil {
			return false, err
		}
	}
	return false, nil
}

// beginDeletion removes a link from its account and from the account's reports.
func beginDeletion(t logTx, c *tables.Changes, account vitrine.AccountID, link vitrine.LinkID) error {
	if err := t.Discount(account, link); err != nil {
		return err
	}
	c.Reset(account)
	s, err := t.state(account)
	if err != nil {
		return err
	}
	s.version++
	var first *vitrine.ViewID
	err = t.Get([]any{&first}, "SELECT min(id) FROM (SELECT min(first) AS id FROM segments WHERE link = $1 UNION ALL SELECT min(id) FROM downloads WHERE link = $2) AS every",
		int64(link), int64(link))
	if err != nil {
		return err
	}
	if first != nil && report.DayOf(first.Ms()) < s.rolledUpUntil {
		s.changedFrom(report.DayOf(first.Ms()))
	}
	return t.putState(account, s)
}

// deleteSegment deletes a segment of a link, and its viewer days. It reports
// whether there was one.
func deleteSegment(t logTx, account vitrine.AccountID, link vitrine.LinkID) (some bool, err error) {
	var viewerDays []segment.ViewerDay
	var first vitrine.ViewID
	all := tables.Between(math.MinInt64, math.MaxInt64)
	err = t.Segments(tables.OfLink(link), all, func(_ vitrine.LinkID, p *tables.Segment) error {
		some, first = true, p.First
		var u segment.Decoder
		if err := u.Open(p.Data, p.First); err != nil {
			return err
		}
		for r := u.Brief(); r != nil; r = u.Brief() {
			if r.Human() {
				viewerDays = append(viewerDays, r.ViewerDay(link))
			}
		}
		return errStop
	})
	if err != nil && !errors.Is(err, errStop) || !some {
		return false, err
	}
	if err := t.RemoveViewerDays(account, segment.SortViewerDays(viewerDays)); err != nil {
		return false, err
	}
	s, err := t.state(account)
	if err != nil {
		return false, err
	}
	s.version++
	if err := t.putState(account, s); err != nil {
		return false, err
	}
	_, err = t.Exec("DELETE FROM segments WHERE link = $1 AND first = $2", int64(link), int64(first))
	return true, err
}

// deleteRows deletes rows from the tables with one row for each view, viewer or
// download. It reports whether any remain.
func deleteRows(t logTx, link vitrine.LinkID) (more bool, err error) {
	for _, e := range deletedTables {
		var last int64
		err := t.Get([]any{&last}, "SELECT "+e.key+" FROM "+e.table+" WHERE link = $1 ORDER BY "+e.key+
			" LIMIT 1 OFFSET $2", int64(link), deleteBatch)
		if errors.Is(err, vitrine.ErrNotFound) {
			continue
		}
		if err != nil {
			return false, err
		}
		if _, err := t.Exec("DELETE FROM "+e.table+" WHERE link = $1 AND "+e.key+" < $2", int64(link),
			last); err != nil {
			return false, err
		}
		more = true
	}
	return more, nil
}
