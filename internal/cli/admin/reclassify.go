package admin

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"vitrine/internal/app/analytics"
	"vitrine/internal/cli/command"
	"vitrine/internal/cli/instance"
	"vitrine/internal/cli/terminal"
	"vitrine/internal/visitor"
)

type reclassifyCmd struct {
	Apply bool
	instance.Places
	command.JSONFlag
}

func newReclassify() *command.Command {
	c := new(reclassifyCmd)
	cmd := onInstance("reclassify", "Reclassify stored views with the bot rules of this version.", &c.Places, c.Run)
	cmd.Long = `The rules that distinguish programs from people improve with each version. This applies the rules of
this version to stored views. Each line is the current reason, the new one ("person": the views
count), the program, and the number of views. Only excluded views can change, and views that this
command has changed before, because no program is stored for a person's view. The name of the
program decides. Views without a name do not change, nor do days whose views have expired. You can
stop it and run it again, and servers may run. Update all servers first: a server with old rules
classifies new views by them.`
	cmd.Examples("admin reclassify",
		"admin reclassify --apply")
	cmd.Bool(&c.Apply, "apply", "Change the views. Without it, the command only prints what would change.")
	cmd.Take(&c.Places, &c.JSONFlag)
	return cmd
}

// reclassRow is the output for a group of changed views.
type reclassRow struct {
	From    string `json:"from"`
	To      string `json:"to"`
	Program string `json:"program"`
	Views   int64  `json:"views"`
}

func (c *reclassifyCmd) Run(ctx context.Context, t *terminal.Terminal, in *instance.Instance) error {
	said := in.Now()
	s := &analytics.Reclassify{Store: in.Store, Log: in.Log, Now: in.Now, Rule: visitor.ReasonOf, Retry: t.Patiently,
		Tell: func(r analytics.Reclassified) {
			if now := in.Now(); now.Sub(said) >= 5*time.Second {
				said = now
				t.Say("%s read, %s changed", terminal.Counted(r.Views, "view"), terminal.Count(r.Applied))
			}
		}}
	from := in.Now()
	r, err := s.Run(ctx, c.Apply)
	took := in.Now().Sub(from)
	if r.Applied > 0 {
		err = c.finish(ctx, t, in, err)
	}
	if err != nil {
		return fmt.Errorf("reclassify ended early, after %s read and %s changed. All numbers are correct; run it again to continue: %w",
			terminal.Counted(r.Views, "view"), terminal.Count(r.Applied), err)
	}
	if err := c.print(t, &r); err != nil {
		return err
	}
	t.Say("%s read in %s, %s of them excluded.", terminal.Counted(r.Views, "view"), took.Round(time.Millisecond),
		terminal.Count(r.Excluded))
	c.sum(t, &r)
	return nil
}

// finish rebuilds the tallies with changed views.
func (c *reclassifyCmd) finish(ctx context.Context, t *terminal.Terminal, in *instance.Instance, err error) error {
	if err == nil {
		err = t.Patiently(ctx, func() error { return in.Analytics.RollUp(ctx) })
	}
	recorded := t.Patiently(context.WithoutCancel(ctx), func() error {
		return in.LogPair().Record(context.WithoutCancel(ctx))
	})
	if err == nil {
		err = c.ExplainLoss(recorded)
	}
	return err
}

func (c *reclassifyCmd) print(t *terminal.Terminal, r *analytics.Reclassified) error {
	var rows []reclassRow
	for _, change := range analytics.SortedClassChanges(r.Changes) {
		rows = append(rows, reclassRow{analytics.ReasonName(change.From), analytics.ReasonName(change.To),
			change.Product, r.Changes[change]})
	}
	if len(rows) == 0 {
		return nil
	}
	return command.List(t, c.JSONFlag, "", []string{"FROM", "TO", "PROGRAM", "VIEWS"}, rows, command.Itself,
		func(r reclassRow) []string {
			return []string{r.From, r.To, r.Program, strconv.FormatInt(r.Views, 10)}
		})
}

// sum prints the number of changes, and of views that could not be changed.
func (c *reclassifyCmd) sum(t *terminal.Terminal, r *analytics.Reclassified) {
	switch n := r.Changed(); {
	case n == 0:
		t.Say("Nothing changes: the rules of this version give the same result.")
	case c.Apply:
		t.Say("%s changed. Reports have the new numbers.", terminal.Counted(r.Applied, "view"))
	default:
		t.Say("%s would change: run it with --apply.", terminal.Counted(n, "view"))
	}
	if r.Gone > 0 {
		t.Say("Expired days have only tallies, which do not change: they exclude %s, of which %s would change.",
			terminal.Counted(r.Gone, "view"), terminal.Count(r.GoneOther))
	}
}
