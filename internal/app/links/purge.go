package links

import (
	"context"
	"errors"
	"time"

	"vitrine"
	"vitrine/internal/base/signer"
)

// PurgeGrace is the time after its deletion at which a link or website is
// purged again. A page being served, an import, or a spooled batch may add a
// view after the first purge.
const PurgeGrace = time.Hour

// purgeAgain is the time between two purges of a link within PurgeGrace.
const purgeAgain = 5 * time.Minute

// Purge empties the trash of what has been there for TrashLife, finishes
// deletes of links that were cut off, purges deleted links again until nothing
// can arrive any more, and releases slugs after SlugRest. It may run often:
// what this process has purged waits for purgeAgain.
func (s *Service) Purge(ctx context.Context) error {
	s.purging.Lock()
	defer s.purging.Unlock()
	emptied := s.emptyTrash(ctx)
	gone, err := vitrine.Read(ctx, s.Store, func(tx vitrine.Tx) ([]*vitrine.Link, error) {
		return tx.Links(vitrine.LinkQuery{WithBytes: true, NoTrash: true})
	})
	if err != nil {
		return err
	}
	failed := []error{emptied} // a link that cannot be purged does not stop the others
	purged := make(map[vitrine.LinkID]time.Time, len(gone))
	for _, l := range gone {
		last, now := s.purged[l.ID], s.Now()
		if purgeDue(last, now) {
			if err := s.PurgeLink(ctx, l); err != nil {
				failed = append(failed, err)
				continue
			}
			last = now
		}
		purged[l.ID] = last
	}
	s.purged = purged
	return errors.Join(append(failed, s.releaseSlugs(ctx))...)
}

// purgeDue reports whether something that was done at a time is due again. A
// time in the future is by a clock that was set since.
func purgeDue(last, now time.Time) bool {
	since := now.Sub(last)
	return since < 0 || since >= purgeAgain
}

func (s *Service) releaseSlugs(ctx context.Context) error {
	now := s.Now()
	if !purgeDue(s.released, now) {
		return nil
	}
	err := s.Store.Update(ctx, func(tx vitrine.Tx) error {
		_, err := tx.ReleaseSlugs(now.Add(-vitrine.SlugRest))
		if err == nil {
			_, err = tx.ExpireOldSlugs(now)
		}
		return err
	})
	if err == nil {
		s.released = now
	}
	return err
}

// PurgeLink deletes what remains of a deleted link. A replaced version stays as
// long as a page may still read it.
func (s *Service) PurgeLink(ctx context.Context, l *vitrine.Link) error {
	switch {
	case !l.OfLink():
		if err := s.Log.DeleteLink(ctx, l.ID); err != nil {
			return err
		}
	case l.State == vitrine.StateLive && s.Now().Sub(l.DeletedAt) < signer.ContentLife:
		return nil // a later purge does it
	}
	if l.Upload != "" {
		if err := PurgeSpare(ctx, s.Store, s.Blobs, l.SpareFile()); err != nil {
			return err
		}
	}
	if l.OfLink() || s.Now().Sub(l.DeletedAt) < PurgeGrace {
		return nil // a later purge does the rest of a link
	}
	return s.Store.Update(ctx, func(tx vitrine.Tx) error {
		current, err := tx.Link(l.ID)
		if err != nil {
			return err
		}
		current.HasBytes = false
		return errors.Join(tx.DeleteExcess(l.ID), tx.PutLink(current))
	})
}
