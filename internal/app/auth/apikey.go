package auth

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"vitrine"
	"vitrine/internal/filetype"
)

// keyUseResolution is the precision of a key's last use. A finer one would need
// a write for every request.
const keyUseResolution = time.Minute

// Keys implements the use cases of API keys.
type Keys struct {
	Store  vitrine.Store
	Now    func() time.Time
	Owners *Accounts // sends messages about new keys; nil: none

	by vitrine.Actor // zero: the owner of the account
}

// ByAdministrator returns a copy for the person at the command line of the
// server.
func (s Keys) ByAdministrator() *Keys {
	s.by = vitrine.Administrator
	return &s
}

var errUnauthorized = &vitrine.Error{Code: vitrine.CodeUnauthorized,
	Message: "The API key is missing, malformed, unknown or revoked. Send it as \"Authorization: Bearer vtr_…\"."}

// Caller is the sender of a request: an account and its key.
type Caller struct {
	*vitrine.Account
	Key *vitrine.APIKey
}

// Need returns CodeForbidden if the caller's key does not have a scope.
func (c *Caller) Need(scope vitrine.KeyScope) error {
	if c.Key.Scope.Allows(scope) {
		return nil
	}
	return vitrine.Errorf(vitrine.CodeForbidden, "This API key has the scope %s, but the request needs %s. Use a key with that scope.", c.Key.Scope, scope)
}

// MayChange returns CodeForbidden if the caller's key limits how long its links
// are public, and a link is public for longer: what the key publishes there
// would never end.
func (c *Caller) MayChange(l *vitrine.Link) error {
	if c.Key == nil || c.Key.LinkLife == 0 {
		return nil
	}
	if most := l.CreatedAt.Add(c.Key.LinkLife); l.ExpiresAt.IsZero() || l.ExpiresAt.After(most) {
		return vitrine.Errorf(vitrine.CodeForbidden, "This API key limits how long its links are public, "+
			"and the link %s expires later than that, or never. Use another key, or let the link expire by %s.",
			l.Slug, most.UTC().Format(time.RFC3339))
	}
	return nil
}

// Authenticate finds the account of a key. Errors: CodeUnauthorized, CodeBanned
// (contract, Order of checks).
func (s *Keys) Authenticate(ctx context.Context, text string) (*Caller, error) {
	key, ok := ParseKeyText(text)
	if !ok {
		return nil, errUnauthorized
	}
	var k *vitrine.APIKey
	var a *vitrine.Account
	err := s.Store.Read(ctx, func(tx vitrine.Tx) (err error) {
		if k, err = tx.KeyByHash(key.Hash()); err != nil {
			return err
		}
		a, err = tx.Account(k.Account)
		return err
	})
	switch {
	case errors.Is(err, vitrine.ErrNotFound), err == nil && !k.InForce(s.Now()):
		return nil, errUnauthorized
	case err != nil:
		return nil, err
	case a.Banned:
		return nil, vitrine.ErrBanned
	}
	if s.Now().Sub(k.UsedAt) >= keyUseResolution {
		s.touch(ctx, key)
	}
	return &Caller{a, k}, nil
}

// touch records when a key was last used. A failure must not fail the request.
func (s *Keys) touch(ctx context.Context, key KeyText) {
	_ = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		k, err := tx.KeyByHash(key.Hash())
		if err != nil {
			return err
		}
		k.UsedAt = s.Now()
		return tx.PutKey(k)
	})
}

// The limits of an account's keys. Ended keys remain in its list for a time.
const (
	MaxKeys      = 100                 // in force
	keysPerHour  = 100                 // new ones
	endedKeysFor = 90 * 24 * time.Hour // after their end
	keysInAll    = 1000                // beyond these, the oldest ended ones are deleted
)

// RotateGrace is how long at most a replaced key stays valid.
const RotateGrace = 7 * 24 * time.Hour

// KeyRequest describes a new key.
type KeyRequest struct {
	Name      string
	Scope     vitrine.KeyScope
	ExpiresAt time.Time     // zero if never
	LinkLife  time.Duration // for a key that publishes, see [vitrine.APIKey]
	code      string        // see [vitrine.APIKey]
}

// minLinkLife is the shortest limit for the links of a key.
const minLinkLife = time.Minute

var errScope = &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "scope",
	Message: "The scope of a key must be read, publish or full."}

func (r *KeyRequest) check(now time.Time) error {
	wrong := func(field, message string) error {
		return &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: field, Message: message}
	}
	switch {
	case r.Name == "" || utf8.RuneCountInString(r.Name) > vitrine.KeyNameRunes || filetype.HasControl(r.Name):
		return wrong("name", "The name of a key must have 1 to 100 characters and no control characters.")
	case !slices.Contains(vitrine.Scopes, r.Scope):
		return errScope
	case !r.ExpiresAt.IsZero() && !r.ExpiresAt.After(now):
		return wrong("expiresAt", "The key would have expired already. Choose a later time.")
	case r.LinkLife != 0 && r.Scope != vitrine.ScopePublish:
		return wrong("linkLife", "Only a key with the scope publish limits how long its links are public.")
	case r.LinkLife != 0 && r.LinkLife < minLinkLife:
		return wrong("linkLife", "Links of a key must be public for at least a minute.")
	}
	return nil
}

// NewKey is a key that was just created, with its text, which is not stored.
type NewKey struct {
	*vitrine.APIKey
	Text    KeyText
	OldEnds time.Time // when the key that it replaces stops; zero if none
}

// Create creates another key of the account of a session, which must be fresh
// (GiveFactor). Errors: CodeInvalidRequest.
func (s *Keys) Create(ctx context.Context, session *vitrine.Session, r KeyRequest) (NewKey, error) {
	return s.create(ctx, r, func(tx vitrine.Tx) (*vitrine.Account, error) {
		return freshAccount(tx, session, s.Now())
	})
}

// CreateFor is Create for the administrator.
func (s *Keys) CreateFor(ctx context.Context, email string, r KeyRequest) (NewKey, error) {
	return s.create(ctx, r, func(tx vitrine.Tx) (*vitrine.Account, error) { return vitrine.AccountByEmail(tx, email) })
}

func (s *Keys) create(ctx context.Context, r KeyRequest,
	owner func(vitrine.Tx) (*vitrine.Account, error)) (key NewKey, err error) {
	if err := r.check(s.Now()); err != nil {
		return key, err
	}
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		a, err := owner(tx)
		if err != nil {
			return err
		}
		key, err = s.addLimited(tx, a, vitrine.ActionKey, r)
		return err
	})
	if err == nil {
		s.Owners.notify()
	}
	return key, err
}

// CreateBy creates another key of the caller's account. It expires no later
// than the caller's key. The caller needs the scope full, so the new key never
// has a larger one. Errors: CodeForbidden, CodeInvalidRequest; CodeUnauthorized
// and CodeBanned if that changed since the request began.
func (s *Keys) CreateBy(ctx context.Context, c *Caller, r KeyRequest) (key NewKey, err error) {
	if err := errors.Join(c.Need(vitrine.ScopeFull), r.check(s.Now())); err != nil {
		return key, err
	}
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		own, err := tx.KeyByHash(c.Key.Hash)
		if errors.Is(err, vitrine.ErrNotFound) || err == nil && !own.InForce(s.Now()) {
			return errUnauthorized
		}
		if err != nil {
			return err
		}
		if last := own.ExpiresAt; !last.IsZero() && (r.ExpiresAt.IsZero() || r.ExpiresAt.After(last)) {
			return &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "expiresAt",
				Message: "This API key expires at " + last.UTC().Format(time.RFC3339) +
					", and a key that it creates cannot expire later."}
		}
		a, err := tx.Account(own.Account)
		if err == nil && a.Banned {
			err = vitrine.ErrBanned
		}
		if err == nil {
			key, err = s.addLimited(tx, a, vitrine.ActionKey, r)
		}
		return err
	})
	if err == nil {
		s.Owners.notify()
	}
	return key, err
}

// addLimited adds a key within the limits, and to the activity of its account.
// Errors: CodeInvalidRequest if the account has MaxKeys; CodeRateLimited.
func (s *Keys) addLimited(tx vitrine.Tx, a *vitrine.Account, action vitrine.Action, r KeyRequest) (NewKey, error) {
	if err := s.checkLimit(tx, a.ID); err != nil {
		return NewKey{}, err
	}
	if err := tx.TrimKeys(a.ID, s.Now(), keysInAll); err != nil {
		return NewKey{}, err
	}
	key, err := addKey(tx, a.ID, r, s.Now())
	if err == nil {
		err = s.noteKey(tx, a, action, key.APIKey)
	}
	return key, err
}

// checkLimit returns an error if an account may not have another key now.
func (s *Keys) checkLimit(tx vitrine.KeyTx, a vitrine.AccountID) error {
	now := s.Now()
	inForce, created, first, err := tx.CountKeys(a, now, now.Add(-time.Hour))
	switch {
	case err != nil:
		return err
	case inForce >= MaxKeys:
		return vitrine.Errorf(vitrine.CodeInvalidRequest,
			"An account can have %d active keys. Revoke one you no longer use.", MaxKeys)
	case created >= keysPerHour:
		return &vitrine.Error{Code: vitrine.CodeRateLimited,
			RetryAfter: min(max(first.Add(time.Hour).Sub(now), time.Second), time.Hour),
			Message:    fmt.Sprintf("An account can create %d keys an hour.", keysPerHour)}
	}
	return nil
}

// Rotate creates a key with the same name, scope and expiry as another one of
// the account of a session, which must be fresh (GiveFactor), and replaces it.
// The old key stays valid for grace, at most RotateGrace; 0 ends it
// immediately. Errors: CodeNotFound; CodeInvalidRequest for a key that has
// ended or was replaced.
func (s *Keys) Rotate(ctx context.Context, session *vitrine.Session, id vitrine.KeyID,
	grace time.Duration) (NewKey, error) {
	return s.rotate(ctx, id, grace, func(tx vitrine.Tx) (*vitrine.Account, error) {
		return freshAccount(tx, session, s.Now())
	})
}

// RotateFor is Rotate for the administrator.
func (s *Keys) RotateFor(ctx context.Context, email string, id vitrine.KeyID,
	grace time.Duration) (NewKey, error) {
	return s.rotate(ctx, id, grace, func(tx vitrine.Tx) (*vitrine.Account, error) {
		return vitrine.AccountByEmail(tx, email)
	})
}

func (s *Keys) rotate(ctx context.Context, id vitrine.KeyID, grace time.Duration,
	owner func(vitrine.Tx) (*vitrine.Account, error)) (key NewKey, err error) {
	if grace < 0 || grace > RotateGrace {
		return key, &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "grace",
			Message: "The old key can stay valid for one week at most."}
	}
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		a, err := owner(tx)
		if err != nil {
			return err
		}
		k, err := keyOf(tx, a, id)
		if err != nil {
			return err
		}
		now := s.Now()
		if !k.InForce(now) {
			return vitrine.Errorf(vitrine.CodeInvalidRequest, "This key has ended. Create a new one.")
		}
		if k.Replaced {
			return vitrine.Errorf(vitrine.CodeInvalidRequest, "This key was already rotated. Rotate the new one.")
		}
		next := KeyRequest{Name: k.Name, Scope: k.Scope, ExpiresAt: k.ExpiresAt, LinkLife: k.LinkLife}
		k.Replaced = true
		if end := now.Add(grace); grace == 0 {
			k.RevokedAt = now
		} else if k.ExpiresAt.IsZero() || end.Before(k.ExpiresAt) {
			k.ExpiresAt = end
		}
		if err := tx.PutKey(k); err != nil {
			return err
		}
		key, err = s.addLimited(tx, a, vitrine.ActionRotate, next)
		if key.OldEnds = k.ExpiresAt; grace == 0 {
			key.OldEnds = now
		}
		return err
	})
	if err == nil {
		s.Owners.notify()
	}
	return key, err
}

// keyOf finds a key of an account.
func keyOf(tx vitrine.Tx, a *vitrine.Account, id vitrine.KeyID) (*vitrine.APIKey, error) {
	k, err := tx.Key(id)
	if errors.Is(err, vitrine.ErrNotFound) || err == nil && k.Account != a.ID {
		err = vitrine.Errorf(vitrine.CodeNotFound, "%s has no key %d.", a.Email, id)
	}
	return k, err
}

func keyByEmail(tx vitrine.Tx, email string, id vitrine.KeyID) (*vitrine.APIKey, error) {
	a, err := vitrine.AccountByEmail(tx, email)
	if err != nil {
		return nil, err
	}
	return keyOf(tx, a, id)
}

// LinkCounts counts the links of an account by the key that created them.
func (s *Keys) LinkCounts(ctx context.Context, a *vitrine.Account) (made map[vitrine.KeyID]int64, err error) {
	return vitrine.Read(ctx, s.Store, func(tx vitrine.Tx) (map[vitrine.KeyID]int64, error) {
		return tx.LinksByKey(a.ID)
	})
}

// List returns an account's keys, including revoked ones, oldest first.
func (s *Keys) List(ctx context.Context, email string) (keys []*vitrine.APIKey, err error) {
	err = s.Store.Read(ctx, func(tx vitrine.Tx) error {
		a, err := vitrine.AccountByEmail(tx, email)
		if err != nil {
			return err
		}
		keys, err = tx.Keys(a.ID)
		return err
	})
	return keys, err
}

// ByID finds a key of an account. Errors: CodeNotFound.
func (s *Keys) ByID(ctx context.Context, email string, id vitrine.KeyID) (*vitrine.APIKey, error) {
	return vitrine.Read(ctx, s.Store, func(tx vitrine.Tx) (*vitrine.APIKey, error) {
		return keyByEmail(tx, email, id)
	})
}

// Revoke revokes a key of an account, from the next request on. Revoking it
// again is not an error.
func (s *Keys) Revoke(ctx context.Context, email string, id vitrine.KeyID) (k *vitrine.APIKey, err error) {
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		if k, err = keyByEmail(tx, email, id); err != nil {
			return err
		}
		if k.RevokedAt.IsZero() {
			k.RevokedAt = s.Now()
		}
		return tx.PutKey(k)
	})
	return k, err
}

// RevokeOwn revokes the key of a request, from the next request on.
func (s *Keys) RevokeOwn(ctx context.Context, c *Caller) error {
	return s.Store.Update(ctx, func(tx vitrine.Tx) error {
		k, err := tx.KeyByHash(c.Key.Hash)
		if err != nil {
			return err
		}
		if k.RevokedAt.IsZero() {
			k.RevokedAt = s.Now()
		}
		return tx.PutKey(k)
	})
}

func addKey(tx vitrine.KeyTx, a vitrine.AccountID, r KeyRequest, now time.Time) (NewKey, error) {
	text := NewKeyText()
	k := &vitrine.APIKey{Account: a, Name: r.Name, Hash: text.Hash(), Last4: string(text[len(text)-4:]), CreatedAt: now,
		Scope: r.Scope, ExpiresAt: r.ExpiresAt, LinkLife: r.LinkLife, Code: r.code}
	return NewKey{APIKey: k, Text: text}, tx.AddKey(k)
}
