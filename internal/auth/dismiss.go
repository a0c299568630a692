package auth

import (
	"context"

	"vitrine"
)

// Dismiss hides a notice, by its key, from an account until the account
// dismisses another one.
func (s *Accounts) Dismiss(ctx context.Context, id vitrine.AccountID, notice string) error {
	return s.Store.Update(ctx, func(tx vitrine.Tx) error {
		a, err := tx.Account(id)
		if err != nil || a.Dismissed == notice {
			return err
		}
		a.Dismissed = notice
		return tx.PutAccount(a)
	})
}
