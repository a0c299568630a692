package storetest

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
)

// link returns a live link with a file.
func link(a *vitrine.Account, slug vitrine.Slug, age time.Duration) *vitrine.Link {
	return &vitrine.Link{Account: a.ID,
		File: vitrine.File{Upload: vitrine.NewUploadID(), Name: "file.pdf", Type: "application/pdf", Kind: "pdf",
			Size: 100, SHA256: "00ff", HasBytes: true},
		Slug: slug, Title: string(slug), State: vitrine.StateLive, CreatedAt: vitrinetest.Epoch.Add(-age),
		StateAt: vitrinetest.Epoch.Add(-age)}
}

func (t storeTest) links() {
	ann := t.account("ann@example.org")
	l := &vitrine.Link{Account: ann.ID,
		File: vitrine.File{Upload: vitrine.NewUploadID(), Name: "räport.pdf", Type: "application/pdf", Kind: "pdf",
			Size: 1 << 40, SHA256: "ab12", Pages: 12, Scanned: "signatures 1", HasBytes: true,
			Parts: "captions-en picture", Preview: vitrine.PreviewDone},
		Slug: "report", Title: "A <title> ✓", AllowDownload: true, State: vitrine.StateReview, Reason: "because",
		Detail: "a.zip: ✓", CreatedAt: vitrinetest.Epoch, StateAt: vitrinetest.Epoch.Add(time.Second), Key: 7,
		Client: "curl/8.9", ExpiresAt: vitrinetest.Epoch.Add(24 * time.Hour),
		Access: vitrine.Access{Password: "$argon2id$…", Round: "a"}}
	bare := &vitrine.Link{Account: ann.ID, Slug: "bare", State: vitrine.StateLive, CreatedAt: vitrinetest.Epoch}
	t.addLinks(l, bare)
	if l.ID < 1 || bare.ID < 1 || l.ID == bare.ID {
		t.Fatalf("IDs %d and %d, want two from 1 up", l.ID, bare.ID)
	}
	check := func(want *vitrine.Link) {
		t.Helper()
		t.read(func(tx vitrine.Tx) error {
			byID, err1 := tx.Link(want.ID)
			bySlug, err2 := tx.LinkBySlug(want.Slug)
			vitrinetest.Equal(t, "link by ID", byID, want)
			vitrinetest.Equal(t, "link by slug", bySlug, want)
			return errors.Join(err1, err2)
		})
	}
	check(l)
	check(bare)
	t.read(func(tx vitrine.Tx) error {
		some, err := tx.LinksByID([]vitrine.LinkID{999, bare.ID})
		vitrinetest.Equal(t, "links by ID", some, []*vitrine.Link{bare})
		if none, err := tx.LinksByID(nil); len(none) > 0 || err != nil {
			t.Errorf("no links by ID = %v, %v", none, err)
		}
		return err
	})
	t.read(func(tx vitrine.Tx) error {
		made, err1 := tx.LinksByKey(ann.ID)
		vitrinetest.Equal(t, "links by key", made, map[vitrine.KeyID]int64{7: 1})
		of, err2 := tx.Links(vitrine.LinkQuery{Account: ann.ID, Key: 7})
		vitrinetest.Equal(t, "links of a key", of, []*vitrine.Link{l})
		none, err3 := tx.Links(vitrine.LinkQuery{Account: ann.ID, Key: 8})
		vitrinetest.Equal(t, "links of another key", len(none), 0)
		return errors.Join(err1, err2, err3)
	})
	l.Title, l.State, l.Reason, l.Detail, l.Scanned = "other", vitrine.StateDisabled, vitrine.ReasonOwner, "what",
		"signatures 2"
	l.Key, l.Client, l.ExpiresAt = 8, "", time.Time{}
	l.Parts, l.Preview = l.Parts.Without(vitrine.PartPicture), vitrine.PreviewDue
	l.AllowDownload, l.HasBytes, l.DeletedAt, l.StateAt = false, false, vitrinetest.Epoch.Add(time.Hour),
		vitrinetest.Epoch.Add(time.Hour)
	t.update(func(tx vitrine.Tx) error {
		t.is("Put of no link", tx.PutLink(&vitrine.Link{ID: 999, Account: ann.ID, Slug: "none",
			CreatedAt: vitrinetest.Epoch}), vitrine.ErrNotFound)
		return tx.PutLink(l)
	})
	check(l) // also by its slug, although it is deleted
	t.read(func(tx vitrine.Tx) error {
		_, err := tx.Link(999)
		t.is("no link by ID", err, vitrine.ErrNotFound)
		_, err = tx.LinkBySlug("unknown")
		t.is("no link by slug", err, vitrine.ErrNotFound)
		return nil
	})
}

// expiringLinks tests that links are listed as live before they expire, and as
// disabled afterwards, independent of the stored state.
func (t storeTest) expiringLinks() {
	ann := t.account("ann@example.org")
	at := func(l *vitrine.Link, hours int) *vitrine.Link {
		l.ExpiresAt = vitrinetest.Epoch.Add(time.Duration(hours) * time.Hour)
		return l
	}
	never, late, soon, off, gone := link(ann, "never", 0), at(link(ann, "late", 0), 3), at(link(ann, "soon", 0), 2),
		at(link(ann, "off", 0), 1), at(link(ann, "gone", 0), 1)
	off.State, gone.DeletedAt = vitrine.StateDisabled, vitrinetest.Epoch
	t.addLinks(never, late, soon, off, gone)
	check := func(hours int, due, live, disabled []*vitrine.Link) {
		t.Helper()
		now := vitrinetest.Epoch.Add(time.Duration(hours) * time.Hour)
		t.read(func(tx vitrine.Tx) error {
			got, err1 := tx.LinksExpired(now, 10)
			vitrinetest.Equal(t, "links that have expired", got, due)
			isLive, err2 := tx.Links(vitrine.LinkQuery{Account: ann.ID, State: vitrine.StateLive, Now: now,
				Sort: vitrine.SortID})
			vitrinetest.Equal(t, "live links", isLive, live)
			isOff, err3 := tx.Links(vitrine.LinkQuery{Account: ann.ID, State: vitrine.StateDisabled, Now: now,
				Sort: vitrine.SortID})
			vitrinetest.Equal(t, "disabled links", isOff, disabled)
			return errors.Join(err1, err2, err3)
		})
	}
	check(1, nil, []*vitrine.Link{never, late, soon}, []*vitrine.Link{off})
	check(2, []*vitrine.Link{soon}, []*vitrine.Link{never, late}, []*vitrine.Link{soon, off})
	check(9, []*vitrine.Link{soon, late}, []*vitrine.Link{never}, []*vitrine.Link{late, soon, off})
	t.read(func(tx vitrine.Tx) error {
		got, err := tx.LinksExpired(vitrinetest.Epoch.Add(9*time.Hour), 1)
		vitrinetest.Equal(t, "one link that has expired", got, []*vitrine.Link{soon})
		return err
	})
}

func (t storeTest) linkSlugs() {
	ann, bob := t.account("ann@example.org"), t.account("bob@example.org")
	live, gone, longGone := link(ann, "live", 0), link(ann, "gone", 0), link(ann, "long-gone", 0)
	gone.DeletedAt, longGone.DeletedAt = vitrinetest.Epoch, vitrinetest.Epoch.Add(-time.Millisecond)
	t.addLinks(live, gone, longGone)
	refused := func(slugs ...vitrine.Slug) {
		t.Helper()
		t.update(func(tx vitrine.Tx) error {
			for _, s := range slugs {
				t.is("the slug "+string(s)+" again", tx.AddLink(link(bob, s, 0)), vitrine.ErrExists)
			}
			return nil
		})
	}
	refused("live", "gone", "long-gone")
	release := func(before time.Time, want int64) {
		t.Helper()
		t.update(func(tx vitrine.Tx) error {
			n, err := tx.ReleaseSlugs(before)
			vitrinetest.Equal(t, "slugs released", n, want)
			return err
		})
	}
	release(vitrinetest.Epoch, 1)
	release(vitrinetest.Epoch, 0)
	refused("live", "gone")
	again := link(bob, "long-gone", 0)
	t.addLinks(again)
	t.read(func(tx vitrine.Tx) error {
		got, err1 := tx.LinkBySlug("long-gone")
		vitrinetest.Equal(t, "link with a slug that was given again", got, again)
		old, err2 := tx.Link(longGone.ID)
		longGone.Slug = ""
		vitrinetest.Equal(t, "link whose slug was released", old, longGone)
		_, err := tx.LinkBySlug("")
		t.is("link with no slug", err, vitrine.ErrNotFound)
		return errors.Join(err1, err2)
	})
	release(vitrinetest.Epoch.Add(time.Hour), 1) // another row without a slug
}

func (t storeTest) linkLists() {
	ann, bob := t.account("ann@example.org"), t.account("bob@example.org")
	order := []vitrine.Slug{"link-0", "link-1", "link-2", "link-3", "link-4", "link-5"} // links of ann, newest first
	ages := []time.Duration{0, time.Millisecond, time.Hour, time.Hour, time.Hour, 2 * time.Hour}
	// Of links with the same time, the one with the largest ID is the newest.
	// So they are added in reverse.
	for i := len(order) - 1; i >= 0; i-- {
		l := link(ann, order[i], ages[i])
		if i == 1 || i == 4 {
			l.State = vitrine.StateProcessing
		}
		switch i {
		case 2:
			l.State = vitrine.StateReview
		case 3:
			l.Preview = vitrine.PreviewDone
		}
		l.HasBytes = i != 5
		t.addLinks(l)
	}
	bobs, gone, goneBytes := link(bob, "bobs", time.Minute), link(ann, "gone", 0), link(ann, "gone-bytes", 0)
	bobs.State = vitrine.StateProcessing
	gone.DeletedAt, gone.HasBytes = vitrinetest.Epoch, false
	goneBytes.DeletedAt = vitrinetest.Epoch
	t.addLinks(bobs, gone, goneBytes)

	list := func(q vitrine.LinkQuery, want ...vitrine.Slug) (last vitrine.LinkCursor) {
		t.Helper()
		t.read(func(tx vitrine.Tx) error {
			links, err := tx.Links(q)
			var got []vitrine.Slug
			for _, l := range links {
				got = append(got, l.Slug)
				last = vitrine.LinkCursor{CreatedAt: l.CreatedAt, ID: l.ID}
			}
			vitrinetest.Equal(t, fmt.Sprintf("links %+v", q), got, want)
			return err
		})
		return last
	}
	t.read(func(tx vitrine.Tx) error {
		facts, err := tx.LinkFacts(ann.ID)
		if err != nil {
			return err
		}
		links, err := tx.Links(vitrine.LinkQuery{Account: ann.ID})
		want := map[vitrine.LinkID]vitrine.LinkFacts{}
		for _, l := range links {
			want[l.ID] = vitrine.LinkFacts{ID: l.ID, Kind: l.Kind, Pages: l.Pages, CreatedAt: l.CreatedAt}
		}
		got := map[vitrine.LinkID]vitrine.LinkFacts{}
		for _, f := range facts {
			got[f.ID] = f
		}
		vitrinetest.Equal(t, "link facts", got, want)
		vitrinetest.Equal(t, "links with facts", len(facts), len(order))
		return err
	})
	list(vitrine.LinkQuery{Account: ann.ID}, order...)
	list(vitrine.LinkQuery{Account: bob.ID}, "bobs")
	list(vitrine.LinkQuery{Account: 999})
	list(vitrine.LinkQuery{}, slices.Insert(slices.Clone(order), 2, "bobs")...)
	list(vitrine.LinkQuery{State: vitrine.StateProcessing}, "link-1", "bobs", "link-4")
	list(vitrine.LinkQuery{Account: ann.ID, State: vitrine.StateProcessing}, "link-1", "link-4")
	list(vitrine.LinkQuery{Account: ann.ID, State: vitrine.StateProcessing, Limit: 1}, "link-1")
	list(vitrine.LinkQuery{State: vitrine.StateReview}, "link-2")
	list(vitrine.LinkQuery{PreviewDue: true}, "link-0", "link-2")
	list(vitrine.LinkQuery{WithBytes: true}, "gone-bytes")
	list(vitrine.LinkQuery{WithBytes: true, Account: bob.ID})
	for size := 1; size <= len(order); size++ {
		q := vitrine.LinkQuery{Account: ann.ID, Limit: size}
		for rest := order; len(rest) > 0; rest = rest[min(size, len(rest)):] {
			q.Before = list(q, rest[:min(size, len(rest))]...)
		}
		list(q)
	}
}

func (t storeTest) linkCounts() {
	ann, bob := t.account("ann@example.org"), t.account("bob@example.org")
	count := func(a *vitrine.Account, links, bytes int64) {
		t.Helper()
		t.read(func(tx vitrine.Tx) error {
			n, b, err := tx.CountLinks(a.ID)
			if n != links || b != bytes {
				t.Errorf("%s: %d links with %d bytes, want %d with %d", a.Email, n, b, links, bytes)
			}
			return err
		})
	}
	count(ann, 0, 0)
	kept, bare, gone, disabled := link(ann, "kept", 0), link(ann, "bare", 0), link(ann, "gone", 0), link(ann, "off", 0)
	kept.Size = 1 << 40
	bare.HasBytes = false
	gone.DeletedAt = vitrinetest.Epoch
	disabled.State = vitrine.StateDisabled
	t.addLinks(kept, bare, gone, disabled, link(bob, "bobs", 0))
	count(ann, 3, 1<<40+100)
	count(bob, 1, 100)
	kept.DeletedAt = vitrinetest.Epoch
	t.update(func(tx vitrine.Tx) error { return tx.PutLink(kept) })
	count(ann, 2, 100)
}
