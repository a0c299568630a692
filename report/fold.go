package report

import (
	"cmp"
	"math/bits"
	"slices"
)

// Fold turns the views of one scope, in any order, into a Tally with its viewer
// days. Until Tally it keeps 24 bytes per view, not the views themselves. Tally
// briefly needs as much again. The zero value is empty and ready.
//
// A fold knows only the days that were added, so its distinct viewers are exact
// for every window inside those days. A merge of the tallies of two folds over
// different days counts a viewer of both twice: fold the days together, or use
// Tally.AddViewerDays with the viewer's earlier day.
type Fold struct {
	// Steps replace UTC days in the tally; nil means UTC days.
	Steps *Steps
	// Single makes the tally count what Lens.Single asks for.
	Single bool

	tally Tally
	days  [][]linkDay // in chunks, each but the last one full
}

// linkDay records that a viewer came to a link on a day.
type linkDay struct {
	viewer uint64
	link   int64
	day    Day
}

// Chunks of viewer days grow up to this size, so that large folds copy nothing
// and small ones stay small.
const (
	minChunk = 16
	maxChunk = 8192
)

// Add counts a view.
func (f *Fold) Add(v *View) {
	if f.Single && f.tally.points == nil {
		f.tally.points = new(points)
	}
	f.tally.count(v, 1, f.Steps)
	if v.Counted() {
		f.addDay(linkDay{v.Viewer, v.Link, f.Steps.Of(v.At)})
	}
}

// AddDownload counts a download event, not a bot's, on a day or step.
func (f *Fold) AddDownload(d Day) { f.tally.AddDownloads(d, 1) }

// Tally returns the tally of everything added, and empties the fold.
func (f *Fold) Tally() *Tally {
	t := f.tally
	for _, group := range groupByViewer(f.days) {
		slices.SortFunc(group, linkDay.byDay)
		prev := linkDay{day: NoDay}
		for _, v := range group {
			if v.viewer != prev.viewer {
				prev.day = NoDay
			}
			if v.day != prev.day {
				t.AddViewerDays(ViewerDay{Day: v.day, Prev: prev.day}, 1)
			}
			prev = v
		}
		slices.SortFunc(group, linkDay.byLink)
		prev = linkDay{day: NoDay}
		for _, v := range group {
			if v.viewer != prev.viewer || v.link != prev.link {
				prev.day = NoDay
			}
			if v.day != prev.day {
				t.AddLinkViewers(v.link, prev.day, 1)
			}
			prev = v
		}
	}
	*f = Fold{Steps: f.Steps, Single: f.Single}
	return &t
}

func (f *Fold) addDay(v linkDay) {
	last := len(f.days) - 1
	if last < 0 || len(f.days[last]) == cap(f.days[last]) {
		size := minChunk
		if last >= 0 {
			size = min(2*cap(f.days[last]), maxChunk)
		}
		f.days = append(f.days, make([]linkDay, 0, size))
		last++
	}
	f.days[last] = append(f.days[last], v)
}

// byDay orders by viewer, then by day.
func (v linkDay) byDay(u linkDay) int {
	if v.viewer != u.viewer {
		return cmp.Compare(v.viewer, u.viewer)
	}
	return cmp.Compare(v.day, u.day)
}

// byLink orders by viewer, then by link, then by day.
func (v linkDay) byLink(u linkDay) int {
	return cmp.Or(cmp.Compare(v.viewer, u.viewer), cmp.Compare(v.link, u.link), cmp.Compare(v.day, u.day))
}

// groupByViewer puts viewer days into groups of about sixteen, all viewer days
// of a viewer in the same group: sorting many small groups takes a fraction of
// the time of sorting all at once.
func groupByViewer(chunks [][]linkDay) [][]linkDay {
	if len(chunks) <= 1 {
		return chunks
	}
	days := 0
	for _, chunk := range chunks {
		days += len(chunk)
	}
	groupBits := min(bits.Len(uint(days/16)), 16)
	ends := make([]int, 1<<groupBits+1)
	for _, chunk := range chunks {
		for _, v := range chunk {
			ends[v.group(groupBits)+1]++
		}
	}
	for g := range len(ends) - 1 {
		ends[g+1] += ends[g]
	}
	// Now ends[g] is where group g begins; the loop moves it to where the group
	// ends.
	dealt := make([]linkDay, days)
	for _, chunk := range chunks {
		for _, v := range chunk {
			g := v.group(groupBits)
			dealt[ends[g]] = v
			ends[g]++
		}
	}
	groups := make([][]linkDay, 1<<groupBits)
	start := 0
	for g := range groups {
		groups[g] = dealt[start:ends[g]]
		start = ends[g]
	}
	return groups
}

// group spreads viewers evenly, even if their numbers are small.
func (v linkDay) group(groupBits int) uint64 {
	return v.viewer * 0x9e3779b97f4a7c15 >> (64 - groupBits)
}
