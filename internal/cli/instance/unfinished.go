package instance

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vitrine"
)

// unfinishedLease is the name of the lease that marks the target of an
// unfinished migration. Such a database must not be served.
const unfinishedLease = "migration"

// MarkUnfinished sets or removes the mark of an unfinished migration.
func MarkUnfinished(ctx context.Context, store vitrine.Store, unfinished bool) error {
	return store.Update(ctx, func(tx vitrine.Tx) error {
		if unfinished {
			return tx.PutLease(&vitrine.Lease{Name: unfinishedLease, Holder: "vitrine admin migrate",
				Until: time.Now().AddDate(100, 0, 0)})
		}
		if err := tx.DeleteLease(unfinishedLease); !errors.Is(err, vitrine.ErrNotFound) {
			return err
		}
		return nil
	})
}

// RefuseUnfinished returns an error for the target of an unfinished migration.
func RefuseUnfinished(ctx context.Context, store vitrine.Store, places Places) error {
	return store.Read(ctx, func(tx vitrine.Tx) error {
		_, err := tx.Lease(unfinishedLease)
		if errors.Is(err, vitrine.ErrNotFound) {
			return nil
		}
		if err == nil {
			err = fmt.Errorf("a migration to %s did not finish: run \"vitrine admin migrate\" again as before, or continue with the old instance", Redacted(places.StorePlace()))
		}
		return err
	})
}
