package storetest

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
)

// linkSearch tests the matches, the order and the pages of a search.
func (t storeTest) linkSearch() {
	ann, bob := t.account("ann@example.org"), t.account("bob@example.org")
	add := func(a *vitrine.Account, slug vitrine.Slug, title, name string, size int64, age time.Duration,
		change ...func(*vitrine.Link)) *vitrine.Link {
		l := link(a, slug, age)
		l.Title, l.Name, l.Size = title, name, size
		for _, f := range change {
			f(l)
		}
		t.addLinks(l)
		return l
	}
	add(ann, "annual", "Äpfel 100% & Birnen", "report.pdf", 10, 4*time.Hour)
	add(ann, "b-side", "banana_split", "Photo.JPG", 30, 3*time.Hour, func(l *vitrine.Link) { l.Kind = "image" })
	add(ann, "c-file", "Cherry", "cherry.pdf", 20, 2*time.Hour)
	held := add(ann, "d-file", `d\ate`, "apple.txt", 20, 2*time.Hour, func(l *vitrine.Link) { l.Kind = "text" })
	gone := add(ann, "gone", "Cherry, too", "gone.pdf", 99, 0)
	add(bob, "bobs", "Cherry of Bob", "bob.pdf", 5, 0)
	held.State, gone.DeletedAt = vitrine.StateReview, vitrinetest.Epoch
	t.update(func(tx vitrine.Tx) error { return errors.Join(tx.PutLink(held), tx.PutLink(gone)) })

	check := func(q vitrine.LinkQuery, want ...vitrine.Slug) {
		t.Helper()
		q.Account = ann.ID
		want = append([]vitrine.Slug{}, want...)
		t.read(func(tx vitrine.Tx) error {
			links, err := tx.Links(q)
			got := []vitrine.Slug{}
			ids := map[vitrine.LinkID]bool{}
			for _, l := range links {
				got = append(got, l.Slug)
				ids[l.ID] = true
			}
			vitrinetest.Equal(t, fmt.Sprintf("links %+v", q), got, want)
			if q.Limit > 0 || q.Offset > 0 {
				return err
			}
			all, err2 := tx.LinkIDs(q)
			vitrinetest.Equal(t, fmt.Sprintf("IDs of links %+v", q), len(all), len(want))
			for _, id := range all {
				if !ids[id] {
					t.Errorf("link %d is not in the results of %+v", id, q)
				}
			}
			return errors.Join(err, err2)
		})
	}
	words := func(text string) vitrine.LinkQuery {
		list, err := vitrine.FoldWords(text)
		if err != nil {
			t.Fatal(err)
		}
		return vitrine.LinkQuery{Words: list}
	}
	check(words(""), "d-file", "c-file", "b-side", "annual")
	check(words("CHERRY"), "c-file")
	check(words("äpfel"), "annual")
	check(words("A\u0308PFEL birnen"), "annual") // with a combining character
	check(words("äpfel cherry"))
	check(words("photo.jpg"), "b-side")
	check(words("B-Side"), "b-side")
	check(words("%"), "annual")
	check(words("_"), "b-side")
	check(words(`\`), "d-file")
	check(words("apple"), "d-file")
	check(vitrine.LinkQuery{Kind: "pdf"}, "c-file", "annual")
	check(vitrine.LinkQuery{Kind: "pdf", Words: []string{"report"}}, "annual")
	check(vitrine.LinkQuery{State: vitrine.StateReview}, "d-file")
	check(vitrine.LinkQuery{State: vitrine.StateReview, Kind: "pdf"})
	for _, o := range []struct {
		sort  vitrine.LinkSort
		order []vitrine.Slug
	}{
		{vitrine.SortNewest, []vitrine.Slug{"d-file", "c-file", "b-side", "annual"}},
		{vitrine.SortOldest, []vitrine.Slug{"annual", "b-side", "c-file", "d-file"}},
		{vitrine.SortTitle, []vitrine.Slug{"b-side", "c-file", "d-file", "annual"}}, // ä sorts after ASCII
		{vitrine.SortSize, []vitrine.Slug{"b-side", "d-file", "c-file", "annual"}},
	} {
		check(vitrine.LinkQuery{Sort: o.sort}, o.order...)
		for skip := range len(o.order) + 1 {
			check(vitrine.LinkQuery{Sort: o.sort, Offset: skip}, o.order[skip:]...)
			check(vitrine.LinkQuery{Sort: o.sort, Offset: skip, Limit: 2}, o.order[skip:min(skip+2, len(o.order))]...)
		}
	}
	var ids []vitrine.LinkID // in creation order, over all accounts, two at a time
	t.read(func(tx vitrine.Tx) error {
		for q := (vitrine.LinkQuery{Sort: vitrine.SortID, Limit: 2}); ; {
			some, err := tx.Links(q)
			if err != nil || len(some) == 0 {
				return err
			}
			for _, l := range some {
				ids = append(ids, l.ID)
			}
			q.After = some[len(some)-1].ID
		}
	})
	if len(ids) != 5 || !slices.IsSorted(ids) {
		t.Errorf("links by ID = %v", ids)
	}
	held.Title, held.Slug = "Renamed", "new-slug"
	t.update(func(tx vitrine.Tx) error { return tx.PutLink(held) })
	check(words("renamed new-slug"), "new-slug")
	check(words("date"))
}

// oldSlugs tests former slugs of links.
func (t storeTest) oldSlugs() {
	ann := t.account("ann@example.org")
	one, two := link(ann, "one", 0), link(ann, "two", 0)
	t.addLinks(one, two)
	old := func(slug vitrine.Slug, l *vitrine.Link, left time.Duration) *vitrine.OldSlug {
		return &vitrine.OldSlug{Slug: slug, Link: l.ID, Until: vitrinetest.Epoch.Add(left)}
	}
	short, long, others := old("short", one, time.Second), old("long", one, time.Hour), old("others", two, time.Minute)
	t.update(func(tx vitrine.Tx) error {
		return errors.Join(tx.PutOldSlug(short), tx.PutOldSlug(long), tx.PutOldSlug(others))
	})
	find := func(slug vitrine.Slug, at time.Duration, want *vitrine.OldSlug) {
		t.Helper()
		t.read(func(tx vitrine.Tx) error {
			got, err := tx.OldSlug(slug, vitrinetest.Epoch.Add(at))
			if want == nil {
				t.is("the old slug "+string(slug), err, vitrine.ErrNotFound)
				return nil
			}
			vitrinetest.Equal(t, "old slug", got, want)
			return err
		})
	}
	list := func(l vitrine.LinkID, at time.Duration, want ...*vitrine.OldSlug) {
		t.Helper()
		t.read(func(tx vitrine.Tx) error {
			got, err := tx.OldSlugs(l, vitrinetest.Epoch.Add(at))
			vitrinetest.Equal(t, fmt.Sprintf("old slugs of link %d", l), got, want)
			return err
		})
	}
	find("short", 0, short)
	find("short", time.Second-time.Millisecond, short)
	find("short", time.Second, nil)
	find("one", 0, nil)
	list(one.ID, 0, long, short)
	list(one.ID, time.Second, long)
	list(0, 0, long, others, short)
	short.Link, short.Until = two.ID, vitrinetest.Epoch.Add(2*time.Hour)
	t.update(func(tx vitrine.Tx) error {
		t.is("the end of no old slug", tx.DeleteOldSlug("none"), vitrine.ErrNotFound)
		return errors.Join(tx.PutOldSlug(short), tx.DeleteOldSlug("others"))
	})
	list(two.ID, 0, short)
	t.update(func(tx vitrine.Tx) error {
		n, err := tx.ExpireOldSlugs(vitrinetest.Epoch.Add(time.Hour))
		vitrinetest.Equal(t, "old slugs deleted", n, 1)
		return err
	})
	list(0, 0, short)
}
