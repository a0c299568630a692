package vitrinetest

import (
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"vitrine"
)

// parallelSame has many write one open: it counts once.
func (t logTest) parallelSame() {
	o := view(1, 0, 10)
	race(racers, func(int) {
		errs, err := t.log.Append(ctx, vitrine.Batch{Opens: []vitrine.NewOpen{o}, Downloads: []vitrine.Download{download(o, 0)}})
		if err != nil || slices.IndexFunc(errs, func(err error) bool { return err != nil }) >= 0 {
			t.Errorf("Append: %v, %v", errs, err)
		}
	})
	t.counted(1, 1, 1)
}

// parallelOther has many write opens of one ID: one is stored.
func (t logTest) parallelOther() {
	var stored atomic.Int64
	race(racers, func(i int) {
		errs, err := t.log.Append(ctx, vitrine.Batch{Opens: []vitrine.NewOpen{view(1, 0, uint64(i))}})
		switch {
		case err != nil:
			t.Errorf("Append: %v", err)
		case errs == nil || errs[0] == nil:
			stored.Add(1)
		case !errors.Is(errs[0], vitrine.ErrExists):
			t.Errorf("Append: %v", errs[0])
		}
	})
	equal(t, "opens stored", stored.Load(), 1)
	t.counted(1, 1, 0)
}

// parallelViewer has one viewer open a link many times at once: all but one return.
func (t logTest) parallelViewer() {
	race(racers, func(i int) {
		if _, err := t.log.Append(ctx, vitrine.Batch{Opens: []vitrine.NewOpen{view(1, time.Duration(i)*time.Second, 10)}}); err != nil {
			t.Errorf("Append: %v", err)
		}
	})
	news := 0
	for _, returning := range t.returns(1) {
		if !returning {
			news++
		}
	}
	equal(t, "opens that do not return", news, 1)
	t.counted(1, racers, 0)
}
