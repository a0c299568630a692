package report

import (
	"cmp"
	"slices"

	"vitrine/report/part"
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

	// Recipient is the recipient through whose address the page was loaded; 0
	// is the link's plain address.
	Recipient int64
	Album     int64 // from whose page the link was opened; 0 is none

	Country string // ISO 3166-1 alpha-2
	City    string // without its country
	Referrer,
	Source,
	Device,
	Browser,
	OS string

	// The utm_ parameters of the page's address, except the source.
	Campaign,
	Medium,
	Content,
	Term string

	Bot     string // reason code; "" is a person
	Product string // the program or network that Bot is about, such as GPTBot; "" of a person
	Own     bool   // by a browser signed in as the link's owner

	// WasBot and WasProduct are the stored Bot and Product of a view to which
	// new rules gave another reason, or none.
	WasBot, WasProduct string

	QR        bool // came by the link's QR code
	Returning bool // a return of this viewer to this link: more than ReturnMs after the last view

	Session *Session // nil without engagement data

	// Downloaded reports whether the view has a counted download event. It is
	// known only for recent views; Session.Downloaded is what the page's script
	// reported.
	Downloaded bool
}

// ReturnMs is the time after the start of a viewer's last view within which
// another one is no return.
const ReturnMs = 30 * 60 * 1000

// Counted reports whether the view is a reader's: neither a machine's nor the
// owner's.
func (v *View) Counted() bool { return v.Bot == "" }

// Atypical reports whether the view is a session by a bot, a scanner or a
// preview: its request shows it, or it ended at once. A session of the owner is
// not atypical.
func (v *View) Atypical() bool {
	s := v.Session
	if s == nil || v.Bot == BotOwn {
		return false
	}
	return !v.Counted() || s.EngagedMs < atypicalEngagedMs && s.PresentMs < atypicalPresentMs
}

// CountedSession reports whether the view has engagement data that counts in
// averages.
func (v *View) CountedSession() bool { return v.Session != nil && v.Counted() && !v.Atypical() }

// Session is the engagement data of a view. Durations are in milliseconds and
// not negative; shares are in millionths, 0 to 1,000,000.
type Session struct {
	EngagedMs  int64
	PresentMs  int64  // from the view to the last sign of life
	Screen     string // one of the contract's ranges of viewport widths, "" unknown
	Downloaded bool
	// Pages has the pages of a PDF that were seen, or the parts of another
	// file, each once, ascending.
	Pages    []PageTime
	Outlined bool  // the parts of a file that is no PDF were measured
	Played   int64 // media: distinct time played, of the duration
	Reached  int64 // media: furthest point, of the duration
	Parts    Parts // media: which hundredths of the duration were played
	Depth    int64 // scroll kinds: furthest depth
	// Unmeasured is set if nothing is known of how far the file was read, as of
	// some imported sessions. Then there are no pages, parts or shares.
	Unmeasured bool
	// Clicks has the links inside the file that were followed, each once, by
	// part and target.
	Clicks []part.Click
}

// PageTime is the time on one page or part, counted from 1.
type PageTime struct {
	Page  int
	Ms    int64
	Bands part.Bands // of the time; zero if not measured
}

// Max raises each field of s to that of t if t's is larger. Pages are merged by
// number, and the first known screen stays. So snapshots of one session can be
// lost, repeated or reordered: Max is idempotent and associative, and
// commutative except for the screen. It also sorts the pages as Session
// promises. It does not change t, which shares no memory with s.
func (s *Session) Max(t *Session) {
	s.EngagedMs = max(s.EngagedMs, t.EngagedMs)
	s.PresentMs = max(s.PresentMs, t.PresentMs)
	s.Screen = cmp.Or(s.Screen, t.Screen)
	s.Downloaded = s.Downloaded || t.Downloaded
	s.Pages = maxPages(s.Pages, t.Pages)
	s.Outlined = s.Outlined || t.Outlined
	s.Played = max(s.Played, t.Played)
	s.Reached = max(s.Reached, t.Reached)
	s.Parts = s.Parts.Union(t.Parts)
	s.Depth = max(s.Depth, t.Depth)
	s.Clicks = part.MaxClicks(s.Clicks, t.Clicks)
	s.Unmeasured = s.Unmeasured && t.Unmeasured
}

// maxPages returns the longest time of every page of a and b, and of each
// quarter, ascending by page.
func maxPages(a, b []PageTime) []PageTime {
	all := slices.Concat(a, b)
	slices.SortStableFunc(all, func(p, q PageTime) int { return cmp.Compare(p.Page, q.Page) })
	pages := all[:0]
	for _, p := range all {
		if n := len(pages); n > 0 && pages[n-1].Page == p.Page {
			pages[n-1].Ms, pages[n-1].Bands = max(pages[n-1].Ms, p.Ms), pages[n-1].Bands.Max(p.Bands)
		} else {
			pages = append(pages, p)
		}
	}
	return pages
}

// PagesWithin cuts the times on pages if their sum exceeds the engaged time,
// and those of quarters if they exceed that of their page, which no honest page
// reports. It changes pages. It then drops pages with less than least.
func PagesWithin(pages []PageTime, engaged, least int64) []PageTime {
	var sum int64
	for i := range pages {
		sum += pages[i].Ms
		pages[i].Bands = pages[i].Bands.Within(pages[i].Ms)
	}
	if sum <= engaged {
		return pages
	}
	var kept []PageTime
	for _, p := range pages {
		p.Ms = min(p.Ms, engaged)
		engaged -= p.Ms
		p.Bands = p.Bands.Within(p.Ms)
		if p.Ms >= least {
			kept = append(kept, p)
		}
	}
	return kept
}
