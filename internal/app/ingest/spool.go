package ingest

import (
	"context"
	"errors"

	"vitrine"
)

// DrainSpool writes what a server left in its spool into the log, as the server
// itself would at its next start. Nothing else may write to the log or the
// spools meanwhile. Events that are still early after that go to the spool
// early; they are dropped if early is nil.
func DrainSpool(ctx context.Context, store vitrine.Store, log Log, spool, early vitrine.Spool) error {
	v := &Views{Log: log, Spool: spool, Early: early, Owner: LinkOwner(store), EarlyNotice: func(int, int, error) {},
		appendSlot: make(chan struct{}, 1), retryWake: make(chan struct{}, 1)}
	_, err := v.replaySpool(ctx)
	if early != nil {
		_, failed := v.retryOnce(ctx, false)
		err = errors.Join(err, failed)
	}
	return err
}

// LinkOwner returns a function that finds the account of a link. It is 0 when
// the link does not exist, or is deleted and not in the trash.
func LinkOwner(store vitrine.Store) func(context.Context, vitrine.LinkID) (vitrine.AccountID, error) {
	return func(ctx context.Context, id vitrine.LinkID) (a vitrine.AccountID, err error) {
		err = store.Read(ctx, func(tx vitrine.Tx) error {
			l, err := tx.Link(id)
			if a = 0; err == nil && l.Kept() {
				a = l.Account
			}
			return vitrine.NotFoundIsNil(err)
		})
		return a, err
	}
}
