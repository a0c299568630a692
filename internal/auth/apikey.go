package auth

import (
	"context"
	"errors"
	"time"
	"unicode/utf8"

	"vitrine"
)

// keyUseGrain is how exactly a key's last use is kept: finer would be a write
// for every request.
const keyUseGrain = time.Minute

// Keys is the service of API keys.
type Keys struct {
	Store vitrine.Store
	Now   func() time.Time
}

var errUnauthorized = &vitrine.Error{Code: vitrine.CodeUnauthorized, Message: "The API key is missing, malformed, unknown or revoked. Send it as \"Authorization: Bearer vtr_…\"."}

// Authenticate finds the account of a key. Errors: CodeUnauthorized, CodeBanned
// (contract, Order of checks).
func (s *Keys) Authenticate(ctx context.Context, text string) (*vitrine.Account, error) {
	key, ok := vitrine.ParseKeyText(text)
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
	if s.Now().Sub(k.UsedAt) >= keyUseGrain {
		s.touch(ctx, k.ID, key)
	}
	return a, nil
}

// touch keeps when a key was last used; that it fails is no reason to refuse
// the request.
func (s *Keys) touch(ctx context.Context, id vitrine.KeyID, key vitrine.KeyText) {
	_ = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		k, err := tx.KeyByHash(key.Hash())
		if err != nil {
			return err
		}
		k.UsedAt = s.Now()
		return tx.PutKey(k)
	})
}

// MaxKeys is how many keys in force an account may have.
const MaxKeys = 100

// RotateGrace bounds how long a key stays good beside the one that takes its
// place.
const RotateGrace = 7 * 24 * time.Hour

// Create makes a further key of an account. Errors: CodeInvalidRequest.
func (s *Keys) Create(ctx context.Context, email, name string) (key vitrine.KeyText, err error) {
	if name == "" || utf8.RuneCountInString(name) > vitrine.KeyNameRunes || vitrine.HasControl(name) {
		return "", &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "name", Message: "A key's name has 1 to 100 characters, no control characters."}
	}
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		a, err := vitrine.AccountByEmail(tx, email)
		if err != nil {
			return err
		}
		key, err = s.further(tx, a, name)
		return err
	})
	return key, err
}

// further adds a key within the bound.
func (s *Keys) further(tx vitrine.KeyTx, a *vitrine.Account, name string) (vitrine.KeyText, error) {
	if err := s.room(tx, a.ID); err != nil {
		return "", err
	}
	return addKey(tx, a.ID, name, s.Now())
}

// room refuses a key more than an account may have.
func (s *Keys) room(tx vitrine.KeyTx, a vitrine.AccountID) error {
	keys, err := tx.Keys(a)
	if err != nil {
		return err
	}
	n, now := 0, s.Now()
	for _, k := range keys {
		if k.InForce(now) {
			n++
		}
	}
	if n >= MaxKeys {
		return vitrine.Errorf(vitrine.CodeInvalidRequest, "An account has at most %d keys in force. Revoke one that is not used.", MaxKeys)
	}
	return nil
}

// Rotate makes a key of the same name in place of one, which stays good for a
// while: grace, at most RollGrace; 0: it ends now. Errors: CodeNotFound;
// CodeInvalidRequest for one that has ended.
func (s *Keys) Rotate(ctx context.Context, email string, id vitrine.KeyID, grace time.Duration) (key vitrine.KeyText, err error) {
	if grace < 0 || grace > RotateGrace {
		return "", &vitrine.Error{Code: vitrine.CodeInvalidRequest, Field: "grace", Message: "A key stays good for a week at most beside the new one."}
	}
	err = s.Store.Update(ctx, func(tx vitrine.Tx) error {
		a, k, err := keyOf(tx, email, id)
		if err != nil {
			return err
		}
		now := s.Now()
		if !k.InForce(now) {
			return vitrine.Errorf(vitrine.CodeInvalidRequest, "This key has ended. Create a new one.")
		}
		if end := now.Add(grace); grace == 0 {
			k.RevokedAt = now
		} else if k.ExpiresAt.IsZero() || end.Before(k.ExpiresAt) {
			k.ExpiresAt = end
		}
		if err := tx.PutKey(k); err != nil {
			return err
		}
		key, err = s.further(tx, a, k.Name)
		return err
	})
	return key, err
}

// keyOf finds a key of an account.
func keyOf(tx vitrine.Tx, email string, id vitrine.KeyID) (*vitrine.Account, *vitrine.APIKey, error) {
	a, err := vitrine.AccountByEmail(tx, email)
	if err != nil {
		return nil, nil, err
	}
	keys, err := tx.Keys(a.ID)
	for _, k := range keys {
		if k.ID == id {
			return a, k, nil
		}
	}
	if err == nil {
		err = vitrine.Errorf(vitrine.CodeNotFound, "%s has no key %d.", a.Email, id)
	}
	return nil, nil, err
}

// List tells an account's keys, revoked ones too, oldest first.
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

// Revoke ends a key of an account from the next request on. Revoking again is
// success.
func (s *Keys) Revoke(ctx context.Context, email string, id vitrine.KeyID) error {
	return s.Store.Update(ctx, func(tx vitrine.Tx) error {
		_, k, err := keyOf(tx, email, id)
		if err != nil {
			return err
		}
		if k.RevokedAt.IsZero() {
			k.RevokedAt = s.Now()
		}
		return tx.PutKey(k)
	})
}

// RevokeText ends the key of a request, from the next request on. Errors:
// CodeUnauthorized, CodeBanned.
func (s *Keys) RevokeText(ctx context.Context, text string) error {
	if _, err := s.Authenticate(ctx, text); err != nil {
		return err
	}
	return s.Store.Update(ctx, func(tx vitrine.Tx) error {
		k, err := tx.KeyByHash(vitrine.KeyText(text).Hash())
		if err != nil {
			return err
		}
		if k.RevokedAt.IsZero() {
			k.RevokedAt = s.Now()
		}
		return tx.PutKey(k)
	})
}

func addKey(tx vitrine.KeyTx, a vitrine.AccountID, name string, now time.Time) (vitrine.KeyText, error) {
	text := vitrine.NewKeyText()
	k := &vitrine.APIKey{Account: a, Name: name, Hash: text.Hash(), Last4: string(text[len(text)-4:]), CreatedAt: now}
	return text, tx.AddKey(k)
}
