package vitrine

import (
	"context"
	"errors"
)

// DrainSpool puts what a server has left in its spool into the log, as it would itself at its next start. Nobody else writes to any of these.
// What is early goes to a spool of its own, as far as its open is not there after that, or nowhere: early may be nil.
func DrainSpool(ctx context.Context, store Store, log ViewLog, spool, early Spool) error {
	v := &Views{Log: log, Spool: spool, Early: early, Owner: (&Links{Store: store}).Owner, EarlyNotice: func(int, int, error) {},
		logging: make(chan struct{}, 1), waiting: make(chan struct{}, 1)}
	_, err := v.replaySpool(ctx)
	if early != nil {
		_, failed := v.retryOnce(ctx, false)
		err = errors.Join(err, failed)
	}
	return err
}
