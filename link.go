package vitrine

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"vitrine/internal/filetype"
	"vitrine/report"
)

// LinkState is where a link stands (contract, Link states).
type LinkState string

const (
	StateLive       LinkState = "live"
	StateReview     LinkState = "review"     // held until a person clears it
	StateProcessing LinkState = "processing" // a video that is being scanned
	StateDisabled   LinkState = "disabled"
)

// Link is a file on display.
type Link struct {
	ID      LinkID
	Account AccountID
	Upload  UploadID // the upload that made it, and the key of its bytes; "" for an imported link, which has none
	Slug    Slug     // "" once a deleted link's slug was released
	Title   string
	Name    string // the file's name
	Type    string // MIME type as declared
	Kind    filetype.Kind
	Size    int64  // bytes
	SHA256  string // lower-case hex
	Pages   int    // of a PDF; 0 unknown

	AllowDownload bool
	State         LinkState
	Reason        string // why it is in review or disabled: a reason code
	Detail        string // what exactly was found, where something was: a signature, a member of an archive
	CreatedAt     time.Time
	StateAt       time.Time // since when it is in its state
	DeletedAt     time.Time // zero: not deleted
	// HasBytes says that bytes are stored, and count. Of a deleted link: that something of it may still be there to be removed.
	HasBytes bool
	// Scanned are the signatures by which a scanner last spoke on the bytes, clean or not; "" as long as none has.
	Scanned string

	// Site is the website that it is a version of; 0: it is a link of its own. A version is shown by its website and by nothing else.
	Site  SiteID
	Files int64 // that a version serves

	Parts   Parts        // what is kept beside its bytes
	Preview PreviewState // whether those that are made of the bytes have been made
}

// Live reports whether the public may see the link.
func (l *Link) Live() bool { return l.State == StateLive && l.DeletedAt.IsZero() }

// ContentKindOf tells how progress through a kind of file is measured (contract, createUpload).
func ContentKindOf(k filetype.Kind) report.ContentKind {
	switch k {
	case filetype.PDF:
		return report.ContentPages
	case filetype.Video, filetype.Audio:
		return report.ContentMedia
	case filetype.Archive:
		return report.ContentNone
	default:
		return report.ContentScroll
	}
}

// UploadState is where an upload stands.
type UploadState string

const (
	UploadOpen   UploadState = "open"   // begun; holds a slot until HoldUntil
	UploadDone   UploadState = "done"   // its link exists
	UploadFailed UploadState = "failed" // a check refused it; its bytes are gone
)

// Upload is one passage through the three steps.
type Upload struct {
	ID             UploadID
	Account        AccountID
	IdempotencyKey string // lower-case UUID, or ""
	Replaced       bool   // a later upload has taken over the idempotency key
	Name           string
	Type           string
	Size           int64
	Slug           Slug   // custom, or ""
	Site           SiteID // the website that it is a deploy of; 0: it is to become a link of its own
	State          UploadState
	CreatedAt      time.Time
	HoldUntil      time.Time // until then an open upload holds its slug, a link slot and its bytes of storage
	Link           LinkID    // once done
	Failure        *Error    // once failed: what every retry is told, without its cause
}

// failure is what a retry of a failed upload is told.
func (u *Upload) failure() error {
	if u.Failure == nil {
		return Errorf(CodeInternal, "The upload failed.")
	}
	return u.Failure
}

// Links is the service of links that exist.
type Links struct {
	Store Store
	Blobs Blobs
	Log   ViewLog
	Now   func() time.Time
	// ViewerKeyLife is how long viewers of an account are distinguished with one key; 0: DefaultViewerKeyLife.
	ViewerKeyLife time.Duration

	cache linkCache // of public links
}

// DefaultViewerKeyLife is a year (engagement, The viewer).
const DefaultViewerKeyLife = 365 * 24 * time.Hour

// freshViewerKey replaces an account's viewer key that is past its life. The old one is gone, and the ids made with it are noise.
func (s *Links) freshViewerKey(ctx context.Context, a *Account) error {
	life := cmp.Or(s.ViewerKeyLife, DefaultViewerKeyLife)
	if s.Now().Sub(a.ViewerKeyAt) < life {
		return nil
	}
	defer s.cache.forget()
	return s.Store.Update(ctx, func(tx Tx) error {
		now, err := tx.Account(a.ID)
		if err != nil {
			return err
		}
		if at := s.Now(); at.Sub(now.ViewerKeyAt) >= life {
			now.ViewerKey, now.ViewerKeyAt = randomKey(), at
			err = tx.PutAccount(now)
		}
		*a = *now
		return err
	})
}

// State is what the outside is told of a link: a suspended account's links are disabled as long as it is suspended.
func (l *Link) stateFor(a *Account) LinkState {
	if a.Banned {
		return StateDisabled
	}
	return l.State
}

var errNoLink = Errorf(CodeNotFound, "There is no link with this address.")

// shownBy is nil when the public may see the link of an account, and otherwise what its public page says.
func (l *Link) shownBy(a *Account) error {
	if !l.DeletedAt.IsZero() || !a.ClosedAt.IsZero() || l.Site != 0 {
		return errNoLink
	}
	switch l.stateFor(a) {
	case StateLive:
		return nil
	case StateDisabled:
		return Errorf(CodeDisabled, "This link has been disabled.")
	}
	return Errorf(CodeNotAvailable, "This link is not available yet. Try again later.")
}

// Public finds a link for its public page, with its account. Errors: CodeNotFound (unknown or deleted), CodeNotAvailable (in
// review or processing), CodeDisabled; with CodeNotAvailable and CodeDisabled nothing of the link is told. A slug that was the link's
// before finds it, too: anyone who asks compares, and sends readers to the address that is the link's now. What is returned may be
// what was read before if nothing in the store has changed since; what it points to is not to be written.
func (s *Links) Public(ctx context.Context, slug Slug) (*Link, *Account, error) {
	return s.public(ctx, linkKey{slug: slug})
}

// PublicByID is Public by the link's ID, as content tokens carry it.
func (s *Links) PublicByID(ctx context.Context, id LinkID) (*Link, error) {
	l, _, err := s.public(ctx, linkKey{id: id})
	return l, err
}

func (s *Links) public(ctx context.Context, k linkKey) (*Link, *Account, error) {
	found, err := s.shown(ctx, k)
	switch {
	case errors.Is(err, ErrNotFound):
		return nil, nil, errNoLink
	case err != nil:
		return nil, nil, err
	}
	l, a := found.link, found.account // the caller's own
	if err := l.shownBy(&a); err != nil {
		return nil, nil, err
	}
	if err := s.freshViewerKey(ctx, &a); err != nil {
		return nil, nil, err
	}
	return &l, &a, nil
}

// Examined finds a link by its ID for a moderator, whatever its state. Errors: CodeNotFound (unknown, deleted, or without bytes).
func (s *Links) Examined(ctx context.Context, id LinkID) (l *Link, err error) {
	err = s.Store.Read(ctx, func(tx Tx) error {
		l, err = tx.Link(id)
		if errors.Is(err, ErrNotFound) || err == nil && (!l.DeletedAt.IsZero() || !l.HasBytes) {
			return errNoLink
		}
		return err
	})
	return l, err
}

// List is an account's links, newest first, at most n after a cursor; next is the cursor of the page after, nil at the end.
func (s *Links) List(ctx context.Context, a AccountID, n int, after LinkCursor) (links []*Link, next *LinkCursor, err error) {
	err = s.Store.Read(ctx, func(tx Tx) error {
		links, err = tx.Links(LinkQuery{Account: a, Files: true, Before: after, Limit: n + 1})
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	if len(links) > n {
		links = links[:n]
		next = &LinkCursor{CreatedAt: links[n-1].CreatedAt, ID: links[n-1].ID}
	}
	return links, next, nil
}

// BySlug finds a link for the operator, whatever its state, by a slug that it had before, too.
func (s *Links) BySlug(ctx context.Context, slug string) (l *Link, err error) {
	err = s.Store.Read(ctx, func(tx Tx) error {
		l, err = linkByAnySlug(tx, slug, s.Now())
		return err
	})
	return l, err
}

// Clear publishes a link that was held for review: the only way from review to live (contract, Link states).
func (s *Links) Clear(ctx context.Context, slug string, d Decision) (*Link, error) {
	return s.decide(ctx, slug, d, ActionClear, "held for review", StateReview, Change{To: StateLive})
}

// Reject disables a link that was held for review.
func (s *Links) Reject(ctx context.Context, slug string, d Decision) (*Link, error) {
	return s.decide(ctx, slug, d, ActionReject, "held for review", StateReview, Change{To: StateDisabled, Reason: ReasonModerator})
}

// RejectSame takes off display every link with the very same bytes as one, that one too, whatever state they are in, and returns those
// that it changed. It does so in steps: when it fails, what is changed stays so, and doing it again goes on.
func (s *Links) RejectSame(ctx context.Context, slug string, d Decision) (changed []*Link, err error) {
	note, err := d.note()
	if err != nil {
		return nil, err
	}
	var all []*Link
	err = s.Store.Read(ctx, func(tx Tx) error {
		l, err := linkByAnySlug(tx, slug, s.Now())
		if err != nil {
			return err
		}
		if err := seen(tx, l, d.Seen); err != nil {
			return err
		}
		all = []*Link{l}
		if l.SHA256 != "" {
			all, err = tx.LinksBySHA256(l.SHA256, 0)
		}
		return err
	})
	for some := range slices.Chunk(all, rejectedAtOnce) {
		if err != nil {
			break
		}
		var done []*Link
		err = s.Store.Update(ctx, func(tx Tx) error {
			done = nil
			for _, l := range some {
				l, err := tx.Link(l.ID)
				if err != nil {
					return err
				}
				if l.State == StateDisabled && l.Reason != ReasonOwner || !l.DeletedAt.IsZero() {
					continue // an owner's own disabling would be theirs to undo
				}
				action := ActionReject
				if l.State == StateLive {
					action = ActionDisable
				}
				if err := l.change(tx, s.Now(), Change{By: d.By, Action: action, To: StateDisabled, Reason: ReasonModerator, Note: note}); err != nil {
					return err
				}
				done = append(done, l)
			}
			return nil
		})
		if err == nil {
			changed = append(changed, done...)
		}
	}
	return changed, err
}

// rejectedAtOnce bounds the rows of one transaction.
const rejectedAtOnce = 200

// seen refuses to decide about a link that has changed since it was looked at.
func seen(tx Tx, l *Link, id ChangeID) error {
	if id == 0 {
		return nil
	}
	last, err := tx.Changes(ChangeQuery{Link: l.ID, Limit: 1})
	if err == nil && (len(last) == 0 || last[0].ID != id) {
		return Errorf(CodeInvalidRequest, "Something has happened to the link %s meanwhile: it is %s%s. Look again.", l.Slug, l.State, because(l.Reason))
	}
	return err
}

// Disable takes a live link off the public.
func (s *Links) Disable(ctx context.Context, slug string, d Decision) (*Link, error) {
	reason := ReasonModerator
	if d.By.Kind == ActorOwner {
		reason = ReasonOwner
	}
	return s.decide(ctx, slug, d, ActionDisable, "live", StateLive, Change{To: StateDisabled, Reason: reason})
}

// Undo takes the last change of a link back, if a person decided it: the link is what it was before. So a disabled link is live
// again, and a cleared or rejected one in review. What was undone once is not done again by undoing once more: that takes the decision
// before it back. What inspection, scanner or readers have found is no decision.
func (s *Links) Undo(ctx context.Context, slug string, d Decision) (*Link, error) {
	return s.change(ctx, slug, d, func(tx Tx, l *Link) (c Change, err error) {
		last, before, since, err := lastDecision(tx, l.ID)
		if err != nil {
			return c, err
		}
		if last == nil || !d.By.mayUndo(last.By) {
			return c, Errorf(CodeInvalidRequest, "There is no decision to be undone: the link %s is %s%s.", l.Slug, l.State, because(l.Reason))
		}
		return Change{Action: ActionUndo, To: before.To, Reason: before.Reason, Detail: before.Detail, since: since}, nil
	})
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + reason
}

// decide moves a link out of a state, whose name is for a sentence.
func (s *Links) decide(ctx context.Context, slug string, d Decision, a Action, name string, from LinkState, to Change) (*Link, error) {
	return s.change(ctx, slug, d, func(_ Tx, l *Link) (Change, error) {
		if d.By.Kind == ActorOwner && a != ActionDisable {
			return to, Errorf(CodeInvalidRequest, "The owner of the link %s cannot decide whether it becomes public.", l.Slug)
		}
		if l.State != from {
			return to, Errorf(CodeInvalidRequest, "The link %s is not %s (it is %s%s).", l.Slug, name, l.State, because(l.Reason))
		}
		to.Action = a
		return to, nil
	})
}

// change does to a link what f says, by a person's decision.
func (s *Links) change(ctx context.Context, slug string, d Decision, f func(Tx, *Link) (Change, error)) (l *Link, err error) {
	note, err := d.note()
	if err != nil {
		return nil, err
	}
	err = s.Store.Update(ctx, func(tx Tx) error {
		if d.By.Kind == ActorOwner {
			l, err = linkBySlug(tx, slug)
		} else {
			l, err = linkByAnySlug(tx, slug, s.Now()) // its owner may have moved it since it was looked at
		}
		if err != nil {
			return err
		}
		if d.By.Kind == ActorOwner && l.Account != d.By.Account { // as if there were none
			return Errorf(CodeNotFound, "There is no link %q.", slug)
		}
		if err := seen(tx, l, d.Seen); err != nil {
			return err
		}
		c, err := f(tx, l)
		if err != nil {
			return err
		}
		if d.By.Kind == ActorOwner && c.Action != ActionDelete {
			if err := ownerMayChange(tx, l, s.Now()); err != nil {
				return err
			}
		}
		c.By, c.Note = d.By, note
		return l.change(tx, s.Now(), c)
	})
	return l, err
}

// purgeGrace is how long after its deletion a link is purged again: a page that was being answered, an import, or what a spool had (Deleted), may
// write an open after the first time.
const purgeGrace = time.Hour

// Delete removes a link at once from the public, the lists and the limits, with what was reported about it, and then its bytes and its
// opens. What is left when that is interrupted, Purge removes. Its slug stays blocked for SlugRest.
func (s *Links) Delete(ctx context.Context, slug string, d Decision) error {
	l, err := s.change(ctx, slug, d, func(tx Tx, l *Link) (Change, error) {
		l.DeletedAt, l.HasBytes = s.Now(), true
		if err := l.leaveSite(tx); err != nil {
			return Change{}, err
		}
		return Change{Action: ActionDelete}, tx.DeleteAbuseReports(l.ID) // nobody can report it any more
	})
	if err != nil {
		return err
	}
	_ = s.purge(ctx, l) // the link is deleted; what this leaves, Purge removes
	return nil
}

// Purge removes what deleted links have left, and gives slugs free that have rested long enough.
func (s *Links) Purge(ctx context.Context) error {
	var gone []*Link
	err := s.Store.Read(ctx, func(tx Tx) (err error) {
		gone, err = tx.Links(LinkQuery{WithBytes: true})
		return err
	})
	if err != nil {
		return err
	}
	var failed []error // one link that cannot be purged keeps no other
	for _, l := range gone {
		failed = append(failed, s.purge(ctx, l))
	}
	failed = append(failed, s.Store.Update(ctx, func(tx Tx) error {
		_, err := tx.ReleaseSlugs(s.Now().Add(-SlugRest))
		if err == nil {
			_, err = tx.ExpireOldSlugs(s.Now())
		}
		return err
	}))
	return errors.Join(failed...)
}

// Owner is whose a link is; 0: it was deleted, or there is none.
func (s *Links) Owner(ctx context.Context, id LinkID) (a AccountID, err error) {
	err = s.Store.Read(ctx, func(tx Tx) error {
		l, err := tx.Link(id)
		if a = 0; err == nil && l.DeletedAt.IsZero() {
			a = l.Account
		}
		return notFoundIsNil(err)
	})
	return a, err
}

func (s *Links) purge(ctx context.Context, l *Link) error {
	if err := s.Log.DeleteLink(ctx, l.ID); err != nil {
		return err
	}
	if err := s.Blobs.Delete(ctx, l.Upload); err != nil {
		return err
	}
	if s.Now().Sub(l.DeletedAt) < purgeGrace {
		return nil // once more later
	}
	return s.Store.Update(ctx, func(tx Tx) error {
		now, err := tx.Link(l.ID)
		if err != nil {
			return err
		}
		now.HasBytes = false
		return tx.PutLink(now)
	})
}

func linkBySlug(tx Tx, slug string) (*Link, error) {
	l, err := tx.LinkBySlug(Slug(strings.ToLower(slug)))
	if errors.Is(err, ErrNotFound) || err == nil && !l.DeletedAt.IsZero() {
		return nil, Errorf(CodeNotFound, "There is no link %q.", slug)
	}
	return l, err
}
