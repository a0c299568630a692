package auth

import (
	"crypto/hmac"
	"crypto/rand"
	"encoding/base64"
	"strings"
)

// newSecret returns a secret of 256 random bits, safe in addresses and cookies.
func newSecret() string {
	var b [32]byte
	rand.Read(b[:])
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// SameAccountDevice reports whether two device tokens are for the same account.
// A browser keeps the newest of each.
func SameAccountDevice(a, b string) bool {
	of := func(d string) string { account, _, _ := strings.Cut(d, "."); return account }
	return hmac.Equal([]byte(of(a)), []byte(of(b)))
}
