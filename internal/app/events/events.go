// Package events keeps what happened in an account: a row for each event,
// exactly once. Changes of links and accounts add theirs in their own
// transaction ([vitrine.Change.Add]). Tell derives those of views and downloads
// from the news of the view log. A row is unique, so that reading the same news
// again adds nothing.
package events

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"vitrine"
	"vitrine/report"
)

// The times after which a view is decided. A view without a beacon may be a
// program's that no rule knows.
const (
	// readMs is the engaged time of a view that a person certainly made.
	readMs = 1000
	// silence is how long nothing comes from a view that has ended.
	silence = 30 * time.Minute
	// unmeasured is how long no beacon comes from the view of a person whose
	// browser sends none.
	unmeasured = 60 * time.Minute
	// slack is how much later news are read, since servers' clocks differ.
	slack = time.Minute
)

// delays are the times after which each of the news is read.
var delays = [...]time.Duration{0, silence + slack, unmeasured + slack}

// newsBatch is about how many views one transaction looks at.
const newsBatch = 500

// retention is how long events are kept.
const retention = 30 * 24 * time.Hour

// Log is what this package uses of a view log.
type Log interface {
	// News reads the news of delay ago for the n-th time.
	News(ctx context.Context, n int, now time.Time, delay time.Duration, most int,
		put func([]vitrine.ViewRecord, []vitrine.Download, map[vitrine.LinkID]vitrine.LinkCounts) error) (
		more bool, err error)
	Views(ctx context.Context, l vitrine.LinkID, from, to report.Day, f func(*report.View) error) error
	DailyViews(ctx context.Context, q vitrine.TallyQuery, links []vitrine.LinkID) (map[vitrine.LinkID][]int64, error)
}

// Service makes and lists events.
type Service struct {
	Store vitrine.Store
	Log   Log // only for Tell
	// Visits returns views of a link as its visits, or ErrNotFound
	// (analytics.Service.VisitsOf).
	Visits func(context.Context, vitrine.LinkID, []vitrine.ViewRecord) (report.Link, []report.VisitRow, error)
	// Report returns the report of an account for some days in its time zone
	// (analytics.Service.AccountDates). Only Weekly needs it.
	Report func(context.Context, *vitrine.Account, report.Dates) (*report.AccountReport, error)
	// Mail mails an event, in the transaction that makes it; it may change the
	// link. nil: nobody gets mail.
	Mail func(tx vitrine.Tx, e *vitrine.Event, l *vitrine.Link) error
	Now  func() time.Time

	watched map[vitrine.LinkID]watch // by Tell
}

// Visit is what an event says of a view, as the report's list of visits shows
// it at that moment.
type Visit struct {
	ID         string `json:"id"`
	At         string `json:"at"`
	Country    string `json:"country"`
	City       string `json:"city"`
	Device     string `json:"device"`
	Browser    string `json:"browser"`
	OS         string `json:"os"`
	Source     string `json:"source"`
	Recipient  string `json:"recipient"` // its ID; "" is the plain address
	Version    int    `json:"version"`
	Engaged    bool   `json:"engaged"`
	EngagedMs  int64  `json:"engagedMs"`
	Progress   string `json:"progress"`
	Downloaded bool   `json:"downloaded"`
	Returning  bool   `json:"returning"`
	Atypical   bool   `json:"atypical"`
}

// visitOf returns a row as an event shows it.
func visitOf(r *report.VisitRow) (v *Visit, err error) {
	text, err := json.Marshal(r)
	if err == nil {
		err = json.Unmarshal(text, &v)
	}
	return v, err
}

// Numbers is the data of events about views.
type Numbers struct {
	Views     int64  `json:"views"` // of the link, by people, so far
	Downloads int64  `json:"downloads"`
	Visit     *Visit `json:"visit,omitempty"`
	Milestone int64  `json:"milestone,omitempty"`
	*Spike
}

// Tell makes the events of views and downloads. It is background work of one
// process. Another one that does the same does no harm.
func (s *Service) Tell(ctx context.Context) error {
	for n, delay := range delays {
		for more := true; more; {
			now := s.Now()
			var err error
			more, err = s.Log.News(ctx, n, now, delay, newsBatch, func(views []vitrine.ViewRecord,
				downloads []vitrine.Download, counts map[vitrine.LinkID]vitrine.LinkCounts) error {
				return s.tell(ctx, now, views, downloads, counts)
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// Expire deletes old events. It is background work.
func (s *Service) Expire(ctx context.Context) error {
	return s.Store.Update(ctx, func(tx vitrine.Tx) error {
		return tx.DeleteEvents(0, s.Now().Add(-retention))
	})
}

// told is what happened with one link.
type told struct {
	link      vitrine.LinkID
	views     []vitrine.ViewRecord
	visits    map[vitrine.ViewID]*Visit
	downloads []vitrine.Download
	counts    vitrine.LinkCounts
	before    bool // people viewed the link before: an import brought their views
	spike     *Spike
}

func (s *Service) tell(ctx context.Context, now time.Time, views []vitrine.ViewRecord, downloads []vitrine.Download,
	counts map[vitrine.LinkID]vitrine.LinkCounts) error {
	of := map[vitrine.LinkID]*told{}
	at := func(l vitrine.LinkID) *told {
		if of[l] == nil {
			of[l] = &told{link: l, counts: counts[l], visits: map[vitrine.ViewID]*Visit{}}
		}
		return of[l]
	}
	for _, v := range views {
		t := at(vitrine.LinkID(v.Link))
		t.views = append(t.views, v)
	}
	for _, d := range downloads {
		t := at(d.Link)
		t.downloads = append(t.downloads, d)
	}
	var all []*told
	for _, t := range of {
		if err := s.describe(ctx, t, now); errors.Is(err, vitrine.ErrNotFound) {
			continue // the link is deleted
		} else if err != nil {
			return err
		}
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b *told) int { return int(a.link - b.link) })
	return s.Store.Update(ctx, func(tx vitrine.Tx) error {
		for _, t := range all {
			if err := s.add(tx, t, now); err != nil {
				return err
			}
		}
		return nil
	})
}

// downloaded reports whether a download is of a view.
func (t *told) downloaded(id int64) bool {
	return slices.ContainsFunc(t.downloads, func(d vitrine.Download) bool { return int64(d.View) == id })
}

// describe reads what events say about the views that they may be about now.
func (s *Service) describe(ctx context.Context, t *told, now time.Time) error {
	var views []vitrine.ViewRecord
	for i := range t.views {
		if v := &t.views[i].View; byPerson(v) && (certain(v, now) || ended(v, now)) || t.downloaded(v.ID) {
			views = append(views, t.views[i])
		}
	}
	_, rows, err := s.Visits(ctx, t.link, views)
	for i := range rows {
		if err == nil {
			t.visits[vitrine.ViewID(views[i].ID)], err = visitOf(&rows[i])
		}
	}
	if err != nil {
		return err
	}
	first := slices.IndexFunc(t.views,
		func(v vitrine.ViewRecord) bool { return byPerson(&v.View) && certain(&v.View, now) })
	l, err := vitrine.Read(ctx, s.Store, func(tx vitrine.Tx) (*vitrine.Link, error) { return tx.Link(t.link) })
	if err == nil {
		t.spike, err = s.spiked(ctx, l, t.counts.Views, now)
	}
	if err != nil || first < 0 || l.Told > 0 {
		return err
	}
	t.before, err = s.viewedBefore(ctx, &t.views[first].View, now)
	return err
}

// beforeMost bounds the views that are read to find an earlier one.
const beforeMost = 1000

var errEnough = errors.New("enough was read")

// viewedBefore reports whether a person viewed the link before a view.
func (s *Service) viewedBefore(ctx context.Context, v *report.View, now time.Time) (before bool, err error) {
	n := 0
	err = s.Log.Views(ctx, vitrine.LinkID(v.Link), 0, report.DayOf(v.At)+1, func(o *report.View) error {
		if n++; o.ID >= v.ID || n > beforeMost {
			return errEnough
		}
		if before = byPerson(o) && certain(o, now); before {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return before, err
}

// byPerson reports whether a view counts and is not the owner's.
func byPerson(v *report.View) bool { return v.Counted() && !v.Own }

// certain reports whether a view is a person's beyond doubt.
func certain(v *report.View, now time.Time) bool {
	if v.Session == nil {
		return now.UnixMilli() >= v.At+unmeasured.Milliseconds()
	}
	return v.Session.EngagedMs >= readMs
}

// ended reports whether nothing more is expected from a view.
func ended(v *report.View, now time.Time) bool {
	if v.Session == nil {
		return certain(v, now)
	}
	return now.UnixMilli() >= v.At+v.Session.PresentMs+silence.Milliseconds()
}

// reached returns the highest milestone that a number of views has reached.
func reached(views int64) (m int64) {
	for m = 1; m*10 <= views; m *= 10 {
	}
	return m
}

// openedFirst reports whether no event has said yet that a recipient opened the
// link, and notes that one does.
func openedFirst(tx vitrine.Tx, l vitrine.LinkID, id vitrine.RecipientID, now time.Time) (bool, error) {
	r, err := tx.Recipient(l, id)
	if err != nil || !r.OpenedAt.IsZero() {
		return false, vitrine.NotFoundIsNil(err)
	}
	r.OpenedAt = now
	return true, tx.PutRecipient(r)
}

// add adds the events that there are not yet.
func (s *Service) add(tx vitrine.Tx, t *told, now time.Time) error {
	l, err := tx.Link(t.link)
	if err != nil || !l.DeletedAt.IsZero() {
		return vitrine.NotFoundIsNil(err)
	}
	event := func(kind vitrine.EventKind, ref int64, n Numbers) {
		n.Views, n.Downloads = t.counts.Views, t.counts.Downloads
		if err == nil {
			err = s.put(tx, &vitrine.Event{Account: l.Account, At: now, Kind: kind, Link: l.ID, Ref: ref}, n, l)
		}
	}
	before := *l
	rung := false
	for i := range t.views {
		v := &t.views[i].View
		if !byPerson(v) {
			continue
		}
		visit := t.visits[vitrine.ViewID(v.ID)]
		if l.Told == 0 && certain(v, now) {
			if l.Told = 1; t.before {
				l.Told = reached(t.counts.Views)
			} else {
				event(FirstView, v.ID, Numbers{Visit: visit})
			}
		}
		if l.Bell == vitrine.BellDaily && !rung && certain(v, now) {
			rung = true
			event(Daily, v.ID, Numbers{Visit: visit})
		}
		if v.Recipient != 0 && certain(v, now) && err == nil {
			var opened bool
			if opened, err = openedFirst(tx, l.ID, vitrine.RecipientID(v.Recipient), now); opened {
				event(recipientOpened, v.Recipient, Numbers{Visit: visit})
			}
		}
		if ended(v, now) {
			event(View, v.ID, Numbers{Visit: visit})
		}
	}
	for _, d := range t.downloads {
		event(Download, int64(d.ID), Numbers{Visit: t.visits[d.View]})
	}
	if m := reached(t.counts.Views); l.Told > 0 && m > l.Told {
		l.Told = m
		event(Milestone, m, Numbers{Milestone: m})
	}
	if err == nil && t.spike != nil {
		var quiet bool
		if quiet, err = spikedBefore(tx, l, now); !quiet {
			event(spike, now.UnixMilli(), Numbers{Spike: t.spike})
		}
	}
	if err == nil && *l != before {
		err = tx.PutLink(l)
	}
	return err
}

// put adds an event, unless there is one already, and mails it.
func (s *Service) put(tx vitrine.Tx, e *vitrine.Event, data any, l *vitrine.Link) (err error) {
	if e.Data, err = json.Marshal(data); err != nil {
		return err
	}
	if e.Kind != Daily {
		if err := tx.AddEvent(e); errors.Is(err, vitrine.ErrExists) {
			return nil
		} else if err != nil {
			return err
		}
	}
	if s.Mail == nil {
		return nil
	}
	return s.Mail(tx, e, l)
}
