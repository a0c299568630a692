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
	"maps"
	"slices"
	"strconv"
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
	// slack is how much later views are decided, since servers' clocks differ.
	slack = time.Minute
)

// newsBatch is about how many views one transaction looks at.
const newsBatch = 2000

// retention is how long events are kept.
const retention = 30 * 24 * time.Hour

// Log is what this package uses of a view log.
type Log interface {
	// News reads the news: what happened just now, of views only those of
	// wanted links and of recipients; and in steps of some minutes the views
	// from which nothing came for some time, and the counts of links.
	News(ctx context.Context, now time.Time, silent, unread time.Duration, most int,
		wanted func(context.Context, []vitrine.LinkID) (func(vitrine.LinkID) bool, error),
		put func([]vitrine.ViewRecord, []vitrine.Download, map[vitrine.LinkID][]vitrine.ViewID,
			map[vitrine.LinkID]vitrine.LinkCounts) error) (more bool, err error)
	// ViewsOf returns views, and the counts of their links.
	ViewsOf(context.Context, map[vitrine.LinkID][]vitrine.ViewID) ([]vitrine.ViewRecord,
		map[vitrine.LinkID]vitrine.LinkCounts, error)
	Views(ctx context.Context, l vitrine.LinkID, from, to report.Day, f func(*report.View) error) error
	DailyViews(ctx context.Context, q vitrine.TallyQuery, links []vitrine.LinkID) (map[vitrine.LinkID][]int64, error)
}

// Service makes and lists events.
type Service struct {
	Store vitrine.Store
	Log   Log // for Tell, and for events that it made
	// Visits returns views of a link, with its counts, as its visits
	// (analytics.Service.VisitsAs).
	Visits func(context.Context, *vitrine.Link, vitrine.LinkCounts, []vitrine.ViewRecord) ([]report.VisitRow, error)
	// Report returns the report of an account for some days in its time zone
	// (analytics.Service.AccountDates). Only Weekly needs it.
	Report func(context.Context, *vitrine.Account, report.Dates) (*report.AccountReport, error)
	// Mail mails an event, in the transaction that makes it; it may change the
	// link. nil: nobody gets mail.
	Mail func(tx vitrine.Tx, e *vitrine.Event, l *vitrine.Link) error
	Now  func() time.Time

	watched map[vitrine.LinkID]watch // by Tell
	quiet   map[vitrine.LinkID]quiet // that were read, by Tell
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

// Through returns the recipient through whose address the visit came, or 0.
func (v *Visit) Through() vitrine.RecipientID {
	id, err := strconv.ParseInt(v.Recipient, 10, 64)
	if err != nil {
		return 0
	}
	return vitrine.RecipientID(id)
}

// visitOf returns a row as an event shows it.
func visitOf(r *report.VisitRow) *Visit {
	return &Visit{ID: r.ID, At: r.At.UTC().Format(timeFormat), Country: r.Country, City: r.City, Device: r.Device,
		Browser: r.Browser, OS: r.OS, Source: r.Source, Recipient: r.Recipient, Version: r.Version, Engaged: r.Engaged,
		EngagedMs: r.EngagedMs, Progress: r.Progress, Downloaded: r.Downloaded, Returning: r.Returning,
		Atypical: r.Atypical}
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
	for more := true; more; {
		now := s.Now()
		var err error
		more, err = s.Log.News(ctx, now, silence+slack, unmeasured+slack, newsBatch, s.untold,
			func(views []vitrine.ViewRecord, downloads []vitrine.Download, ended map[vitrine.LinkID][]vitrine.ViewID,
				counts map[vitrine.LinkID]vitrine.LinkCounts) error {
				return s.tell(ctx, now, views, downloads, ended, counts)
			})
		if err != nil {
			return err
		}
	}
	return nil
}

// links reads links, except those that are deleted.
func (s *Service) links(ctx context.Context, ids []vitrine.LinkID) (map[vitrine.LinkID]*vitrine.Link, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return vitrine.Read(ctx, s.Store, func(tx vitrine.Tx) (map[vitrine.LinkID]*vitrine.Link, error) {
		return linksOf(tx, ids)
	})
}

func linksOf(tx vitrine.Tx, ids []vitrine.LinkID) (map[vitrine.LinkID]*vitrine.Link, error) {
	of := map[vitrine.LinkID]*vitrine.Link{}
	list, err := tx.LinksByID(ids)
	for _, l := range list {
		if l.DeletedAt.IsZero() {
			of[l.ID] = l
		}
	}
	return of, err
}

// Expire deletes old events. It is background work.
func (s *Service) Expire(ctx context.Context) error {
	return s.Store.Update(ctx, func(tx vitrine.Tx) error {
		return tx.DeleteEvents(0, s.Now().Add(-retention))
	})
}

const quarterMs = 15 * 60 * 1000

// told is what happened with one link.
type told struct {
	views     []vitrine.ViewRecord // by people
	ended     []vitrine.ViewID
	visits    map[vitrine.ViewID]*Visit
	downloads []vitrine.Download
	counts    vitrine.LinkCounts
	before    bool // people viewed the link before: an import brought their views
	spike     *Spike

	list  []*vitrine.Event
	link  *vitrine.Link
	again bool // the list depends on what the transaction reads
}

// tell makes the events of some news, in one transaction, if there are any.
func (s *Service) tell(ctx context.Context, now time.Time, views []vitrine.ViewRecord, downloads []vitrine.Download,
	ended map[vitrine.LinkID][]vitrine.ViewID, counts map[vitrine.LinkID]vitrine.LinkCounts) error {
	of := toldOf(views, downloads, counts)
	maps.DeleteFunc(of, func(id vitrine.LinkID, t *told) bool {
		return len(t.views)+len(t.downloads) == 0 && s.nothing(id, t.counts.Views, now)
	})
	ids := slices.Sorted(maps.Keys(of))
	found, err := s.links(ctx, ids)
	if err != nil {
		return err
	}
	s.remember(found, now)
	var some []*told
	for _, id := range ids {
		t, l := of[id], found[id]
		if l == nil {
			continue
		}
		is, err := s.describe(ctx, t, l, now)
		if err != nil {
			return err
		}
		if !is {
			continue
		}
		before := *l
		if t.list, err = t.events(nil, l, now); err != nil {
			return err
		}
		t.link = l
		t.again = t.again || *l != before || s.Mail != nil && slices.ContainsFunc(t.list, mailed)
		some = append(some, t)
	}
	if ended = withSilent(ended, some); len(some)+len(ended) == 0 {
		return nil
	}
	return s.Store.Update(ctx, func(tx vitrine.Tx) error {
		if err := s.add(tx, some, now); err != nil || len(ended) == 0 {
			return err
		}
		return tx.AddViews(now, ended)
	})
}

// toldOf divides news by links.
func toldOf(views []vitrine.ViewRecord, downloads []vitrine.Download,
	counts map[vitrine.LinkID]vitrine.LinkCounts) map[vitrine.LinkID]*told {
	of := map[vitrine.LinkID]*told{}
	for id, c := range counts {
		of[id] = &told{counts: c, visits: map[vitrine.ViewID]*Visit{}}
	}
	for _, v := range views {
		if t := of[vitrine.LinkID(v.Link)]; t != nil && byPerson(&v.View) {
			t.views = append(t.views, v)
		}
	}
	for _, d := range downloads {
		if t := of[d.Link]; t != nil {
			t.downloads = append(t.downloads, d)
		}
	}
	return of
}

// withSilent returns views that have ended with those that nothing came from.
func withSilent(ended map[vitrine.LinkID][]vitrine.ViewID, some []*told) map[vitrine.LinkID][]vitrine.ViewID {
	all := map[vitrine.LinkID][]vitrine.ViewID{}
	maps.Copy(all, ended)
	for _, t := range some {
		if len(t.ended) > 0 {
			all[t.link.ID] = slices.Concat(all[t.link.ID], t.ended)
		}
	}
	return all
}

// mailed reports whether an event may be mailed, which may change its link.
func mailed(e *vitrine.Event) bool {
	return e.Kind != vitrine.EventView && e.Kind != vitrine.EventDownload && e.Kind != vitrine.EventMilestone
}

// describe reads what events say about a link and its views. It reports false
// if there can be none now.
func (s *Service) describe(ctx context.Context, t *told, l *vitrine.Link, now time.Time) (some bool, err error) {
	t.views = slices.DeleteFunc(t.views, func(v vitrine.ViewRecord) bool {
		return !certain(&v.View, now) && !t.downloaded(v.ID)
	})
	if t.spike, err = s.spiked(ctx, l, t.counts.Views, now); err != nil {
		return false, err
	}
	if len(t.views)+len(t.downloads) == 0 && t.spike == nil && (l.Told == 0 || reached(t.counts.Views) <= l.Told) {
		return false, nil
	}
	rows, err := s.Visits(ctx, l, t.counts, t.views)
	for i := range rows {
		t.visits[vitrine.ViewID(t.views[i].ID)] = visitOf(&rows[i])
	}
	first := slices.IndexFunc(t.views, func(v vitrine.ViewRecord) bool { return certain(&v.View, now) })
	if err == nil && first >= 0 && l.Told == 0 {
		t.before, err = s.viewedBefore(ctx, &t.views[first].View, now)
	}
	return true, err
}

// downloaded reports whether a download is of a view.
func (t *told) downloaded(id int64) bool {
	return slices.ContainsFunc(t.downloads, func(d vitrine.Download) bool { return int64(d.View) == id })
}

// beforeMost bounds the views that are read to find an earlier one.
const beforeMost = 1000

var errEnough = errors.New("enough was read")

// viewedBefore reports whether a person viewed the link before a view.
func (s *Service) viewedBefore(ctx context.Context, v *report.View, now time.Time) (before bool, err error) {
	n := 0
	err = s.Log.Views(ctx, vitrine.LinkID(v.Link), 0, report.DayOf(v.At)+1, func(view *report.View) error {
		if n++; view.ID >= v.ID || n > beforeMost {
			return errEnough
		}
		if before = byPerson(view) && certain(view, now); before {
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

// add adds the events of links that there are not yet, and mails them.
func (s *Service) add(tx vitrine.Tx, some []*told, now time.Time) error {
	var again []vitrine.LinkID
	for _, t := range some {
		if t.again {
			again = append(again, t.link.ID)
		}
	}
	found, err := linksOf(tx, again)
	if err != nil {
		return err
	}
	var all []*vitrine.Event
	before := map[vitrine.LinkID]vitrine.Link{}
	accounts := map[vitrine.AccountID]*vitrine.Account{}
	for _, t := range some {
		a, err := accountOnce(tx, accounts, t.link.Account)
		if err != nil {
			return err
		}
		if !a.ClosedAt.IsZero() {
			continue
		}
		list := t.list
		if t.again {
			l := found[t.link.ID]
			if l == nil {
				continue
			}
			before[l.ID] = *l
			if list, err = t.events(tx, l, now); err != nil {
				return err
			}
		}
		all = append(all, list...)
	}
	if err := tx.AddEvents(slices.DeleteFunc(slices.Clone(all), daily)); err != nil {
		return err
	}
	for _, e := range all {
		if l := found[e.Link]; l != nil && s.Mail != nil && (e.ID != 0 || daily(e)) {
			if err := s.Mail(tx, e, l); err != nil {
				return err
			}
		}
	}
	for id, was := range before {
		if l := found[id]; *l != was {
			if err := tx.PutLink(l); err != nil {
				return err
			}
		}
	}
	return nil
}

// accountOnce reads an account once.
func accountOnce(tx vitrine.Tx, read map[vitrine.AccountID]*vitrine.Account, id vitrine.AccountID) (
	a *vitrine.Account, err error) {
	if a = read[id]; a == nil {
		a, err = tx.Account(id)
		read[id] = a
	}
	return a, err
}

func daily(e *vitrine.Event) bool { return e.Kind == Daily }

// events lists the events of a link, of which there may be some already, and
// notes in the link what was told. Without a transaction it says whether the
// list depends on what one reads.
func (t *told) events(tx vitrine.Tx, l *vitrine.Link, now time.Time) (list []*vitrine.Event, err error) {
	event := func(kind vitrine.EventKind, ref int64, n Numbers) {
		n.Views, n.Downloads = t.counts.Views, t.counts.Downloads
		data, err2 := json.Marshal(n)
		err = errors.Join(err, err2)
		list = append(list, &vitrine.Event{Account: l.Account, At: now, Kind: kind, Link: l.ID, Ref: ref, Data: data})
	}
	rung := int64(-1) // the last quarter of an hour with a view: in every time zone a day begins with one
	t.ended = nil
	for i := range t.views {
		v := &t.views[i].View
		visit := t.visits[vitrine.ViewID(v.ID)]
		if l.Told == 0 && certain(v, now) {
			if l.Told = 1; t.before {
				l.Told = reached(t.counts.Views)
			} else {
				event(vitrine.EventFirstView, v.ID, Numbers{Visit: visit})
			}
		}
		if quarter := v.At / quarterMs; l.Bell == vitrine.BellDaily && quarter != rung && certain(v, now) {
			rung = quarter
			event(Daily, v.ID, Numbers{Visit: visit})
		}
		if v.Recipient != 0 && certain(v, now) && tx == nil {
			t.again = true
		} else if v.Recipient != 0 && certain(v, now) && err == nil {
			var opened bool
			if opened, err = openedFirst(tx, l.ID, vitrine.RecipientID(v.Recipient), now); opened {
				event(vitrine.EventRecipientOpened, v.Recipient, Numbers{Visit: visit})
			}
		}
		if v.Session == nil && certain(v, now) {
			t.ended = append(t.ended, vitrine.ViewID(v.ID))
		}
	}
	for _, d := range t.downloads {
		event(vitrine.EventDownload, int64(d.ID), Numbers{Visit: t.visits[d.View]})
	}
	if m := reached(t.counts.Views); l.Told > 0 && m > l.Told {
		l.Told = m
		event(vitrine.EventMilestone, m, Numbers{Milestone: m})
	}
	if tx == nil {
		t.again = t.again || t.spike != nil
	} else if err == nil && t.spike != nil {
		var quiet bool
		if quiet, err = spikedBefore(tx, l, now); !quiet {
			event(vitrine.EventSpike, now.UnixMilli(), Numbers{Spike: t.spike})
		}
	}
	return list, err
}
