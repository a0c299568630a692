package collections

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/netip"
	"time"

	"vitrine"
	"vitrine/internal/app/ingest"
	"vitrine/internal/app/links"
	"vitrine/report"

	lru "github.com/hashicorp/golang-lru/v2"
)

// SiteLog is what SiteStats uses of [vitrine.ViewLog].
type SiteLog interface {
	DeleteLink(ctx context.Context, l vitrine.LinkID) error
}

// SiteStats counts the page loads of websites, and deletes them with the
// website. To the view log a website is an account and its pages are links
// (vitrine.SitePage), so page loads are as durable and as exact as views of
// links, on every backend, and in no report of links.
type SiteStats struct {
	Store vitrine.Store
	Log   SiteLog
	Views *ingest.Views    // writes page loads; nil in a program that only deletes them
	IDs   *vitrine.ViewIDs // nil where Views is
	Now   func() time.Time

	numbers *lru.Cache[pageKey, int64]
}

// pageKey identifies a page or, with the path "", a website.
type pageKey struct {
	site vitrine.SiteID
	path string
}

// maxCachedPages bounds the cached numbers of pages, about 150 bytes each.
const maxCachedPages = 1 << 16

// NewSiteStats returns a copy of s with a cache.
func NewSiteStats(s SiteStats) *SiteStats {
	var err error
	if s.numbers, err = lru.New[pageKey, int64](maxCachedPages); err != nil {
		panic(err) // of the size alone
	}
	return &s
}

// Count records that a page was loaded from a network. path is that of its file
// in the website. The load is durable when Count returns nil, unless it is only
// counted ([ingest.Limits]). Errors: CodeNotFound if the website is deleted,
// CodeUnavailable.
func (s *SiteStats) Count(ctx context.Context, site vitrine.SiteID, path string, from netip.Prefix,
	load report.View) error {
	account, link, err := s.pageNumber(ctx, site, path)
	if err != nil {
		return err
	}
	load.Link = link
	_, err = s.Views.AddNext(ctx, s.IDs, s.Now(), from,
		&vitrine.ViewRecord{Account: vitrine.AccountID(account), View: load})
	return err
}

// pageNumber returns the numbers of a website and a page. It assigns them the
// first time.
func (s *SiteStats) pageNumber(ctx context.Context, site vitrine.SiteID, path string) (account, link int64, err error) {
	account, known1 := s.numbers.Get(pageKey{site, ""})
	link, known2 := s.numbers.Get(pageKey{site, path})
	if known1 && known2 {
		return account, link, nil
	}
	err = s.Store.Read(ctx, func(tx vitrine.Tx) error {
		account, link, err = numbers(tx, site, path)
		return err
	})
	if errors.Is(err, vitrine.ErrNotFound) {
		err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
			account, link, err = assignNumbers(tx, site, path)
			return err
		})
	}
	if err != nil {
		return 0, 0, err
	}
	s.numbers.Add(pageKey{site, ""}, account)
	s.numbers.Add(pageKey{site, path}, link)
	return account, link, nil
}

func numbers(tx vitrine.SitePageTx, site vitrine.SiteID, path string) (account, link int64, err error) {
	whole, err := tx.SitePage(site, "")
	if err != nil {
		return 0, 0, err
	}
	page, err := tx.SitePage(site, path)
	if err != nil {
		return 0, 0, err
	}
	return whole.Number, page.Number, nil
}

func assignNumbers(tx vitrine.Tx, site vitrine.SiteID, path string) (account, link int64, err error) {
	of, err := tx.Site(site)
	if errors.Is(err, vitrine.ErrNotFound) || err == nil && !of.DeletedAt.IsZero() {
		return 0, 0, vitrine.Errorf(vitrine.CodeNotFound, "There is no website at this address.")
	}
	if err != nil {
		return 0, 0, err
	}
	if account, err = pageNumber(tx, site, ""); err != nil {
		return 0, 0, err
	}
	n, err := tx.CountSitePages(site)
	if err != nil {
		return 0, 0, err
	}
	if _, err = tx.SitePage(site, path); errors.Is(err, vitrine.ErrNotFound) && n > vitrine.MaxSitePages {
		path = vitrine.OtherSitePages
	}
	link, err = pageNumber(tx, site, path)
	return account, link, err
}

// pageNumber returns the number of a page, a new one if it has none.
func pageNumber(tx vitrine.SitePageTx, site vitrine.SiteID, path string) (int64, error) {
	p, err := tx.SitePage(site, path)
	if err == nil {
		return p.Number, nil
	}
	if !errors.Is(err, vitrine.ErrNotFound) {
		return 0, err
	}
	p = &vitrine.SitePage{Site: site, Path: path, Number: vitrine.FirstSitePage + rand.Int64N(vitrine.FirstSitePage)}
	return p.Number, tx.AddSitePage(p)
}

// purgeBatch is the number of pages of deleted websites that are read
// together.
const purgeBatch = 1000

// Purge deletes the page loads of deleted websites. It is background work.
func (s *SiteStats) Purge(ctx context.Context) error {
	for after := int64(0); ; {
		gone, err := vitrine.Read(ctx, s.Store, func(tx vitrine.Tx) ([]vitrine.DeletedSitePage, error) {
			return tx.DeletedSitePages(after, purgeBatch)
		})
		if err != nil || len(gone) == 0 {
			return err
		}
		for _, p := range gone {
			if err := s.purge(ctx, p); err != nil {
				return err
			}
			after = p.Number
		}
	}
}

// purge deletes the page loads of a page and, once no more can arrive, the
// page (links.PurgeGrace).
func (s *SiteStats) purge(ctx context.Context, p vitrine.DeletedSitePage) error {
	more := s.Now().Sub(p.DeletedAt) < links.PurgeGrace
	if err := s.Log.DeleteLink(ctx, vitrine.LinkID(p.Number)); err != nil || more {
		return err
	}
	err := s.Store.Update(ctx, func(tx vitrine.Tx) error {
		return errors.Join(tx.DeleteExcess(vitrine.LinkID(p.Number)), tx.DeleteSitePage(p.Number))
	})
	if errors.Is(err, vitrine.ErrNotFound) { // another process was first
		return nil
	}
	return err
}
