package main

import (
	"context"
	"time"

	"vitrine"
)

const (
	// importPatience is how long an import waits for a database that is away.
	importPatience = 10 * time.Minute
	// firstImportPause is the time before the first new attempt; it doubles to longestImportPause.
	firstImportPause   = 250 * time.Millisecond
	longestImportPause = 5 * time.Second
)

// patiently calls f again for as long as the database is away, within
// importPatience, and says once that it waits.
func (t *terminal) patiently(ctx context.Context, f func() error) error {
	err := f()
	if vitrine.CodeOf(err) != vitrine.CodeUnavailable || ctx.Err() != nil {
		return err
	}
	t.say("The database does not answer. The import waits up to %s and goes on by itself: %v", importPatience, err)
	enough := after(importPatience)
	for pause := firstImportPause; ; pause = min(2*pause, longestImportPause) {
		select {
		case <-after(pause):
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
