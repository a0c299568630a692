package storetest

import (
	"errors"
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
)

func (t storeTest) sites() {
	ann, bob := t.account("ann@example.org"), t.account("bob@example.org")
	older := &vitrine.Site{Account: ann.ID, Slug: "older", Title: "A <title> ✓", Current: 3, Pending: 4,
		CreatedAt: vitrinetest.Epoch}
	newer := &vitrine.Site{Account: ann.ID, Slug: "newer", Title: "newer",
		CreatedAt: vitrinetest.Epoch.Add(time.Second)}
	gone := &vitrine.Site{Account: ann.ID, Slug: "gone", Title: "gone", CreatedAt: vitrinetest.Epoch,
		DeletedAt: vitrinetest.Epoch.Add(time.Hour)}
	bobs := &vitrine.Site{Account: bob.ID, Slug: "bobs", Title: "bobs", CreatedAt: vitrinetest.Epoch.Add(time.Minute)}
	t.update(func(tx vitrine.Tx) error {
		return errors.Join(tx.AddSite(newer), tx.AddSite(older), tx.AddSite(gone), tx.AddSite(bobs))
	})
	if older.ID < 1 || older.ID == newer.ID {
		t.Fatalf("IDs %d and %d, want two from 1 up", older.ID, newer.ID)
	}
	t.update(func(tx vitrine.Tx) error {
		for _, slug := range []vitrine.Slug{"older", "gone"} {
			t.is("the slug "+string(slug)+" again",
				tx.AddSite(&vitrine.Site{Account: bob.ID, Slug: slug, CreatedAt: vitrinetest.Epoch}), vitrine.ErrExists)
		}
		t.is("Put of no website", tx.PutSite(&vitrine.Site{ID: 999, Account: ann.ID, Slug: "none",
			CreatedAt: vitrinetest.Epoch}), vitrine.ErrNotFound)
		_, err := tx.Site(999)
		t.is("no website by ID", err, vitrine.ErrNotFound)
		_, err = tx.SiteBySlug("none")
		t.is("no website by slug", err, vitrine.ErrNotFound)
		older.Title, older.Current, older.Pending = "other", 5, 0
		return tx.PutSite(older)
	})
	t.read(func(tx vitrine.Tx) error {
		byID, err1 := tx.Site(older.ID)
		bySlug, err2 := tx.SiteBySlug("gone")
		vitrinetest.Equal(t, "website by ID", byID, older)
		vitrinetest.Equal(t, "deleted website by slug", bySlug, gone)
		anns, err3 := tx.Sites(ann.ID)
		vitrinetest.Equal(t, "websites of an account", anns, []*vitrine.Site{newer, older})
		all, err4 := tx.Sites(0)
		vitrinetest.Equal(t, "all websites", all, []*vitrine.Site{bobs, newer, older})
		return errors.Join(err1, err2, err3, err4)
	})
	t.update(func(tx vitrine.Tx) error {
		n, err := tx.ReleaseSlugs(vitrinetest.Epoch.Add(2 * time.Hour))
		vitrinetest.Equal(t, "slugs released", n, 1)
		return errors.Join(err, tx.AddSite(&vitrine.Site{Account: bob.ID, Slug: "gone", CreatedAt: vitrinetest.Epoch}))
	})
}

// siteVersions tests that lists, searches, counts and reports of links exclude
// versions of websites.
func (t storeTest) siteVersions() {
	ann := t.account("ann@example.org")
	site := &vitrine.Site{Account: ann.ID, Slug: "site", Title: "site", CreatedAt: vitrinetest.Epoch}
	t.update(func(tx vitrine.Tx) error { return tx.AddSite(site) })
	plain, first, second, gone := link(ann, "plain", 0), link(ann, "first", time.Hour),
		link(ann, "second", time.Minute), link(ann, "deleted", 0)
	for _, l := range []*vitrine.Link{first, second, gone} {
		l.Site, l.Files, l.Preview = site.ID, 12, vitrine.PreviewDone
	}
	second.Preview = vitrine.PreviewDue
	gone.DeletedAt, gone.HasBytes = vitrinetest.Epoch, false
	t.addLinks(plain, first, second, gone)
	t.read(func(tx vitrine.Tx) error {
		list := func(what string, q vitrine.LinkQuery, want ...*vitrine.Link) {
			got, err := tx.Links(q)
			if err != nil {
				t.Error(err)
			}
			vitrinetest.Equal(t, what, got, want)
		}
		list("versions", vitrine.LinkQuery{Site: site.ID}, second, first)
		list("files", vitrine.LinkQuery{Account: ann.ID, Files: true}, plain)
		list("files, found", vitrine.LinkQuery{Account: ann.ID, Files: true, Words: []string{"s"}})
		list("all", vitrine.LinkQuery{Account: ann.ID}, plain, second, first)
		facts, err1 := tx.LinkFacts(ann.ID)
		vitrinetest.Equal(t, "facts", len(facts), 1)
		n, bytes, err2 := tx.CountLinks(ann.ID)
		vitrinetest.Equal(t, "links and bytes", [2]int64{n, bytes}, [2]int64{2, 300}) // file and website
		return errors.Join(err1, err2)
	})
	deploy := upload(ann, "site.zip")
	deploy.Site = site.ID
	t.add(deploy, upload(ann, "file.pdf"))
	t.read(func(tx vitrine.Tx) error {
		u, err1 := tx.Upload(deploy.ID)
		vitrinetest.Equal(t, "upload", u, deploy)
		n, bytes, err2 := tx.Held(ann.ID, vitrinetest.Epoch, "")
		vitrinetest.Equal(t, "held links and bytes", [2]int64{n, bytes}, [2]int64{1, 20})
		return errors.Join(err1, err2)
	})
	site.DeletedAt = vitrinetest.Epoch
	t.update(func(tx vitrine.Tx) error { return tx.PutSite(site) })
	t.read(func(tx vitrine.Tx) error {
		n, _, err := tx.CountLinks(ann.ID)
		vitrinetest.Equal(t, "links without the deleted website", n, 1)
		return err
	})
}
