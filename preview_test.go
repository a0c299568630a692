package vitrine_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine"
	"vitrine/internal/disk"
	"vitrine/internal/sqldb"
	"vitrine/internal/vitrinetest"
)

// maker is a Previewer that fails on files that are named so, and notes what it was given.
type maker struct {
	mu   sync.Mutex
	made []string
	hook func(name string)
}

func (m *maker) Preview(_ context.Context, f vitrine.PreviewFile, put func(vitrine.Part, io.Reader) error) error {
	m.mu.Lock()
	m.made = append(m.made, f.Name)
	m.mu.Unlock()
	if m.hook != nil {
		m.hook(f.Name)
	}
	if strings.HasPrefix(f.Name, "broken") {
		return errors.New("no memory")
	}
	return put(vitrine.PartPicture, strings.NewReader("picture of "+f.Name))
}

func (m *maker) Makes(p vitrine.Part, _ string) bool { return p == vitrine.PartPicture }

func (m *maker) took() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	made := m.made
	m.made = nil
	return made
}

type previewed struct {
	*vitrine.Previews
	t     *testing.T
	clock *vitrinetest.Clock
	maker *maker
	blobs *disk.Blobs
	links *vitrine.Links
	owner *vitrine.Account
	told  []string
}

func newPreviewed(t *testing.T) *previewed {
	t.Helper()
	dir := databases(t)
	store, err := sqldb.OpenStore(filepath.Join(dir, "store.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	p := &previewed{t: t, clock: vitrinetest.NewClock(vitrinetest.Epoch), maker: &maker{}}
	if p.blobs, err = disk.New(dir, "http://x/", vitrine.NewSigner([]byte("secret")), p.clock.Now); err != nil {
		t.Fatal(err)
	}
	p.Previews = &vitrine.Previews{Store: store, Blobs: p.blobs, Previewer: p.maker, Now: p.clock.Now,
		Failed: func(l *vitrine.Link, err error) { p.told = append(p.told, l.Name) }}
	p.links = &vitrine.Links{Store: store, Blobs: p.blobs, Now: p.clock.Now}
	if p.owner, _, err = (&vitrine.Accounts{Store: store, Now: p.clock.Now}).Create(t.Context(), "owner@example.org", vitrine.PlanLifetime); err != nil {
		t.Fatal(err)
	}
	return p
}

// add puts a live link with bytes into the store.
func (p *previewed) add(name string) *vitrine.Link {
	p.t.Helper()
	g := vitrine.PutGrant{Key: vitrine.NewUploadID(), Size: 5, Type: "image/png", Expires: p.clock.Now().Add(time.Hour)}
	if _, err := p.blobs.Receive(p.t.Context(), g, strings.NewReader("hello")); err != nil {
		p.t.Fatal(err)
	}
	p.clock.Advance(time.Millisecond)
	l := &vitrine.Link{Account: p.owner.ID, Upload: g.Key, Slug: vitrine.NewSlug(), Name: name, Kind: "image", Size: 5, State: vitrine.StateLive,
		CreatedAt: p.clock.Now(), StateAt: p.clock.Now(), HasBytes: true}
	if err := p.Store.Update(p.t.Context(), func(tx vitrine.Tx) error { return tx.AddLink(l) }); err != nil {
		p.t.Fatal(err)
	}
	return l
}

func (p *previewed) make() {
	p.t.Helper()
	if err := p.Make(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
}

func (p *previewed) now(l *vitrine.Link) *vitrine.Link {
	p.t.Helper()
	l, err := p.links.BySlug(p.t.Context(), string(l.Slug))
	if err != nil {
		p.t.Fatal(err)
	}
	return l
}

// Each live link is worked on once; a link that fails is tried again later, a few times, and keeps no other.
func TestPreviewsMake(t *testing.T) {
	p := newPreviewed(t)
	broken, fine := p.add("broken.png"), p.add("fine.png")
	if !p.Expects(fine, vitrine.PartPicture) || p.Expects(fine, vitrine.PartPages) {
		t.Error("a page waits for what is not made, or not for what is")
	}
	p.make()
	if l := p.now(fine); l.Preview != vitrine.PreviewDone || l.Parts != "picture" || p.Expects(l, vitrine.PartPicture) {
		t.Errorf("%+v", l)
	}
	if l := p.now(broken); l.Preview != vitrine.PreviewDue || l.Parts != "" || !slices.Equal(p.told, []string{"broken.png"}) {
		t.Errorf("%+v, told of %v", l, p.told)
	}
	p.maker.took()
	p.make()
	later := p.add("later.png")
	p.make()
	if made := p.maker.took(); !slices.Equal(made, []string{"later.png"}) || p.now(later).Parts != "picture" {
		t.Errorf("while one waits, %v were made", made)
	}
	tries := 1
	for range 100 {
		p.clock.Advance(time.Minute)
		p.make()
		tries += len(p.maker.took())
	}
	if l := p.now(broken); l.Preview != vitrine.PreviewDone || l.Parts != "" || tries != 6 {
		t.Errorf("after %d tries: %+v", tries, l)
	}
	if p.Expects(p.now(broken), vitrine.PartPicture) {
		t.Error("a page waits for what was given up")
	}
}

// A link that becomes live while others are worked on does not wait for all of them; a page waits for no longer than two minutes.
func TestPreviewsNewestFirst(t *testing.T) {
	p := newPreviewed(t)
	for i := range 20 {
		p.add(fmt.Sprintf("old-%d.png", i))
	}
	// Three are made at once. The first adds a link and ends; the others go on
	// when the next one begins, which must be that link.
	var once sync.Once
	begun := make(chan struct{})
	p.maker.hook = func(name string) {
		first := false
		once.Do(func() { first = true; p.add("new.png") })
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
	p.make()
	made := p.maker.took()
	if at := slices.Index(made, "new.png"); len(made) != 21 || at < 0 || at > 3 {
		t.Errorf("%v", made)
	}
	l := p.add("waits.png")
	p.clock.Advance(2*time.Minute + time.Second)
	if p.Expects(l, vitrine.PartPicture) {
		t.Error("a page waits for ever")
	}
}

// Parts are made anew where that is asked for, and keep what was there till then; what is deleted meanwhile is no trouble.
func TestPreviewsRenew(t *testing.T) {
	p := newPreviewed(t)
	var all []*vitrine.Link
	for i := range 3 {
		all = append(all, p.add(fmt.Sprintf("%d.png", i)))
	}
	p.make()
	p.maker.took()
	if n, err := p.Renew(t.Context(), ""); n != 3 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if l := p.now(all[0]); l.Parts != "picture" || l.Preview != vitrine.PreviewDue {
		t.Errorf("%+v", l)
	}
	if err := p.blobs.Delete(t.Context(), all[1].Upload); err != nil {
		t.Fatal(err)
	}
	p.make()
	if made := p.maker.took(); len(made) != 2 || len(p.told) > 0 {
		t.Errorf("made %v, told of %v", made, p.told)
	}
	if n, err := p.Renew(t.Context(), string(all[0].Slug)); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if _, err := p.Renew(t.Context(), "unknown"); vitrine.CodeOf(err) != vitrine.CodeNotFound {
		t.Error(err)
	}
	p.make()
	if made := p.maker.took(); !slices.Equal(made, []string{"0.png"}) {
		t.Errorf("%v", made)
	}
}
