package vitrine

import (
	"context"
	"errors"
)

// Spool stores batches that the log does not accept, on the disk of this
// machine. Package ingest uses it: several goroutines append while one replays.
//
// Every implementation passes the suite spooltest.Run.
type Spool interface {
	// Append adds a batch. It returns nil once the batch is durable; after an
	// error nothing of it is stored.
	Append(b Batch) error
	// Replay calls f with the batches that exist at the time of the call,
	// oldest first, and deletes what f has accepted: all except what it
	// returns. Successive batches may be merged: all views, then snapshots,
	// then downloads, each in order. Replay ends with the first error of f or
	// its own, or when ctx ends. The rest is replayed next time, perhaps after
	// batches appended since. After a crash, or if the rest cannot be written,
	// accepted entries may be replayed again.
	Replay(ctx context.Context, f func(Batch) (left Batch, err error)) error
	// Empty reports whether there is nothing to replay.
	Empty() bool
}

// ErrNotSpooled is in the chain if views can be written neither to the log nor
// to the spool. All views are refused until one of them has room.
var ErrNotSpooled = errors.New("write the spool")
