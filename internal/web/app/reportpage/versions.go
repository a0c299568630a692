package reportpage

import (
	"fmt"
	"time"

	"vitrine/internal/app/analytics"
	"vitrine/internal/web/ui"
	"vitrine/report"
)

// statsVersions returns which version of a link's file the content card covers.
type statsVersions struct {
	Of   string // "Version 1 · PDF · 26 Oct – 24 Nov"
	Note string // why it is not the current one; "" if it is, or was chosen
	List []statsRange
	More []statsRange // earlier ones than those of List
}

// shownVersions is how many versions a card offers at first.
const shownVersions = 4

// newStatsVersions returns nil for a link whose file was never replaced.
func newStatsVersions(n *numbers, of place, choose bool, now time.Time) *statsVersions {
	version := 0
	if n.link != nil {
		version = n.link.Content.Version
	}
	if version == 0 {
		return nil
	}
	zone, err := time.LoadLocation(n.link.Range.Timezone)
	if err != nil {
		zone = time.UTC
	}
	v := &statsVersions{Of: fmt.Sprintf("Version %d", version)}
	choose = choose && len(n.q.Filter.On(report.OnVersion)) == 0
	for i, file := range n.versions {
		if file.Waits {
			continue
		}
		days := ui.ShortDate(file.CreatedAt, zone, now)
		switch {
		case file.Current && i == 0:
			days = "current, since " + days
		case file.Current: // an earlier one that was restored
			days = "current"
		case i > 0:
			if end := ui.ShortDate(n.versions[i-1].CreatedAt, zone, now); end != days {
				days += " – " + end
			}
		}
		name := fmt.Sprintf("Version %d · %s · %s", file.Version, ui.KindNoun(string(file.Kind)), days)
		if file.Version == version {
			v.Of = name
		}
		if file.Current && n.q.Version == 0 && file.Version != version {
			v.Note = fmt.Sprintf("Nobody has read version %d (%s, %s) %s. These numbers are of version %d.",
				file.Version, ui.KindNoun(string(file.Kind)), days, inRangeOr(n, "yet"), version)
		}
		if !choose {
			continue
		}
		one := statsRange{Name: name, Chosen: file.Version == version,
			Address: of.with(func(q *analytics.Query) { q.Version = file.Version }) + "#content-title"}
		if len(v.List) < shownVersions || one.Chosen {
			v.List = append(v.List, one)
		} else {
			v.More = append(v.More, one)
		}
	}
	if len(v.List)+len(v.More) < 2 {
		v.List = nil
	}
	return v
}

// inRangeOr returns the period: in the days of a report, or, if it has all
// views, the given words.
func inRangeOr(n *numbers, all string) string {
	if n.q.Range == report.RangeAll && len(n.q.Filter) == 0 {
		return all
	}
	return "in this period"
}
