// Package moderation provides what moderators need to decide: the queue of held
// links, a link's history, and abuse reports.
package moderation

import (
	"context"
	"errors"
	"slices"
	"time"

	"vitrine"
	"vitrine/internal/app/links"
)

// Service shows moderators what they decide about. Packages links and auth
// carry decisions out.
type Service struct {
	Store vitrine.Store
	Now   func() time.Time
}

// ReviewItem is a link in the queue.
type ReviewItem struct {
	Link    *vitrine.Link
	Account *vitrine.Account
	Reports int // by readers, on the link
}

// Queue lists at most n links in review, with one reason code or with any (""),
// the longest waiting first; next is where the page after begins, zero at the
// end.
func (s *Service) Queue(ctx context.Context, reason string, after vitrine.ReviewCursor,
	n int) (queue []ReviewItem, next vitrine.ReviewCursor, err error) {
	err = s.Store.Read(ctx, func(tx vitrine.Tx) error {
		queue, next = nil, vitrine.ReviewCursor{}
		links, err := tx.Review(vitrine.ReviewQuery{Reason: reason, After: after, Limit: n + 1})
		if err != nil {
			return err
		}
		if len(links) > n {
			links = links[:n]
			next = vitrine.ReviewCursor{Since: links[n-1].StateAt, ID: links[n-1].ID}
		}
		for _, l := range links {
			w, err := reviewItem(tx, l)
			if err != nil {
				return err
			}
			queue = append(queue, w)
		}
		return nil
	})
	return queue, next, err
}

func reviewItem(tx vitrine.Tx, l *vitrine.Link) (w ReviewItem, err error) {
	w.Link = l
	if w.Account, err = tx.Account(l.Account); err != nil {
		return w, err
	}
	reports, err := tx.AbuseReports(l.ID, time.Time{})
	w.Reports = len(reports)
	return w, err
}

// Counts returns how many links are in review, by reason code.
func (s *Service) Counts(ctx context.Context) (counts map[string]int64, err error) {
	return vitrine.Read(ctx, s.Store, func(tx vitrine.Tx) (map[string]int64, error) {
		return tx.CountReview()
	})
}

// Case is everything that a moderator sees of a link.
type Case struct {
	Link    *vitrine.Link
	Account AccountCase
	Same    []SameBytes // other links with the very same bytes, newest first, at most caseRows
	Reports []*vitrine.AbuseReport
	History []Event // of the link
	// Undoable reports whether the link's last change that is not undone is a
	// decision that a moderator may undo.
	Undoable bool
	// Of is the link of which this is a version, or nil if it is not a version.
	Of *vitrine.Link
	// Versions are the link's versions that are not current, newest first.
	Versions []*vitrine.Link
	// Next is the link that has waited longest besides this one, or nil if
	// there is none.
	Next *vitrine.Link
}

// AccountCase is everything that a moderator sees of an account.
type AccountCase struct {
	Account *vitrine.Account
	Links   int64 // not deleted; a website is one
	Sites   int64
	Bytes   int64
	History []Event // of the account and its links, files that were refused too; at most caseRows
}

// SameBytes is a link with the same bytes as another, and its account.
type SameBytes struct {
	Link    *vitrine.Link
	Account *vitrine.Account
}

// Event is a change together with what its IDs refer to.
type Event struct {
	*vitrine.Change
	Person  string       // e-mail address of the moderator or owner who did it; "" for anything else
	Account string       // e-mail address of the account that it is about
	Slug    vitrine.Slug // of the link; "" when it is about the account, or the slug was released
	Title   string       // of the link
}

// caseRows bounds the lists of a Case.
const caseRows = 50

// Case returns a link that is not deleted or is in the trash, by any of its
// slugs, in any state.
// Errors: CodeNotFound.
func (s *Service) Case(ctx context.Context, slug string) (*Case, error) {
	var c *Case
	err := s.Store.Read(ctx, func(tx vitrine.Tx) (err error) {
		c = new(Case)
		if c.Link, err = links.KeptBySlug(tx, slug, s.Now()); err != nil {
			return err
		}
		if c.Account, err = accountCase(tx, c.Link.Account); err != nil {
			return err
		}
		if c.Same, err = sameBytes(tx, c.Link, caseRows); err != nil {
			return err
		}
		if c.Reports, err = tx.AbuseReports(c.Link.ID, time.Time{}); err != nil {
			return err
		}
		if err := c.versions(tx); err != nil {
			return err
		}
		if c.History, err = events(tx, vitrine.ChangeQuery{Link: c.Link.ID, Limit: caseRows}); err != nil {
			return err
		}
		last, _, _, err := links.LastDecision(tx, c.Link.ID)
		if err != nil {
			return err
		}
		c.Undoable = last != nil && vitrine.Actor{Kind: vitrine.ActorModerator}.MayUndo(last.By)
		first, err := tx.Review(vitrine.ReviewQuery{Limit: 2})
		for _, l := range first {
			if l.ID != c.Link.ID && c.Next == nil {
				c.Next = l
			}
		}
		return err
	})
	return c, err
}

// versions reads the link's other versions, or the link of a version.
func (c *Case) versions(tx vitrine.LinkTx) (err error) {
	if c.Link.OfLink() {
		c.Of, err = tx.Link(c.Link.Of)
		return err
	}
	if c.Link.Versions == 0 {
		return nil
	}
	list, err := tx.Links(vitrine.LinkQuery{Of: c.Link.ID})
	for _, v := range list {
		if v.Version != c.Link.Version {
			c.Versions = append(c.Versions, v)
		}
	}
	slices.SortFunc(c.Versions, func(a, b *vitrine.Link) int { return b.Version - a.Version })
	return err
}

// Account returns the case of an account. Errors: CodeNotFound.
func (s *Service) Account(ctx context.Context, id vitrine.AccountID) (c AccountCase, err error) {
	err = s.Store.Read(ctx, func(tx vitrine.Tx) error {
		c, err = accountCase(tx, id)
		if errors.Is(err, vitrine.ErrNotFound) {
			return vitrine.Errorf(vitrine.CodeNotFound, "There is no such account.")
		}
		return err
	})
	return c, err
}

// History lists at most n decisions of people over the whole instance, newest
// first, older than a change (0: the newest).
func (s *Service) History(ctx context.Context, before vitrine.ChangeID, n int) (list []Event, err error) {
	return s.history(ctx, vitrine.ChangeQuery{People: true, Before: before, Limit: n})
}

// OfLink lists all changes of a link, newest first; of a deleted one, too, as
// long as its slug rests. Errors: CodeNotFound.
func (s *Service) OfLink(ctx context.Context, slug string) (list []Event, err error) {
	err = s.Store.Read(ctx, func(tx vitrine.Tx) error {
		l, err := links.AnyBySlug(tx, slug, s.Now())
		if errors.Is(err, vitrine.ErrNotFound) {
			return vitrine.Errorf(vitrine.CodeNotFound, "There is no link %q.", slug)
		}
		if err != nil {
			return err
		}
		list, err = events(tx, vitrine.ChangeQuery{Link: l.ID})
		return err
	})
	return list, err
}

func (s *Service) history(ctx context.Context, q vitrine.ChangeQuery) (list []Event, err error) {
	return vitrine.Read(ctx, s.Store, func(tx vitrine.Tx) ([]Event, error) {
		return events(tx, q)
	})
}

func accountCase(tx vitrine.Tx, id vitrine.AccountID) (c AccountCase, err error) {
	if c.Account, err = tx.Account(id); err != nil {
		return c, err
	}
	if c.Links, c.Bytes, err = tx.CountLinks(id); err != nil {
		return c, err
	}
	sites, err := tx.Sites(id)
	if err != nil {
		return c, err
	}
	c.Sites = int64(len(sites))
	c.History, err = events(tx, vitrine.ChangeQuery{Account: id, Limit: caseRows})
	return c, err
}

// sameBytes lists at most n (0: all) other links with the same bytes.
func sameBytes(tx vitrine.Tx, l *vitrine.Link, n int) (same []SameBytes, err error) {
	if l.SHA256 == "" {
		return nil, nil
	}
	most := 0
	if n > 0 {
		most = n + 1 // and the link itself
	}
	links, err := tx.LinksBySHA256(l.SHA256, most)
	for _, other := range links {
		if other.ID == l.ID || n > 0 && len(same) == n {
			continue
		}
		a, err := tx.Account(other.Account)
		if err != nil {
			return nil, err
		}
		same = append(same, SameBytes{other, a})
	}
	return same, err
}

// events reads changes with what their IDs stand for.
func events(tx vitrine.Tx, q vitrine.ChangeQuery) (list []Event, err error) {
	changes, err := tx.Changes(q)
	emails := map[vitrine.AccountID]string{0: ""}
	email := func(id vitrine.AccountID) string {
		if e, ok := emails[id]; ok {
			return e
		}
		a, e := tx.Account(id)
		if e != nil {
			err = errors.Join(err, vitrine.NotFoundIsNil(e))
			a = new(vitrine.Account)
		}
		emails[id] = a.Email
		return a.Email
	}
	for _, c := range changes {
		e := Event{Change: c, Person: email(c.By.Account), Account: email(c.Account)}
		if c.Link != 0 {
			l, err := tx.Link(c.Link)
			if err != nil {
				return nil, err
			}
			e.Slug, e.Title = l.Slug, l.Title
		}
		list = append(list, e)
	}
	return list, err
}
