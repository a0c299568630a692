package viewlog

import (
	"slices"

	"vitrine"
	"vitrine/internal/backend/sqldb"
	"vitrine/internal/backend/viewlog/segment"
	"vitrine/internal/backend/viewlog/tables"
	"vitrine/report"
)

// reclassing is what a transaction knows about views in segments whose class it
// changes. It changes them in place and writes each segment once, at the end.
type reclassing struct {
	segments []segmentKey                       // segments with such views
	known    map[tables.LinkViewer]bool         // whether the table of viewers has a viewer
	past     map[tables.LinkViewer][]report.Day // the viewer's days in the index of viewer days
	left     map[segment.ViewerDay]int64        // people's views of the viewer days that may end
	begun    map[segment.ViewerDay]int64        // included views of other viewer days
	begins   map[tables.LinkViewer]int64        // the same by viewer
	// downloaded has the views with download events.
	downloaded map[viewKey]bool
	encoder    segment.Encoder
}

// segmentKey identifies a segment.
type segmentKey struct {
	link  vitrine.LinkID
	first vitrine.ViewID
}

// reclasses changes whether views count. A batch of nothing else changes views
// in segments in place; otherwise their days are reopened.
func (w *writing) reclasses(list []vitrine.Reclass, alone bool) error {
	w.quiet = true
	if alone {
		if err := w.findInSegments(list); err != nil {
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

// findInSegments reads the views that are in segments, and what decides about
// them.
func (w *writing) findInSegments(list []vitrine.Reclass) error {
	p := &reclassing{known: map[tables.LinkViewer]bool{}, past: map[tables.LinkViewer][]report.Day{},
		left:  map[segment.ViewerDay]int64{},
		begun: map[segment.ViewerDay]int64{}, begins: map[tables.LinkViewer]int64{}, downloaded: map[viewKey]bool{}}
	wanted := map[vitrine.LinkID][]vitrine.ViewID{}
	for i := range list {
		if d := &list[i]; w.looked[viewKey{d.Link, d.View}].record == nil {
			wanted[d.Link] = append(wanted[d.Link], d.View)
		}
	}
	for link, views := range wanted {
		slices.Sort(views)
		if err := w.findIn(p, link, slices.Compact(views)); err != nil {
			return err
		}
	}
	if len(p.segments) == 0 {
		return nil
	}
	w.reclassing = p
	return w.learnInSegments(list)
}

// findIn reads the given views of a link from segments, and counts the people's
// views of each viewer day that may end.
func (w *writing) findIn(p *reclassing, link vitrine.LinkID, views []vitrine.ViewID) error {
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
	u := segment.Decoder{Sums: true}
	r := tables.Between(views[0], views[len(views)-1]+1)
	err = w.tx.Segments(tables.OfLink(link), r, func(_ vitrine.LinkID, s *tables.Segment) error {
		from, _ := slices.BinarySearch(views, s.First)
		to, _ := slices.BinarySearch(views, s.Last+1)
		some := views[from:to]
		if len(some) == 0 {
			return nil
		}
		if err := u.Open(s.Data, s.First); err != nil {
			return err
		}
		p.segments = append(p.segments, segmentKey{link, s.First})
		for row := u.Next(); row != nil && len(some) > 0; row = u.Next() {
			for len(some) > 0 && some[0] < row.ID { // there is no such view
				some = some[1:]
			}
			if len(some) == 0 || some[0] != row.ID {
				continue
			}
			some = some[1:]
			e := &engaged{View: row.View, account: account, inSegment: true, hasSession: row.Engaged}
			if row.Engaged {
				e.Session.EngagedMs = row.Session.EngagedMs
			}
			w.engaged[viewKey{link, row.ID}] = e
			if row.Human() {
				p.left[row.ViewerDay(link)] = 0
				days = append(days, report.DayOf(row.ID.Ms()))
			}
		}
		return u.End()
	})
	if err != nil || len(days) == 0 {
		return err
	}
	return w.countViewerDays(p, link, slices.Compact(days))
}

// countViewerDays counts the people's views of a link in segments, for the
// viewer days that may end. They are on the given days.
func (w *writing) countViewerDays(p *reclassing, link vitrine.LinkID, days []report.Day) error {
	var u segment.Decoder
	r := tables.IDsOf(days[0], days[len(days)-1]+1)
	return w.tx.Segments(tables.OfLink(link), r, func(_ vitrine.LinkID, s *tables.Segment) error {
		at, _ := slices.BinarySearch(days, report.DayOf(s.First.Ms()))
		if at == len(days) || days[at] > report.DayOf(s.Last.Ms()) {
			return nil
		}
		if err := u.Open(s.Data, s.First); err != nil {
			return err
		}
		for row := u.Brief(); row != nil; row = u.Brief() {
			if !row.Human() {
				continue
			}
			if n, may := p.left[row.ViewerDay(link)]; may {
				p.left[row.ViewerDay(link)] = n + 1
			}
		}
		return u.End()
	})
}

// learnInSegments reads, in a few queries, the viewers of the views that may be
// included, and which views have downloads.
func (w *writing) learnInSegments(list []vitrine.Reclass) error {
	p := w.reclassing
	var people []viewKey
	var viewers []tables.LinkViewer
	of := map[vitrine.AccountID][]tables.LinkViewer{}
	for i := range list {
		key := viewKey{list[i].Link, list[i].View}
		e := w.engaged[key]
		if e == nil {
			continue
		}
		if e.Human() {
			people = append(people, key)
		}
		v := tables.LinkViewer{Link: key.link, Viewer: e.Viewer}
		if _, asked := p.known[v]; list[i].Count && !asked {
			p.known[v] = false
			viewers, of[e.account] = append(viewers, v), append(of[e.account], v)
		}
	}
	err := w.tx.GetMany("SELECT views FROM viewers WHERE link = $1 AND viewer = $2", len(viewers),
		func(i int) []any { return []any{int64(viewers[i].Link), int64(viewers[i].Viewer)} },
		func(i int, _ sqldb.Scanner) error { p.known[viewers[i]] = true; return nil })
	if err != nil {
		return err
	}
	for account, viewers := range of {
		h, err := w.history(account)
		if err == nil {
			err = h.OfMany(viewers, func(i int, e segment.ViewerDay) {
				p.past[viewers[i]] = append(p.past[viewers[i]], e.Day)
			})
		}
		if err != nil {
			return err
		}
	}
	return w.tx.GetMany(tables.DownloadsOfView+" LIMIT 1", len(people),
		func(i int) []any { return []any{int64(people[i].link), int64(people[i].view)} },
		func(i int, _ sqldb.Scanner) error { p.downloaded[people[i]] = true; return nil })
}

// count notes that a view in segments became a person's (1), or ceased to be
// (-1).
func (p *reclassing) count(v segment.ViewerDay, n int64) {
	if left, may := p.left[v]; may {
		p.left[v] = left + n
		return
	}
	p.begun[v] += n
	p.begins[tables.LinkViewer{Link: vitrine.LinkID(v.Link), Viewer: uint64(v.Viewer)}] += n
}

// ended reports whether a viewer day in the index has ended in this
// transaction.
func (p *reclassing) ended(v segment.ViewerDay) bool {
	if p == nil {
		return false
	}
	left, may := p.left[v]
	return may && left == 0
}

// began reports whether a viewer has a viewer day that began in this
// transaction.
func (p *reclassing) began(v tables.LinkViewer) bool { return p != nil && p.begins[v] > 0 }

// counted reports whether a viewer of a view in segments has a counted view of
// the link.
func (w *writing) counted(v tables.LinkViewer) (bool, error) {
	p := w.reclassing
	there, known := p.known[v]
	if !known { // this transaction has changed it
		var err error
		if there, err = w.tx.Exists("SELECT 1 FROM viewers WHERE link = $1 AND viewer = $2", int64(v.Link),
			int64(v.Viewer)); err != nil {
			return false, err
		}
	}
	return there || p.began(v) || slices.ContainsFunc(p.past[v], func(d report.Day) bool {
		return !p.ended(segment.ViewerDay{Viewer: int64(v.Viewer), Link: int64(v.Link), Day: d})
	}), nil
}

// rewrittenAtOnce is the number of segments in memory while they are rewritten.
const rewrittenAtOnce = 32

// finishInSegments writes the segments with changed views, and the viewer days
// that begin and end.
func (w *writing) finishInSegments() error {
	p := w.reclassing
	if p == nil {
		return nil
	}
	for key, e := range w.engaged {
		if e != nil && e.inSegment && e.changed {
			if err := w.rewritten(e.account, report.DayOf(key.view.Ms())); err != nil {
				return err
			}
		}
	}
	for some := range slices.Chunk(p.segments, rewrittenAtOnce) {
		if err := w.rewriteSome(some); err != nil {
			return err
		}
	}
	begun, ended := map[vitrine.AccountID][]segment.ViewerDay{}, map[vitrine.AccountID][]segment.ViewerDay{}
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
		if err := w.tx.RemoveViewerDays(account, segment.SortViewerDays(ended[account])); err != nil {
			return err
		}
		if err := w.tx.AddRun(account, segment.SortViewerDays(begun[account])); err != nil {
			return err
		}
	}
	return nil
}

// rewritten records that the segments of a day have changed.
func (w *writing) rewritten(account vitrine.AccountID, day report.Day) error {
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

// rewriteSome rewrites segments.
func (w *writing) rewriteSome(segments []segmentKey) error {
	data := make([][]byte, len(segments))
	key := func(i int) []any { return []any{int64(segments[i].link), int64(segments[i].first)} }
	err := w.tx.GetMany("SELECT data FROM segments WHERE link = $1 AND first = $2", len(segments), key,
		func(i int, row sqldb.Scanner) error {
			var stored []byte
			err := row.Scan(&stored)
			if err == nil {
				data[i], err = w.rewrite(segments[i], stored)
			}
			return err
		})
	if err != nil {
		return err
	}
	_, err = w.tx.ExecMany("UPDATE segments SET data = $1 WHERE link = $2 AND first = $3", len(segments),
		func(i int) []any { return append([]any{data[i]}, key(i)...) })
	return err
}

// rewrite returns a segment with the changes of its views.
func (w *writing) rewrite(k segmentKey, data []byte) ([]byte, error) {
	var u segment.Decoder
	if err := u.Open(data, k.first); err != nil {
		return nil, err
	}
	encoder := &w.reclassing.encoder
	for row := u.Next(); row != nil; row = u.Next() {
		if e := w.engaged[viewKey{k.link, row.ID}]; e != nil {
			row.View = e.View
		}
		encoder.Add(row)
	}
	return encoder.End(nil), u.End()
}
