package vitrine

import (
	"crypto/rand"
	"crypto/sha256"
	"hash/crc32"
	"math/big"
	"slices"
	"strings"
	"time"
)

// KeyPrefix begins every API key (contract, Names).
const KeyPrefix = "vtr_"

const (
	base62       = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	keyRandom    = 32
	keyChecksum  = 6
	keyLength    = len(KeyPrefix) + keyRandom + keyChecksum
	KeyNameRunes = 100
)

// APIKey is what is kept of a key; the key itself is shown once and never
// stored.
type APIKey struct {
	ID        KeyID
	Account   AccountID
	Name      string
	Hash      [sha256.Size]byte // SHA-256 of the whole key
	Last4     string
	CreatedAt time.Time
	UsedAt    time.Time // zero: never; kept to the minute
	RevokedAt time.Time // zero: it was not
	ExpiresAt time.Time // zero: it does not
	Scope     KeyScope
	// LinkLife is how long after they were made links may be public that the
	// key makes or edits; 0: any time.
	LinkLife time.Duration
	Replaced bool // another key has taken its place; it is in force until ExpiresAt
}

// KeyScope is what a key may do. Each includes those before it.
type KeyScope string

const (
	ScopeRead    KeyScope = "read"    // lists and reports
	ScopePublish KeyScope = "publish" // also uploads and edits
	ScopeFull    KeyScope = "full"    // also deletes links, and revokes itself
)

// Scopes are all scopes, the least first.
var Scopes = []KeyScope{ScopeRead, ScopePublish, ScopeFull}

// Allows reports whether a scope includes another.
func (s KeyScope) Allows(need KeyScope) bool {
	return slices.Contains(Scopes, need) && slices.Index(Scopes, s) >= slices.Index(Scopes, need)
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

// NewKeyText makes a key: prefix, 32 random base62 characters, and 6 of the
// CRC-32 over both, by which a secret scanner knows a leaked key and a mistyped
// one is refused without a look-up.
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

// KeyTx reads and writes API keys within a transaction.
type KeyTx interface {
	// AddKey gives k.ID. Hashes are unique.
	AddKey(k *APIKey) error
	KeyByHash(hash [32]byte) (*APIKey, error)
	// Keys lists an account's keys, revoked ones too, oldest first.
	Keys(a AccountID) ([]*APIKey, error)
	PutKey(k *APIKey) error
	// DeleteKeys removes all keys of an account.
	DeleteKeys(a AccountID) error
}
