// Package links finds, edits, disables and deletes links, keeps their versions,
// and caches public ones in memory. It purges stored bytes that their account
// does not need.
package links

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/report"
)

// Log is what this package uses of [vitrine.ViewLog].
type Log interface {
	DeleteLink(ctx context.Context, l vitrine.LinkID) error
	Tally(ctx context.Context, q vitrine.TallyQuery) (t *report.Tally, truncated bool, err error)
}

// Service implements the use cases of existing links.
type Service struct {
	Store vitrine.Store
	Blobs Blobs
	Log   Log
	Now   func() time.Time
	Gates *access.Gates // checks changes of what readers need
	// ViewerKeyLife is how long an account's viewer key is used; 0 means
	// DefaultViewerKeyLife.
	ViewerKeyLife time.Duration
	Plans         vitrine.Plans // how many versions of a file are kept; nil means all

	cache linkCache // of public links

	purging  sync.Mutex                   // held by Purge
	purged   map[vitrine.LinkID]time.Time // when Purge last purged a deleted link
	released time.Time                    // when Purge last released slugs
}

// DefaultViewerKeyLife is a year (engagement, The viewer).
const DefaultViewerKeyLife = 365 * 24 * time.Hour

// FreshViewerKey replaces the viewer key of an account when it is too old. The
// old key is deleted, and viewer IDs made with it can no longer be matched.
func (s *Service) FreshViewerKey(ctx context.Context, a *vitrine.Account) error {
	life := cmp.Or(s.ViewerKeyLife, DefaultViewerKeyLife)
	if s.Now().Sub(a.ViewerKeyAt) < life {
		return nil
	}
	defer s.cache.clear()
	return s.Store.Update(ctx, func(tx vitrine.Tx) error {
		current, err := tx.Account(a.ID)
		if err != nil {
			return err
		}
		if at := s.Now(); at.Sub(current.ViewerKeyAt) >= life {
			current.ViewerKey, current.ViewerKeyAt = vitrine.RandomKey(), at
			err = tx.PutAccount(current)
		}
		*a = *current
		return err
	})
}

// DateBack makes a link one that was created at a view, if that is earlier.
func (s *Service) DateBack(ctx context.Context, id vitrine.LinkID, view time.Time) error {
	return s.Store.Update(ctx, func(tx vitrine.Tx) error {
		l, err := tx.Link(id)
		if err != nil {
			return err
		}
		return DateBack(tx, l, view, s.Now())
	})
}

// DateBack makes a link with a view from before its creation one that was
// created at that view, because the range "all" begins there. It changes
// nothing if the link is older.
func DateBack(tx vitrine.Tx, l *vitrine.Link, first, now time.Time) error {
	if !l.CreatedAt.After(first) {
		return nil
	}
	l.CreatedAt = first.UTC()
	return errors.Join(tx.PutLink(l), tx.AddChange(&vitrine.Change{At: now, By: vitrine.Administrator,
		Action: vitrine.ActionDate, Account: l.Account, Link: l.ID, From: l.State, To: l.State, Reason: l.Reason,
		Detail: "to " + l.CreatedAt.Format("2 January 2006")}))
}

// Public finds a link and its account for the public page. An old slug finds
// the link too; the caller compares slugs and redirects. The caller must not
// change the result, which may be cached. Errors, which reveal nothing else
// about the link: CodeNotFound (unknown or deleted), CodeNotAvailable (in
// review or processing), CodeDisabled; an [access.Gate] for a reader without a
// pass.
func (s *Service) Public(ctx context.Context, slug vitrine.Slug,
	by access.Asker) (*vitrine.Link, *vitrine.Account, error) {
	return s.public(ctx, linkKey{slug: slug}, by)
}

// PublicTo is Public for the address of a recipient, or for the plain one if
// the token is "". A token of another link is unknown.
func (s *Service) PublicTo(ctx context.Context, slug vitrine.Slug,
	token vitrine.RecipientToken, by access.Asker) (*vitrine.Link, *vitrine.Account, error) {
	return s.public(ctx, linkKey{slug: slug, through: vitrine.Through{Token: token}}, by)
}

// PublicByID returns the public link with an ID. Content tokens contain the ID.
func (s *Service) PublicByID(ctx context.Context, id vitrine.LinkID, by access.Asker) (*vitrine.Link, error) {
	l, _, err := s.public(ctx, linkKey{id: id}, by)
	return l, err
}

// PublicVersion returns the public link with an ID and the file of the version
// that a reader has begun to read, through the address of a recipient or the
// plain one (0). It also finds an earlier version, until that is purged or
// taken down.
func (s *Service) PublicVersion(ctx context.Context, id vitrine.LinkID, version int, to vitrine.RecipientID,
	by access.Asker) (*vitrine.Link, error) {
	l, _, err := s.public(ctx, linkKey{id: id, version: version, through: vitrine.Through{Recipient: to}}, by)
	return l, err
}

func (s *Service) public(ctx context.Context, k linkKey, by access.Asker) (*vitrine.Link, *vitrine.Account, error) {
	found, err := s.shown(ctx, k)
	switch {
	case errors.Is(err, vitrine.ErrNotFound):
		return nil, nil, vitrine.ErrNoLink
	case err != nil:
		return nil, nil, err
	}
	l, a := found.link, found.account // copies for the caller
	asked := access.File{Link: &l, Account: &a, Recipient: found.recipient}
	if err := asked.Check(by, s.Now()); err != nil {
		return nil, nil, err
	}
	if err := s.FreshViewerKey(ctx, &a); err != nil {
		return nil, nil, err
	}
	return &l, &a, nil
}

// Examined finds a link by ID, in any state, for the account of a moderator.
// Errors: CodeNotFound (unknown, deleted, without bytes, or the account does
// not moderate any more).
func (s *Service) Examined(ctx context.Context, id vitrine.LinkID, by vitrine.AccountID) (*vitrine.Link, error) {
	return s.handOut(ctx, id, func(tx vitrine.Tx, _ *vitrine.Link) (who access.Asker, err error) {
		who.Examines = true
		who.Account, err = tx.Account(by)
		return who, err
	})
}

// Owned finds a link by ID for the bearer of one of its account's keys, in any
// state; byAddress reports whether the address names the key, and the request
// does not have it. Errors are those of [access.File.Check].
func (s *Service) Owned(ctx context.Context, id vitrine.LinkID, key vitrine.KeyID,
	byAddress bool) (*vitrine.Link, error) {
	return s.handOut(ctx, id, func(tx vitrine.Tx, l *vitrine.Link) (access.Asker, error) {
		a, err1 := tx.Account(l.Account)
		keys, err2 := tx.Keys(l.Account)
		who := access.Asker{Account: a, Key: &vitrine.APIKey{}, ByAddress: byAddress}
		for _, k := range keys {
			if k.ID == key {
				who.Key = k
			}
		}
		return who, errors.Join(err1, err2)
	})
}

// handOut finds a link by ID if the asker may have its bytes.
func (s *Service) handOut(ctx context.Context, id vitrine.LinkID,
	asker func(vitrine.Tx, *vitrine.Link) (access.Asker, error)) (l *vitrine.Link, err error) {
	err = s.Store.Read(ctx, func(tx vitrine.Tx) error {
		if l, err = tx.Link(id); err != nil {
			return err
		}
		a, err := tx.Account(l.Account)
		if err != nil {
			return err
		}
		who, err := asker(tx, l)
		if err != nil {
			return err
		}
		return access.File{Link: l, Account: a}.Check(who, s.Now())
	})
	if errors.Is(err, vitrine.ErrNotFound) {
		err = vitrine.ErrNoLink
	}
	return l, err
}

// List returns links of an account, newest first, at most q.Limit after a
// cursor. next is the cursor of the next page, or nil at the end.
func (s *Service) List(ctx context.Context, a vitrine.AccountID, q LinkSearch,
	after vitrine.LinkCursor) (links []*vitrine.Link, next *vitrine.LinkCursor, err error) {
	n := q.Limit
	rows, err := q.rows(a, s.Now())
	if err != nil {
		return nil, nil, err
	}
	rows.Before = after
	links, err = vitrine.Read(ctx, s.Store, func(tx vitrine.Tx) ([]*vitrine.Link, error) {
		return tx.Links(rows)
	})
	if err != nil {
		return nil, nil, err
	}
	expireAll(links, rows.Now)
	if len(links) > n {
		links = links[:n]
		next = &vitrine.LinkCursor{CreatedAt: links[n-1].CreatedAt, ID: links[n-1].ID}
	}
	return links, next, nil
}

// expireAll applies expiry to links that were read from the store.
func expireAll(links []*vitrine.Link, now time.Time) {
	for _, l := range links {
		l.ApplyExpiry(now)
	}
}

// expireBatch bounds the rows of one transaction.
const expireBatch = 200

// Expire records which links have expired. Readers and owners see the expiry
// even before.
func (s *Service) Expire(ctx context.Context) error {
	for {
		n := 0
		err := s.Store.Update(ctx, func(tx vitrine.Tx) error {
			now := s.Now()
			due, err := tx.LinksExpired(now, expireBatch)
			if err != nil {
				return err
			}
			n = len(due)
			for _, l := range due {
				if err := l.Expire(tx, now); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil || n < expireBatch {
			return err
		}
	}
}

// BySlug finds a link by its current slug or an old one, for the administrator,
// in any state, also in the trash.
func (s *Service) BySlug(ctx context.Context, slug string) (l *vitrine.Link, err error) {
	l, err = vitrine.Read(ctx, s.Store, func(tx vitrine.Tx) (*vitrine.Link, error) {
		return KeptBySlug(tx, slug, s.Now())
	})
	if err == nil {
		l.ApplyExpiry(s.Now())
	}
	return l, err
}

// Clear publishes a link that is in review. This is the only way from review to
// live (contract, Link states).
func (s *Service) Clear(ctx context.Context, slug string, d vitrine.Decision) (*vitrine.Link, error) {
	return s.review(ctx, slug, d, vitrine.Change{Action: vitrine.ActionClear, To: vitrine.StateLive})
}

// Reject disables a link that is in review.
func (s *Service) Reject(ctx context.Context, slug string, d vitrine.Decision) (*vitrine.Link, error) {
	return s.review(ctx, slug, d, vitrine.Change{Action: vitrine.ActionReject, To: vitrine.StateDisabled,
		Reason: vitrine.ReasonModerator})
}

// checkUnchanged returns an error if the link has changed since the moderator
// opened it.
func checkUnchanged(tx vitrine.ChangeTx, l *vitrine.Link, id vitrine.ChangeID) error {
	if id == 0 {
		return nil
	}
	last, err := tx.Changes(vitrine.ChangeQuery{Link: l.ID, Limit: 1})
	if err == nil && (len(last) == 0 || last[0].ID != id) {
		return vitrine.Errorf(vitrine.CodeInvalidRequest,
			"Link %s changed in the meantime: it is %s%s now. Check it and try again.", l.Slug, l.State,
			reasonClause(l.Reason))
	}
	return err
}

// Disable disables a live link. For anyone but its owner, it also disables one
// that the owner could make live again. The owner cannot undo that.
func (s *Service) Disable(ctx context.Context, slug string, d vitrine.Decision) (*vitrine.Link, error) {
	return s.change(ctx, slug, d, func(_ vitrine.Tx, l *vitrine.Link) (vitrine.Change, error) {
		return disabling(l, d.By)
	})
}

// MayDisable reports whether a moderator can disable a link: it is live, or its
// owner could make it live again.
func MayDisable(l *vitrine.Link) bool { return l.State == vitrine.StateLive || ownerMayEnable(l) }

// ownerMayEnable reports whether a link is disabled by its owner or its expiry.
func ownerMayEnable(l *vitrine.Link) bool {
	return l.State == vitrine.StateDisabled && (l.Reason == vitrine.ReasonOwner || l.Reason == vitrine.ReasonExpired)
}

func disabling(l *vitrine.Link, by vitrine.Actor) (vitrine.Change, error) {
	c := vitrine.Change{Action: vitrine.ActionDisable, To: vitrine.StateDisabled, Reason: vitrine.ReasonModerator}
	may := MayDisable(l)
	if by.Kind == vitrine.ActorOwner {
		c.Reason = vitrine.ReasonOwner
		may = may && l.Reason != vitrine.ReasonOwner
	}
	switch {
	case may:
		return c, nil
	case l.State == vitrine.StateDisabled:
		return c, vitrine.Errorf(vitrine.CodeInvalidRequest, "The link %s is already disabled%s.", l.Slug,
			reasonClause(l.Reason))
	}
	return c, errNotIn(l, "live")
}

// Undo reverts the last change of a link if a person made it. A disabled link
// becomes live again; a cleared or rejected one returns to review. Another Undo
// does not repeat the change but reverts the decision before it, so two
// moderators who both undo a wrong clear do not publish the file again. Results
// of inspection, scanner and abuse reports cannot be undone.
func (s *Service) Undo(ctx context.Context, slug string, d vitrine.Decision) (*vitrine.Link, error) {
	return s.change(ctx, slug, d, func(tx vitrine.Tx, l *vitrine.Link) (c vitrine.Change, err error) {
		return undoing(tx, l, d.By)
	})
}

func undoing(tx vitrine.ChangeTx, l *vitrine.Link, by vitrine.Actor) (c vitrine.Change, err error) {
	last, before, since, err := LastDecision(tx, l.ID)
	if err != nil {
		return c, err
	}
	if last == nil || !by.MayUndo(last.By) {
		return c, vitrine.Errorf(vitrine.CodeInvalidRequest, "There is no decision to undo: the link %s is %s%s.",
			l.Slug, l.State, reasonClause(l.Reason))
	}
	return vitrine.Change{Action: vitrine.ActionUndo, To: before.To, Reason: before.Reason, Detail: before.Detail,
		Since: since}, nil
}

func reasonClause(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + reason
}

func errNotIn(l *vitrine.Link, state string) error {
	return vitrine.Errorf(vitrine.CodeInvalidRequest, "The link %s is not %s (it is %s%s).", l.Slug, state, l.State,
		reasonClause(l.Reason))
}

// review moves a link out of review.
func (s *Service) review(ctx context.Context, slug string, d vitrine.Decision,
	to vitrine.Change) (*vitrine.Link, error) {
	return s.change(ctx, slug, d, func(_ vitrine.Tx, l *vitrine.Link) (vitrine.Change, error) {
		if d.By.Kind == vitrine.ActorOwner {
			return to, vitrine.Errorf(vitrine.CodeInvalidRequest,
				"The owner of the link %s cannot decide whether it becomes public.", l.Slug)
		}
		if l.State != vitrine.StateReview {
			return to, errNotIn(l, "held for review")
		}
		return to, nil
	})
}

// change applies f to a link, as a person's decision.
func (s *Service) change(ctx context.Context, slug string, d vitrine.Decision,
	f func(vitrine.Tx, *vitrine.Link) (vitrine.Change, error)) (l *vitrine.Link, err error) {
	note, err := d.CheckedNote()
	if err != nil {
		return nil, err
	}
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		now := s.Now()
		if d.By.Kind == vitrine.ActorOwner {
			l, err = LinkBySlug(tx, slug)
		} else {
			l, err = KeptBySlug(tx, slug, now) // its owner may have changed the slug, or deleted it
		}
		if err != nil {
			return err
		}
		// An owner knows no link of another account.
		if d.By.Kind == vitrine.ActorOwner && (l.Account != d.By.Account || l.OfLink()) {
			return vitrine.Errorf(vitrine.CodeNotFound, "There is no link %q.", slug)
		}
		if err := errors.Join(checkUnchanged(tx, l, d.Seen), l.Expire(tx, now)); err != nil {
			return err
		}
		c, err := f(tx, l)
		if err != nil {
			return err
		}
		if d.By.Kind == vitrine.ActorOwner && c.Action != vitrine.ActionDelete {
			if err := ownerMayChange(tx, l, now); err != nil {
				return err
			}
		}
		c.By, c.Note = d.By, note
		from := l.State
		if c.To == vitrine.StateLive {
			if err := access.CheckPublish(tx, l, d.By); err != nil {
				return err
			}
		}
		if err := l.Transition(tx, now, c); err != nil {
			return err
		}
		if l.InTrash() && access.Withheld(l) != nil {
			return leaveTrash(tx, l) // the next purge deletes it
		}
		return UpdateSettled(tx, l, from, d.By, s.Plans, now)
	})
	if err == nil {
		l.ApplyExpiry(s.Now())
	}
	return l, err
}

// Delete removes a link from the public, lists and limits. Its owner's link
// goes to the trash. Anyone else's deletion is permanent: abuse reports, bytes
// and views are deleted; if it is interrupted, Purge deletes the rest. The slug
// stays blocked for SlugRest.
func (s *Service) Delete(ctx context.Context, slug string, d vitrine.Decision) error {
	_, err := s.delete(ctx, slug, d, Deletion{})
	return err
}

// Deletion is how an owner deletes a link.
type Deletion struct {
	Match     Match
	Permanent bool // not to the trash, or out of it
}

// DeleteOwn deletes a link of the account that matches one of the tags. The
// link that it returns is in the trash, or deleted permanently: one that is
// withheld never goes to the trash. Errors: CodeNotFound;
// CodePreconditionFailed, with the current link.
func (s *Service) DeleteOwn(ctx context.Context, a *vitrine.Account, slug string, how Deletion) (*vitrine.Link, error) {
	l, err := s.Of(ctx, a, slug)
	if err != nil {
		return nil, err
	}
	return s.delete(ctx, string(l.Slug), vitrine.Decision{By: vitrine.Owner(a.ID)}, how)
}

func (s *Service) delete(ctx context.Context, slug string, d vitrine.Decision, how Deletion) (*vitrine.Link, error) {
	var gone []*vitrine.Link
	l, err := s.change(ctx, slug, d, func(tx vitrine.Tx, l *vitrine.Link) (c vitrine.Change, err error) {
		c.Action, gone = vitrine.ActionDelete, nil
		switch err := errors.Join(how.Match.Check(l), DetachVersion(tx, l), leaveSite(tx, l)); {
		case err != nil:
			return c, err
		case l.InTrash():
			c.Action = vitrine.ActionPurge
			return c, leaveTrash(tx, l)
		case !how.Permanent && d.By.Kind == vitrine.ActorOwner && GoesToTrash(l):
			return c, moveToTrash(tx, l, s.Now())
		}
		gone, err = deleteNow(tx, l, s.Now(), d.By)
		return c, err
	})
	if err != nil || l.InTrash() {
		return l, err
	}
	s.purgeNow(ctx, append(gone, l))
	return l, nil
}

// deleteNow deletes a link permanently, which the caller stores. It returns its
// versions whose bytes must be purged.
func deleteNow(tx vitrine.Tx, l *vitrine.Link, now time.Time, by vitrine.Actor) (gone []*vitrine.Link, err error) {
	if gone, err = DeleteVersions(tx, l, now, by); err != nil {
		return nil, err
	}
	l.DeletedAt, l.HasBytes, l.Notes = now, true, ""
	return gone, deleteReaders(tx, l.ID)
}

// deleteReaders deletes what readers have left at a link that nobody can open
// or report any more.
func deleteReaders(tx vitrine.Tx, id vitrine.LinkID) error {
	return errors.Join(tx.DeletePlaces(id, ""), tx.DeleteKnownReaders(id), tx.DeleteGateCounts(id),
		tx.DeleteRecipients(id), tx.DeleteAbuseReports(id))
}
