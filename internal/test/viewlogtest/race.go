package viewlogtest

import (
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
)

// parallelSame writes one view from many goroutines. It must be counted once.
func (t logTest) parallelSame() {
	v := view(1, 0, 10)
	vitrinetest.Race(t.times(vitrinetest.Racers), func(int) {
		outcome, err := t.log.Append(ctx, vitrine.Batch{Views: []vitrine.ViewRecord{v},
			Downloads: []vitrine.Download{download(v, 0)}})
		if err != nil || outcome.Early.Len() > 0 ||
			slices.IndexFunc(outcome.Refused, func(err error) bool { return err != nil }) >= 0 {
			t.Errorf("Append: %+v, %v", outcome, err)
		}
	})
	t.counted(1, 1, 1)
}

// parallelOther writes different views with one ID from many goroutines.
// Exactly one must be stored.
func (t logTest) parallelOther() {
	var stored atomic.Int64
	vitrinetest.Race(t.times(vitrinetest.Racers), func(i int) {
		o, err := t.log.Append(ctx, vitrine.Batch{Views: []vitrine.ViewRecord{view(1, 0, uint64(i))}})
		switch {
		case err != nil:
			t.Errorf("Append: %v", err)
		case o.Refused == nil || o.Refused[0] == nil:
			stored.Add(1)
		case !errors.Is(o.Refused[0], vitrine.ErrExists):
			t.Errorf("Append: %v", o.Refused[0])
		}
	})
	vitrinetest.Equal(t, "views stored", stored.Load(), 1)
	t.counted(1, 1, 0)
}

// parallelViewer writes many views of a link by one viewer concurrently, hours
// apart. All but one must be returning.
func (t logTest) parallelViewer() {
	vitrinetest.Race(t.times(vitrinetest.Racers), func(i int) {
		if _, err := t.log.Append(ctx, vitrine.Batch{Views: []vitrine.ViewRecord{view(1, time.Duration(i)*time.Hour,
			10)}}); err != nil {
			t.Errorf("Append: %v", err)
		}
	})
	news := 0
	for _, returning := range t.returns(1) {
		if !returning {
			news++
		}
	}
	vitrinetest.Equal(t, "views that do not return", news, 1)
	t.counted(1, int64(t.times(vitrinetest.Racers)), 0)
}
