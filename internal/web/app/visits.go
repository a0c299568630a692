package app

import (
	"slices"
	"time"

	"vitrine"
	"vitrine/internal/web/ui"
	"vitrine/report"
)

// Visit is one visit, as pages show it.
type Visit struct {
	report.VisitRow
	When, Place string
	Spent       string // engaged time, if it was measured
	Address     string // of its page; "" where it has none
	Title       string // of its link, in a list of all links, which has fewer columns
}

// NewVisit returns a visit of a link; of nil, one without a page.
func NewVisit(l *vitrine.Link, v report.VisitRow, now time.Time) Visit {
	place := v.City
	if v.Country != "" {
		if place != "" {
			place += ", "
		}
		place += report.CountryName(v.Country)
	}
	row := Visit{VisitRow: v, When: ui.RecentTime(v.At, now), Place: place, Spent: ui.TimeOf(v.EngagedMs, 0)}
	if v.Engaged {
		row.Spent = ui.Lasting(v.EngagedMs).String()
	}
	row.Progress = ui.Capital(v.Progress)
	if l != nil {
		row.Address = VisitsRoot(l) + "/" + v.ID
	}
	return row
}

// NewVisits returns the visits of some rows.
func NewVisits(l *vitrine.Link, rows []report.VisitRow, now time.Time) []Visit {
	all := []Visit{}
	for _, v := range rows {
		all = append(all, NewVisit(l, v, now))
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

// Left returns the reason of an excluded visit in a word or two.
func (v Visit) Left() string {
	if v.Excluded == report.BotOwn {
		return "Your own"
	}
	return "Bot"
}

// Handheld returns the device if it is not the usual one and the name of the
// system does not say it.
func (v Visit) Handheld() string {
	if v.Device == "Desktop" || slices.Contains([]string{"iOS", "iPadOS", "Android"}, v.OS) {
		return ""
	}
	return v.Device
}
