package events

import (
	"context"
	"math"
	"slices"
	"time"

	"vitrine"
	"vitrine/report"
)

const (
	// spikeDays are the days before today that show what is usual for a link.
	spikeDays = 14
	// spikeTimes is how many times as many views as usual are a spike, and
	// spikeLeast is the least number of views.
	spikeTimes = 10
	spikeLeast = 20
	// spikeQuiet is how long no other spike of the link is told.
	spikeQuiet = 12 * time.Hour
)

// Spike says how many views a link has today (UTC), and how many on a usual
// day.
type Spike struct {
	Today  int64   `json:"today"`
	Median float64 `json:"median"` // of the views of the 14 days before, or of those since the link was created
}

// watch says when a link is looked at again: once it has more views, or
// another day begins, but not before a time.
type watch struct {
	day   report.Day
	views int64
	after time.Time
}

// mostWatched bounds the links that are remembered.
const mostWatched = 100_000

// calm reports whether there is no spike of a link with a number of views in
// all, as far as is known without it.
func (s *Service) calm(id vitrine.LinkID, views int64, now time.Time) bool {
	w := s.watched[id]
	return views < spikeLeast || now.Before(w.after) || w.day == report.DayOf(now.UnixMilli()) && views < w.views
}

// spiked reports whether a link with a number of views in all has unusually
// many today. It reads the views of each day only if there may be a spike: a
// few times a day, however often the link is viewed.
func (s *Service) spiked(ctx context.Context, l *vitrine.Link, views int64, now time.Time) (*Spike, error) {
	today := report.DayOf(now.UnixMilli())
	if s.calm(l.ID, views, now) {
		return nil, nil
	}
	usual := min(spikeDays, today-report.DayOf(l.CreatedAt.UnixMilli()))
	if usual < 1 {
		return nil, nil // a link that was created today
	}
	daily, err := s.Log.DailyViews(ctx, vitrine.TallyQuery{Scope: vitrine.Scope{Account: l.Account},
		From: today - usual, To: today + 1}, []vitrine.LinkID{l.ID})
	if err != nil {
		return nil, err
	}
	found := &Spike{Today: daily[l.ID][usual], Median: median(daily[l.ID][:usual])}
	most := max(spikeLeast, int64(math.Ceil(spikeTimes*found.Median)))
	w := watch{day: today, views: views + most - found.Today}
	if found.Today >= most {
		w.after = now.Add(spikeQuiet)
	} else {
		found = nil
	}
	if s.watched == nil || len(s.watched) >= mostWatched {
		s.watched = map[vitrine.LinkID]watch{}
	}
	s.watched[l.ID] = w
	return found, nil
}

// median returns the median of at least one number.
func median(list []int64) float64 {
	sorted := slices.Sorted(slices.Values(list))
	half := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return float64(sorted[half])
	}
	return float64(sorted[half-1]+sorted[half]) / 2
}

// spikedBefore reports whether a spike of a link was told a short time ago.
func spikedBefore(tx vitrine.Tx, l *vitrine.Link, now time.Time) (bool, error) {
	list, err := tx.Events(vitrine.EventQuery{Account: l.Account, Until: math.MaxInt64, Link: l.ID,
		Kinds: []vitrine.EventKind{vitrine.EventSpike}, Newest: true, Limit: 1})
	return len(list) > 0 && now.Before(list[0].At.Add(spikeQuiet)), err
}
