package events

import (
	"context"
	"slices"
	"time"

	"vitrine"
)

// quiet is a link as it was read.
type quiet struct {
	until time.Time // it is read again after that
	told  int64
	daily bool
}

// quietFor is how long a link is not read again. Until then a view has not
// ended: then it is read whether its bell rings for single days.
const quietFor = silence

// fresh returns a link as it was read a short time ago.
func (s *Service) fresh(id vitrine.LinkID, now time.Time) (q quiet, is bool) {
	q, is = s.quiet[id]
	return q, is && now.Before(q.until)
}

// remember notes how links were read.
func (s *Service) remember(found map[vitrine.LinkID]*vitrine.Link, now time.Time) {
	if s.quiet == nil || len(s.quiet) > mostWatched {
		s.quiet = map[vitrine.LinkID]quiet{}
	}
	for id, l := range found {
		s.quiet[id] = quiet{now.Add(quietFor), l.Told, l.Bell == vitrine.BellDaily}
	}
}

// untold returns which of some links may have events that come with a view that
// was just read.
func (s *Service) untold(ctx context.Context, ids []vitrine.LinkID) (func(vitrine.LinkID) bool, error) {
	now := s.Now()
	found, err := s.links(ctx, slices.DeleteFunc(slices.Clone(ids), func(id vitrine.LinkID) bool {
		q, is := s.fresh(id, now)
		return is && q.told > 0
	}))
	s.remember(found, now)
	return func(id vitrine.LinkID) bool {
		q, is := s.fresh(id, now)
		return is && (q.told == 0 || q.daily)
	}, err
}

// nothing reports whether there is nothing to tell of a link with a number of
// views, as far as is known without it.
func (s *Service) nothing(id vitrine.LinkID, views int64, now time.Time) bool {
	q, is := s.fresh(id, now)
	return (reached(views) == 1 || is && (q.told == 0 || reached(views) <= q.told)) && s.calm(id, views, now)
}
