package segment

import (
	"cmp"
	"math"
	"slices"
)

// Run is the number of a sorted run of viewer days, and its length.
type Run struct {
	Number, Entries int64
}

// Runs are merged so that there are few, and no entry is rewritten often.
const (
	levelRuns   = 4 // runs of a level that are merged
	smallestRun = 4096
	FewRuns     = 3 // runs that tidy merging leaves
)

// level returns the same number for runs of about the same size.
func (r Run) level() int {
	return int(math.Log2(float64(max(r.Entries, smallestRun)/smallestRun)) / 2)
}

// RunsToMerge returns the runs to merge into one, or nil if there are few
// enough. With tidy, it leaves fewer.
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
