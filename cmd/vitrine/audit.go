package main

import (
	"context"
	"errors"
	"fmt"

	"vitrine"
	"vitrine/internal/logowner"
)

type auditCmd struct {
	placeFlags
	Deep bool `help:"Read the bytes of every file, too, and compare their SHA-256."`
	All  bool `help:"Recount every stored tally from its opens, not a sample of them."`
}

// Run prints a line for each fault, and fails when there is one.
func (c *auditCmd) Run(ctx context.Context, t *terminal) error {
	in, err := openExisting(ctx, c.placeFlags, false)
	if err != nil {
		return err
	}
	defer in.Close()
	faults := 0
	fault := func(text string) {
		faults++
		fmt.Fprintln(t.out, plain(text))
	}
	if err := in.pair().Check(ctx); errors.Is(err, logowner.ErrLoss) {
		fault(c.lossOf(err).Error())
	} else if err != nil {
		return err
	}
	a := &vitrine.Audit{Store: in.store, Blobs: in.blobs, Log: in.log, Now: in.now, Deep: c.Deep, All: c.All}
	err = a.Run(ctx, fault)
	switch {
	case err != nil:
		return fmt.Errorf("the audit could not be finished: %w", err)
	case faults > 0:
		return fmt.Errorf("faults found: %d", faults)
	}
	t.say("No faults.")
	return nil
}
