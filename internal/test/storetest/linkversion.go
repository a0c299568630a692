package storetest

import (
	"errors"
	"time"

	"vitrine"
	"vitrine/internal/filetype"
	"vitrine/internal/test/vitrinetest"
	"vitrine/report"
)

// linkVersions tests that versions of a link are found only by link and number,
// also after they are deleted. Lists, searches, counts and reports of links
// exclude them.
func (t storeTest) linkVersions() {
	ann := t.account("ann@example.org")
	main, other := link(ann, "main", 0), link(ann, "other", time.Minute)
	main.Version, main.Versions, main.Pending = 3, 4, 99
	t.addLinks(main, other)
	vitrinetest.Equal(t, "version of a new link", other.Version, 1)
	first, second, gone := link(ann, "first", time.Hour), link(ann, "second", 2*time.Hour),
		link(ann, "gone", 3*time.Hour)
	for i, l := range []*vitrine.Link{first, second, gone} {
		l.Of, l.Version = main.ID, i+1
	}
	gone.Version, gone.DeletedAt, gone.HasBytes = 4, vitrinetest.Epoch, true
	second.Kind, second.Pages = filetype.Audio, 0
	t.addLinks(first, second, gone)
	t.update(func(tx vitrine.Tx) error {
		again := link(ann, "again", 0)
		again.Of, again.Version = main.ID, 4
		t.is("the number of a deleted version", tx.AddLink(again), vitrine.ErrExists)
		second.Title = "changed"
		return tx.PutLink(second)
	})
	t.read(func(tx vitrine.Tx) error {
		list := func(what string, q vitrine.LinkQuery, want ...*vitrine.Link) {
			got, err := tx.Links(q)
			if err != nil {
				t.Error(err)
			}
			vitrinetest.Equal(t, what, got, want)
		}
		list("versions", vitrine.LinkQuery{Of: main.ID}, first, second)
		list("deleted versions with bytes", vitrine.LinkQuery{Of: main.ID, WithBytes: true}, gone)
		list("versions of a link that has none", vitrine.LinkQuery{Of: other.ID})
		list("files", vitrine.LinkQuery{Account: ann.ID, Files: true}, main, other)
		list("all", vitrine.LinkQuery{Account: ann.ID}, main, other, first, second)
		for _, want := range []*vitrine.Link{first, second, gone} {
			got, err := tx.Version(main.ID, want.Version)
			t.is("version", err, nil)
			vitrinetest.Equal(t, "version", got, want)
		}
		for _, n := range []int{0, 3, 5} {
			_, err := tx.Version(main.ID, n)
			t.is("no such version", err, vitrine.ErrNotFound)
		}
		_, err := tx.Version(0, 1)
		t.is("version of no link", err, vitrine.ErrNotFound)
		read, err1 := tx.Link(main.ID)
		vitrinetest.Equal(t, "link", read, main)
		facts, err2 := tx.LinkFacts(ann.ID)
		vitrinetest.Equal(t, "facts", len(facts), 2)
		for _, f := range facts {
			var want map[int]report.File
			if f.ID == main.ID {
				want = map[int]report.File{}
				for n, l := range map[int]*vitrine.Link{1: first, 2: second, 3: main, 4: gone} {
					want[n] = report.File{Kind: string(l.Kind), Content: report.ContentOf(l.Kind), Pages: l.Pages}
				}
			}
			vitrinetest.Equal(t, "files", f.Files, want)
		}
		n, bytes, err3 := tx.CountLinks(ann.ID)
		vitrinetest.Equal(t, "links and bytes", [2]int64{n, bytes}, [2]int64{2, 400})
		return errors.Join(err1, err2, err3)
	})
	u := upload(ann, "file.pdf")
	u.Replaces = main.ID
	t.add(u, upload(ann, "new.pdf"))
	t.read(func(tx vitrine.Tx) error {
		read, err1 := tx.Upload(u.ID)
		vitrinetest.Equal(t, "upload", read, u)
		n, bytes, err2 := tx.Held(ann.ID, vitrinetest.Epoch, "")
		vitrinetest.Equal(t, "held links and bytes", [2]int64{n, bytes}, [2]int64{1, 20})
		until, err3 := tx.HeldUntil(ann.ID, vitrinetest.Epoch, "", vitrine.Slots, 2)
		vitrinetest.Equal(t, "slots of versions", until.IsZero(), true)
		return errors.Join(err1, err2, err3)
	})
}
