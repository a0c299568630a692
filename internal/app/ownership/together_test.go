package ownership_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/app/ownership"
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
					if err := d.patient(d.blobs).Rotate(context.Background()); err != nil {
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
			p.must(ownership.Storage{Store: one.db, Blobs: slow}.Rotate(t.Context()))
			one.own("put late", true)
		}
		p.hours(3, one, two)
		if one.foreign+two.foreign > 0 {
			t.Errorf("warned %d and %d times, want 0", one.foreign, two.foreign)
		}
		one.audit()
	})
}

// patient is the database's process on storage. It doubts another token for
// longer than any process of the same database takes.
func (d *user) patient(blobs ownership.Blobs) ownership.Storage {
	return ownership.Storage{Store: d.db, Blobs: blobs, Doubt: time.Hour}
}

// TestPlaceLate rotates while another process of the same database has put a
// token too late and takes long to correct it.
func TestPlaceLate(t *testing.T) {
	everywhere(t, func(p *storage) {
		one := p.newUser()
		two := one.open(one.address)
		p.must(one.place().Rotate(t.Context()))
		late, looked := make(chan struct{}), make(chan struct{})
		var all sync.WaitGroup
		all.Go(func() {
			slow := &pausing{Blobs: one.blobs, after: func() { close(late); <-looked }, during: func() {
				for range 2 { // the first writes the same token
					if err := two.place().Rotate(context.Background()); err != nil {
						t.Error(err)
					}
				}
			}}
			if err := one.patient(slow).Rotate(context.Background()); err != nil {
				t.Errorf("Rotate of the late process: %v", err)
			}
		})
		<-late
		looks := 0
		watching := &watched{Blobs: two.blobs, look: func() {
			if looks++; looks == 20 {
				close(looked)
			}
		}}
		if err := two.patient(watching).Rotate(t.Context()); err != nil {
			t.Errorf("Rotate beside a late process: %v after %d looks", err, looks)
		}
		if looks < 20 {
			close(looked)
		}
		all.Wait()
		one.own("corrected late", true)
	})
}

// TestPlaceLateBetweenSteps rotates while another process of the same database
// is between the two steps of the next rotation: it has written the next token,
// which the late process overwrites, and has not recorded that it is there.
func TestPlaceLateBetweenSteps(t *testing.T) {
	everywhere(t, func(p *storage) {
		one := p.newUser()
		two := one.open(one.address)
		written, recorded := make(chan struct{}), make(chan struct{})
		var all sync.WaitGroup
		late := &pausing{Blobs: one.blobs, during: func() {
			p.must(two.place().Rotate(t.Context())) // writes the same token
			all.Go(func() {
				next := &pausing{Blobs: two.blobs, after: func() { close(written); <-recorded }}
				if err := two.patient(next).Rotate(context.Background()); err != nil {
					t.Errorf("Rotate with the next token: %v", err)
				}
			})
			<-written
		}}
		p.must(one.patient(late).Rotate(t.Context()))
		close(recorded)
		all.Wait()
		one.own("put late, between the steps of the next", true)
	})
}

// watched is storage that calls a function when its marker is read.
type watched struct {
	vitrine.Blobs
	look func()
}

func (b *watched) Marker(ctx context.Context) (string, error) {
	b.look()
	return b.Blobs.Marker(ctx)
}

// pausing is storage that calls functions before the first marker is written
// and after it.
type pausing struct {
	vitrine.Blobs
	during, after func()
}

func (b *pausing) PutMarker(ctx context.Context, mark string) error {
	if during := b.during; during != nil {
		b.during = nil
		during()
	}
	err := b.Blobs.PutMarker(ctx, mark)
	if after := b.after; after != nil {
		b.after = nil
		after()
	}
	return err
}
