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

// KeyPrefix is the prefix of every API key (contract, Names).
const KeyPrefix = "vtr_"

const (
	base62       = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	keyRandom    = 32
	keyChecksum  = 6
	keyLength    = len(KeyPrefix) + keyRandom + keyChecksum
	KeyNameRunes = 100
)

// APIKey is a stored API key. The key itself is shown once and never stored.
type APIKey struct {
	ID        KeyID
	Account   AccountID
	Name      string
	Hash      [sha256.Size]byte // SHA-256 of the whole key
	Last4     string
	CreatedAt time.Time
	UsedAt    time.Time // zero if never; stored to the minute
	RevokedAt time.Time // zero if not revoked
	ExpiresAt time.Time // zero if never
	Scope     KeyScope
	// LinkLife limits how long after their creation links that the key creates
	// or edits may be public; 0 means no limit.
	LinkLife time.Duration
	Replaced bool // replaced by another key; valid until ExpiresAt
}

// KeyScope is what a key may do. Each scope includes those before it.
type KeyScope string

const (
	ScopeRead    KeyScope = "read"    // list links and read reports
	ScopePublish KeyScope = "publish" // also upload and edit
	ScopeFull    KeyScope = "full"    // also delete links and manage keys
)

// Scopes lists all scopes, the smallest first.
var Scopes = []KeyScope{ScopeRead, ScopePublish, ScopeFull}

// Allows reports whether a scope includes another.
func (s KeyScope) Allows(need KeyScope) bool {
	return slices.Contains(Scopes, need) && slices.Index(Scopes, s) >= slices.Index(Scopes, need)
}

// InForce reports whether the key is valid at a time.
func (k *APIKey) InForce(now time.Time) bool {
	return k.RevokedAt.IsZero() && (k.ExpiresAt.IsZero() || now.Before(k.ExpiresAt))
}

// KeyText is an API key in clear text. It prints only its last four characters.
type KeyText string

func (k KeyText) String() string {
	return "vtr_…" + string(k[max(0, len(k)-4):])
}

// NewKeyText returns a new key: the prefix, 32 random base62 characters, and 6
// characters of the CRC-32 over both. Secret scanners recognize leaked keys by
// the checksum, and a mistyped key is refused without a look-up.
func NewKeyText() KeyText {
	text := KeyPrefix
	for range keyRandom {
		n, _ := rand.Int(rand.Reader, big.NewInt(int64(len(base62)))) // does not fail
		text += string(base62[n.Int64()])
	}
	return KeyText(text + keySum(text))
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

// ParseKeyText parses a key. It accepts keys that NewKeyText could have
// returned.
func ParseKeyText(s string) (KeyText, bool) {
	if len(s) != keyLength || !strings.HasPrefix(s, KeyPrefix) {
		return "", false
	}
	body := s[:keyLength-keyChecksum]
	return KeyText(s), keySum(body) == s[keyLength-keyChecksum:]
}

// Hash returns the hash that is stored and looked up.
func (k KeyText) Hash() [sha256.Size]byte { return sha256.Sum256([]byte(k)) }

// KeyTx reads and writes API keys within a transaction.
type KeyTx interface {
	// AddKey sets k.ID. Hashes are unique.
	AddKey(k *APIKey) error
	Key(id KeyID) (*APIKey, error)
	KeyByHash(hash [32]byte) (*APIKey, error)
	// CountKeys counts an account's keys in force at a time, and those created
	// after another time, whose oldest was created at first (zero: none).
	CountKeys(a AccountID, now, after time.Time) (inForce, created int64, first time.Time, err error)
	// Keys lists an account's keys, including revoked ones, oldest first.
	Keys(a AccountID) ([]*APIKey, error)
	PutKey(k *APIKey) error
	// DeleteKeys deletes all keys of an account.
	DeleteKeys(a AccountID) error
	// TrimKeys deletes an account's ended keys, but not its newest n keys.
	TrimKeys(a AccountID, now time.Time, n int) error
	// ExpireKeys deletes keys that ended before a time.
	ExpireKeys(before time.Time) (int64, error)
}
