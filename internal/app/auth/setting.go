package auth

import (
	"context"

	"vitrine"
)

// SetTimeZone sets the time zone in which the app shows an account's reports:
// an IANA name that reports support, or "" for UTC.
func (s *Accounts) SetTimeZone(ctx context.Context, id vitrine.AccountID, zone string) error {
	return s.set(ctx, id, zone, func(a *vitrine.Account) *string { return &a.TimeZone })
}

// Dismiss hides a notice, by its key, from an account until the account
// dismisses another one.
func (s *Accounts) Dismiss(ctx context.Context, id vitrine.AccountID, notice string) error {
	return s.set(ctx, id, notice, func(a *vitrine.Account) *string { return &a.Dismissed })
}

// set changes a setting of an account. It writes nothing if the value is the
// same.
func (s *Accounts) set(ctx context.Context, id vitrine.AccountID, value string,
	field func(*vitrine.Account) *string) error {
	return s.Store.Update(ctx, func(tx vitrine.Tx) error {
		a, err := tx.Account(id)
		if err != nil || *field(a) == value {
			return err
		}
		*field(a) = value
		return tx.PutAccount(a)
	})
}
