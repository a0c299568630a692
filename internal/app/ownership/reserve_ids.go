package ownership

import (
	"context"
	"fmt"

	"vitrine"
)

// IDSource knows accounts and links by their numbers: a ViewLog, or a spool.
type IDSource interface {
	// HighestIDs returns the highest known IDs of an account and a link, or 0
	// if none.
	HighestIDs(ctx context.Context) (vitrine.AccountID, vitrine.LinkID, error)
}

// ReserveIDs makes the store skip IDs that something else knows: a new owner
// would see another's views (promise 9). If the store had to skip any, it was
// restored to an earlier moment than its log, or the two do not belong
// together. ReserveIDs then returns a warning, otherwise "".
func ReserveIDs(ctx context.Context, store vitrine.Store, all ...IDSource) (warning string, err error) {
	var a vitrine.AccountID
	var l vitrine.LinkID
	for _, k := range all {
		account, link, err := k.HighestIDs(ctx)
		if err != nil {
			return "", fmt.Errorf("read the highest account and link of the view log: %w", err)
		}
		a, l = max(a, account), max(l, link)
	}
	passed := false
	err = store.Update(ctx, func(tx vitrine.Tx) error {
		passed, err = tx.ReserveIDs(a, l)
		return err
	})
	if err != nil || !passed {
		return "", err
	}
	return fmt.Sprintf("the view log knows accounts up to number %d and links up to number %d, which the database has not assigned yet: it was restored to an earlier moment than the log, or one of the two belongs to another instance. New accounts and links get higher numbers, so that nobody sees the views of others; \"vitrine admin audit\" lists views of links that do not exist", a, l), nil
}
