package main

import (
	"context"
	"fmt"

	"vitrine"
)

type auditCmd struct {
	placeFlags
	Deep bool `help:"Read the bytes of every file, too, and compare their SHA-256."`
	All  bool `help:"Recount every stored tally from its opens, not a sample of them."`
}

// Run prints a line for each fault, and fails when there is one.
func (c *auditCmd) Run(ctx context.Context, t *terminal) error {
	return withInstance(ctx, c.placeFlags, func(in *instance) error {
		faults := 0
		a := &vitrine.Audit{Store: in.store, Blobs: in.blobs, Log: in.log, Now: in.now, Deep: c.Deep, All: c.All}
		err := a.Run(ctx, func(fault string) {
			faults++
			fmt.Fprintln(t.out, plain(fault))
		})
		switch {
		case err != nil:
			return fmt.Errorf("the audit could not be finished: %w", err)
		case faults > 0:
			return fmt.Errorf("faults found: %d", faults)
		}
		t.say("No faults.")
		return nil
	})
}
