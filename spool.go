package vitrine

import "context"

// DrainSpool puts what a server has left in its spool into the log, as it would itself at its next start. Nobody else writes to either.
func DrainSpool(ctx context.Context, store Store, log ViewLog, spool Spool) error {
	v := &Views{Log: log, Spool: spool, Deleted: (&Links{Store: store}).Deleted, logging: make(chan struct{}, 1)}
	return spool.Replay(ctx, func(b Batch) error { return v.take(ctx, b) })
}
