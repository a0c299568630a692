package storetest

import (
	"errors"
	"slices"
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
)

// trash checks that a deleted link that can be restored is in the trash alone,
// with its bytes on the list of spare files, and in the facts of reports.
func (t storeTest) trash() {
	ann, bob := t.account("ann@example.org"), t.account("bob@example.org")
	at := func(minutes int) time.Time { return vitrinetest.Epoch.Add(time.Duration(minutes) * time.Minute) }
	deleted := func(a *vitrine.Account, slug vitrine.Slug, minutes, until int) *vitrine.Link {
		l := link(a, slug, time.Duration(minutes)*time.Hour)
		l.DeletedAt = at(minutes)
		if until > 0 {
			l.TrashUntil = at(until)
		}
		return l
	}
	live, first, second := link(ann, "live", 0), deleted(ann, "first", 1, 11), deleted(ann, "second", 2, 12)
	bobs, gone, bare := deleted(bob, "bobs", 3, 10), deleted(ann, "gone", 4, 0), deleted(ann, "bare", 5, 15)
	bare.HasBytes = false
	t.addLinks(live, first, second, bobs, gone, bare)
	version := deleted(ann, "version", 2, 12)
	version.Of, version.Version = second.ID, 1
	t.addLinks(version)
	t.read(func(tx vitrine.Tx) (err error) {
		list := func(what string, q vitrine.LinkQuery, want ...*vitrine.Link) {
			t.Helper()
			got, failed := tx.Links(q)
			vitrinetest.Equal(t, what, got, want)
			err = errors.Join(err, failed)
		}
		newest := vitrine.LinkQuery{Account: ann.ID, Trash: true, Files: true, Sort: vitrine.SortDeleted}
		list("trash", newest, bare, second, first)
		newest.Limit = 2
		list("a page of the trash", newest, bare, second)
		newest.Before = vitrine.LinkCursor{CreatedAt: second.DeletedAt, ID: second.ID}
		list("the next page", newest, first)
		list("what leaves the trash", vitrine.LinkQuery{Trash: true, TrashEnds: at(12), Files: true}, bobs, first,
			second)
		list("versions in the trash", vitrine.LinkQuery{Of: second.ID, Trash: true, Sort: vitrine.SortID}, version)
		list("what is to be purged", vitrine.LinkQuery{WithBytes: true, NoTrash: true}, gone)
		list("links", vitrine.LinkQuery{Account: ann.ID}, live)
		facts, failed := tx.LinkFacts(ann.ID)
		trashed := map[vitrine.LinkID]bool{}
		for _, f := range facts {
			trashed[f.ID] = f.Trashed
		}
		vitrinetest.Equal(t, "facts", trashed, map[vitrine.LinkID]bool{live.ID: false, first.ID: true, second.ID: true,
			bare.ID: true})
		some, failed2 := tx.LinkFactsOf([]vitrine.LinkID{first.ID, gone.ID})
		vitrinetest.Equal(t, "facts of some", len(some) == 1 && some[0].Trashed, true)
		n, oldest, failed3 := tx.LinkTotals(ann.ID)
		if n != 1 || !oldest.Equal(bare.CreatedAt) {
			t.Errorf("totals = %d, %v, want 1 and that of the oldest in the trash, %v", n, oldest, bare.CreatedAt)
		}
		spare, failed4 := tx.CountSpare(ann.ID, at(60))
		vitrinetest.Equal(t, "spare bytes", spare, first.Size+second.Size+version.Size+gone.Size)
		return errors.Join(err, failed, failed2, failed3, failed4)
	})
	t.restored(ann, live, first)
}

// restored checks that a link that is taken out of the trash counts again.
func (t storeTest) restored(a *vitrine.Account, live, trashed *vitrine.Link) {
	t.update(func(tx vitrine.Tx) error {
		trashed.DeletedAt, trashed.TrashUntil = time.Time{}, time.Time{}
		return tx.PutLink(trashed)
	})
	t.read(func(tx vitrine.Tx) error {
		n, bytes, err := tx.CountLinks(a.ID)
		if n != 2 || bytes != live.Size+trashed.Size {
			t.Errorf("after a restore: %d links, %d bytes", n, bytes)
		}
		return err
	})
}

// labels checks that links are selected by whole labels, and that the sets of
// labels of an account are listed once.
func (t storeTest) labels() {
	ann, bob := t.account("ann@example.org"), t.account("bob@example.org")
	labelled := func(a *vitrine.Account, slug vitrine.Slug, labels vitrine.Labels) *vitrine.Link {
		l := link(a, slug, 0)
		l.Labels = labels
		return l
	}
	both, one, same, none := labelled(ann, "both", "A b\nÉté"), labelled(ann, "one", "a B"),
		labelled(ann, "same", "a B"), labelled(ann, "none", "")
	gone := labelled(ann, "gone", "gone")
	gone.DeletedAt = vitrinetest.Epoch
	t.addLinks(both, one, same, none, gone, labelled(bob, "bobs", "bob"))
	t.read(func(tx vitrine.Tx) error {
		sets, err1 := tx.Labels(ann.ID)
		slices.Sort(sets)
		vitrinetest.Equal(t, "labels", sets, []vitrine.Labels{"A b\nÉté", "a B"})
		found, err2 := tx.Links(vitrine.LinkQuery{Account: ann.ID, Label: "a b", Sort: vitrine.SortID})
		vitrinetest.Equal(t, "links with a label", found, []*vitrine.Link{both, one, same})
		found, err3 := tx.Links(vitrine.LinkQuery{Account: ann.ID, Label: "a"})
		vitrinetest.Equal(t, "links with a part of a label", len(found), 0)
		return errors.Join(err1, err2, err3)
	})
}
