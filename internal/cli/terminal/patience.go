package terminal

import (
	"context"
	"errors"
	"time"

	"vitrine"
)

const (
	// patience is the maximum time to retry while the database is unavailable.
	patience = 10 * time.Minute
	// firstPause is the first pause between attempts. Pauses double up to
	// maxPause.
	firstPause = 250 * time.Millisecond
	maxPause   = 5 * time.Second
)

// Patiently retries f while the database is unavailable, for at most
// patience. It prints one message about the wait.
func (t *Terminal) Patiently(ctx context.Context, f func() error) error {
	err := f()
	if vitrine.CodeOf(err) != vitrine.CodeUnavailable || errors.Is(err, vitrine.ErrDamaged) || ctx.Err() != nil {
		return err
	}
	t.Say("The database does not respond. This command waits for it, at most %s: %v", patience, err)
	enough := t.After(patience)
	for pause := firstPause; ; pause = min(2*pause, maxPause) {
		select {
		case <-t.After(pause):
		case <-enough:
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
		if err = f(); vitrine.CodeOf(err) != vitrine.CodeUnavailable {
			return err
		}
	}
}
