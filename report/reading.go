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
}

// Add adds a counted view. Views come in the order of time.
func (r *Reading) Add(l *Link, v *View) {
	at := time.UnixMilli(v.At).UTC()
	if r.Views == 0 {
		r.First = at
	}
	r.Views, r.Last = r.Views+1, at
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
	if f := furthest(l, v.Session); r.Progress == "" || f > r.Furthest {
		r.Furthest, r.Progress = f, progressText(l, v.Session)
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
