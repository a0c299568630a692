package vitrine

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"vitrine/report"
	"vitrine/report/part"
)

// The limits for the claims of a beacon (engagement, The server).
const (
	// TokenLife is how long the beacon of a view is accepted.
	TokenLife       = 24 * time.Hour
	maxSessionMs    = 4 * 60 * 60 * 1000 // longest time that one view can count
	clockSlackMs    = 2000               // tolerance for claims ahead of the server's clock
	pageSeenMs      = 1000               // engaged time after which a page or part of a file counts as seen
	maxPlaybackRate = 16                 // fastest playback in browsers
	maxDuration     = 1_000_000_000_000  // of a medium, ms: 30 years
)

// Snapshot is the state of a view according to one beacon. Values only grow, so
// lost, repeated and reordered snapshots are harmless.
type Snapshot struct {
	Link    LinkID
	View    ViewID
	At      int64 // time of receipt by the server, ms
	Session report.Session
	Bot     string // report.BotAutomation, or ""
}

// Claim is an unchecked beacon as the page sent it. Times are milliseconds.
type Claim struct {
	Engaged    int64
	Present    int64
	Width      int                     // of the viewport, CSS pixels
	Pages      map[int]report.PageTime // by number, which is not set in them
	Duration   int64                   // of the medium
	Played     int64                   // distinct time played
	Reached    int64                   // furthest point
	Parts      report.Parts
	Depth      int64            // of the scroll, percent
	Clicks     map[string]int64 // by part and target, for [click.Parse]
	Downloaded bool
	Automation bool
}

// Viewed is the content of a view token: the view to which a beacon belongs.
type Viewed struct {
	Link      LinkID // 0 if the view is not stored, but only counted
	View      ViewID
	Kind      report.ContentKind
	Pages     int         // of a PDF; 0 if unknown. Of other files: the parts that are measured
	Recipient RecipientID // 0 for the plain address
}

// Snapshot limits a claim to what is possible at a time. Earlier snapshots are
// taken into account by Engagement.Apply.
func (c Claim) Snapshot(v Viewed, screen string, at time.Time) Snapshot {
	bound := func(n, most int64) int64 { return min(most, max(n, 0)) }
	elapsed := max(at.UnixMilli()-v.View.Ms(), 0) + clockSlackMs
	s := Snapshot{Link: v.Link, View: v.View, At: at.UnixMilli()}
	s.Session.PresentMs = bound(c.Present, min(elapsed, maxSessionMs))
	s.Session.EngagedMs = bound(c.Engaged, s.Session.PresentMs)
	s.Session.Screen = screen
	s.Session.Downloaded = c.Downloaded
	if c.Automation {
		s.Bot = report.BotAutomation
	}
	switch v.Kind {
	case report.ContentMedia:
		if c.Duration > 0 && c.Duration <= maxDuration {
			s.Session.Played = share(bound(c.Played, min(c.Duration, elapsed*maxPlaybackRate)), c.Duration)
			s.Session.Reached = share(bound(c.Reached, c.Duration), c.Duration)
			s.Session.Parts = c.Parts.Within(s.Session.Played, s.Session.Reached)
		}
	case report.ContentScroll:
		s.Session.Depth = bound(c.Depth, 100) * (report.Whole / 100)
		s.Session.Outlined = v.Pages > 0
	}
	last, left := v.Pages, s.Session.EngagedMs
	if v.Kind == report.ContentPages {
		last = cmp.Or(last, MaxPages)
	}
	if v.Kind == report.ContentPages || v.Kind == report.ContentScroll {
		s.Session.Clicks = part.ParseClicks(c.Clicks, last)
	}
	if last == 0 {
		return s
	}
	for _, p := range slices.Sorted(maps.Keys(c.Pages)) {
		ms := bound(c.Pages[p].Ms, left)
		left -= ms
		if 1 <= p && p <= last && ms >= pageSeenMs {
			bands := c.Pages[p].Bands.Within(ms)
			s.Session.Pages = append(s.Session.Pages, report.PageTime{Page: p, Ms: ms, Bands: bands})
		}
	}
	return s
}

// MaxPages bounds the page numbers of a PDF with an unknown number of pages.
const MaxPages = 100_000

// share returns n/all in millionths, rounded to the nearest.
func share(n, all int64) int64 { return (n*2*report.Whole + all) / (2 * all) }

// Engagement is the stored engagement of a view.
type Engagement struct {
	Session report.Session
	// StartMs is the earliest possible beginning of the engaged time: the
	// maximum, over all snapshots, of the time of receipt minus the engaged
	// time. 0 before the first snapshot.
	StartMs int64
}

// Apply merges a snapshot: each value becomes the maximum. Engaged time grows
// no faster than the server's clock, apart from a tolerance, once. Applying a
// snapshot again changes nothing (engagement, The server).
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
