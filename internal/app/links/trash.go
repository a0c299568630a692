package links

import (
	"context"
	"errors"
	"time"

	"vitrine"
	"vitrine/internal/app/access"
)

// TrashLife is how long a deleted link can be restored, unless an upload needs
// the room before.
const TrashLife = 30 * 24 * time.Hour

// trashBatch bounds the links of one transaction.
const trashBatch = 50

// GoesToTrash reports whether a link goes to the trash when its owner deletes
// it. A version, and a file that nobody but moderators gets, does not.
func GoesToTrash(l *vitrine.Link) bool { return l.Standalone() && access.Withheld(l) == nil }

// moveToTrash deletes a link and its versions until they are restored or leave
// the trash. From now on their bytes are spare. The caller stores the link.
func moveToTrash(tx vitrine.Tx, l *vitrine.Link, now time.Time) error {
	until := now.Add(TrashLife).Truncate(time.Millisecond)
	l.DeletedAt, l.TrashUntil = now, until
	if l.Versions == 0 {
		return nil
	}
	versions, err := tx.Links(vitrine.LinkQuery{Of: l.ID})
	for _, v := range versions {
		v.DeletedAt, v.TrashUntil = now, until
		err = errors.Join(err, tx.PutLink(v))
	}
	return err
}

// leaveTrash makes what was in the trash deleted for good; a purge deletes its
// bytes and views. A version leaves it alone, a link with its versions.
func leaveTrash(tx vitrine.Tx, l *vitrine.Link) error {
	l.TrashUntil, l.Notes = time.Time{}, ""
	if l.OfLink() {
		hide(l)
		l.HasBytes = l.Upload != ""
		m, err := tx.Link(l.Of)
		if err == nil && m.Pending == l.ID {
			m.Pending = 0
			err = tx.PutLink(m)
		}
		return errors.Join(err, tx.PutLink(l))
	}
	l.Pending, l.HasBytes = 0, true // its views are purged, too
	err := errors.Join(tx.PutLink(l), deleteReaders(tx, l.ID))
	if l.Versions == 0 {
		return err
	}
	versions, failed := tx.Links(vitrine.LinkQuery{Of: l.ID, Trash: true, Sort: vitrine.SortID})
	err = errors.Join(err, failed)
	for _, v := range versions {
		err = errors.Join(err, leaveTrash(tx, v), tx.DeleteAbuseReports(v.ID))
	}
	return err
}

// emptyTrash has the links leave the trash whose time has come.
func (s *Service) emptyTrash(ctx context.Context) error {
	for {
		n := 0
		err := s.Store.Update(ctx, func(tx vitrine.Tx) error {
			due, err := tx.Links(vitrine.LinkQuery{Trash: true, TrashEnds: s.Now(), Files: true,
				Limit: trashBatch})
			n = len(due)
			for _, l := range due {
				err = errors.Join(err, leaveTrash(tx, l))
			}
			return err
		})
		if err != nil || n < trashBatch {
			return err
		}
	}
}

// Trash lists the links of an account in the trash, the last deleted first, at
// most n after a cursor, which is a position by Link.DeletedAt. next is the
// cursor of the next page, or nil at the end.
func (s *Service) Trash(ctx context.Context, a *vitrine.Account, after vitrine.LinkCursor,
	n int) (list []*vitrine.Link, next *vitrine.LinkCursor, err error) {
	list, err = vitrine.Read(ctx, s.Store, func(tx vitrine.Tx) ([]*vitrine.Link, error) {
		return tx.Links(vitrine.LinkQuery{Account: a.ID, Trash: true, Files: true, Sort: vitrine.SortDeleted,
			Before: after, Limit: n + 1})
	})
	expireAll(list, s.Now())
	if len(list) > n {
		list = list[:n]
		next = &vitrine.LinkCursor{CreatedAt: list[n-1].DeletedAt, ID: list[n-1].ID}
	}
	return list, next, err
}

// Revive restores a link of an account from the trash, with its slug, versions,
// recipients and views, in the state that it had. It takes a link place. fills,
// unless nil, must hold for the link. Errors: CodeNotFound, CodeLinkLimit,
// CodeStorageLimit, CodeRateLimited; CodeForbidden if the same bytes were taken
// down in the meantime, and those of fills.
func (s *Service) Revive(ctx context.Context, a *vitrine.Account, slug string,
	fills func(*vitrine.Link) error) (l *vitrine.Link, err error) {
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		now := s.Now()
		if l, err = ownTrashed(tx, a, slug, now); err != nil {
			return err
		}
		if fills != nil {
			if err := fills(l); err != nil {
				return err
			}
		}
		if err := errors.Join(ownerMayChange(tx, l, now), s.placeFree(tx, a, now)); err != nil {
			return err
		}
		by := vitrine.Owner(a.ID)
		if l.State == vitrine.StateLive {
			if err := access.CheckPublish(tx, l, by); err != nil {
				return err
			}
		}
		if err := takeFromTrash(tx, l); err != nil {
			return err
		}
		if err := l.Transition(tx, now, vitrine.Change{By: by, Action: vitrine.ActionRevive, To: l.State,
			Reason: l.Reason, Detail: l.Detail}); err != nil {
			return err
		}
		return errors.Join(l.Expire(tx, now), s.bytesFit(tx, a, now))
	})
	if err != nil {
		return nil, err
	}
	return l, nil
}

// takeFromTrash restores a link, which the caller stores, and its versions.
func takeFromTrash(tx vitrine.Tx, l *vitrine.Link) error {
	l.DeletedAt, l.TrashUntil = time.Time{}, time.Time{}
	if l.Versions == 0 {
		return nil
	}
	versions, err := tx.Links(vitrine.LinkQuery{Of: l.ID, Trash: true, Sort: vitrine.SortID})
	for _, v := range versions {
		v.DeletedAt, v.TrashUntil = time.Time{}, time.Time{}
		err = errors.Join(err, tx.PutLink(v))
	}
	return err
}

// ownTrashed finds a link of an account in the trash.
func ownTrashed(tx vitrine.Tx, a *vitrine.Account, slug string, now time.Time) (*vitrine.Link, error) {
	l, err := TrashedBySlug(tx, slug, now)
	if vitrine.CodeOf(err) == vitrine.CodeNotFound || err == nil && (l.Account != a.ID || !l.Standalone()) {
		return nil, vitrine.Errorf(vitrine.CodeNotFound, "Link not found in the trash.")
	}
	return l, err
}

// placeFree returns CodeLinkLimit if an account has no place for another link.
func (s *Service) placeFree(tx vitrine.Tx, a *vitrine.Account, now time.Time) error {
	u, err := UsageOf(tx, a.ID, now, "")
	if most := s.Plans.LimitsOf(a).Links; err == nil && most > 0 && u.Links+u.HeldLinks >= most {
		return Exceeded(a, vitrine.CodeLinkLimit, most, u.Links+u.HeldLinks,
			"All links of your account are in use. Delete another link, then restore this one.")
	}
	return err
}

// bytesFit returns CodeStorageLimit if what an account's links store exceeds
// its plan, which may have become smaller.
func (s *Service) bytesFit(tx vitrine.Tx, a *vitrine.Account, now time.Time) error {
	u, err := UsageOf(tx, a.ID, now, "")
	if most := s.Plans.LimitsOf(a).StorageBytes; err == nil && most > 0 && u.Bytes+u.HeldBytes > most {
		return Exceeded(a, vitrine.CodeStorageLimit, most, u.Bytes+u.HeldBytes,
			"The file does not fit into the storage of your account. Delete another link, then restore this one.")
	}
	return err
}

// DeleteTrashed deletes a link of an account permanently that is in the trash.
// Errors: CodeNotFound.
func (s *Service) DeleteTrashed(ctx context.Context, a *vitrine.Account, slug string) error {
	var l *vitrine.Link
	var gone []*vitrine.Link
	err := s.Store.Update(ctx, func(tx vitrine.Tx) (err error) {
		if l, err = ownTrashed(tx, a, slug, s.Now()); err != nil {
			return err
		}
		err = leaveTrash(tx, l)
		if gone, err = withVersions(tx, l, err); err != nil {
			return err
		}
		return l.Transition(tx, s.Now(), vitrine.Change{By: vitrine.Owner(a.ID), Action: vitrine.ActionPurge})
	})
	if err != nil {
		return err
	}
	s.purgeNow(ctx, gone)
	return nil
}

// withVersions lists a deleted link and those of its versions with bytes.
func withVersions(tx vitrine.Tx, l *vitrine.Link, failed error) ([]*vitrine.Link, error) {
	versions, err := tx.Links(vitrine.LinkQuery{Of: l.ID, WithBytes: true})
	return append(versions, l), errors.Join(failed, err)
}

// purgeNow purges deleted links. Purge deletes what is left after an error.
func (s *Service) purgeNow(ctx context.Context, gone []*vitrine.Link) {
	for _, l := range gone {
		_ = s.PurgeLink(ctx, l)
	}
}

// TrashedBySlug finds a link in the trash by its slug or a former one.
func TrashedBySlug(tx vitrine.Tx, slug string, now time.Time) (*vitrine.Link, error) {
	l, err := AnyBySlug(tx, slug, now)
	if errors.Is(err, vitrine.ErrNotFound) || err == nil && !l.InTrash() {
		return nil, vitrine.Errorf(vitrine.CodeNotFound, "There is no link %q in the trash.", slug)
	}
	return l, err
}

// KeptBySlug finds a link by its slug or a former one, also in the trash.
func KeptBySlug(tx vitrine.Tx, slug string, now time.Time) (*vitrine.Link, error) {
	l, err := AnyBySlug(tx, slug, now)
	if errors.Is(err, vitrine.ErrNotFound) || err == nil && !l.DeletedAt.IsZero() && !l.InTrash() {
		return nil, errNoSlug(slug)
	}
	return l, err
}
