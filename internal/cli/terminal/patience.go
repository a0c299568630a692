package terminal

import (
	"context"
	"errors"
	"time"

	"vitrine"
)

// After is the timer of pauses. Tests replace it.
var After = time.After

const (
	// importPatience is the maximum time to retry while the database is
	// unavailable.
	importPatience = 10 * time.Minute
	// firstImportPause is the first pause between attempts. Pauses double up to
	// maxImportPause.
	firstImportPause = 250 * time.Millisecond
	maxImportPause   = 5 * time.Second
)

// Patiently retries f while the database is unavailable, for at most
// importPatience. It prints one message about the wait.
func (t *Terminal) Patiently(ctx context.Context, f func() error) error {
	err := f()
	if vitrine.CodeOf(err) != vitrine.CodeUnavailable || errors.Is(err, vitrine.ErrDamaged) || ctx.Err() != nil {
		return err
	}
	t.Say("The database does not respond. The import waits up to %s and then continues: %v", importPatience, err)
	enough := After(importPatience)
	for pause := firstImportPause; ; pause = min(2*pause, maxImportPause) {
		select {
		case <-After(pause):
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
