package viewlog

import (
	"vitrine"
	"vitrine/internal/backend/viewlog/segment"
	"vitrine/internal/backend/viewlog/visits"
	"vitrine/report"
)

// excludedAs reports whether a view is excluded for the reason.
func (w *writing) excludedAs(e *engaged, reason string) (bool, error) {
	if e.Human() {
		return false, nil
	}
	word, err := w.words.Word(e.Bot)
	return err == nil && word.Labels[0] == reason, err
}

// exclude turns a view by a person into one by a bot, for the reason.
func (w *writing) exclude(link vitrine.LinkID, view vitrine.ViewID, e *engaged, reason string) (err error) {
	human := e.Human()
	if e.Bot, err = w.words.Bot(reason, ""); err != nil {
		return err
	}
	e.Flags = e.Flags&^(segment.ViewReturning|segment.ViewWaits) | segment.ViewBot
	e.Was, e.changed = 0, true
	if !human {
		return nil
	}
	c := w.change(link)
	c.views--
	n := int64(0)
	if !e.inSegment || w.reclassing.downloaded[viewKey{link, view}] {
		if n, err = w.dropDownloads(e.account, link, view); err != nil {
			return err
		}
	}
	c.downloads -= n
	if n > 0 {
		w.published.Reset(e.account)
		if reason != report.BotAutomation {
			e.Flags |= segment.ViewWaits
		}
	}
	if e.inSegment {
		w.reclassing.count(visitOf(link, view, e), -1)
		return nil
	}
	if w.reclassing != nil {
		delete(w.reclassing.known, visits.LinkViewer{Link: link, Viewer: e.Viewer})
	}
	return w.tx.decrementViewer(link, e.Viewer, 1)
}

func visitOf(link vitrine.LinkID, view vitrine.ViewID, e *engaged) segment.Visit {
	return (&segment.Row{ID: view, View: e.View}).Visit(link)
}

// countViewer counts a view that becomes a person's for its viewer. It reports
// whether the viewer has another one.
func (w *writing) countViewer(link vitrine.LinkID, view vitrine.ViewID, e *engaged) (before bool, err error) {
	v := visits.LinkViewer{Link: link, Viewer: e.Viewer}
	if e.inSegment {
		before, err = w.counted(v)
		w.reclassing.count(visitOf(link, view, e), 1)
		return before, err
	}
	if w.reclassing != nil {
		delete(w.reclassing.known, v)
	}
	seen, err := w.countViewers([]adding{{ViewRecord: &vitrine.ViewRecord{Account: e.account,
		View: report.View{Link: int64(link)}}, record: segment.View{Viewer: e.Viewer}}})
	return seen[v], err
}

// include turns a view by a bot into one by a person.
func (w *writing) include(link vitrine.LinkID, view vitrine.ViewID, e *engaged) error {
	before, err := w.countViewer(link, view, e)
	if err != nil {
		return err
	}
	waits := e.Flags&segment.ViewWaits != 0
	e.Bot, e.Was, e.changed = 0, 0, true
	e.Flags &^= segment.ViewBot | segment.ViewWaits | segment.ViewReturning
	if before {
		e.Flags |= segment.ViewReturning
	}
	w.change(link).views++
	if waits {
		if e.inSegment {
			w.reclassing.downloaded[viewKey{link, view}] = true
		}
		return w.event(e.account, &vitrine.Download{ID: view, Link: link, View: view})
	}
	return nil
}

// noteDownload marks that an excluded view has a download, if the view may be
// included later. The download counts then.
func (w *writing) noteDownload(e *engaged) error {
	never, err := w.excludedAs(e, report.BotAutomation)
	if err == nil && !never && e.Flags&segment.ViewWaits == 0 {
		e.Flags |= segment.ViewWaits
		e.changed = true
	}
	return err
}

// reclass changes whether a view counts.
func (w *writing) reclass(d *vitrine.Reclass) error {
	e, err := w.find(d.Link, d.View)
	if err != nil || e == nil {
		return err
	}
	before, err := w.asReported(viewKey{d.Link, d.View}, e)
	if err != nil {
		return err
	}
	after, changes := before.Reclassed(d.Reason, d.Count)
	switch {
	case !changes:
		return nil
	case after.Counted():
		err = w.include(d.Link, d.View, e)
	case before.Counted():
		err = w.exclude(d.Link, d.View, e, after.Bot)
	}
	if err != nil {
		return err
	}
	e.Flags, e.changed = e.Flags|segment.ViewDecided, true
	return w.words.Class(&after, &e.View)
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
		w.change(d.Link).account = account
	}
	if account != d.Account || account == 0 {
		return nil
	}
	return w.event(account, d)
}
