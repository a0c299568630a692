package instance

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"vitrine"
	"vitrine/internal/base/signer"
)

// Names of secrets in the Store.
const (
	signingSecret = "signing" // signs all tokens of an instance
	namesSecret   = "names"   // the first signing secret, if it was rotated
)

// signerOf returns the signer of an instance.
func signerOf(ctx context.Context, store vitrine.Store) (*signer.Signer, error) {
	secret, err := secretOf(ctx, store)
	if err != nil {
		return nil, err
	}
	names, err := vitrine.Read(ctx, store, func(tx vitrine.Tx) ([]byte, error) { return tx.Secret(namesSecret) })
	if errors.Is(err, vitrine.ErrNotFound) {
		return signer.New(secret), nil
	}
	return signer.New(secret).NamedBy(names), err
}

// secretOf returns the secret of an instance. The first start creates it.
func secretOf(ctx context.Context, store vitrine.Store) (secret []byte, err error) {
	read := func(tx vitrine.Tx) (err error) {
		secret, err = tx.Secret(signingSecret)
		return err
	}
	if err = store.Read(ctx, read); !errors.Is(err, vitrine.ErrNotFound) {
		return secret, err
	}
	err = store.Update(ctx, func(tx vitrine.Tx) error {
		err := read(tx)
		if !errors.Is(err, vitrine.ErrNotFound) {
			return err // another process created it first
		}
		secret = make([]byte, 32)
		rand.Read(secret)
		return tx.PutSecret(signingSecret, secret)
	})
	return secret, err
}

// RotateSecret replaces the signing secret, and keeps the first one for names.
func RotateSecret(tx vitrine.Tx) error {
	old, err := tx.Secret(signingSecret)
	if err != nil {
		return fmt.Errorf("read the secret: %w", err)
	}
	if _, err = tx.Secret(namesSecret); errors.Is(err, vitrine.ErrNotFound) {
		err = tx.PutSecret(namesSecret, old)
	}
	secret := make([]byte, len(old))
	rand.Read(secret)
	return errors.Join(err, tx.PutSecret(signingSecret, secret))
}
