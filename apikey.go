package vitrine

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"hash/crc32"
	"math/big"
	"strings"
	"time"
	"unicode/utf8"
)

// KeyPrefix begins every API key (contract, Names).
const KeyPrefix = "vtr_"

const (
	base62       = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	keyRandom    = 32
	keyChecksum  = 6
	keyLength    = len(KeyPrefix) + keyRandom + keyChecksum
	keyNameRunes = 100
)

// APIKey is what is kept of a key; the key itself is shown once and never stored.
type APIKey struct {
	ID        KeyID
	Account   AccountID
	Name      string
	Hash      [sha256.Size]byte // SHA-256 of the whole key
	Last4     string
	CreatedAt time.Time
	UsedAt    time.Time // zero: never; kept to the minute
	RevokedAt time.Time // zero: it was not
	ExpiresAt time.Time // zero: it does not; set when another key takes its place
}

// InForce reports whether a key is good at a time.
func (k *APIKey) InForce(now time.Time) bool {
	return k.RevokedAt.IsZero() && (k.ExpiresAt.IsZero() || now.Before(k.ExpiresAt))
}

// KeyText is an API key in clear. It prints as its last four characters only.
type KeyText string

func (k KeyText) String() string {
	if len(k) < 4 {
		return "vtr_…"
	}
	return "vtr_…" + string(k[len(k)-4:])
}

// NewKeyText makes a key: prefix, 32 random base62 characters, and 6 of the CRC-32 over both, by which a secret scanner knows
// a leaked key and a mistyped one is refused without a look-up.
func NewKeyText() KeyText {
	var b strings.Builder
	b.WriteString(KeyPrefix)
	for range keyRandom {
		n, err := rand.Int(rand.Reader, big.NewInt(int64(len(base62))))
		if err != nil {
			panic(err) // crypto/rand does not fail
		}
		b.WriteByte(base62[n.Int64()])
	}
	return KeyText(b.String() + keySum(b.String()))
}

func keySum(s string) string {
	n := crc32.ChecksumIEEE([]byte(s))
	var b [keyChecksum]byte
	for i := keyChecksum - 1; i >= 0; i-- {
		b[i] = base62[n%62]
		n /= 62
	}
	return string(b[:])
}

// ParseKeyText accepts a key that NewKeyText could have made.
func ParseKeyText(s string) (KeyText, bool) {
	if len(s) != keyLength || !strings.HasPrefix(s, KeyPrefix) {
		return "", false
	}
	body := s[:keyLength-keyChecksum]
	return KeyText(s), keySum(body) == s[keyLength-keyChecksum:]
}

// Hash is what is stored and looked up.
func (k KeyText) Hash() [sha256.Size]byte { return sha256.Sum256([]byte(k)) }

// keyUseGrain is how exactly a key's last use is kept: finer would be a write for every request.
const keyUseGrain = time.Minute

// Keys is the service of API keys.
type Keys struct {
	Store Store
	Now   func() time.Time
}

var errUnauthorized = &Error{Code: CodeUnauthorized, Message: "The API key is missing, malformed, unknown or revoked. Send it as \"Authorization: Bearer vtr_…\"."}

// Authenticate finds the account of a key. Errors: CodeUnauthorized, CodeBanned (contract, Order of checks).
func (s *Keys) Authenticate(ctx context.Context, text string) (*Account, error) {
	key, ok := ParseKeyText(text)
	if !ok {
		return nil, errUnauthorized
	}
	var k *APIKey
	var a *Account
	err := s.Store.Read(ctx, func(tx Tx) (err error) {
		if k, err = tx.KeyByHash(key.Hash()); err != nil {
			return err
		}
		a, err = tx.Account(k.Account)
		return err
	})
	switch {
	case errors.Is(err, ErrNotFound), err == nil && !k.InForce(s.Now()):
		return nil, errUnauthorized
	case err != nil:
		return nil, err
	case a.Banned:
		return nil, errBanned
	}
	if s.Now().Sub(k.UsedAt) >= keyUseGrain {
		s.touch(ctx, k.ID, key)
	}
	return a, nil
}

// touch keeps when a key was last used; that it fails is no reason to refuse the request.
func (s *Keys) touch(ctx context.Context, id KeyID, key KeyText) {
	_ = s.Store.Update(ctx, func(tx Tx) error {
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

// RotateGrace bounds how long a key stays good beside the one that takes its place.
const RotateGrace = 7 * 24 * time.Hour

// Create makes a further key of an account. Errors: CodeInvalidRequest.
func (s *Keys) Create(ctx context.Context, email, name string) (key KeyText, err error) {
	if name == "" || utf8.RuneCountInString(name) > keyNameRunes || hasControl(name) {
		return "", &Error{Code: CodeInvalidRequest, Field: "name", Message: "A key's name has 1 to 100 characters, no control characters."}
	}
	err = s.Store.Update(ctx, func(tx Tx) error {
		a, err := accountByEmail(tx, email)
		if err != nil {
			return err
		}
		key, err = s.further(tx, a, name)
		return err
	})
	return key, err
}

// further adds a key within the bound.
func (s *Keys) further(tx Tx, a *Account, name string) (KeyText, error) {
	if err := s.room(tx, a.ID); err != nil {
		return "", err
	}
	return addKey(tx, a.ID, name, s.Now())
}

// room refuses a key more than an account may have.
func (s *Keys) room(tx Tx, a AccountID) error {
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
		return Errorf(CodeInvalidRequest, "An account has at most %d keys in force. Revoke one that is not used.", MaxKeys)
	}
	return nil
}

// Rotate makes a key of the same name in place of one, which stays good for a while: grace, at most RollGrace; 0: it ends now. Errors:
// CodeNotFound; CodeInvalidRequest for one that has ended.
func (s *Keys) Rotate(ctx context.Context, email string, id KeyID, grace time.Duration) (key KeyText, err error) {
	if grace < 0 || grace > RotateGrace {
		return "", &Error{Code: CodeInvalidRequest, Field: "grace", Message: "A key stays good for a week at most beside the new one."}
	}
	err = s.Store.Update(ctx, func(tx Tx) error {
		a, k, err := keyOf(tx, email, id)
		if err != nil {
			return err
		}
		now := s.Now()
		if !k.InForce(now) {
			return Errorf(CodeInvalidRequest, "This key has ended. Create a new one.")
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
func keyOf(tx Tx, email string, id KeyID) (*Account, *APIKey, error) {
	a, err := accountByEmail(tx, email)
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
		err = Errorf(CodeNotFound, "%s has no key %d.", a.Email, id)
	}
	return nil, nil, err
}

// List tells an account's keys, revoked ones too, oldest first.
func (s *Keys) List(ctx context.Context, email string) (keys []*APIKey, err error) {
	err = s.Store.Read(ctx, func(tx Tx) error {
		a, err := accountByEmail(tx, email)
		if err != nil {
			return err
		}
		keys, err = tx.Keys(a.ID)
		return err
	})
	return keys, err
}

// Revoke ends a key of an account from the next request on. Revoking again is success.
func (s *Keys) Revoke(ctx context.Context, email string, id KeyID) error {
	return s.Store.Update(ctx, func(tx Tx) error {
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

// RevokeText ends the key of a request, from the next request on. Errors: CodeUnauthorized, CodeBanned.
func (s *Keys) RevokeText(ctx context.Context, text string) error {
	if _, err := s.Authenticate(ctx, text); err != nil {
		return err
	}
	return s.Store.Update(ctx, func(tx Tx) error {
		k, err := tx.KeyByHash(KeyText(text).Hash())
		if err != nil {
			return err
		}
		if k.RevokedAt.IsZero() {
			k.RevokedAt = s.Now()
		}
		return tx.PutKey(k)
	})
}

func addKey(tx Tx, a AccountID, name string, now time.Time) (KeyText, error) {
	text := NewKeyText()
	k := &APIKey{Account: a, Name: name, Hash: text.Hash(), Last4: string(text[len(text)-4:]), CreatedAt: now}
	return text, tx.AddKey(k)
}
