package storetest

import (
	"errors"
	"time"

	"vitrine"
	"vitrine/internal/test/vitrinetest"
)

func (t storeTest) sitePages() {
	ann := t.account("ann@example.org")
	site, gone := &vitrine.Site{Account: ann.ID, Slug: "site", Title: "site", CreatedAt: vitrinetest.Epoch},
		&vitrine.Site{Account: ann.ID, Slug: "gone", Title: "gone", CreatedAt: vitrinetest.Epoch}
	t.update(func(tx vitrine.Tx) error { return errors.Join(tx.AddSite(site), tx.AddSite(gone)) })
	page := func(s *vitrine.Site, path string, number int64) *vitrine.SitePage {
		return &vitrine.SitePage{Site: s.ID, Path: path, Number: vitrine.FirstSitePage + number}
	}
	whole, index, other := page(site, "", 7), page(site, "index.html", 1<<61-1), page(site, "ünder/%41 b?.html", 3)
	goneWhole, goneIndex, goneAbout := page(gone, "", 4), page(gone, "index.html", 5), page(gone, "about.html", 6)
	t.update(func(tx vitrine.Tx) error {
		return errors.Join(tx.AddSitePage(other), tx.AddSitePage(whole), tx.AddSitePage(index),
			tx.AddSitePage(goneIndex),
			tx.AddSitePage(goneWhole), tx.AddSitePage(goneAbout))
	})
	t.update(func(tx vitrine.Tx) error {
		t.is("a path again", tx.AddSitePage(page(site, "index.html", 99)), vitrine.ErrExists)
		t.is("a number again", tx.AddSitePage(page(gone, "news.html", 7)), vitrine.ErrExists)
		t.is("delete no page", tx.DeleteSitePage(vitrine.FirstSitePage+99), vitrine.ErrNotFound)
		_, err := tx.SitePage(site.ID, "about.html")
		t.is("no page", err, vitrine.ErrNotFound)
		return nil
	})
	gone.DeletedAt = vitrinetest.Epoch.Add(time.Hour)
	t.update(func(tx vitrine.Tx) error { return tx.PutSite(gone) })
	t.read(func(tx vitrine.Tx) error {
		p, err1 := tx.SitePage(site.ID, other.Path)
		vitrinetest.Equal(t, "page", p, other)
		pages, err2 := tx.SitePages(site.ID)
		vitrinetest.Equal(t, "pages of a website", pages, []*vitrine.SitePage{whole, index, other})
		all, err3 := tx.SitePages(0)
		vitrinetest.Equal(t, "all pages", all, []*vitrine.SitePage{whole, index, other, goneWhole, goneAbout,
			goneIndex})
		n, err4 := tx.CountSitePages(site.ID)
		vitrinetest.Equal(t, "pages counted", n, 3)
		deleted, err5 := tx.DeletedSitePages(0, 10)
		vitrinetest.Equal(t, "pages of deleted websites", deleted,
			[]vitrine.DeletedSitePage{{SitePage: *goneIndex, DeletedAt: gone.DeletedAt},
				{SitePage: *goneAbout, DeletedAt: gone.DeletedAt}})
		some, err6 := tx.DeletedSitePages(0, 1)
		vitrinetest.Equal(t, "the first of them", some, deleted[:1])
		rest, err7 := tx.DeletedSitePages(goneIndex.Number, 10)
		vitrinetest.Equal(t, "those behind it", rest, deleted[1:])
		return errors.Join(err1, err2, err3, err4, err5, err6, err7)
	})
	t.update(func(tx vitrine.Tx) error { return tx.DeleteSitePage(goneIndex.Number) })
	t.read(func(tx vitrine.Tx) error {
		deleted, err := tx.DeletedSitePages(0, 10)
		vitrinetest.Equal(t, "what is left of a deleted website", deleted,
			[]vitrine.DeletedSitePage{{SitePage: *goneAbout, DeletedAt: gone.DeletedAt}})
		return err
	})
}
