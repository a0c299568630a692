package report

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"vitrine/report/part"
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
		if v := &views[i]; v.Session != nil && v.Bot != BotOwn && w.Contains(v.At) {
			newest = append(newest, v)
		}
	}
	slices.SortFunc(newest, func(a, b *View) int {
		return cmp.Or(cmp.Compare(b.At, a.At), cmp.Compare(b.ID, a.ID))
	})
	rows := []RecentView{}
	for _, v := range newest[:min(len(newest), maxRecent)] {
		rows = append(rows, recentView(l, v))
	}
	return rows
}

func recentView(l *Link, v *View) RecentView {
	return RecentView{
		At:         FinalTime{time.UnixMilli(v.At).UTC()},
		Country:    v.Country,
		City:       v.City,
		Device:     v.Device,
		Browser:    v.Browser,
		OS:         v.OS,
		Source:     cmp.Or(v.Source, directSource),
		EngagedMs:  v.Session.EngagedMs,
		Progress:   progressText(l.withFile(v.Version), v.Session),
		Downloaded: v.Downloaded,
		Returning:  v.Returning,
		Atypical:   v.Atypical(),
		Excluded:   !v.Counted(),
		PresentMs:  v.Session.PresentMs,
	}
}

// progressText describes how far a session got.
func progressText(l *Link, s *Session) string {
	if s.Unmeasured {
		return "unknown"
	}
	switch l.Content {
	case ContentPages:
		if l.Pages <= 0 {
			return plural(int64(len(s.Pages)), "page")
		}
		return fmt.Sprintf("%d of %s", len(s.Pages), plural(int64(l.Pages), "page"))
	case ContentMedia:
		return fmt.Sprintf("%d%% played", ratio(within(s.Played, Whole), Whole, 100))
	case ContentScroll:
		if k := l.Outline.Kind(); s.Outlined && (k == part.Page || k == part.Slide) {
			return fmt.Sprintf("%d of %s", len(s.Pages), plural(int64(l.Outline.Len()), string(k)))
		}
		return fmt.Sprintf("%d%% scrolled", ratio(within(s.Depth, Whole), Whole, 100))
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
