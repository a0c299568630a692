// Package recipients makes named addresses of links, so that an owner sees
// which of them was read.
package recipients

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"vitrine"
	"vitrine/internal/app/access"
	"vitrine/internal/app/links"
	"vitrine/internal/app/publish"
)

// MaxCall is how many recipients one call may add.
const MaxCall = 500

// revokedTimes is how many rows a link may have for each recipient that its
// plan allows, so that adding and revoking has an end.
const revokedTimes = 20

// Service adds, lists, changes and revokes recipients.
type Service struct {
	Store vitrine.Store
	Plans vitrine.Plans
	Gates *access.Gates
	Now   func() time.Time
}

// Request is a recipient to add.
type Request struct {
	Label     string
	Download  *bool     // nil: as the link allows
	ExpiresAt time.Time // zero: with the link
	// Access replaces that of the link; nil: as the link says.
	Access *access.Change
}

// Addition is a call that adds recipients.
type Addition struct {
	Recipients     []Request
	IdempotencyKey *string // a retry returns what the first call added
	// Fills, unless nil, must hold for the link: more people will see it.
	Fills func(*vitrine.Link) error
}

// Change is an owner's change of a recipient. A nil field leaves its value
// unchanged.
type Change struct {
	Label     *string // "" deletes it
	Download  *bool
	ExpiresAt *time.Time // the zero time: with the link
	Access    *access.Change
	AsLink    bool // Access is nil, and that of the link holds again
	Fills     func(*vitrine.Link) error
}

var errNone = vitrine.Errorf(vitrine.CodeNotFound, "This link has no such recipient.")

// wrong returns the error of a field of the n-th recipient of a call.
func wrong(n int, field, message string) error {
	return &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: fmt.Sprintf("recipients[%d].%s", n, field),
		Message: message}
}

const (
	badLabel = "A label has 1 to 200 characters, at least one of them visible, and no control or text-direction characters."
	tooSoon  = "The address would have expired already. Choose a later time."
)

// New returns a recipient of a link with a random ID and token.
func New(l *vitrine.Link) *vitrine.Recipient {
	var b [8]byte
	rand.Read(b[:])
	return &vitrine.Recipient{ID: vitrine.RecipientID(binary.LittleEndian.Uint64(b[:])>>12 | 1), Link: l.ID,
		Account: l.Account, Token: vitrine.RecipientToken(vitrine.NewUploadID())} // of the same bits and letters
}

// check returns the error of a call, before anything is read.
func (a *Addition) check(now time.Time) error {
	if n := len(a.Recipients); n == 0 || n > MaxCall {
		return &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "recipients",
			Message: fmt.Sprintf("Send 1 to %d recipients in one call. This call has %d.", MaxCall, n)}
	}
	passwords := 0
	for i, r := range a.Recipients {
		if r.Access != nil && r.Access.Password != nil {
			passwords++
		}
		if passwords > 1 {
			return wrong(i, "access.password",
				"One call can set the password of one recipient. Add the others, then set each password with a call of its own.")
		}
		if _, err := vitrine.ParseTitle(r.Label); err != nil {
			return wrong(i, "label", badLabel)
		}
		if !r.ExpiresAt.IsZero() && !r.ExpiresAt.After(now) {
			return wrong(i, "expiresAt", tooSoon)
		}
	}
	return nil
}

// Add adds recipients to a link of an account, all or none. Errors:
// CodeInvalidRequest, CodeInvalidIdempotencyKey, CodeNotFound, CodeForbidden,
// CodeRecipientLimit, CodeIdempotencyMismatch.
func (s *Service) Add(ctx context.Context, a *vitrine.Account, slug string,
	add Addition) (l *vitrine.Link, list []*vitrine.Recipient, err error) {
	call, asked := "", []byte(nil)
	if add.IdempotencyKey != nil {
		if call, err = publish.ParseIdempotencyKey(*add.IdempotencyKey); err != nil {
			return nil, nil, err
		}
		if asked, err = add.digest(); err != nil {
			return nil, nil, err
		}
	}
	now := s.Now().Truncate(time.Millisecond)
	late := add.check(now) // a retry may come after the expiry that it asks for
	if late == nil {
		late = s.prepare(ctx, a, add)
	}
	if late != nil && call == "" {
		return nil, nil, late
	}
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		list = nil
		if l, err = links.OwnLinkByAnySlug(tx, a, slug, now); err != nil {
			return err
		}
		if call != "" {
			list, err = tx.Recipients(vitrine.RecipientQuery{Link: l.ID, Call: call})
			if err != nil || len(list) > 0 {
				return errors.Join(err, sameCall(list, asked))
			}
		}
		if late != nil {
			return late
		}
		if add.Fills != nil {
			if err := add.Fills(l); err != nil {
				return err
			}
		}
		open, highest, err := tx.CountRecipients(l.ID)
		if err != nil {
			return err
		}
		if err := s.within(tx, a.ID, open, highest, int64(len(add.Recipients))); err != nil {
			return err
		}
		for i, asks := range add.Recipients {
			r := New(l)
			r.Number, r.Label, r.Download = highest+int64(i)+1, asks.Label, asks.Download
			r.CreatedAt, r.ExpiresAt, r.Call, r.Asked = now, asks.ExpiresAt, call, asked
			setAccess(r, asks.Access)
			list = append(list, r)
		}
		return tx.AddRecipients(list)
	})
	if err != nil {
		return nil, nil, err
	}
	return l, list, nil
}

// prepare checks the access of each recipient of a call, and hashes a password.
func (s *Service) prepare(ctx context.Context, a *vitrine.Account, add Addition) error {
	for i, asks := range add.Recipients {
		err := s.Gates.Prepare(ctx, asks.Access, a.Email)
		if e := (*vitrine.Error)(nil); errors.As(err, &e) && e.Field != "" {
			about := *e
			about.Field = fmt.Sprintf("recipients[%d].%s", i, e.Field)
			return &about
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// digest returns the hash of what a call asks for. It says that there is a
// password, and not which: this hash is a fast one.
func (a *Addition) digest() ([]byte, error) {
	list := slices.Clone(a.Recipients)
	for i, r := range list {
		if r.Access != nil && r.Access.Password != nil {
			without := *r.Access
			without.Password = new("…")
			list[i].Access = &without
		}
	}
	text, err := json.Marshal(list)
	sum := sha256.Sum256(text)
	return sum[:], err
}

// setAccess gives a recipient an access of its own, or changes that. To remove
// a part of one that it does not have has no effect.
func setAccess(r *vitrine.Recipient, c *access.Change) {
	if c == nil || *c == (access.Change{}) {
		return
	}
	var own vitrine.Access
	if r.Access != nil {
		own = *r.Access
	}
	c.Apply(&own)
	if r.Access != nil || c.Open || own.Gated() {
		r.Access = &own
	}
}

func sameCall(list []*vitrine.Recipient, asked []byte) error {
	if len(list) == 0 || bytes.Equal(list[0].Asked, asked) {
		return nil
	}
	return &vitrine.Error{Code: vitrine.CodeIdempotencyMismatch, Field: "idempotencyKey",
		Message: "This idempotency key was used with other recipients of this link. Use a new key for other recipients."}
}

// within checks the limits of the account's plan.
func (s *Service) within(tx vitrine.AccountTx, id vitrine.AccountID, open, rows, more int64) error {
	a, err := tx.Account(id)
	if err != nil {
		return err
	}
	limit := s.Plans.LimitsOf(a).Recipients
	full := func(used, limit int64, message string) error {
		return &vitrine.Error{Code: vitrine.CodeRecipientLimit, Limit: &limit, Used: &used, Upgrade: true,
			Message: message}
	}
	switch most := limit * revokedTimes; {
	case limit == 0:
		return nil
	case open+more > limit:
		return full(open, limit, fmt.Sprintf("A link has at most %d recipients on your plan. This one has %d. Revoke "+
			"addresses that you do not need, or use another link.", limit, open))
	case rows+more > most:
		return full(rows, most, fmt.Sprintf("This link has had %d recipients, most of them revoked. A link has at most %d "+
			"in all. Use another link.", rows, most))
	}
	return nil
}

// List returns recipients of a link of an account, in the order in which they
// were added, at most n after a number. next is the number of the last one, or
// 0 at the end.
func (s *Service) List(ctx context.Context, a *vitrine.Account, slug string, after int64,
	n int) (l *vitrine.Link, list []*vitrine.Recipient, next int64, err error) {
	err = s.Store.Read(ctx, func(tx vitrine.Tx) error {
		if l, err = links.OwnLinkByAnySlug(tx, a, slug, s.Now()); err != nil {
			return err
		}
		list, err = tx.Recipients(vitrine.RecipientQuery{Link: l.ID, After: after, Limit: n + 1})
		return err
	})
	if n > 0 && len(list) > n {
		list = list[:n]
		next = list[n-1].Number
	}
	return l, list, next, err
}

// All returns the recipients of a link by ID.
func (s *Service) All(ctx context.Context, l vitrine.LinkID) (map[vitrine.RecipientID]*vitrine.Recipient, error) {
	list, err := vitrine.Read(ctx, s.Store, func(tx vitrine.Tx) ([]*vitrine.Recipient, error) {
		return tx.Recipients(vitrine.RecipientQuery{Link: l})
	})
	byID := make(map[vitrine.RecipientID]*vitrine.Recipient, len(list))
	for _, r := range list {
		byID[r.ID] = r
	}
	return byID, err
}

// Edit changes a recipient. Errors: CodeInvalidRequest, CodeNotFound,
// CodeForbidden.
func (s *Service) Edit(ctx context.Context, a *vitrine.Account, slug string, id vitrine.RecipientID,
	c Change) (*vitrine.Link, *vitrine.Recipient, error) {
	now := s.Now().Truncate(time.Millisecond)
	if c.Label != nil && *c.Label != "" {
		if _, err := vitrine.ParseTitle(*c.Label); err != nil {
			return nil, nil, &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "label", Message: badLabel}
		}
	}
	if c.ExpiresAt != nil && !c.ExpiresAt.IsZero() && !c.ExpiresAt.After(now) {
		return nil, nil, &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "expiresAt", Message: tooSoon}
	}
	if err := s.Gates.Prepare(ctx, c.Access, a.Email); err != nil {
		return nil, nil, err
	}
	return s.change(ctx, a, slug, id, func(l *vitrine.Link, r *vitrine.Recipient) error {
		if c.Fills != nil && (c.ExpiresAt != nil || c.Download != nil && *c.Download || c.Access != nil || c.AsLink) {
			if err := c.Fills(l); err != nil {
				return err
			}
		}
		if c.Label != nil {
			r.Label = *c.Label
		}
		if c.Download != nil {
			r.Download = c.Download
		}
		if c.ExpiresAt != nil {
			r.ExpiresAt = *c.ExpiresAt
		}
		if setAccess(r, c.Access); c.AsLink {
			r.Access = nil
		}
		return nil
	})
}

// Revoke revokes a recipient's address. Its readers lose access at once, and
// its numbers stay. Errors: CodeNotFound.
func (s *Service) Revoke(ctx context.Context, a *vitrine.Account, slug string,
	id vitrine.RecipientID) (*vitrine.Link, *vitrine.Recipient, error) {
	now := s.Now().Truncate(time.Millisecond)
	return s.change(ctx, a, slug, id, func(_ *vitrine.Link, r *vitrine.Recipient) error {
		if r.RevokedAt.IsZero() {
			r.RevokedAt = now
		}
		return nil
	})
}

func (s *Service) change(ctx context.Context, a *vitrine.Account, slug string, id vitrine.RecipientID,
	f func(*vitrine.Link, *vitrine.Recipient) error) (l *vitrine.Link, r *vitrine.Recipient, err error) {
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		if l, err = links.OwnLinkByAnySlug(tx, a, slug, s.Now()); err != nil {
			return err
		}
		r, err = tx.Recipient(l.ID, id)
		if errors.Is(err, vitrine.ErrNotFound) {
			return errNone
		}
		if err != nil {
			return err
		}
		before := ownRound(r)
		if err := f(l, r); err != nil {
			return err
		}
		if before != "" && (ownRound(r) != before || !r.RevokedAt.IsZero()) {
			err = tx.DeletePlaces(l.ID, before)
		}
		return errors.Join(err, tx.PutRecipient(r))
	})
	return l, r, err
}

// ownRound returns the round of a recipient's own access, or "".
func ownRound(r *vitrine.Recipient) string {
	if r.Access == nil {
		return ""
	}
	return r.Access.Round
}
