package signer

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"errors"
)

// ErrSealed is returned for what another secret of the instance has sealed, or
// for another owner.
var ErrSealed = errors.New("sealed with another secret")

// newSealing derives the cipher with which texts are stored.
func newSealing(secret []byte) cipher.AEAD {
	k, err := hkdf.Key(sha256.New, secret, nil, "vitrine seal", sha256.Size)
	if err != nil {
		panic(err) // the length is constant and allowed
	}
	block, err := aes.NewCipher(k)
	if err != nil {
		panic(err)
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		panic(err)
	}
	return gcm
}

// Seal encrypts what is stored and must be read again. Only an instance with
// the same secret can open it, and only with the same owner.
func (s *Signer) Seal(text []byte, owner string) []byte {
	nonce := make([]byte, s.sealing.NonceSize())
	rand.Read(nonce)
	return s.sealing.Seal(nonce, nonce, text, []byte(owner))
}

// Open decrypts what Seal has encrypted. Error: ErrSealed.
func (s *Signer) Open(sealed []byte, owner string) ([]byte, error) {
	n := s.sealing.NonceSize()
	if len(sealed) < n {
		return nil, ErrSealed
	}
	text, err := s.sealing.Open(nil, sealed[:n], sealed[n:], []byte(owner))
	if err != nil {
		return nil, ErrSealed
	}
	return text, nil
}
