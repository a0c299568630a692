package publish_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/test/fixture"
	"vitrine/report/part"
)

// TestPreviewsMake checks that each public link gets a preview once, and that a
// link that fails is retried a few times without delaying others.
func TestPreviewsMake(t *testing.T) {
	p := fixture.NewPreviewed(t)
	broken, fine := p.Add("broken.png"), p.Add("fine.png")
	if !p.Expects(fine, vitrine.PartPicture) || p.Expects(fine, vitrine.PartPages) {
		t.Error("Expects is wrong about the picture or the pages")
	}
	p.MakeAll()
	if l := p.Now(fine); l.Preview != vitrine.PreviewDone || l.Parts != "picture" || p.Expects(l, vitrine.PartPicture) {
		t.Errorf("link = %+v, want a picture", l)
	}
	if l := p.Now(broken); l.Preview != vitrine.PreviewDue || l.Parts != "" ||
		!slices.Equal(p.Failures, []string{"broken.png"}) {
		t.Errorf("link = %+v, failures reported for %v", l, p.Failures)
	}
	p.Maker.Took()
	p.MakeAll()
	later := p.Add("later.png")
	p.MakeAll()
	if made := p.Maker.Took(); !slices.Equal(made, []string{"later.png"}) || p.Now(later).Parts != "picture" {
		t.Errorf("made while one waits: %v", made)
	}
	tries := 1
	for range 100 {
		p.Clock.Advance(time.Minute)
		p.MakeAll()
		tries += len(p.Maker.Took())
	}
	if l := p.Now(broken); l.Preview != vitrine.PreviewDone || l.Parts != "" || tries != 6 {
		t.Errorf("after %d tries: %+v, want it done without parts after 6", tries, l)
	}
	if p.Expects(p.Now(broken), vitrine.PartPicture) {
		t.Error("Expects = true after the last try")
	}
}

// TestPreviewsNewestFirst checks that a link that becomes public while others
// are worked on does not wait for all of them, and that a page waits for at
// most two minutes.
func TestPreviewsNewestFirst(t *testing.T) {
	p := fixture.NewPreviewed(t)
	for i := range 20 {
		p.Add(fmt.Sprintf("old-%d.png", i))
	}
	// Three previews are made at once. The first adds a link and ends. The
	// others end when the next one begins, which must be the added link.
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
			case <-time.After(time.Minute): // another one began instead
			}
		}
	}
	p.MakeAll()
	made := p.Maker.Took()
	if at := slices.Index(made, "new.png"); len(made) != 21 || at < 0 || at > 3 {
		t.Errorf("order = %v, want new.png among the first", made)
	}
	l := p.Add("waits.png")
	p.Clock.Advance(2*time.Minute + time.Second)
	if p.Expects(l, vitrine.PartPicture) {
		t.Error("a page waits forever")
	}
}

// TestPreviewsOutline checks that a document has its slides or pages as parts
// once they are made, and none if they cannot be counted.
func TestPreviewsOutline(t *testing.T) {
	p := fixture.NewPreviewed(t)
	deck, letter, picture := p.Add("deck.pptx"), p.Add("letter.docx"), p.Add("picture.png")
	p.Maker.Pages = []byte("%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n" +
		"2 0 obj\n<</Type/Pages/Kids[]/Count 20>>\nendobj\ntrailer\n<</Root 1 0 R>>\nstartxref\n9\n%%EOF\n")
	p.MakeAll()
	for l, want := range map[*vitrine.Link]part.Outline{deck: "slide 20", letter: "page 20", picture: "page 20"} {
		if got := p.Now(l).Outline; got != want {
			t.Errorf("outline of %s = %q, want %q", l.Name, got, want)
		}
	}
	damaged := p.Add("damaged.pptx")
	p.Maker.Pages = []byte("no PDF")
	p.MakeAll()
	if got := p.Now(damaged); got.Outline != "" || !got.Parts.Has(vitrine.PartPages) {
		t.Errorf("link = %+v, want pages and no outline", got)
	}
}

// TestPreviewsRenew checks that parts are made again on request and kept until
// then, and that a link may be deleted in between.
func TestPreviewsRenew(t *testing.T) {
	p := fixture.NewPreviewed(t)
	var all []*vitrine.Link
	for i := range 3 {
		all = append(all, p.Add(fmt.Sprintf("%d.png", i)))
	}
	p.MakeAll()
	p.Maker.Took()
	if n, err := p.Renew(t.Context(), ""); n != 3 || err != nil {
		t.Errorf("Renew = %d, %v, want 3", n, err)
	}
	if l := p.Now(all[0]); l.Parts != "picture" || l.Preview != vitrine.PreviewDue {
		t.Errorf("link = %+v", l)
	}
	if err := p.Blobs.Delete(t.Context(), all[1].Upload); err != nil {
		t.Fatal(err)
	}
	p.MakeAll()
	if made := p.Maker.Took(); len(made) != 2 || len(p.Failures) > 0 {
		t.Errorf("made %v, failures reported for %v", made, p.Failures)
	}
	if n, err := p.Renew(t.Context(), string(all[0].Slug)); n != 1 || err != nil {
		t.Errorf("Renew = %d, %v, want 1", n, err)
	}
	if _, err := p.Renew(t.Context(), "unknown"); vitrine.CodeOf(err) != vitrine.CodeNotFound {
		t.Error(err)
	}
	p.MakeAll()
	if made := p.Maker.Took(); !slices.Equal(made, []string{"0.png"}) {
		t.Errorf("made %v, want 0.png", made)
	}
}
