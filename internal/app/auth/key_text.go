package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"hash/crc32"
	"math/big"
	"strings"

	"vitrine"
)

const (
	base62      = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	keyRandom   = 32
	keyChecksum = 6
	keyLength   = len(vitrine.KeyPrefix) + keyRandom + keyChecksum
)

// KeyText is an API key in clear text. It prints only its last four characters.
type KeyText string

func (k KeyText) String() string {
	return "vtr_…" + string(k[max(0, len(k)-4):])
}

// NewKeyText returns a new key: the prefix, 32 random base62 characters, and 6
// characters of the CRC-32 over both. Secret scanners recognize leaked keys by
// the checksum, and a mistyped key is refused without a look-up.
func NewKeyText() KeyText {
	text := vitrine.KeyPrefix
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
	if len(s) != keyLength || !strings.HasPrefix(s, vitrine.KeyPrefix) {
		return "", false
	}
	body := s[:keyLength-keyChecksum]
	return KeyText(s), keySum(body) == s[keyLength-keyChecksum:]
}

// Hash returns the hash that is stored and looked up.
func (k KeyText) Hash() [sha256.Size]byte { return sha256.Sum256([]byte(k)) }
