package segment

import (
	"cmp"
	"math"
	"slices"
)

// Run names a sorted run of visits, and tells how many there are.
type Run struct {
	Number, Entries int64
}

// Runs are merged so that there are few, and each entry not often.
const (
	levelRuns   = 4 // of about the same size are merged
	smallestRun = 4096
	FewRuns     = 3 // are left when there is time
)

// level tells runs of about the same size.
func (r Run) level() int {
	return int(math.Log2(float64(max(r.Entries, smallestRun)/smallestRun)) / 2)
}

// RunsToMerge picks runs that are to be one; none: there are few enough. With tidy,
// it leaves few.
func RunsToMerge(list []Run, tidy bool) []Run {
	byLevel := map[int][]Run{}
	for _, r := range list {
		l := r.level()
		if byLevel[l] = append(byLevel[l], r); len(byLevel[l]) == levelRuns {
			return byLevel[l]
		}
	}
	if !tidy || len(list) <= FewRuns {
		return nil
	}
	slices.SortFunc(list, func(a, b Run) int { return cmp.Compare(b.Entries, a.Entries) })
	small := list[1:]
	all := int64(0)
	for _, r := range small {
		all += r.Entries
	}
	if all*levelRuns > list[0].Entries {
		small = list
	}
	return small
}
