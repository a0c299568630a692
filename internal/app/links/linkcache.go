package links

import (
	"context"
	"errors"
	"slices"
	"sync"

	"vitrine"
)

// shownLinks bounds the cached links: about 4 MiB.
const shownLinks = 4096

// linkKey is the slug or the ID of a link; the other one is zero.
type linkKey struct {
	slug vitrine.Slug
	id   vitrine.LinkID

	version int // version of a link found by ID; 0 means the current one

	through vitrine.Through // one of its fields, or none: the plain address
}

// shownLink is a link and its account for the public page. It must not be
// changed.
type shownLink struct {
	link      vitrine.Link
	account   vitrine.Account
	recipient *vitrine.Recipient
}

// linkCache caches links as of one version of the store. Each page asks
// Store.Version first. PostgreSQL notifies other processes of each commit; if
// the listener is silent for 3 s, the cache is not used.
type linkCache struct {
	mu      sync.Mutex
	version int64
	links   map[linkKey]*shownLink
}

// at returns a cached link as of a version, or nil.
func (c *linkCache) at(version int64, k linkKey) *shownLink {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.version != version {
		c.version = version
		clear(c.links)
	}
	return c.links[k]
}

// keep caches a link that was read after the version.
func (c *linkCache) keep(version int64, k linkKey, l *shownLink) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.version != version {
		return // another request has seen a newer version
	}
	if c.links == nil {
		c.links = map[linkKey]*shownLink{}
	}
	if len(c.links) >= shownLinks {
		for other := range c.links { // an arbitrary one
			delete(c.links, other)
			break
		}
	}
	c.links[k] = l
}

// clear empties the cache. Replaced viewer keys must not stay in memory.
func (c *linkCache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.links)
}

// DropStale empties the cache if the store has changed. It runs in the
// background, so that a viewer key replaced by another process also leaves the
// memory of an idle server.
func (s *Service) DropStale(ctx context.Context) error {
	version, err := s.Store.Version(ctx)
	if err == nil {
		s.cache.at(version, linkKey{})
	}
	return err
}

// shown returns a link and its account, in any state. Errors are those of Store
// and Tx.
func (s *Service) shown(ctx context.Context, k linkKey) (*shownLink, error) {
	// The version is read before the rows: the rows may be newer than the
	// version, but never older.
	version, err := s.Store.Version(ctx)
	if err != nil {
		return nil, err
	}
	if l := s.cache.at(version, k); l != nil {
		return l, nil
	}
	var found shownLink
	var moved bool
	err = s.Store.Read(ctx, func(tx vitrine.Tx) error {
		link, err := k.find(tx)
		if errors.Is(err, vitrine.ErrNotFound) && k.slug != "" {
			if link, err = LinkByOldSlug(tx, k.slug, s.Now()); err == nil {
				moved = true
			}
		}
		if err != nil {
			return err
		}
		account, err1 := tx.Account(link.Account)
		recipient, err2 := k.recipient(tx, link)
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		link.Notes = "" // no reader sees them
		found = shownLink{*link, *account, recipient}
		if recipient != nil {
			found.link = *link.For(recipient)
		} else if link.Access.Gated() {
			around, err := tx.AlbumsWith(link.ID)
			around = slices.DeleteFunc(around, func(a *vitrine.Album) bool { return !a.Access.Gated() })
			if len(around) > 0 {
				found.link.Albums = (*vitrine.Albums)(&around)
			}
			return err
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if !moved { // an old slug lapses without a change of the store
		s.cache.keep(version, k, &found)
	}
	return &found, nil
}

// recipient finds the recipient of the key, or nil if it has none.
func (k linkKey) recipient(tx vitrine.RecipientTx, l *vitrine.Link) (*vitrine.Recipient, error) {
	switch {
	case k.through.Token != "":
		return tx.RecipientByToken(l.ID, k.through.Token)
	case k.through.Recipient != 0:
		return tx.Recipient(l.ID, k.through.Recipient)
	}
	return nil, nil
}

func (k linkKey) find(tx vitrine.LinkTx) (*vitrine.Link, error) {
	if k.id != 0 {
		l, err := tx.Link(k.id)
		if err != nil || k.version == 0 {
			return l, err
		}
		return WithVersion(tx, l, k.version)
	}
	return tx.LinkBySlug(k.slug)
}
