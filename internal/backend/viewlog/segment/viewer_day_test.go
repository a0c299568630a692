package segment

import (
	"math"
	"slices"
	"testing"
)

func FuzzViewerDays(f *testing.F) {
	f.Add(int64(5), AppendViewerDays(nil, []ViewerDay{{5, 1, 20_000}, {5, 1, 20_002}, {5, 2, 19_999}, {9, 1, 20_000}}))
	f.Add(int64(math.MinInt64), AppendViewerDays(nil, []ViewerDay{{math.MinInt64, 1, -5},
		{math.MaxInt64, math.MaxInt64, 1<<31 - 1}}))
	f.Add(int64(0), []byte{0})
	f.Fuzz(func(t *testing.T, first int64, b []byte) {
		list, err := ReadViewerDays(nil, first, b)
		if len(list) > len(b) {
			t.Fatalf("%d entries from %d bytes", len(list), len(b))
		}
		if err != nil || len(list) == 0 {
			return
		}
		list = SortViewerDays(list)
		again, err := ReadViewerDays(nil, list[0].Viewer, AppendViewerDays(nil, list))
		if err != nil || !slices.Equal(again, list) {
			t.Errorf("%v reads back as %v, %v", list, again, err)
		}
	})
}
