// Package ownership makes sure that the files ([Storage]) and the view log
// ([Pair]) of an instance belong to its store.
package ownership

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"vitrine"
)

// recordSecret is the name of the secret in which the store keeps what it knows
// of its log.
const recordSecret = "view log"

// ErrLoss reports that a log is not the store's, or has lost changes. Errors of
// Check and Record that report such a loss match it (errors.Is).
var ErrLoss = errors.New("the view log lacks views")

type loss string

func (e loss) Error() string        { return string(e) }
func (e loss) Is(target error) bool { return target == ErrLoss }

const (
	errEmpty         = loss("it is empty, but the database of accounts and links belongs to a view log with views")
	errWrongInstance = loss("it belongs to another instance, or is one that was replaced")
)

func errOlder(has, known int64) error {
	return loss(fmt.Sprintf("it is older than the database of accounts and links: it ends with change %d, and change %d was recorded", has, known))
}

// Log is what this package uses of [vitrine.ViewLog].
type Log interface {
	Position(ctx context.Context) (vitrine.LogPosition, error)
	SetMark(ctx context.Context, old, mark int64) error
}

// Pair is a store and the log that is to be its own. It notices when the log is
// another one, or has lost changes that the store knows of.
//
// The log has a mark, a random number. The store keeps a copy of the mark and
// the number of a recent change of the log (vitrine.LogPosition). The store
// learns both after the log has made them durable, so that no crash makes the
// store know more than the log has. A log with no mark, with another mark, or
// with fewer changes than the store knows of is refused until an administrator
// accepts the loss.
//
// It does not detect the loss of changes since the last Record, nor a store
// that was restored to an earlier moment than its log. In the second case no
// views are lost.
type Pair struct {
	Store vitrine.Store
	Log   Log
}

// HasLog reports whether a store has a log already.
func HasLog(ctx context.Context, store vitrine.Store) (bool, error) {
	r, err := Pair{Store: store}.record(ctx)
	return r.Mark != 0, err
}

// maxTries bounds how often other processes may come between the steps of
// Check.
const maxTries = 10

// Check returns an ErrLoss for a log that is not the store's, or is an older
// state of it. A store that has no log yet gets this one.
func (p Pair) Check(ctx context.Context) error {
	for range maxTries {
		known, err := p.record(ctx) // before the log's position, which only grows
		if err != nil {
			return err
		}
		has, err := p.Log.Position(ctx)
		switch {
		case err != nil:
			return err
		case known.Mark == has.Mark && known.Mark != 0:
			if has.Last < known.Last {
				return errOlder(has.Last, known.Last)
			}
			return nil
		case known.Mark != 0 && has.Mark == 0:
			return errEmpty
		case known.Mark != 0:
			return errWrongInstance
		case has.Mark == 0:
			err = p.Log.SetMark(ctx, 0, newMark())
		default:
			err = p.put(ctx, has, func(now vitrine.LogPosition) bool { return now.Mark == 0 })
		}
		if err != nil {
			return err
		}
	}
	return vitrine.Unavailable(fmt.Errorf("other processes changed the mark of the view log %d times at the same time",
		maxTries))
}

// Record stores how far the log was written. It changes nothing if that is
// stored already. It returns ErrLoss for another store's log.
func (p Pair) Record(ctx context.Context) error {
	has, err := p.Log.Position(ctx)
	if err != nil {
		return err
	}
	known, err := p.record(ctx)
	switch {
	case err != nil:
		return err
	case known.Mark != has.Mark:
		return p.Check(ctx) // Accept may have come in between
	case known.Last >= has.Last:
		return nil
	}
	return p.put(ctx, has, func(now vitrine.LogPosition) bool { return now.Mark == has.Mark && now.Last < has.Last })
}

// Accept makes the log the store's in its present state, even if views are
// missing. The log gets a new mark, so that the log it replaces is a different
// one from then on.
func (p Pair) Accept(ctx context.Context) error {
	has, err := p.Log.Position(ctx)
	if err == nil {
		err = p.Log.SetMark(ctx, has.Mark, newMark())
	}
	if err == nil {
		has, err = p.Log.Position(ctx)
	}
	if err != nil {
		return err
	}
	return p.put(ctx, has, func(vitrine.LogPosition) bool { return true })
}

// Rewind lowers the stored position to that of the log, if the log is the
// store's. It is for copies of both in which the store's copy is newer.
func (p Pair) Rewind(ctx context.Context) error {
	has, err := p.Log.Position(ctx)
	if err != nil {
		return err
	}
	return p.put(ctx, has, func(now vitrine.LogPosition) bool { return now.Mark == has.Mark && now.Last > has.Last })
}

// record reads the stored position of the log; the zero position: none.
func (p Pair) record(ctx context.Context) (known vitrine.LogPosition, err error) {
	return vitrine.Read(ctx, p.Store, func(tx vitrine.Tx) (vitrine.LogPosition, error) {
		return readRecord(tx)
	})
}

func readRecord(tx vitrine.SecretTx) (known vitrine.LogPosition, err error) {
	text, err := tx.Secret(recordSecret)
	if errors.Is(err, vitrine.ErrNotFound) {
		return known, nil
	}
	if err != nil {
		return known, err
	}
	if _, err := fmt.Sscanf(string(text), "%d %d", &known.Mark, &known.Last); err != nil {
		return known, fmt.Errorf("the stored position of the view log cannot be read: %q", text)
	}
	return known, nil
}

// put stores a position if when accepts the stored one.
func (p Pair) put(ctx context.Context, has vitrine.LogPosition, when func(current vitrine.LogPosition) bool) error {
	return p.Store.Update(ctx, func(tx vitrine.Tx) error {
		current, err := readRecord(tx)
		if err != nil || !when(current) {
			return err
		}
		return tx.PutSecret(recordSecret, fmt.Appendf(nil, "%d %d", has.Mark, has.Last))
	})
}

// newMark returns a random number above 0.
func newMark() int64 { return rand.Int64N(1<<63-1) + 1 }
