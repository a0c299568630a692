package viewlog

import (
	"errors"
	"slices"

	"vitrine"
	"vitrine/internal/backend/viewlog/segment"
	"vitrine/internal/backend/viewlog/tables"
	"vitrine/report"
)

// adding is a view to be inserted.
type adding struct {
	*vitrine.ViewRecord
	record  segment.View
	blob    []byte
	near    bool // a view stored before is too near for this one to be a return
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
	if err := w.markNear(list, seen); err != nil {
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

// markNear sets near on the views by people who have viewed the link before.
func (w *writing) markNear(list []adding, seen map[tables.LinkViewer]tables.LastView) error {
	var near []asked
	var of []*adding
	for i := range list {
		a := &list[i]
		if last, before := seen[a.of()]; before && a.refused == nil && a.record.Human() {
			near = append(near, asked{viewKey{a.link(), a.id()}, a.Account, a.record.Viewer, last, false})
			of = append(of, a)
		}
	}
	err := w.findNear(near)
	for i := range near {
		of[i].near = near[i].near
	}
	return err
}

// countViewers counts the views by people and returns the viewers that have
// viewed the link before.
func (w *writing) countViewers(list []adding) (seen map[tables.LinkViewer]tables.LastView, err error) {
	viewers := viewersOf(list)
	if seen, err = w.tx.CountViewers(viewers); err != nil {
		return nil, err
	}
	fresh := map[vitrine.AccountID][]tables.LinkViewer{}
	for _, v := range viewers {
		if _, before := seen[v.LinkViewer]; !before {
			fresh[v.Account] = append(fresh[v.Account], v.LinkViewer)
		}
	}
	for account, viewers := range fresh {
		h, err := w.history(account)
		if err == nil {
			err = h.OfMany(viewers, func(i int, v segment.ViewerDay) {
				if !w.reclassing.ended(v) {
					seen[viewers[i]] = tables.LastView{}
				}
			})
		}
		if err != nil {
			return nil, err
		}
		for _, v := range viewers {
			if w.reclassing.began(v) {
				seen[v] = tables.LastView{}
			}
		}
	}
	return seen, nil
}

// viewersOf counts the added views by people, for each viewer of each link.
func viewersOf(list []adding) (viewers []tables.ViewerViews) {
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
			viewers = append(viewers, tables.ViewerViews{LinkViewer: a.of(), Account: a.Account,
				Latest: a.id().Ms()})
		}
		viewers[n].Views++
		viewers[n].Latest = max(viewers[n].Latest, a.id().Ms())
	}
	return viewers
}

// markReturning sets Returning on the views that count. It returns the views
// whose value changed.
func markReturning(list []adding, before map[tables.LinkViewer]tables.LastView,
	counts func(*adding) bool) (changed []*adding) {
	now := make(map[tables.LinkViewer][]int64, len(before))
	for i := range list {
		a := &list[i]
		if !counts(a) || !a.record.Human() {
			continue
		}
		flags, at := a.record.Flags&^segment.ViewReturning, a.id().Ms()
		_, seen := before[a.of()]
		near := a.near || slices.ContainsFunc(now[a.of()], func(ms int64) bool { return tables.IsNear(ms, at) })
		if (seen || len(now[a.of()]) > 0) && !near {
			flags |= segment.ViewReturning
		}
		now[a.of()] = append(now[a.of()], at)
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
func (w *writing) notAdded(list []adding, seen map[tables.LinkViewer]tables.LastView) error {
	some := false
	for i := range list {
		a := &list[i]
		if a.added || a.refused != nil {
			continue
		}
		some = true
		if a.record.Human() {
			if err := w.tx.ExcludeViewer(a.link(), a.record.Viewer, a.id()); err != nil {
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
		if a.record.Human() && a.record.Flags&segment.ViewOwn == 0 {
			w.note(a.link(), a.id(), tables.NewsOf(a.Session, a.Recipient), a.id().Ms())
		}
		if followed {
			after := a.View
			after.Returning = a.record.Flags&segment.ViewReturning != 0
			w.published.Add(tables.Event{Account: a.Account, After: &after})
		}
	}
	return nil
}
