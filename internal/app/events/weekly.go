package events

import (
	"context"
	"encoding/json"
	"time"

	"vitrine"
	"vitrine/report"
)

// weeklyHour is the hour of Monday, in the time zone of the account, from which
// the week before is summed up. By then its last views are decided.
const weeklyHour = 7

// Week is the data of report.weekly: numbers of the account's report.
type Week struct {
	From         string     `json:"from"` // Monday
	To           string     `json:"to"`   // Sunday
	Timezone     string     `json:"timezone"`
	Views        int64      `json:"views"`
	Uniques      int64      `json:"uniques"`
	Sessions     int64      `json:"sessions"` // 0: nothing was measured, and AvgEngagedMs is 0
	AvgEngagedMs int64      `json:"avgEngagedMs"`
	Downloads    int64      `json:"downloads"` // of the week
	Excluded     int64      `json:"excluded"`  // views by programs
	Links        []WeekLink `json:"links"`     // the most viewed ones
	// Trash is what Views counts of links in the trash; nil: nothing.
	Trash *report.Trashed `json:"trash,omitempty"`
}

// WeekLink is a link with its views of the week.
type WeekLink struct {
	Slug  string `json:"slug"`
	Title string `json:"title"`
	Views int64  `json:"views"`
	// Trashed reports whether it is in the trash.
	Trashed bool `json:"trashed,omitempty"`
}

const (
	// weekLinks is how many links a week lists.
	weekLinks = 5
	// weeklyBatch is how many accounts are read together.
	weeklyBatch = 100
	// eastmost is how far ahead of UTC a time zone may be.
	eastmost = 14 * time.Hour
)

// Weekly sums up the last week of each account with analytics in which
// something happened. It is background work, and may be done by several
// processes.
func (s *Service) Weekly(ctx context.Context) error {
	q := vitrine.AccountQuery{WeeklyDue: monday(s.Now().UTC().Add(eastmost)), Limit: weeklyBatch}
	for {
		list, err := vitrine.Read(ctx, s.Store,
			func(tx vitrine.Tx) ([]*vitrine.Account, error) { return tx.Accounts(q) })
		if err != nil || len(list) == 0 {
			return err
		}
		for _, a := range list {
			if err := s.weekly(ctx, a); err != nil {
				return err
			}
		}
		q.After = list[len(list)-1].ID
	}
}

// monday returns the last Monday whose weeklyHour is over, by the calendar and
// clock of a time.
func monday(t time.Time) report.Day {
	day := report.DayOf(time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC).UnixMilli())
	if day -= report.Day(t.Weekday()+6) % 7; t.Weekday() == time.Monday && t.Hour() < weeklyHour {
		day -= 7
	}
	return day
}

func (s *Service) weekly(ctx context.Context, a *vitrine.Account) error {
	now := s.Now()
	day := monday(now.In(a.Zone()))
	if a.Weekly >= day {
		return nil
	}
	var w *Week
	if a.Plan.Pro() && !a.Banned {
		r, err := s.Report(ctx, a, report.Dates{First: day - 7, Last: day - 1})
		if err != nil {
			return err
		}
		w = weekOf(r, day, a.Zone())
	}
	return s.Store.Update(ctx, func(tx vitrine.Tx) error {
		current, err := tx.Account(a.ID)
		if err != nil || current.Weekly >= day || !current.ClosedAt.IsZero() {
			return err
		}
		current.Weekly = day
		if err := tx.PutAccount(current); err != nil || w == nil {
			return err
		}
		data, err := json.Marshal(w)
		if err != nil {
			return err
		}
		e := &vitrine.Event{Account: a.ID, At: now, Kind: vitrine.EventWeekly, Ref: int64(day), Data: data}
		if err := tx.AddEvents([]*vitrine.Event{e}); err != nil || e.ID == 0 || s.Mail == nil {
			return err
		}
		return s.Mail(tx, e, nil)
	})
}

// weekOf returns the numbers of a report, or nil if nothing happened.
func weekOf(r *report.AccountReport, day report.Day, zone *time.Location) *Week {
	t := r.Totals
	w := &Week{From: (day - 7).String(), To: (day - 1).String(), Timezone: zone.String(), Views: t.Views,
		Uniques: t.Uniques, Sessions: t.Sessions, AvgEngagedMs: t.AvgEngagedMs, Downloads: t.RangeDownloads,
		Excluded: t.BotsExcluded, Links: []WeekLink{}, Trash: r.Trash}
	if w.Views+w.Downloads+w.Excluded == 0 {
		return nil
	}
	for _, l := range r.TopLinks {
		if len(w.Links) < weekLinks && l.Views > 0 {
			w.Links = append(w.Links, WeekLink{l.Slug, l.Title, l.Views, l.Trashed})
		}
	}
	return w
}
