package viewlog

import (
	"errors"
	"slices"

	"vitrine"
	"vitrine/internal/backend/viewlog/memory"
	"vitrine/internal/backend/viewlog/segment"
	"vitrine/internal/backend/viewlog/tables"
	"vitrine/report"
)

// adding is a view to be inserted.
type adding struct {
	*vitrine.ViewRecord
	record  segment.View
	blob    []byte
	added   bool
	refused error
}

func (a *adding) link() vitrine.LinkID { return vitrine.LinkID(a.Link) }
func (a *adding) id() vitrine.ViewID   { return vitrine.ViewID(a.ID) }
func (a *adding) of() tables.LinkViewer {
	return tables.LinkViewer{Link: a.link(), Viewer: a.record.Viewer}
}

// views inserts views. For each refused view, refused holds the reason; it is
// nil if all were accepted. The stored views and viewers that matter are read
// in one query for all.
func (w *writing) views(views []vitrine.ViewRecord) (refused []error, err error) {
	if len(views) == 0 {
		return nil, nil
	}
	list := make([]adding, len(views))
	for i := range views {
		list[i].ViewRecord = &views[i]
	}
	view := func(i int) (*report.View, *segment.View) { return &list[i].View, &list[i].record }
	if err := w.words.Views(len(list), view); err != nil {
		return nil, err
	}
	for i := range list {
		a := &list[i]
		a.record.Flags &^= segment.ViewReturning
		a.refused = w.reopenDay(a.Account, a.link(), report.DayOf(a.id().Ms()))
		if a.refused != nil && !errors.Is(a.refused, vitrine.ErrDayExpired) {
			return nil, a.refused
		}
		if a.refused != nil {
			w.engaged[viewKey{a.link(), a.id()}] = nil // and it cannot arrive later
		}
	}
	seen, err := w.countViewers(list)
	if err != nil {
		return nil, err
	}
	markReturning(list, seen, func(a *adding) bool { return a.refused == nil })
	if err := w.insertAll(list); err != nil {
		return nil, err
	}
	if err := w.notAdded(list, seen); err != nil {
		return nil, err
	}
	if err := w.publish(list); err != nil {
		return nil, err
	}
	for i := range list {
		if list[i].refused != nil {
			if refused == nil {
				refused = make([]error, len(list))
			}
			refused[i] = list[i].refused
		}
	}
	return refused, nil
}

// countViewers counts the views by people and returns the viewers that have
// viewed the link before.
func (w *writing) countViewers(list []adding) (seen map[tables.LinkViewer]bool, err error) {
	viewers := viewersOf(list)
	const insert = "INSERT INTO viewers (link, viewer, views) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING"
	added, err := w.tx.ExecMany(insert, len(viewers), func(i int) []any {
		return []any{int64(viewers[i].Link), int64(viewers[i].Viewer), viewers[i].views}
	})
	if err != nil {
		return nil, err
	}
	seen = make(map[tables.LinkViewer]bool, len(viewers))
	var again []viewerViews
	fresh := map[vitrine.AccountID][]tables.LinkViewer{}
	for i, v := range viewers {
		if seen[v.LinkViewer] = added[i] == 0; added[i] == 0 {
			again = append(again, v)
		} else {
			fresh[v.account] = append(fresh[v.account], v.LinkViewer)
		}
	}
	const update = "UPDATE viewers SET views = views + $1 WHERE link = $2 AND viewer = $3"
	_, err = w.tx.ExecMany(update, len(again), func(i int) []any {
		return []any{again[i].views, int64(again[i].Link), int64(again[i].Viewer)}
	})
	if err != nil {
		return nil, err
	}
	for account, viewers := range fresh {
		h, err := w.history(account)
		if err == nil {
			err = h.OfMany(viewers, func(i int, v segment.ViewerDay) {
				if !w.reclassing.ended(v) {
					seen[viewers[i]] = true
				}
			})
		}
		if err != nil {
			return nil, err
		}
		for _, v := range viewers {
			if w.reclassing.began(v) {
				seen[v] = true
			}
		}
	}
	return seen, nil
}

// viewerViews is the number of added views that a viewer made of a link.
type viewerViews struct {
	tables.LinkViewer
	account vitrine.AccountID
	views   int64
}

// viewersOf counts the added views by people, for each viewer of each link.
func viewersOf(list []adding) (viewers []viewerViews) {
	at := map[tables.LinkViewer]int{}
	for i := range list {
		a := &list[i]
		if a.refused != nil || !a.record.Human() {
			continue
		}
		n, found := at[a.of()]
		if !found {
			n = len(viewers)
			at[a.of()] = n
			viewers = append(viewers, viewerViews{LinkViewer: a.of(), account: a.Account})
		}
		viewers[n].views++
	}
	return viewers
}

// markReturning sets Returning on the views that count. It returns the views
// whose value changed.
func markReturning(list []adding, before map[tables.LinkViewer]bool, counts func(*adding) bool) (changed []*adding) {
	now := make(map[tables.LinkViewer]bool, len(before))
	for i := range list {
		a := &list[i]
		if !counts(a) || !a.record.Human() {
			continue
		}
		flags := a.record.Flags &^ segment.ViewReturning
		if before[a.of()] || now[a.of()] {
			flags |= segment.ViewReturning
		}
		now[a.of()] = true
		if flags != a.record.Flags {
			a.record.Flags = flags
			changed = append(changed, a)
		}
	}
	return changed
}

// insertAll inserts the accepted views. A view whose ID is taken is not
// inserted, and its added field stays false.
func (w *writing) insertAll(list []adding) error {
	var taken []*adding
	var blobs []byte
	var sessions [][]byte
	for i := range list {
		a := &list[i]
		if a.refused != nil {
			continue
		}
		start := len(blobs)
		blobs = a.record.Append(blobs)
		a.blob = blobs[start:len(blobs):len(blobs)]
		var session []byte
		if a.Session != nil {
			stored, err := w.session(&vitrine.Engagement{Session: *a.Session}, a.id())
			if err != nil {
				return err
			}
			session = slices.Clone(stored)
		}
		taken, sessions = append(taken, a), append(sessions, session)
	}
	added, err := w.tx.ExecMany(insertView+" ON CONFLICT DO NOTHING", len(taken),
		func(i int) []any {
			a := taken[i]
			return []any{a.Link, a.ID, a.blob, segment.OrNull(sessions[i])}
		})
	for i, n := range added {
		taken[i].added = n == 1
	}
	return err
}

// notAdded undoes the counting of views that were not inserted because they are
// stored already, and refuses those that differ from the stored one. It decides
// again which of the inserted views are by returning viewers.
func (w *writing) notAdded(list []adding, seen map[tables.LinkViewer]bool) error {
	some := false
	for i := range list {
		a := &list[i]
		if a.added || a.refused != nil {
			continue
		}
		some = true
		if a.record.Human() {
			if err := w.tx.DecrementViewer(a.link(), a.record.Viewer, 1); err != nil {
				return err
			}
		}
		stored, _, err := w.stored(a.link(), a.id())
		if err != nil {
			return err
		}
		if !stored.Same(&a.record) {
			a.refused = vitrine.ErrExists
		}
	}
	if !some {
		return nil
	}
	for _, a := range markReturning(list, seen, func(a *adding) bool { return a.added }) {
		_, err := w.tx.Exec("UPDATE views SET record = $1 WHERE link = $2 AND id = $3", a.record.Append(nil), a.Link,
			a.ID)
		if err != nil {
			return err
		}
	}
	return nil
}

// publish counts the inserted views and publishes them to followers.
func (w *writing) publish(list []adding) error {
	var links []vitrine.LinkID
	for i := range list {
		if a := &list[i]; a.added && w.published.Wanted(a.Account) {
			links = append(links, a.link())
		}
	}
	if err := w.learnOwners(links); err != nil {
		return err
	}
	for i := range list {
		a := &list[i]
		if !a.added {
			continue
		}
		followed, err := w.follows(a.Account, a.link())
		if err != nil {
			return err
		}
		if w.owners[a.link()] == 0 { // the link's row is written later in this transaction
			w.owners[a.link()] = a.Account
		}
		w.count(a.ViewRecord, &a.record)
		w.changed(a.link(), a.id())
		if a.record.Human() {
			w.note(a.link(), a.id(), false, a.id().Ms())
		}
		if followed {
			after := a.View
			after.Returning = a.record.Flags&segment.ViewReturning != 0
			w.published.Add(memory.Event{Account: a.Account, After: &after})
		}
	}
	return nil
}
