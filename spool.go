package vitrine

import (
	"context"
	"errors"
)

// Spool keeps, on the disk of this machine, batches that the log does not take.
// Views is its only user: some goroutines append, one replays, at the same
// time.
//
// Every implementation passes the suite spooltest.Run.
type Spool interface {
	// Append adds a batch. nil: it is durable. Otherwise the caller is told
	// that nothing was kept.
	Append(b Batch) error
	// Replay calls f with what was there when it was called, oldest first, and
	// forgets what f has taken: all but what it returns. Successive batches may
	// come as one: the views of all, then the snapshots, then the downloads,
	// each in their order. Replay ends with the first error of f, with its own,
	// or when ctx has ended. What is left comes again with the next one,
	// perhaps after what has been appended since; after a crash, or where what
	// is left cannot be written, some of what was taken comes once more.
	Replay(ctx context.Context, f func(Batch) (left Batch, err error)) error
	// Empty reports whether there is nothing to replay.
	Empty() bool
}

// ErrNotSpooled is in the chain when views can be written neither to the log
// nor to the spool, so that all are refused until one of them has room.
var ErrNotSpooled = errors.New("write the spool")
