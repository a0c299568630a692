package viewlog

import (
	"vitrine"
	"vitrine/internal/backend/viewlog/segment"
	"vitrine/internal/backend/viewlog/tables"
	"vitrine/report"
)

// decide applies an event to a view, and to the counts of its link and viewer.
// Whether a download of the event itself counts is left to the caller.
func (w *writing) decide(key viewKey, e *engaged, event report.Event) (effect report.Effect, err error) {
	before, err := w.words.ReadClass(&e.View)
	if err != nil {
		return effect, err
	}
	before.EngagedMs = e.Session.EngagedMs
	after, effect := before.Decide(event)
	if after == before {
		return effect, nil
	}
	e.changed = true
	if err := w.words.SetClass(&after, &e.View); err != nil {
		return effect, err
	}
	if after.Bot != before.Bot { // an import may have set it on an excluded view
		e.Flags &^= segment.ViewReturning
	}
	switch effect.Views {
	case 1:
		_, late := event.(report.Reclass)
		err = w.include(key, e, effect.Download, late)
	case -1:
		err = w.exclude(key, e)
	}
	return effect, err
}

// exclude changes the counts for a view that no longer counts.
func (w *writing) exclude(key viewKey, e *engaged) (err error) {
	n := int64(0)
	if !e.inSegment || w.reclassing.downloaded[key] {
		if n, err = w.dropDownloads(e.account, key.link, key.view); err != nil {
			return err
		}
	}
	c := w.change(key.link)
	c.Views--
	c.Downloads -= n
	if n > 0 {
		w.published.Reset(e.account)
		if _, err := w.decide(key, e, report.Downloaded{}); err != nil {
			return err
		}
	}
	if e.inSegment {
		w.reclassing.count(viewerDayOf(key, e), -1)
		return nil
	}
	w.note(key.link, key.view, tables.NewsExcluded, key.view.Ms())
	if w.reclassing != nil {
		delete(w.reclassing.known, tables.LinkViewer{Link: key.link, Viewer: e.Viewer})
	}
	return w.tx.ExcludeViewer(key.link, e.Viewer, key.view)
}

func viewerDayOf(key viewKey, e *engaged) segment.ViewerDay {
	return (&segment.Row{ID: key.view, View: e.View}).ViewerDay(key.link)
}

// countViewer counts a view that becomes a person's for its viewer. It reports
// whether the viewer returns.
func (w *writing) countViewer(key viewKey, e *engaged, late bool) (returns bool, err error) {
	v := tables.LinkViewer{Link: key.link, Viewer: e.Viewer}
	if e.inSegment {
		returns, err = w.counted(v)
		w.reclassing.count(viewerDayOf(key, e), 1)
		return returns, err
	}
	if w.reclassing != nil {
		delete(w.reclassing.known, v)
	}
	seen, err := w.countViewers([]adding{{ViewRecord: &vitrine.ViewRecord{Account: e.account,
		View: report.View{Link: int64(key.link), ID: int64(key.view)}}, record: segment.View{Viewer: e.Viewer}}})
	last, returns := seen[v]
	if err != nil || !returns || late {
		return returns, err
	}
	one := []asked{{key, e.account, e.Viewer, last, false}}
	err = w.findNear(one)
	return !one[0].near, err
}

// include changes the counts for a view that counts now, and decides whether
// its viewer returns. late reports whether that was decided by a change of the
// rules or of the account, and not by how the view was read: then any other
// view makes it a return. A download that waited counts, with the ID of the
// view.
func (w *writing) include(key viewKey, e *engaged, downloaded, late bool) error {
	returns, err := w.countViewer(key, e, late)
	if err != nil {
		return err
	}
	if returns {
		e.Flags |= segment.ViewReturning
	}
	w.change(key.link).Views++
	if !downloaded {
		return nil
	}
	if e.inSegment {
		w.reclassing.downloaded[key] = true
	}
	return w.event(e.account, &vitrine.Download{ID: key.view, Link: key.link, View: key.view})
}

func (w *writing) snapshot(s *vitrine.Snapshot) error {
	key := viewKey{s.Link, s.View}
	e, err := w.find(key)
	if err != nil {
		return err
	}
	if e == nil {
		if w.missing[key] {
			w.early.Snapshots = append(w.early.Snapshots, *s)
		}
		return nil
	}
	e.Apply(*s)
	e.hasSession, e.changed = true, true
	_, err = w.decide(key, e, report.Beacon{EngagedMs: e.Session.EngagedMs, Automation: s.Bot == report.BotAutomation})
	if e.Human() && e.Flags&segment.ViewOwn == 0 {
		w.note(s.Link, s.View, tables.NewsOf(&e.Session, e.Recipient), s.At)
	}
	return err
}

func (w *writing) download(d *vitrine.Download) error {
	if d.View == 0 {
		return w.downloadAlone(d)
	}
	key := viewKey{d.Link, d.View}
	e, err := w.find(key)
	if err != nil {
		return err
	}
	if e == nil {
		if w.missing[key] {
			w.early.Downloads = append(w.early.Downloads, *d)
		}
		return nil
	}
	effect, err := w.decide(key, e, report.Downloaded{})
	if err != nil || !effect.Download {
		return err
	}
	return w.event(e.account, d)
}

// reclass changes whether a view counts.
func (w *writing) reclass(d *vitrine.Reclass) error {
	key := viewKey{d.Link, d.View}
	e, err := w.find(key)
	if err != nil || e == nil {
		return err
	}
	_, err = w.decide(key, e, d.Reclass)
	return err
}

// downloadAlone counts a download of a link that belongs to no view.
func (w *writing) downloadAlone(d *vitrine.Download) error {
	account, err := w.owner(d.Link)
	if err != nil {
		return err
	}
	if account == 0 { // the link's row is written later in this transaction
		account = d.Account
		w.owners[d.Link] = account
		w.change(d.Link).Account = account
	}
	if account != d.Account || account == 0 {
		return nil
	}
	return w.event(account, d)
}
