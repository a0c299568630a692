package collections_test

import (
	"context"
	"errors"
	"testing"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/app/collections"
	"vitrine/internal/test/fixture"
)

// oneRead is a store that notes a read within another one. Many of these at
// once would wait for each other's connections.
type oneRead struct {
	vitrine.Store
	inside, nested bool
}

func (s *oneRead) Read(ctx context.Context, f func(vitrine.Tx) error) error {
	s.nested = s.nested || s.inside
	s.inside = true
	defer func() { s.inside = false }()
	return s.Store.Read(ctx, f)
}

// TestAlbumReadsOneAfterTheOther checks that the passes of a reader, which may
// be looked up in the store, are asked for outside of the read that finds an
// album.
func TestAlbumReadsOneAfterTheOther(t *testing.T) {
	f := fixture.New(t)
	store := &oneRead{Store: f.Store}
	s := &collections.Albums{Store: store, Gates: &access.Gates{Store: store, Now: f.Clock.Now}, Now: f.Clock.Now}
	album, err := s.Create(t.Context(), f.Account, "Album", "")
	f.Must(err)
	l := fixture.AddLink(t, f.Links, f.Account, "a-link")
	l.Access.Readers = 1
	l.Access.NewRound()
	f.Must(f.Store.Update(t.Context(), func(tx vitrine.Tx) error { return tx.PutLink(l) }))
	f.Must(s.Add(t.Context(), f.Account, string(album.Slug), []string{"a-link"}))
	asked := 0
	reader := access.Asker{Pass: func(*vitrine.Link) vitrine.Pass {
		asked++
		f.Must(store.Read(t.Context(), func(vitrine.Tx) error { return nil }))
		return vitrine.Pass{}
	}}
	if shown, err := s.Public(t.Context(), album.Slug, reader); err != nil || len(shown.Locked) != 1 {
		t.Fatalf("the album has %+v, %v", shown, err)
	}
	f.Must(s.SetAccess(t.Context(), f.Account, string(album.Slug), &access.Change{Readers: new(1)}))
	gate := (*access.Gate)(nil)
	if _, err := s.Public(t.Context(), album.Slug, reader); !errors.As(err, &gate) {
		t.Errorf("without a pass: %v", err)
	}
	if err := s.MayRead(t.Context(), album.Slug, reader); !errors.As(err, &gate) {
		t.Errorf("without a pass: %v", err)
	}
	if store.nested || asked < 3 {
		t.Errorf("the store is read within a read: %t; %d passes were asked for", store.nested, asked)
	}
}
