package vitrine

import (
	"maps"
	"slices"
	"time"

	"vitrine/report"
)

// Bounds of what a beacon may claim (engagement, The server).
const (
	// TokenLife is how long the beacon of a view is accepted.
	TokenLife       = 24 * time.Hour
	maxSessionMs    = 4 * 60 * 60 * 1000 // the longest time one view can count
	clockSlackMs    = 2000               // what a claim may be ahead of the server's clock
	pageSeenMs      = 1000               // the engaged time after which a page of a PDF counts as seen
	maxPlaybackRate = 16                 // the fastest a browser plays media
	// maxDuration bounds what a medium can last, in ms, so that shares of it do
	// not overflow: 30 years.
	maxDuration = 1_000_000_000_000
	Million     = 1_000_000
)

// BotAutomation means that the view's own browser told that a program drives it.
const BotAutomation = report.BotAutomation

// Snapshot is what one beacon says of one view so far. Every member only grows,
// so lost, repeated and reordered snapshots are harmless.
type Snapshot struct {
	Link    LinkID
	View    ViewID
	At      int64 // when the server received it, ms
	Session report.Session
	Bot     string // BotAutomation, or ""
}

// Claim is a beacon as the page sent it, before anything of it is believed.
// Times are milliseconds.
type Claim struct {
	Engaged    int64
	Present    int64
	Width      int // of the viewport, CSS pixels
	Pages      map[int]int64
	Duration   int64 // of the medium
	Played     int64 // distinct time played
	Reached    int64 // furthest point
	Parts      report.Parts
	Depth      int64 // of the scroll, percent
	Downloaded bool
	Automation bool
}

// Viewed is what a view token says: the view that a beacon may speak of.
type Viewed struct {
	Link  LinkID
	View  ViewID
	Kind  report.ContentKind
	Pages int // of the PDF, 0 unknown
}

// Snapshot clamps a claim to what is possible at a time, without regard to
// earlier snapshots (that is Engagement.Apply's part), and tells whether
// anything had to be clamped.
func (c Claim) Snapshot(v Viewed, screen string, at time.Time) (s Snapshot, clamped bool) {
	bound := func(n, most int64) int64 {
		b := min(most, max(n, 0))
		clamped = clamped || b != n
		return b
	}
	elapsed := max(at.UnixMilli()-v.View.Ms(), 0) + clockSlackMs
	s = Snapshot{Link: v.Link, View: v.View, At: at.UnixMilli()}
	s.Session.PresentMs = bound(c.Present, min(elapsed, maxSessionMs))
	s.Session.EngagedMs = bound(c.Engaged, s.Session.PresentMs)
	s.Session.Screen = screen
	s.Session.Downloaded = c.Downloaded
	if c.Automation {
		s.Bot = BotAutomation
	}
	switch v.Kind {
	case report.ContentPages:
		last := v.Pages
		if last == 0 {
			last = MaxPages
		}
		left := s.Session.EngagedMs
		for _, p := range slices.Sorted(maps.Keys(c.Pages)) {
			ms := bound(c.Pages[p], left)
			left -= ms
			if p < 1 || p > last {
				clamped = true
			} else if ms >= pageSeenMs {
				s.Session.Pages = append(s.Session.Pages, report.PageTime{Page: p, Ms: ms})
			}
		}
	case report.ContentMedia:
		if c.Duration > 0 && c.Duration <= maxDuration {
			s.Session.Played = share(bound(c.Played, min(c.Duration, elapsed*maxPlaybackRate)), c.Duration)
			s.Session.Reached = share(bound(c.Reached, c.Duration), c.Duration)
			s.Session.Parts = c.Parts.Within(s.Session.Played, s.Session.Reached)
			clamped = clamped || s.Session.Parts != c.Parts
		}
	case report.ContentScroll:
		s.Session.Depth = bound(c.Depth, 100) * (Million / 100)
	}
	return s, clamped
}

// MaxPages bounds the page numbers of a PDF whose page count could not be read.
const MaxPages = 100_000

// share is n of all in millionths, rounded to the nearest.
func share(n, all int64) int64 { return (n*2*Million + all) / (2 * all) }

// Engagement is what the log keeps of a view that has engagement data.
type Engagement struct {
	Session report.Session
	// StartMs is the earliest moment at which the engaged time can have begun:
	// the latest, over all snapshots, of when one was received less the engaged
	// time there was by then. 0 before the first.
	StartMs int64
}

// Apply takes a snapshot in: the maximum of each member. Engaged time grows no
// faster than the server's clock, but for the slack, once; taking a snapshot in
// again changes nothing (engagement, The server).
func (e *Engagement) Apply(s Snapshot) {
	start := max(e.StartMs, s.View.Ms())
	n := s.Session
	n.EngagedMs = min(n.EngagedMs, max(s.At-start, 0)+clockSlackMs)
	e.Session.Max(&n)
	e.Session.EngagedMs = min(e.Session.EngagedMs, e.Session.PresentMs)
	e.Session.Pages = report.PagesWithin(e.Session.Pages, e.Session.EngagedMs, pageSeenMs)
	e.Session.Parts = e.Session.Parts.Within(e.Session.Played, e.Session.Reached)
	e.StartMs = max(start, s.At-e.Session.EngagedMs)
}
