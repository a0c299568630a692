package viewlog

import "testing"

// TestLiveWithoutRoom checks that running days that do not fit in memory are
// read for each answer, are not built again until their account changes, and
// count the same.
func TestLiveWithoutRoom(t *testing.T) {
	const d = firstTestDay
	l, h := openTestLog(t), newFacts()
	l.lives.most = 8 << 10
	addViews(t, h, l, on(d, 0, 1, 1), on(d, 1, 2, 2))
	h.check(t, l, account1, d, d+2)
	if l.lives.byScope[account1] == nil {
		t.Fatal("two views do not fit in 8 KiB")
	}
	for viewer := range uint64(200) {
		addViews(t, h, l, on(d, 10+int64(viewer), 1, 0x9e3779b97f4a7c15*viewer))
	}
	for range 2 {
		h.check(t, l, account1, d, d+2)
		if l.lives.byScope[account1] != nil {
			t.Fatal("200 viewers are kept in 8 KiB")
		}
		if _, there := l.lives.noRoom[account1]; !there {
			t.Fatal("running days that did not fit would be built again for the next report")
		}
		addViews(t, h, l, on(d+1, 10, 1, 3))
	}
	if l.feed.Followed(1) {
		t.Error("the account is still followed")
	}
	rollUp(t, l, d+1) // all views except one are in the past
	h.check(t, l, account1, d, d+2)
	if l.lives.byScope[account1] == nil {
		t.Error("the remaining running day is not kept after the days were rolled up")
	}
}
