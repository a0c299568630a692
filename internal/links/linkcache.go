package links

import (
	"context"
	"errors"
	"sync"

	"vitrine"
	"vitrine/internal/versions"
)

// shownLinks bounds how many links are kept for their pages: some 4 MiB.
const shownLinks = 4096

// linkKey asks for a link by its slug or its ID; the other one is zero.
type linkKey struct {
	slug vitrine.Slug
	id   vitrine.LinkID

	version int // of the link that is asked for by its ID; 0: the current one
}

// shownLink is what the public page of a link is decided by. It is read-only.
type shownLink struct {
	link    vitrine.Link
	account vitrine.Account
}

// linkCache keeps links as they are at one version of the store. Each page asks
// Store.Version first. PostgreSQL notifies other processes of each commit; if
// the listener is silent for 3 s, nothing cached is used.
type linkCache struct {
	mu      sync.Mutex
	version int64
	links   map[linkKey]*shownLink
}

// at finds a link as it is at a version.
func (c *linkCache) at(version int64, k linkKey) *shownLink {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.version != version {
		c.version = version
		clear(c.links)
	}
	return c.links[k]
}

// keep takes a link in that was read after the version was asked for.
func (c *linkCache) keep(version int64, k linkKey, l *shownLink) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.version != version {
		return // another has seen that the store has changed
	}
	if c.links == nil {
		c.links = map[linkKey]*shownLink{}
	}
	if len(c.links) >= shownLinks {
		for other := range c.links { // whichever comes first
			delete(c.links, other)
			break
		}
	}
	c.links[k] = l
}

// forget drops everything: keys of viewers that are replaced are not to be
// found in memory either.
func (c *linkCache) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.links)
}

// DropStale drops what is kept when the store has changed since. It is
// background work: a key of viewers that another process has replaced is gone
// from the memory of a server, too, that nobody asks for anything.
func (s *Service) DropStale(ctx context.Context) error {
	version, err := s.Store.Version(ctx)
	if err == nil {
		s.cache.at(version, linkKey{})
	}
	return err
}

// shown finds a link and its account, whatever their states. Failures are those
// of Store and Tx.
func (s *Service) shown(ctx context.Context, k linkKey) (*shownLink, error) {
	// Asked before the rows are read: they may be newer than their version
	// says, and never older.
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
			if link, err = vitrine.MovedLink(tx, k.slug, s.Now()); err == nil {
				moved = true
			}
		}
		if err != nil {
			return err
		}
		account, err := tx.Account(link.Account)
		if err == nil {
			found = shownLink{*link, *account}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if !moved { // an old slug lapses, and the store does not change by it
		s.cache.keep(version, k, &found)
	}
	return &found, nil
}

func (k linkKey) find(tx vitrine.LinkTx) (*vitrine.Link, error) {
	if k.id != 0 {
		l, err := tx.Link(k.id)
		if err != nil || k.version == 0 {
			return l, err
		}
		return versions.As(tx, l, k.version)
	}
	return tx.LinkBySlug(k.slug)
}
