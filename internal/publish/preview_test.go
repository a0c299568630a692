package publish_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/vitrinetest/fixture"
)

// Each live link is worked on once; a link that fails is tried again later, a
// few times, and keeps no other.
func TestPreviewsMake(t *testing.T) {
	p := fixture.NewPreviewed(t)
	broken, fine := p.Add("broken.png"), p.Add("fine.png")
	if !p.Expects(fine, vitrine.PartPicture) || p.Expects(fine, vitrine.PartPages) {
		t.Error("a page waits for what is not made, or not for what is")
	}
	p.MakeAll()
	if l := p.Now(fine); l.Preview != vitrine.PreviewDone || l.Parts != "picture" || p.Expects(l, vitrine.PartPicture) {
		t.Errorf("%+v", l)
	}
	if l := p.Now(broken); l.Preview != vitrine.PreviewDue || l.Parts != "" ||
		!slices.Equal(p.Told, []string{"broken.png"}) {
		t.Errorf("%+v, told of %v", l, p.Told)
	}
	p.Maker.Took()
	p.MakeAll()
	later := p.Add("later.png")
	p.MakeAll()
	if made := p.Maker.Took(); !slices.Equal(made, []string{"later.png"}) || p.Now(later).Parts != "picture" {
		t.Errorf("while one waits, %v were made", made)
	}
	tries := 1
	for range 100 {
		p.Clock.Advance(time.Minute)
		p.MakeAll()
		tries += len(p.Maker.Took())
	}
	if l := p.Now(broken); l.Preview != vitrine.PreviewDone || l.Parts != "" || tries != 6 {
		t.Errorf("after %d tries: %+v", tries, l)
	}
	if p.Expects(p.Now(broken), vitrine.PartPicture) {
		t.Error("a page waits for what was given up")
	}
}

// A link that becomes live while others are worked on does not wait for all of
// them; a page waits for no longer than two minutes.
func TestPreviewsNewestFirst(t *testing.T) {
	p := fixture.NewPreviewed(t)
	for i := range 20 {
		p.Add(fmt.Sprintf("old-%d.png", i))
	}
	// Three are made at once. The first adds a link and ends; the others go on
	// when the next one begins, which must be that link.
	var once sync.Once
	begun := make(chan struct{})
	p.Maker.Hook = func(name string) {
		first := false
		once.Do(func() { first = true; p.Add("new.png") })
		switch {
		case name == "new.png":
			close(begun)
		case !first:
			select {
			case <-begun:
			case <-time.After(time.Minute): // another one was begun instead
			}
		}
	}
	p.MakeAll()
	made := p.Maker.Took()
	if at := slices.Index(made, "new.png"); len(made) != 21 || at < 0 || at > 3 {
		t.Errorf("%v", made)
	}
	l := p.Add("waits.png")
	p.Clock.Advance(2*time.Minute + time.Second)
	if p.Expects(l, vitrine.PartPicture) {
		t.Error("a page waits for ever")
	}
}

// Parts are made anew where that is asked for, and keep what was there till
// then; what is deleted meanwhile is no trouble.
func TestPreviewsRenew(t *testing.T) {
	p := fixture.NewPreviewed(t)
	var all []*vitrine.Link
	for i := range 3 {
		all = append(all, p.Add(fmt.Sprintf("%d.png", i)))
	}
	p.MakeAll()
	p.Maker.Took()
	if n, err := p.Renew(t.Context(), ""); n != 3 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if l := p.Now(all[0]); l.Parts != "picture" || l.Preview != vitrine.PreviewDue {
		t.Errorf("%+v", l)
	}
	if err := p.Blobs.Delete(t.Context(), all[1].Upload); err != nil {
		t.Fatal(err)
	}
	p.MakeAll()
	if made := p.Maker.Took(); len(made) != 2 || len(p.Told) > 0 {
		t.Errorf("made %v, told of %v", made, p.Told)
	}
	if n, err := p.Renew(t.Context(), string(all[0].Slug)); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if _, err := p.Renew(t.Context(), "unknown"); vitrine.CodeOf(err) != vitrine.CodeNotFound {
		t.Error(err)
	}
	p.MakeAll()
	if made := p.Maker.Took(); !slices.Equal(made, []string{"0.png"}) {
		t.Errorf("%v", made)
	}
}
