package links

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"vitrine"
	"vitrine/internal/app/access"
)

// Versions lists, restores and deletes the versions of links.
//
// A link's own row has the file of its current version, so everything that
// shows a link shows the current version. Each version from the second on has a
// row of its own with the history of its checks; the first gets one when it is
// replaced. A version that is not current keeps its file in its row. Making it
// current exchanges the files of two rows, in one transaction.
type Versions struct {
	Store vitrine.Store
	Plans vitrine.Plans
	Now   func() time.Time
	// PurgeLink deletes the bytes of a deleted version.
	PurgeLink func(context.Context, *vitrine.Link) error
}

// Version is one version of a link's file.
type Version struct {
	*vitrine.Link // with the file, and the state of the file
	Current       bool
	// Waits reports whether the version becomes current once it is live.
	Waits   bool
	KeyName string // of the API key that it was sent with
}

// Restorable reports whether the version can be made current.
func (v Version) Restorable() bool { return !v.Current && v.Live() && v.HasBytes }

// List returns a link of an account and its versions, newest first. Errors:
// CodeNotFound.
func (s *Versions) List(ctx context.Context, a *vitrine.Account,
	slug string) (m *vitrine.Link, list []Version, err error) {
	err = s.Store.Read(ctx, func(tx vitrine.Tx) error {
		if m, err = OwnLinkByAnySlug(tx, a, slug, s.Now()); err != nil {
			return err
		}
		m.ApplyExpiry(s.Now())
		if list, err = all(tx, m); err != nil {
			return err
		}
		keys, err := tx.Keys(a.ID)
		for _, k := range keys {
			for i := range list {
				if list[i].Key == k.ID {
					list[i].KeyName = k.Name
				}
			}
		}
		return err
	})
	return m, list, err
}

// all lists the versions of a link, newest first. The current one is live
// unless the link is held or was disabled by others than its owner.
func all(tx vitrine.LinkTx, m *vitrine.Link) ([]Version, error) {
	now := *m
	now.Of = m.ID
	if m.MayMove() {
		now.State, now.Reason, now.Detail = vitrine.StateLive, "", ""
	}
	list := []Version{{Link: &now, Current: true}}
	if m.Versions == 0 {
		return list, nil
	}
	rows, err := tx.Links(vitrine.LinkQuery{Of: m.ID})
	for _, v := range rows {
		if v.Version == m.Version {
			now.CreatedAt, now.Key, now.Client = v.CreatedAt, v.Key, v.Client
		} else {
			list = append(list, Version{Link: v, Waits: v.ID == m.Pending &&
				(v.State == vitrine.StateReview || v.State == vitrine.StateProcessing)})
		}
	}
	slices.SortFunc(list, func(a, b Version) int { return b.Version - a.Version })
	return list, err
}

// OfUpload returns the version that an upload added, or nil if there is none:
// its bytes were those of the current version, or the version is deleted.
func (s *Versions) OfUpload(ctx context.Context, m *vitrine.Link, id vitrine.UploadID) (v *Version, err error) {
	err = s.Store.Read(ctx, func(tx vitrine.Tx) error {
		v = nil
		list, err := all(tx, m)
		for _, l := range list {
			if l.Upload == id {
				v = &l
			}
		}
		return err
	})
	return v, err
}

// A Condition checks a link within the transaction that changes it (If-Match).
// Nil means no condition.
type Condition func(*vitrine.Link) error

// Restore makes a version of a link the current one and keeps the previous one.
// Restoring the current version changes nothing. Errors: CodeNotFound,
// CodeInvalidRequest, CodeRateLimited, and those of the condition.
func (s *Versions) Restore(ctx context.Context, a *vitrine.Account, slug string, n int,
	condition Condition) (m *vitrine.Link, err error) {
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		var v *vitrine.Link
		now := s.Now()
		if m, v, err = s.find(tx, a, slug, n, condition); err != nil || n == m.Version {
			return err
		}
		if err := Replaceable(m); err != nil {
			return err
		}
		if v.State != vitrine.StateLive || !v.HasBytes {
			return &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "version",
				Message: fmt.Sprintf("Version %d is %s, and cannot be shown.", n, v.State)}
		}
		if err := access.CheckPublish(tx, v, vitrine.Owner(a.ID)); err != nil {
			return err
		}
		if err := ownerMayChange(tx, m, now); err != nil {
			return err
		}
		return show(tx, m, v, s.Plans.LimitsOf(a).Versions, now,
			vitrine.Change{By: vitrine.Owner(a.ID), Action: vitrine.ActionRestore})
	})
	return m, err
}

// Delete deletes a version and its bytes, immediately and for every reader.
// Errors: CodeNotFound, CodeInvalidRequest for the current version, and those
// of the condition.
func (s *Versions) Delete(ctx context.Context, a *vitrine.Account, slug string, n int, condition Condition) error {
	var v *vitrine.Link
	err := s.Store.Update(ctx, func(tx vitrine.Tx) error {
		m, found, err := s.find(tx, a, slug, n, condition)
		if err != nil {
			return err
		}
		if n == m.Version {
			return &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "version",
				Message: fmt.Sprintf("Version %d is the one that readers see. Replace the file or restore another version first.", n)}
		}
		if v = found; m.Pending == v.ID {
			m.Pending = 0
			if err := tx.PutLink(m); err != nil {
				return err
			}
		}
		return remove(tx, v, s.Now(), vitrine.Owner(a.ID))
	})
	if err != nil {
		return err
	}
	_ = s.PurgeLink(ctx, v) // a later purge does what this leaves undone
	return nil
}

// find finds a link of an account and one of its versions; the row of the
// current version may be nil.
func (s *Versions) find(tx vitrine.Tx, a *vitrine.Account, slug string, n int,
	condition Condition) (m, v *vitrine.Link, err error) {
	if m, err = OwnLinkByAnySlug(tx, a, slug, s.Now()); err != nil {
		return nil, nil, err
	}
	if err := m.Expire(tx, s.Now()); err != nil {
		return nil, nil, err
	}
	if condition != nil {
		if err := condition(m); err != nil {
			return nil, nil, err
		}
	}
	if n == m.Version {
		return m, nil, nil
	}
	v, err = tx.Version(m.ID, n)
	if errors.Is(err, vitrine.ErrNotFound) || err == nil && !v.DeletedAt.IsZero() {
		return nil, nil, ErrNoVersion
	}
	return m, v, err
}
