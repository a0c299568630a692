package viewlog

import (
	"slices"

	"vitrine"
	"vitrine/internal/backend/sqldb"
	"vitrine/internal/backend/viewlog/segment"
	"vitrine/internal/backend/viewlog/visits"
	"vitrine/report"
)

// repacking is what a transaction knows about views in packs whose class it
// changes. It changes them in place and writes each pack once, at the end.
type repacking struct {
	packs  []packKey                          // packs with such views
	known  map[visits.LinkViewer]bool         // whether the table of viewers has a viewer
	past   map[visits.LinkViewer][]report.Day // the viewer's days in the index of visits
	left   map[segment.Visit]int64            // people's views of the visits that may end
	begun  map[segment.Visit]int64            // included views of other visits
	begins map[visits.LinkViewer]int64        // the same by viewer
	// downloaded has the views with download events.
	downloaded map[viewKey]bool
	packer     segment.Packer
}

// packKey identifies a pack.
type packKey struct {
	link  vitrine.LinkID
	first vitrine.ViewID
}

// reclasses changes whether views count. A batch of nothing else changes views
// in packs in place; otherwise their days are unpacked.
func (w *writing) reclasses(list []vitrine.Reclass, alone bool) error {
	if alone {
		if err := w.findPacked(list); err != nil {
			return err
		}
	}
	for i := range list {
		if err := w.reclass(&list[i]); err != nil {
			return err
		}
	}
	return nil
}

// findPacked reads the views that are in packs, and what decides about them.
func (w *writing) findPacked(list []vitrine.Reclass) error {
	p := &repacking{known: map[visits.LinkViewer]bool{}, past: map[visits.LinkViewer][]report.Day{},
		left:  map[segment.Visit]int64{},
		begun: map[segment.Visit]int64{}, begins: map[visits.LinkViewer]int64{}, downloaded: map[viewKey]bool{}}
	wanted := map[vitrine.LinkID][]vitrine.ViewID{}
	for i := range list {
		if d := &list[i]; w.looked[viewKey{d.Link, d.View}].open == nil {
			wanted[d.Link] = append(wanted[d.Link], d.View)
		}
	}
	for link, views := range wanted {
		slices.Sort(views)
		if err := w.findIn(p, link, slices.Compact(views)); err != nil {
			return err
		}
	}
	if len(p.packs) == 0 {
		return nil
	}
	w.repacking = p
	return w.learnPacked(list)
}

// findIn reads the given views of a link from packs, and counts the people's
// views of each visit that may end.
func (w *writing) findIn(p *repacking, link vitrine.LinkID, views []vitrine.ViewID) error {
	account := w.owners[link]
	a, err := w.account(account)
	if err != nil {
		return err
	}
	from, _ := slices.BinarySearch(views, segment.FirstID(a.retainedFrom))
	to, _ := slices.BinarySearch(views, segment.FirstID(a.compactedUntil))
	if from >= to {
		return nil
	}
	views = views[from:to]
	var days []report.Day
	u := segment.Unpacker{CountPages: true}
	err = w.tx.packs(ofLink(link), ids{views[0], views[len(views)-1] + 1}, func(_ vitrine.LinkID, s *storedPack) error {
		from, _ := slices.BinarySearch(views, s.first)
		to, _ := slices.BinarySearch(views, s.last+1)
		some := views[from:to]
		if len(some) == 0 {
			return nil
		}
		if err := u.Open(s.data, s.first); err != nil {
			return err
		}
		p.packs = append(p.packs, packKey{link, s.first})
		for row := u.Next(); row != nil && len(some) > 0; row = u.Next() {
			for len(some) > 0 && some[0] < row.ID { // there is no such view
				some = some[1:]
			}
			if len(some) == 0 || some[0] != row.ID {
				continue
			}
			some = some[1:]
			e := &engaged{View: row.View, account: account, packed: true, hasSession: row.Engaged}
			e.Session.EngagedMs = row.Session.EngagedMs
			w.engaged[viewKey{link, row.ID}] = e
			if row.Human() {
				p.left[row.Visit(link)] = 0
				days = append(days, report.DayOf(row.ID.Ms()))
			}
		}
		return u.End()
	})
	if err != nil || len(days) == 0 {
		return err
	}
	return w.countVisits(p, link, slices.Compact(days))
}

// countVisits counts the people's views of a link in packs, for the visits that
// may end. They are on the given days.
func (w *writing) countVisits(p *repacking, link vitrine.LinkID, days []report.Day) error {
	var u segment.Unpacker
	return w.tx.packs(ofLink(link), idsOf(days[0], days[len(days)-1]+1), func(_ vitrine.LinkID, s *storedPack) error {
		at, _ := slices.BinarySearch(days, report.DayOf(s.first.Ms()))
		if at == len(days) || days[at] > report.DayOf(s.last.Ms()) {
			return nil
		}
		if err := u.Open(s.data, s.first); err != nil {
			return err
		}
		for row := u.Brief(); row != nil; row = u.Brief() {
			if !row.Human() {
				continue
			}
			if n, may := p.left[row.Visit(link)]; may {
				p.left[row.Visit(link)] = n + 1
			}
		}
		return u.End()
	})
}

// learnPacked reads, in a few queries, the viewers of the views that may be
// included, and which views have downloads.
func (w *writing) learnPacked(list []vitrine.Reclass) error {
	p := w.repacking
	var people []viewKey
	var viewers []visits.LinkViewer
	of := map[vitrine.AccountID][]visits.LinkViewer{}
	for i := range list {
		key := viewKey{list[i].Link, list[i].View}
		e := w.engaged[key]
		if e == nil {
			continue
		}
		if e.Human() {
			people = append(people, key)
		}
		v := visits.LinkViewer{Link: key.link, Viewer: e.Viewer}
		if _, asked := p.known[v]; list[i].Count && !asked {
			p.known[v] = false
			viewers, of[e.account] = append(viewers, v), append(of[e.account], v)
		}
	}
	err := w.tx.GetMany("SELECT opens FROM viewers WHERE link = $1 AND viewer = $2", len(viewers),
		func(i int) []any { return []any{int64(viewers[i].Link), int64(viewers[i].Viewer)} },
		func(i int, _ sqldb.Scanner) error { p.known[viewers[i]] = true; return nil })
	if err != nil {
		return err
	}
	for account, viewers := range of {
		h, err := w.history(account)
		if err == nil {
			err = h.OfMany(viewers, func(i int, e segment.Visit) {
				p.past[viewers[i]] = append(p.past[viewers[i]], e.Day)
			})
		}
		if err != nil {
			return err
		}
	}
	return w.tx.GetMany("SELECT open FROM downloads WHERE link = $1 AND open = $2 LIMIT 1", len(people),
		func(i int) []any { return []any{int64(people[i].link), int64(people[i].view)} },
		func(i int, _ sqldb.Scanner) error { p.downloaded[people[i]] = true; return nil })
}

// count notes that a view in packs became a person's (1), or ceased to be (-1).
func (p *repacking) count(v segment.Visit, n int64) {
	if left, may := p.left[v]; may {
		p.left[v] = left + n
		return
	}
	p.begun[v] += n
	p.begins[visits.LinkViewer{Link: vitrine.LinkID(v.Link), Viewer: uint64(v.Viewer)}] += n
}

// ended reports whether a visit in the index has ended in this transaction.
func (p *repacking) ended(v segment.Visit) bool {
	if p == nil {
		return false
	}
	left, may := p.left[v]
	return may && left == 0
}

// began reports whether a viewer has a visit that began in this transaction.
func (p *repacking) began(v visits.LinkViewer) bool { return p != nil && p.begins[v] > 0 }

// counted reports whether a viewer of a view in packs has a counted view of the
// link.
func (w *writing) counted(v visits.LinkViewer) (bool, error) {
	p := w.repacking
	there, known := p.known[v]
	if !known { // this transaction has changed it
		var err error
		if there, err = w.tx.exists("SELECT 1 FROM viewers WHERE link = $1 AND viewer = $2", int64(v.Link),
			int64(v.Viewer)); err != nil {
			return false, err
		}
	}
	return there || p.began(v) || slices.ContainsFunc(p.past[v], func(d report.Day) bool {
		return !p.ended(segment.Visit{Viewer: int64(v.Viewer), Link: int64(v.Link), Day: d})
	}), nil
}

// repackedAtOnce is the number of packs in memory while they are rewritten.
const repackedAtOnce = 32

// finishPacked writes the packs with changed views, and the visits that begin
// and end.
func (w *writing) finishPacked() error {
	p := w.repacking
	if p == nil {
		return nil
	}
	for key, e := range w.engaged {
		if e != nil && e.packed && e.changed {
			if err := w.repacked(e.account, report.DayOf(key.view.Ms())); err != nil {
				return err
			}
		}
	}
	for some := range slices.Chunk(p.packs, repackedAtOnce) {
		if err := w.repackSome(some); err != nil {
			return err
		}
	}
	begun, ended := map[vitrine.AccountID][]segment.Visit{}, map[vitrine.AccountID][]segment.Visit{}
	for v, n := range p.begun {
		if n > 0 {
			account := w.owners[vitrine.LinkID(v.Link)]
			begun[account] = append(begun[account], v)
		}
	}
	for v, n := range p.left {
		if n == 0 {
			account := w.owners[vitrine.LinkID(v.Link)]
			ended[account] = append(ended[account], v)
		}
	}
	for account := range w.accounts {
		if err := w.tx.RemoveVisits(account, segment.SortVisits(ended[account])); err != nil {
			return err
		}
		if err := w.tx.AddRun(account, segment.SortVisits(begun[account])); err != nil {
			return err
		}
	}
	return nil
}

// repacked records that the packs of a day have changed.
func (w *writing) repacked(account vitrine.AccountID, day report.Day) error {
	a, err := w.account(account)
	if err != nil {
		return err
	}
	if a.version++; day < a.rolledUpUntil {
		a.changedFrom(day)
	}
	a.changed = true
	w.published.Reset(account)
	return nil
}

// repackSome rewrites packs.
func (w *writing) repackSome(packs []packKey) error {
	data := make([][]byte, len(packs))
	key := func(i int) []any { return []any{int64(packs[i].link), int64(packs[i].first)} }
	err := w.tx.GetMany("SELECT data FROM packs WHERE link = $1 AND first = $2", len(packs), key,
		func(i int, row sqldb.Scanner) error {
			var pack []byte
			err := row.Scan(&pack)
			if err == nil {
				data[i], err = w.repack(packs[i], pack)
			}
			return err
		})
	if err != nil {
		return err
	}
	_, err = w.tx.ExecMany("UPDATE packs SET data = $1 WHERE link = $2 AND first = $3", len(packs),
		func(i int) []any { return append([]any{data[i]}, key(i)...) })
	return err
}

// repack returns a pack with the changes of its views.
func (w *writing) repack(k packKey, pack []byte) ([]byte, error) {
	var u segment.Unpacker
	if err := u.Open(pack, k.first); err != nil {
		return nil, err
	}
	packer := &w.repacking.packer
	for row := u.Next(); row != nil; row = u.Next() {
		if e := w.engaged[viewKey{k.link, row.ID}]; e != nil {
			row.View = e.View
		}
		packer.Add(row)
	}
	return packer.End(nil), u.End()
}
