package vitrine

import (
	"cmp"
	"context"
	"errors"
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
	Reason        string    // why it is in review or disabled: a reason code
	Before        LinkState // the state that undoing a disabling returns to
	CreatedAt     time.Time
	StateAt       time.Time // since when it is in its state
	DeletedAt     time.Time // zero: not deleted
	// HasBytes says that bytes are stored, and count. Of a deleted link: that something of it may still be there to be removed.
	HasBytes bool

	Parts   Parts        // what is kept beside its bytes
	Preview PreviewState // whether those that are made of the bytes have been made
}

// Live tells whether the public may see the link.
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
	Slug           Slug // custom, or ""
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
	// ViewerKeyLife is how long viewers of an account are told apart with one key; 0: DefaultViewerKeyLife.
	ViewerKeyLife time.Duration
	// Pending, if set, tells whether opens may be on their way to the log: until they are there, no purge is a link's last.
	Pending func() bool

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
	if !l.DeletedAt.IsZero() {
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
// review or processing), CodeDisabled; with CodeNotAvailable and CodeDisabled nothing of the link is told. What is returned may be
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
		return nil, nil, Unavailable(err)
	}
	l, a := found.link, found.account // the caller's own
	if err := l.shownBy(&a); err != nil {
		return nil, nil, err
	}
	if err := s.freshViewerKey(ctx, &a); err != nil {
		return nil, nil, Unavailable(err)
	}
	return &l, &a, nil
}

// List is an account's links, newest first, at most n after a cursor; next is the cursor of the page after, nil at the end.
func (s *Links) List(ctx context.Context, a AccountID, n int, after LinkCursor) (links []*Link, next *LinkCursor, err error) {
	err = s.Store.Read(ctx, func(tx Tx) error {
		links, err = tx.Links(LinkQuery{Account: a, Before: after, Limit: n + 1})
		return err
	})
	if err != nil {
		return nil, nil, Unavailable(err)
	}
	if len(links) > n {
		links = links[:n]
		next = &LinkCursor{CreatedAt: links[n-1].CreatedAt, ID: links[n-1].ID}
	}
	return links, next, nil
}

// BySlug finds a link for the operator, whatever its state.
func (s *Links) BySlug(ctx context.Context, slug string) (l *Link, err error) {
	err = s.Store.Read(ctx, func(tx Tx) error {
		l, err = linkBySlug(tx, slug)
		return err
	})
	return l, err
}

// Clear publishes a link that was held for review: the only way from review to live.
func (s *Links) Clear(ctx context.Context, slug string) (*Link, error) {
	return s.move(ctx, slug, "held for review", StateReview, func(l *Link) { l.State, l.Reason = StateLive, "" })
}

// Reject disables a link that was held for review.
func (s *Links) Reject(ctx context.Context, slug string) (*Link, error) {
	return s.move(ctx, slug, "held for review", StateReview, func(l *Link) { l.State, l.Before, l.Reason = StateDisabled, "", ReasonModerator })
}

// Disable takes a live link off the public; Enable undoes it.
func (s *Links) Disable(ctx context.Context, slug, reason string) (*Link, error) {
	return s.move(ctx, slug, "live", StateLive, func(l *Link) { l.State, l.Before, l.Reason = StateDisabled, StateLive, reason })
}

// Enable undoes a disabling: the link is again what it was before. A rejected link, or one found to be malware, stays disabled.
func (s *Links) Enable(ctx context.Context, slug string) (*Link, error) {
	return s.change(ctx, slug, func(_ Tx, l *Link) error {
		if l.State != StateDisabled || l.Before == "" {
			return Errorf(CodeInvalidRequest, "The link %s is not one whose disabling can be undone (it is %s%s).", l.Slug, l.State, because(l.Reason))
		}
		l.State, l.Before, l.Reason = l.Before, "", ""
		return nil
	})
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + reason
}

func (s *Links) move(ctx context.Context, slug, name string, from LinkState, f func(*Link)) (*Link, error) {
	return s.change(ctx, slug, func(_ Tx, l *Link) error {
		if l.State != from {
			return Errorf(CodeInvalidRequest, "The link %s is not %s (it is %s).", l.Slug, name, l.State)
		}
		f(l)
		return nil
	})
}

func (s *Links) change(ctx context.Context, slug string, f func(Tx, *Link) error) (l *Link, err error) {
	err = s.Store.Update(ctx, func(tx Tx) error {
		if l, err = linkBySlug(tx, slug); err != nil {
			return err
		}
		if err := f(tx, l); err != nil {
			return err
		}
		l.StateAt = s.Now()
		return tx.PutLink(l)
	})
	return l, err
}

// purgeGrace is how long after its deletion a link is purged again: a page that was being answered, or an import, may write an
// open after the first time.
const purgeGrace = time.Hour

// Delete removes a link at once from the public, the lists and the limits, with what was reported about it, and then its bytes and its
// opens. What is left when that is interrupted, Purge removes. Its slug stays blocked for SlugRest.
func (s *Links) Delete(ctx context.Context, slug string) error {
	l, err := s.change(ctx, slug, func(tx Tx, l *Link) error {
		l.DeletedAt, l.HasBytes = s.Now(), true
		return tx.DeleteAbuseReports(l.ID) // nobody can report it any more
	})
	if err != nil {
		return err
	}
	return s.purge(ctx, l)
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
		return err
	}))
	return errors.Join(failed...)
}

func (s *Links) purge(ctx context.Context, l *Link) error {
	if err := s.Log.Erase(ctx, l.ID); err != nil {
		return err
	}
	if err := s.Blobs.Delete(ctx, l.Upload); err != nil {
		return err
	}
	if s.Now().Sub(l.DeletedAt) < purgeGrace || s.Pending != nil && s.Pending() {
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
