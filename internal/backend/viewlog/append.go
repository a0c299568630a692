package viewlog

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"vitrine"
	"vitrine/internal/backend/sqldb"
	"vitrine/internal/backend/viewlog/segment"
	"vitrine/internal/backend/viewlog/tables"
	"vitrine/report"
)

// Append implements [vitrine.ViewLog].
//
// A snapshot can reveal that a view is a bot's. The view is then subtracted
// from its viewer's count. When the count reaches zero, the viewer's row is
// deleted, and the viewer no longer counts as returning. Views stored in
// between keep their decisions.
func (l *ViewLog) Append(ctx context.Context, b vitrine.Batch) (o vitrine.Outcome, err error) {
	var w *writing
	err = l.update(ctx, func(t logTx, c *tables.Changes) error {
		w = l.write(t, c)
		refused, err := w.views(b.Views)
		if err != nil {
			return err
		}
		if err := w.readAll(b); err != nil {
			return err
		}
		for i := range b.Snapshots {
			if err := w.snapshot(&b.Snapshots[i]); err != nil {
				return err
			}
		}
		for i := range b.Downloads {
			if err := w.download(&b.Downloads[i]); err != nil {
				return err
			}
		}
		if err := w.reclasses(b.Reclasses, b.Len() == len(b.Reclasses)); err != nil {
			return err
		}
		o = vitrine.Outcome{Refused: refused, Early: w.early}
		return w.finish()
	})
	if err != nil {
		return vitrine.Outcome{}, err
	}
	if w.reclassing != nil {
		for account := range w.accounts {
			_ = l.mergeRuns(ctx, account, false) // without it there are more runs, which are right, too
		}
	}
	return o, nil
}

// writing is a transaction that adds or changes views.
type writing struct {
	log        *ViewLog
	tx         logTx
	published  *tables.Changes
	words      *tables.LabelWriter
	changes    map[vitrine.LinkID]*tables.Change
	accounts   map[vitrine.AccountID]*written
	owners     map[vitrine.LinkID]vitrine.AccountID
	deleting   map[vitrine.LinkID]bool
	engaged    map[viewKey]*engaged // views that snapshots and downloads refer to; nil means no such view
	missing    map[viewKey]bool     // views that are missing but may still arrive
	early      vitrine.Batch        // snapshots and downloads of missing views
	quiet      bool                 // changes do not become events
	reclassing *reclassing          // of views in segments; may be nil
	looked     map[viewKey]blobs    // stored rows as they were read; without blobs: no such row
	taken      map[viewKey]idRun
	viewerDays map[vitrine.AccountID][]segment.ViewerDay // viewer days of views imported into segments
	b, b2      []byte
}

type viewKey struct {
	link vitrine.LinkID
	view vitrine.ViewID
}

func compareKeys(a, b viewKey) int {
	return cmp.Or(cmp.Compare(a.link, b.link), cmp.Compare(a.view, b.view))
}

// engaged is a stored view and its engagement.
type engaged struct {
	segment.View
	vitrine.Engagement
	hasSession, changed bool
	hadSession          bool // the stored view has engagement
	inSegment           bool // in a segment: only its class can change
	account             vitrine.AccountID
	before              *report.View // the view before the change; nil if no follower needs it
}

func (l *ViewLog) write(t logTx, c *tables.Changes) *writing {
	return &writing{log: l, tx: t, published: c, words: l.words.Writer(t.Tx),
		changes: map[vitrine.LinkID]*tables.Change{}, accounts: map[vitrine.AccountID]*written{},
		owners:   map[vitrine.LinkID]vitrine.AccountID{},
		deleting: map[vitrine.LinkID]bool{},
		engaged:  map[viewKey]*engaged{}, looked: map[viewKey]blobs{}, taken: map[viewKey]idRun{},
		viewerDays: map[vitrine.AccountID][]segment.ViewerDay{}}
}

// count adds a written view to the counts of its link.
func (w *writing) count(v *vitrine.ViewRecord, r *segment.View) {
	c := w.change(vitrine.LinkID(v.Link))
	c.Account = v.Account
	if r.Human() {
		c.Views++
	}
}

// insertView inserts a row of a view. The column engaged says that there is a
// session. The index of views with engagement is by engaged, and not by
// session, so that a snapshot does not write to it again.
const insertView = "INSERT INTO views (link, id, record, session, engaged) VALUES ($1, $2, $3, $4, CAST($4 AS BYTEA) IS NOT NULL)"

// insert writes the row of a view. It reports false if the link already has the
// ID.
func (w *writing) insert(link vitrine.LinkID, id vitrine.ViewID, r *segment.View,
	v *vitrine.ViewRecord) (added bool, err error) {
	w.b = r.Append(w.b[:0])
	var session any
	if v.Session != nil {
		e := vitrine.Engagement{Session: *v.Session}
		if session, err = w.session(&e, id); err != nil {
			return false, err
		}
	}
	n, err := w.tx.Exec(insertView+" ON CONFLICT DO NOTHING",
		int64(link), int64(id), w.b, session)
	return n == 1, err
}

// session encodes an engagement. The result is valid until the next call.
func (w *writing) session(e *vitrine.Engagement, id vitrine.ViewID) ([]byte, error) {
	screen, err := w.words.ID(segment.WordScreen, e.Session.Screen)
	if err != nil {
		return nil, err
	}
	s := segment.Session{Session: e.Session, Screen: screen, StartMs: e.StartMs}
	w.b2 = s.Append(w.b2[:0], id.Ms())
	return w.b2, nil
}

// blobs holds the blobs of a view's row.
type blobs struct{ record, session []byte }

const selectBlobs = "SELECT record, session FROM views WHERE link = $1 AND id = $2"

// stored reads a view. It returns ErrNotFound if there is none.
func (w *writing) stored(link vitrine.LinkID, id vitrine.ViewID) (r segment.View, session []byte, err error) {
	b, looked := w.looked[viewKey{link, id}]
	if !looked {
		err = w.tx.Get([]any{&b.record, &b.session}, selectBlobs, int64(link), int64(id))
	} else if b.record == nil {
		err = vitrine.ErrNotFound
	}
	if err == nil {
		err = r.Decode(b.record)
	}
	return r, b.session, err
}

// readAll reads, in one query, the views that the snapshots and downloads of a
// batch refer to.
func (w *writing) readAll(batch vitrine.Batch) error {
	var keys []viewKey
	var links []vitrine.LinkID
	ask := func(link vitrine.LinkID, view vitrine.ViewID) {
		key := viewKey{link, view}
		if _, asked := w.looked[key]; !asked {
			w.looked[key] = blobs{}
			keys, links = append(keys, key), append(links, link)
		}
	}
	for i := range batch.Snapshots {
		ask(batch.Snapshots[i].Link, batch.Snapshots[i].View)
	}
	for i := range batch.Downloads {
		ask(batch.Downloads[i].Link, batch.Downloads[i].View)
	}
	for i := range batch.Reclasses {
		ask(batch.Reclasses[i].Link, batch.Reclasses[i].View)
	}
	if err := w.learnOwners(links); err != nil {
		return err
	}
	return w.tx.GetMany(selectBlobs, len(keys),
		func(i int) []any { return []any{int64(keys[i].link), int64(keys[i].view)} },
		func(i int, row sqldb.Scanner) error {
			var b blobs
			if err := row.Scan(&b.record, &b.session); err != nil {
				return w.tx.Failed(err)
			}
			w.looked[keys[i]] = b
			return nil
		})
}

// find returns the view of a snapshot or download with all changes of the
// transaction so far, or nil if there is none.
func (w *writing) find(key viewKey) (*engaged, error) {
	link, id := key.link, key.view
	if e, ok := w.engaged[key]; ok {
		return e, nil
	}
	account, err := w.owner(link)
	if err != nil {
		return nil, err
	}
	r, session, err := w.stored(link, id)
	if errors.Is(err, vitrine.ErrNotFound) {
		if err := w.reopenView(account, link, id); err != nil {
			return nil, err
		}
		r, session, err = w.stored(link, id)
	}
	if errors.Is(err, vitrine.ErrNotFound) {
		w.engaged[key] = nil
		return nil, w.miss(account, key)
	}
	if err != nil {
		return nil, err
	}
	e := &engaged{View: r, account: account, hasSession: session != nil, hadSession: session != nil}
	if session != nil {
		var s segment.Session
		if err := s.Decode(session, id.Ms()); err != nil {
			return nil, err
		}
		screen, err := w.words.Word(s.Screen)
		if err != nil {
			return nil, err
		}
		e.Engagement = vitrine.Engagement{Session: s.Session, StartMs: s.StartMs}
		e.Session.Screen = screen.Labels[0]
	}
	w.engaged[key] = e
	followed, err := w.follows(account, link)
	if err != nil {
		return nil, err
	}
	if followed {
		if e.before, err = w.asReported(key, e); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// miss notes that a view is missing, unless it can no longer arrive.
func (w *writing) miss(account vitrine.AccountID, key viewKey) error {
	a, err := w.account(account)
	if err == nil && report.DayOf(key.view.Ms()) >= a.retainedFrom {
		if w.missing == nil {
			w.missing = map[viewKey]bool{}
		}
		w.missing[key] = true
	}
	return err
}

// asReported converts a view for the report package. The result shares no
// memory with e.
func (w *writing) asReported(key viewKey, e *engaged) (*report.View, error) {
	v := new(report.View)
	if err := tables.ReadView(w.words.Word, int64(key.link), &segment.Row{ID: key.view, View: e.View}, v); err != nil {
		return nil, err
	}
	if e.hasSession {
		s := e.Session
		s.Pages = append([]report.PageTime(nil), s.Pages...)
		v.Session = &s
	}
	return v, nil
}

// dropDownloads deletes the download events of a view and returns their number.
func (w *writing) dropDownloads(account vitrine.AccountID, link vitrine.LinkID, view vitrine.ViewID) (int64, error) {
	events, err := tables.TakeDownloads(w.tx.Tx, link, view)
	for _, id := range events {
		if err == nil {
			err = w.changedOn(account, report.DayOf(id.Ms()))
		}
	}
	return int64(len(events)), err
}

// event stores and counts a download event.
func (w *writing) event(account vitrine.AccountID, d *vitrine.Download) error {
	day := report.DayOf(d.ID.Ms())
	if a, err := w.account(account); err != nil || day < a.retainedFrom {
		return err
	}
	n, err := w.tx.Exec("INSERT INTO downloads (link, id, view) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
		int64(d.Link), int64(d.ID), tables.DownloadView(d.ID, d.View, d.Recipient))
	w.change(d.Link).Downloads += n
	if err != nil || n == 0 {
		return err
	}
	if d.View != 0 {
		w.changed(d.Link, d.View)
	}
	w.note(d.Link, d.ID, tables.NewsDownload, d.ID.Ms())
	if err := w.changedOn(account, day); err != nil {
		return err
	}
	followed, err := w.follows(account, d.Link)
	if followed {
		w.published.Add(tables.Event{Account: account, Link: d.Link, Day: day, Downloads: n})
	}
	return err
}

// finish writes the collected changes.
func (w *writing) finish() error {
	if err := w.finishEngaged(); err != nil {
		return err
	}
	if err := w.finishInSegments(); err != nil {
		return err
	}
	for account, a := range w.accounts {
		if a.changed {
			if err := w.tx.putState(account, a.state); err != nil {
				return err
			}
		}
	}
	return w.tx.AddCounts(w.changes)
}

// finishEngaged writes the views whose engagement changed.
func (w *writing) finishEngaged() error {
	var keys, first []viewKey
	var rows []blobs
	for key, e := range w.engaged {
		if e == nil || !e.changed {
			continue
		}
		w.changed(key.link, key.view)
		if e.inSegment {
			continue
		}
		row := blobs{record: e.View.Append(nil)}
		if e.hasSession {
			session, err := w.session(&e.Engagement, key.view)
			if err != nil {
				return err
			}
			row.session = slices.Clone(session)
		}
		keys, rows = append(keys, key), append(rows, row)
		if e.hasSession && !e.hadSession {
			first = append(first, key)
		}
		if e.before != nil {
			after, err := w.asReported(key, e)
			if err != nil {
				return err
			}
			w.published.Add(tables.Event{Account: e.account, Before: e.before, After: after})
		}
	}
	_, err := w.tx.ExecMany("UPDATE views SET record = $1, session = $2 WHERE link = $3 AND id = $4", len(keys),
		func(i int) []any {
			return []any{rows[i].record, segment.OrNull(rows[i].session), int64(keys[i].link), int64(keys[i].view)}
		})
	if err != nil || len(first) == 0 {
		return err
	}
	_, err = w.tx.ExecMany("UPDATE views SET engaged = TRUE WHERE link = $1 AND id = $2", len(first),
		func(i int) []any { return []any{int64(first[i].link), int64(first[i].view)} })
	return err
}
