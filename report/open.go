package report

import (
	"cmp"
	"slices"
)

// View is one load of a public link page (analytics, Views). The zero
// value of a label means unknown.
type View struct {
	ID     int64 // unique within the link; its upper bits are At, so the order of IDs is the order of time
	At     int64 // Unix milliseconds, UTC
	Link   int64 // opaque number of the link
	Viewer uint64

	// Version is the version of the link's file that the page showed; 0 and 1
	// are the first one.
	Version int

	Country string // ISO 3166-1 alpha-2
	City    string // without its country
	Referrer,
	Source,
	Device,
	Browser,
	OS string

	// What utm_ parameters of the page's address said, source aside.
	Campaign,
	Medium,
	Content,
	Term string

	Bot       string // reason code; "" is a person
	Product   string // the program or network that Bot is about, such as GPTBot; "" of a person
	Own       bool   // by a browser signed in as the link's owner
	QR        bool   // came by the link's QR code
	Returning bool   // this viewer opened this link before

	Session *Session // nil: no engagement data

	// Downloaded says that a download event of this view is counted. It is
	// known of recent opens alone; Session.Downloaded is what the page's script
	// said.
	Downloaded bool
}

// BotOwn is the reason of a view by the link's owner, unless the owner counts
// these. BotUndecided is that of a view from a network of mail scanners: with
// DecidedMs engaged it becomes a person's, and without, once its beacons are
// accepted no more, it is a mail scanner's. Reports call it so, and say until
// when they are final.
const (
	BotOwn       = "own"
	BotUndecided = "mail_network"
	DecidedMs    = 1000
)

// mailScanner is the reason of an undecided view, as reports call it.
const mailScanner = "mail_scanner"

// Counted says that the view is a person's: a view.
func (o *View) Counted() bool { return o.Bot == "" }

// Atypical says that the view is a session by a bot, a scanner or a preview:
// known as one from its request, or gone as soon as it came. A session by the
// owner is none.
func (o *View) Atypical() bool {
	s := o.Session
	if s == nil || o.Bot == BotOwn {
		return false
	}
	return !o.Counted() || s.EngagedMs < atypicalEngagedMs && s.PresentMs < atypicalPresentMs
}

// CountedSession says that the view has engagement data that enters averages.
func (o *View) CountedSession() bool { return o.Session != nil && o.Counted() && !o.Atypical() }

// Session is the engagement data of a view. Durations are in milliseconds and
// not negative; shares are in millionths, 0 to 1,000,000.
type Session struct {
	EngagedMs  int64
	PresentMs  int64  // from the view to the last sign of life
	Screen     string // one of the contract's ranges of viewport widths, "" unknown
	Downloaded bool
	Pages      []PageTime // pdf: the pages seen, each once, ascending
	Played     int64      // media: distinct time played, of the duration
	Reached    int64      // media: furthest point, of the duration
	Parts      Parts      // media: which hundredths of the duration were played
	Depth      int64      // scroll kinds: furthest depth
}

// PageTime is the time on one page, counted from 1.
type PageTime struct {
	Page int
	Ms   int64
}

// Max raises each member of s to that of t where t's is larger; pages are
// merged by number and the first known screen stays. Snapshots of one session
// can so be lost, repeated or reordered: Max is idempotent and associative, and
// commutative but for the screen. It also brings pages given in any order into
// the order that Session promises. t is left as it is and shares no memory with
// s.
func (s *Session) Max(t *Session) {
	s.EngagedMs = max(s.EngagedMs, t.EngagedMs)
	s.PresentMs = max(s.PresentMs, t.PresentMs)
	s.Screen = cmp.Or(s.Screen, t.Screen)
	s.Downloaded = s.Downloaded || t.Downloaded
	s.Pages = maxPages(s.Pages, t.Pages)
	s.Played = max(s.Played, t.Played)
	s.Reached = max(s.Reached, t.Reached)
	s.Parts = s.Parts.Union(t.Parts)
	s.Depth = max(s.Depth, t.Depth)
}

// maxPages is the longest time of every page of a and b, ascending by page.
func maxPages(a, b []PageTime) []PageTime {
	pages := slices.Concat(a, b)
	slices.SortFunc(pages, func(p, q PageTime) int {
		return cmp.Or(cmp.Compare(p.Page, q.Page), cmp.Compare(q.Ms, p.Ms))
	})
	return slices.CompactFunc(pages, func(p, q PageTime) bool { return p.Page == q.Page })
}

// PagesWithin cuts the time on pages where together it is more than the engaged
// time: no honest page says so. Pages with less than a least time are dropped
// then.
func PagesWithin(pages []PageTime, engaged, least int64) []PageTime {
	var sum int64
	for _, p := range pages {
		sum += p.Ms
	}
	if sum <= engaged {
		return pages
	}
	var kept []PageTime
	for _, p := range pages {
		p.Ms = min(p.Ms, engaged)
		engaged -= p.Ms
		if p.Ms >= least {
			kept = append(kept, p)
		}
	}
	return kept
}
