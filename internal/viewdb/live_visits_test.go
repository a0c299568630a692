package viewdb

import "testing"

// Running days that do not fit in memory are read each time, are not built
// again until their account changes, and count the same.
func TestLiveWithoutRoom(t *testing.T) {
	const d = firstTestDay
	l, h := openTestLog(t), newFacts()
	l.lives.most = 8 << 10
	told(t, h, l, on(d, 0, 1, 1), on(d, 1, 2, 2))
	h.check(t, l, account1, d, d+2)
	if l.lives.byScope[account1] == nil {
		t.Fatal("two views do not fit in 8 KiB")
	}
	for viewer := range uint64(200) {
		told(t, h, l, on(d, 10+int64(viewer), 1, 0x9e3779b97f4a7c15*viewer))
	}
	for range 2 {
		h.check(t, l, account1, d, d+2)
		if l.lives.byScope[account1] != nil {
			t.Fatal("200 viewers are kept in 8 KiB")
		}
		if _, there := l.lives.noRoom[account1]; !there {
			t.Fatal("running days that did not fit would be built again for the next report")
		}
		told(t, h, l, on(d+1, 10, 1, 3))
	}
	if l.feed.Followed(1) {
		t.Error("the account is still followed")
	}
	settled(t, l, d+1) // all but one view are past
	h.check(t, l, account1, d, d+2)
	if l.lives.byScope[account1] == nil {
		t.Error("what is left after the days were settled is not kept")
	}
}
