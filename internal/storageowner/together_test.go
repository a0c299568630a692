package storageowner_test

import (
	"context"
	"sync"
	"testing"
	"vitrine"
	"vitrine/internal/storageowner"
)

// TestPlaceTogether runs several processes of one database on its storage at
// once, some of them paused before they write the marker. The storage stays
// theirs.
func TestPlaceTogether(t *testing.T) {
	everywhere(t, func(p *storage) {
		one := p.newUser()
		two := one.open(one.address)
		var all sync.WaitGroup
		for _, d := range []*user{one, two, one, two} {
			all.Go(func() {
				for range 5 {
					if err := d.place().Rotate(context.Background()); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		one.own("kept by four at once", true)
		for pauses := 1; pauses <= 3; pauses++ { // of a process that is paused while another continues
			slow := &pausing{Blobs: one.blobs, during: func() {
				for range pauses {
					p.must(two.place().Rotate(t.Context()))
				}
			}}
			p.must(storageowner.Owner{Store: one.db, Blobs: slow}.Rotate(t.Context()))
			one.own("put late", true)
		}
		p.hours(3, one, two)
		if one.foreign+two.foreign > 0 {
			t.Errorf("warned %d and %d times, want 0", one.foreign, two.foreign)
		}
		one.audit()
	})
}

// pausing is storage that calls a function before the first marker is written.
type pausing struct {
	vitrine.Blobs
	during func()
}

func (b *pausing) PutMarker(ctx context.Context, mark string) error {
	if during := b.during; during != nil {
		b.during = nil
		during()
	}
	return b.Blobs.PutMarker(ctx, mark)
}
