package viewlogtest

import (
	"math"
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
)

// position tests the marker of a log and the number of its last change.
func (t logTest) position() {
	at := func() vitrine.LogPosition {
		t.Helper()
		p, err := t.log.Position(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	mark := func(old, mark, want int64) {
		t.Helper()
		if err := t.log.SetMark(ctx, old, mark); err != nil {
			t.Fatal(err)
		}
		if got := at().Mark; got != want {
			t.Errorf("SetMark(%d, %d): mark = %d, want %d", old, mark, got, want)
		}
	}
	if p := at(); p.Mark != 0 {
		t.Errorf("position of a new log = %+v", p)
	}
	mark(7, 8, 0)
	mark(0, math.MaxInt64, math.MaxInt64)
	mark(0, 5, math.MaxInt64)
	mark(math.MaxInt64, 5, 5)
	last := at().Last
	later := func(what string) {
		t.Helper()
		p := at()
		if p.Last <= last || p.Mark != 5 {
			t.Errorf("position after %s = %+v, before %d", what, p, last)
		}
		last = p.Last
	}
	a := view(1, 0, 1)
	t.append(vitrine.Batch{Views: []vitrine.ViewRecord{a}})
	later("a view")
	t.append(vitrine.Batch{Downloads: []vitrine.Download{download(a, time.Minute)}})
	later("a download")
	if err := t.log.Import(ctx, vitrine.ImportReceipt{File: [32]byte{1}, Lines: 1, At: vitrinetest.Epoch},
		[]vitrine.ViewRecord{view(1, -time.Hour, 2)}); err != nil {
		t.Fatal(err)
	}
	later("an import")
	if err := t.log.DeleteLink(ctx, 1); err != nil {
		t.Fatal(err)
	}
	later("a deletion")
}
