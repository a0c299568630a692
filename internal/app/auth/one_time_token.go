package auth

import (
	"context"
	"errors"
	"time"

	"vitrine"
)

var errToken = vitrine.Errorf(vitrine.CodeUnauthorized,
	"This address does not work: it is incomplete, was used, was replaced by a newer one, or has expired.")

// addOneTimeToken adds a token and returns its secret. It replaces a token of
// the same purpose and address.
func addOneTimeToken(tx vitrine.OneTimeTokenTx, t vitrine.OneTimeToken, now time.Time) (vitrine.TokenText, error) {
	text := vitrine.TokenText(newSecret())
	t.Hash, t.CreatedAt = text.Hash(), now
	if life := vitrine.TokenPurposes[t.Purpose]; life > 0 {
		t.ExpiresAt = now.Add(life)
	}
	return text, tx.AddOneTimeToken(&t)
}

// addSignInToken creates a token for an account, which the administrator passes
// on. Errors: CodeNotFound, CodeBanned.
func addSignInToken(ctx context.Context, store vitrine.Store, email string, p vitrine.TokenPurpose,
	now func() time.Time) (text vitrine.TokenText, err error) {
	err = store.Update(ctx, func(tx vitrine.Tx) error {
		a, err := vitrine.AccountByEmail(tx, email)
		if err != nil {
			return err
		}
		if a.Banned {
			return vitrine.Errorf(vitrine.CodeBanned, "The account %s is suspended.", a.Email)
		}
		text, err = addOneTimeToken(tx, vitrine.OneTimeToken{Purpose: p, Account: a.ID, Email: a.Email}, now())
		return err
	})
	return text, err
}

// findOneTimeToken finds a valid token with one of the purposes. Errors:
// CodeUnauthorized, for any invalid token.
func findOneTimeToken(tx vitrine.OneTimeTokenTx, text string, now time.Time,
	purposes ...vitrine.TokenPurpose) (*vitrine.OneTimeToken, error) {
	t, err := tx.OneTimeTokenByHash(vitrine.TokenText(text).Hash())
	if errors.Is(err, vitrine.ErrNotFound) {
		return nil, errToken
	}
	if err != nil {
		return nil, err
	}
	if !t.ExpiresAt.IsZero() && (!now.Before(t.ExpiresAt) || t.CreatedAt.After(now.Add(vitrine.ClockJump))) {
		return nil, errToken
	}
	for _, p := range purposes {
		if t.Purpose == p {
			return t, nil
		}
	}
	return nil, errToken
}
