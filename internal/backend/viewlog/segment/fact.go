package segment

import (
	"cmp"
	"slices"

	"vitrine/report"
)

// Fact is a viewer day to a link, or to any link of a scope (Link 0), with the
// day of the viewer's previous viewer day.
type Fact struct {
	Link      int64
	Day, Prev report.Day
}

// Facts calls f with the facts of viewer days by one viewer. before holds the
// viewer's earlier viewer days. With a link, only earlier viewer days to that
// link matter.
func Facts(before []ViewerDay, link int64, viewerDays []ViewerDay, f func(Fact)) {
	type entry struct {
		ViewerDay
		asked bool
	}
	if len(viewerDays) == 1 && len(before) == 0 {
		f(Fact{viewerDays[0].Link, viewerDays[0].Day, report.NoDay})
		f(Fact{0, viewerDays[0].Day, report.NoDay})
		return
	}
	all := make([]entry, 0, len(viewerDays)+len(before))
	for _, v := range viewerDays {
		all = append(all, entry{v, true})
	}
	for _, v := range before {
		if link == 0 || v.Link == link {
			all = append(all, entry{v, false})
		}
	}
	slices.SortStableFunc(all, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.Link, b.Link), cmp.Compare(a.Day, b.Day))
	})
	for i, e := range all {
		if !e.asked {
			continue
		}
		prev := report.NoDay
		for j := i - 1; j >= 0 && all[j].Link == e.Link; j-- {
			if all[j].Day < e.Day {
				prev = all[j].Day
				break
			}
		}
		f(Fact{e.Link, e.Day, prev})
	}
	slices.SortStableFunc(all, func(a, b entry) int { return cmp.Compare(a.Day, b.Day) })
	prev := report.NoDay
	for i := 0; i < len(all); {
		day, asked := all[i].Day, false
		for ; i < len(all) && all[i].Day == day; i++ {
			asked = asked || all[i].asked
		}
		if asked {
			f(Fact{0, day, prev})
		}
		prev = day
	}
}
