package report

import "time"

// Reading says how far a link was read through the address of a recipient. The
// zero Reading: it was not opened.
type Reading struct {
	Views     int64
	EngagedMs int64
	Downloads int64
	First     time.Time // of the first view
	Last      time.Time
	Furthest  int64 // of the best session, in millionths of the file; archives: 0
	Progress  string
	best      int64 // the view of this session: the first of those that are as good and say how far
}

// Add adds a counted view, in any order.
func (r *Reading) Add(l *Link, v *View) {
	at := time.UnixMilli(v.At).UTC()
	if r.Views++; r.Views == 1 || at.Before(r.First) {
		r.First = at
	}
	if at.After(r.Last) {
		r.Last = at
	}
	if v.Downloaded {
		r.Downloads++
	}
	if !v.CountedSession() {
		return
	}
	r.EngagedMs += min(max(v.Session.EngagedMs, 0), maxMs)
	if v.Session.Unmeasured {
		return
	}
	l = l.withFile(v.Version)
	f := furthest(l, v.Session)
	if f < r.Furthest || f == r.Furthest && r.Progress != "" && v.ID > r.best {
		return
	}
	if text := progressText(l, v.Session); f > r.Furthest || r.Progress == "" || text != "" {
		r.Furthest, r.Progress, r.best = f, text, v.ID
	}
}

// furthest returns how much of a file a session saw, in millionths.
func furthest(l *Link, s *Session) int64 {
	switch l.Content {
	case ContentPages:
		if l.Pages <= 0 {
			return int64(len(s.Pages)) // of an unknown number
		}
		return within(int64(len(s.Pages))*Whole/int64(l.Pages), Whole)
	case ContentMedia:
		return within(s.Played, Whole)
	case ContentScroll:
		return within(s.Depth, Whole)
	}
	return 0
}
