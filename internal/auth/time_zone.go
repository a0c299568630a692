package auth

import (
	"context"

	"vitrine"
)

// SetTimeZone changes the time zone of an account's reports in the app to one
// that reports can have; "" is UTC.
func (s *Accounts) SetTimeZone(ctx context.Context, id vitrine.AccountID, zone string) error {
	return s.Store.Update(ctx, func(tx vitrine.Tx) error {
		a, err := tx.Account(id)
		if err != nil || a.TimeZone == zone {
			return err
		}
		a.TimeZone = zone
		return tx.PutAccount(a)
	})
}
