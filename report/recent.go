package report

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// RecentView is one row of `recent` (analytics, Recent). It does not identify
// the viewer.
type RecentView struct {
	At         FinalTime `json:"at"`
	Country    string    `json:"country"` // labels are "" when unknown
	City       string    `json:"city"`
	Device     string    `json:"device"`
	Browser    string    `json:"browser"`
	OS         string    `json:"os"`
	Source     string    `json:"source"`
	EngagedMs  int64     `json:"engagedMs"`
	Progress   string    `json:"progress"`   // how far the viewer got, in words
	Downloaded bool      `json:"downloaded"` // a download event of it is counted
	Returning  bool      `json:"returning"`
	Atypical   bool      `json:"atypical"` // listed, but in no average
	Excluded   bool      `json:"excluded"` // not counted as a view, such as a bot's
	PresentMs  int64     `json:"-"`        // from the view to the last sign of life
}

// FinalTime is a moment that JSON shows as dateTime does.
type FinalTime struct{ time.Time }

// MarshalJSON writes the moment.
func (t FinalTime) MarshalJSON() ([]byte, error) { return []byte(`"` + dateTime(t.Time) + `"`), nil }

// recentViews lists the newest views of the window that have engagement data.
func recentViews(l *Link, w Window, views []View) []RecentView {
	var newest []*View
	for i := range views {
		if o := &views[i]; o.Session != nil && o.Bot != BotOwn && w.Contains(o.At) {
			newest = append(newest, o)
		}
	}
	slices.SortFunc(newest, func(a, b *View) int {
		return cmp.Or(cmp.Compare(b.At, a.At), cmp.Compare(b.ID, a.ID))
	})
	rows := []RecentView{}
	for _, o := range newest[:min(len(newest), maxRecent)] {
		rows = append(rows, recentView(l, o))
	}
	return rows
}

func recentView(l *Link, o *View) RecentView {
	return RecentView{
		At:         FinalTime{time.UnixMilli(o.At).UTC()},
		Country:    o.Country,
		City:       o.City,
		Device:     o.Device,
		Browser:    o.Browser,
		OS:         o.OS,
		Source:     cmp.Or(o.Source, directSource),
		EngagedMs:  o.Session.EngagedMs,
		Progress:   progressText(l.withFile(o.Version), o.Session),
		Downloaded: o.Downloaded,
		Returning:  o.Returning,
		Atypical:   o.Atypical(),
		Excluded:   !o.Counted(),
		PresentMs:  o.Session.PresentMs,
	}
}

// progressText describes how far a session got.
func progressText(l *Link, s *Session) string {
	switch l.Content {
	case ContentPages:
		if l.Pages <= 0 {
			return plural(int64(len(s.Pages)), "page")
		}
		return fmt.Sprintf("%d of %s", len(s.Pages), plural(int64(l.Pages), "page"))
	case ContentMedia:
		return fmt.Sprintf("%d%% played", ratio(within(s.Played, whole), whole, 100))
	case ContentScroll:
		return fmt.Sprintf("%d%% scrolled", ratio(within(s.Depth, whole), whole, 100))
	}
	return "opened"
}

// plural returns, for example, "1 page" or "2 pages".
func plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
