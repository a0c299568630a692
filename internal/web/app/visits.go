package app

import (
	"context"
	"slices"
	"time"

	"vitrine"
	"vitrine/internal/app/recipients"
	"vitrine/internal/web/ui"
	"vitrine/report"
	"vitrine/report/country"
)

// Visit is one visit, as pages show it.
type Visit struct {
	report.VisitRow
	When, Place string
	Spent       string // engaged time, if it was measured
	Open        bool   // see StillOpen
	Address     string // of its page; "" where it has none
	Title       string // of its link, in a list of all links, which has fewer columns
	To          string // label of the recipient through whose address it came; "" of the plain address
}

// newVisit returns a visit of a link; of nil, one without a page.
func newVisit(l *vitrine.Link, v report.VisitRow, now time.Time) Visit {
	place := v.City
	if v.Country != "" {
		if place != "" {
			place += ", "
		}
		place += country.Name(v.Country)
	}
	row := Visit{VisitRow: v, When: ui.RecentTime(v.At, now), Place: place, Spent: ui.TimeOf(v.EngagedMs, 0),
		Open: StillOpen(v.At, v.PresentMs, now)}
	if v.Engaged {
		row.Spent = ui.Lasting(v.EngagedMs).String()
	}
	if row.Progress = ui.Capital(v.Progress); row.Open && v.Excluded == "" && !v.Engaged {
		row.Spent, row.Progress = "–", "Reading now"
	}
	if l != nil {
		row.Address = VisitsRoot(l) + "/" + v.ID
	}
	return row
}

// NewVisits returns visits of a link for its owner: with the labels of their
// recipients, and the addresses of their pages.
func NewVisits(ctx context.Context, s *recipients.Service, l *vitrine.Link, rows []report.VisitRow,
	now time.Time) ([]Visit, error) {
	all, known := []Visit{}, slices.ContainsFunc(rows, func(v report.VisitRow) bool { return v.Recipient != "" })
	var names func(id string) string
	if known {
		var err error
		if names, err = RecipientNames(ctx, s, l); err != nil {
			return nil, err
		}
	}
	for _, row := range rows {
		v := newVisit(l, row, now)
		if row.Recipient != "" {
			v.To = names(row.Recipient)
		}
		all = append(all, v)
	}
	return all, nil
}

// NamelessVisits returns visits for others than their owner, and those of
// samples: they have no page, and name neither viewer nor recipient.
func NamelessVisits(rows []report.VisitRow, now time.Time) []Visit {
	all := []Visit{}
	for _, row := range rows {
		row.ID, row.Viewer, row.Recipient = "", "", ""
		all = append(all, newVisit(nil, row, now))
	}
	return all
}

// VisitsRoot returns the address of the visits of a link.
func VisitsRoot(l *vitrine.Link) string { return LinkAddress(l) + "/analytics/visits" }

// Why returns the reason of an excluded visit in words, with the program's
// name.
func (v Visit) Why() string {
	name := ui.BotNouns[v.Excluded][0]
	if name == "" {
		name = ui.ReasonName(v.Excluded)
	}
	if v.Product != "" {
		name += ", " + v.Product
	}
	return name
}

// reports is longer than the time between two reports of a page that is read.
const reports = 35 * time.Second

// StillOpen reports whether the page of a visit may still be read: it has just
// been opened, or was visible a moment ago. Then nothing is said of the visit
// that only its end decides.
func StillOpen(at time.Time, presentMs int64, now time.Time) bool {
	return now.Sub(at)-time.Duration(presentMs)*time.Millisecond < reports
}

// VisitMark is a note on a visit: a word or two, and their meaning.
type VisitMark struct {
	Word, Means string
	Excluded    bool // the visit does not count
}

// Mark returns why a visit is not like others, or nil.
func (v Visit) Mark() *VisitMark {
	switch {
	case v.Open && v.Undecided:
		return nil
	case v.Excluded == report.BotOwn:
		return &VisitMark{"Your own", "Not counted: " + v.Why(), true}
	case v.Excluded != "":
		return &VisitMark{"Bot", "Not counted: " + v.Why(), true}
	case v.Open && v.Engaged:
		return &VisitMark{Word: "Just now", Means: "The page was visible within the last half minute"}
	case v.Open:
		return nil
	case v.Atypical:
		return &VisitMark{Word: "Barely looked at",
			Means: "For less than 2 s, with less than 1 s of activity. Counts as a view, but is not in averages"}
	case !v.Engaged:
		return &VisitMark{Word: "Not measured", Means: "No script ran, or the tab was never looked at"}
	case v.EngagedMs == 0:
		return &VisitMark{Word: "In the background", Means: "Visible, but its window was never in front"}
	}
	return nil
}

// Machine returns the browser and the system, as far as they are known.
func (v Visit) Machine() string {
	if v.Browser == "" || v.OS == "" {
		return v.Browser + v.OS
	}
	return v.Browser + " on " + v.OS
}

// Handheld returns the device if it is not the usual one and the name of the
// system does not say it.
func (v Visit) Handheld() string {
	if v.Device == "Desktop" || slices.Contains([]string{"iOS", "iPadOS", "Android"}, v.OS) {
		return ""
	}
	return v.Device
}
