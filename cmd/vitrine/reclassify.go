package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"vitrine/internal/reclassify"
	"vitrine/internal/terminal"
	"vitrine/internal/visitor"
)

type reclassifyCmd struct {
	Apply bool `help:"Change the views. Without it, what would change is printed, and nothing else happens."`
	placeFlags
	terminal.JSONFlag
}

func (*reclassifyCmd) Help() string {
	return `The rules that tell programs from people get better with each version. This applies those of this version to views that are stored. Each line says why views are excluded now, why they would be ("person": they count), which program it is about, and how many views.
Only excluded views can change, and views that this command has counted before: of a person's view no program is stored. The program's name decides; views without a name stay, and so do days whose views have expired.
It can be stopped and run again, and servers may run. Update all servers first: one with old rules writes new views by these.`
}

// reclassRow is the output for a group of changed views.
type reclassRow struct {
	From    string `json:"from"`
	To      string `json:"to"`
	Program string `json:"program"`
	Views   int64  `json:"views"`
}

func (c *reclassifyCmd) Run(ctx context.Context, t *terminal.Terminal) error {
	return withInstance(ctx, c.placeFlags, func(in *instance) error {
		said := in.now()
		s := &reclassify.Service{Store: in.store, Log: in.log, Now: in.now, Rule: visitor.ReasonOf, Retry: t.Patiently,
			Tell: func(r reclassify.Result) {
				if now := in.now(); now.Sub(said) >= 5*time.Second {
					said = now
					t.Say("%s read, %s changed", terminal.Counted(r.Views, "view"), terminal.Count(r.Applied))
				}
			}}
		from := in.now()
		r, err := s.Run(ctx, c.Apply)
		took := in.now().Sub(from)
		if r.Applied > 0 {
			err = c.finish(ctx, t, in, err)
		}
		if err != nil {
			return fmt.Errorf("after %s read and %s changed, reclassify ended early. All numbers are right; run it again to go on: %w",
				terminal.Counted(r.Views, "view"), terminal.Count(r.Applied), err)
		}
		if err := c.print(t, &r); err != nil {
			return err
		}
		t.Say("%s read in %s, %s of them excluded.", terminal.Counted(r.Views, "view"), took.Round(time.Millisecond),
			terminal.Count(r.Excluded))
		c.sum(t, &r)
		return nil
	})
}

// finish rebuilds the tallies with changed views.
func (c *reclassifyCmd) finish(ctx context.Context, t *terminal.Terminal, in *instance, err error) error {
	if err == nil {
		err = t.Patiently(ctx, func() error { return in.analytics.RollUp(ctx) })
	}
	recorded := t.Patiently(context.WithoutCancel(ctx), func() error {
		return in.logPair().Record(context.WithoutCancel(ctx))
	})
	if err == nil {
		err = c.lossOf(recorded)
	}
	return err
}

func (c *reclassifyCmd) print(t *terminal.Terminal, r *reclassify.Result) error {
	var rows [][]string
	for _, change := range reclassify.Sorted(r.Changes) {
		row := reclassRow{reclassify.Name(change.From), reclassify.Name(change.To), change.Product, r.Changes[change]}
		if c.JSON {
			if err := t.JSON(row); err != nil {
				return err
			}
			continue
		}
		rows = append(rows, []string{row.From, row.To, row.Program, strconv.FormatInt(row.Views, 10)})
	}
	if c.JSON || len(rows) == 0 {
		return nil
	}
	return t.Table([]string{"FROM", "TO", "PROGRAM", "VIEWS"}, rows)
}

// sum prints the number of changes, and of views that could not be changed.
func (c *reclassifyCmd) sum(t *terminal.Terminal, r *reclassify.Result) {
	switch n := r.Changed(); {
	case n == 0:
		t.Say("Nothing changes: the rules of this version say the same of each.")
	case c.Apply:
		t.Say("%s changed. Reports have the new numbers.", terminal.Counted(r.Applied, "view"))
	default:
		t.Say("%s would change: run it with --apply.", terminal.Counted(n, "view"))
	}
	if r.Gone > 0 {
		t.Say("Of expired days only tallies are kept. They stay as they are: %s excluded there, %s of which would change.",
			terminal.Counted(r.Gone, "view"), terminal.Count(r.GoneOther))
	}
}
